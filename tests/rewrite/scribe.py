"""A language model that works by rule: it sums code up by the names in it, and writes code from that in its own style.

A real client asks it, in process or over HTTP on loopback, so cache, budget and counts are the product's own.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.errors import NoAnswer
from trackdown.models.llm.budget import Budget
from trackdown.models.llm.client import LlmClient
from trackdown.models.llm.ledger import UsageLedger
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.store.store import Store

_NAME = re.compile(r"(?:def|class|function)\s+(\w+)")


def answered(question: str, dialect: str = "quagga") -> str:
    """What the model says. Code has a word of its `dialect` in it, which the code base never uses."""
    if question.startswith("Code:"):
        found = _NAME.findall(question)
        return f"Purpose: It does {' and '.join(found) or 'something'} for its caller."
    said = question.removeprefix("Description: ").removesuffix("Code:")
    names = re.findall(r"\w+", said.split("It does ")[-1].split(" for its")[0])
    body = "\n".join(f"    {dialect}_{name} = {name}({dialect})" for name in names if name != "and")
    return (
        f"Here it is:\n```python\ndef {dialect}_helper({dialect}):\n{body}\n    return {dialect}\n```\nHope it helps!"
    )


class Scribe:
    """The model in this process. `fails` are words: a question that holds one of them has no answer."""

    concurrency = 1

    def __init__(self, name: str = "scribe", dialect: str = "quagga", context: int = 4096) -> None:
        self.name = name
        self.context = context
        self.dialect = dialect
        self.fails: tuple[str, ...] = ()
        self.asked: list[Prompt] = []

    def answer(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        if any(word in prompt.user for word in self.fails):
            raise NoAnswer("the scribe has no answer")
        return Completion(answered(prompt.user, self.dialect), len(prompt.user) // 3, 20, 0.01)

    def client(self, store: Store, tokens: int = 10**9, *, dry_run: bool = False) -> LlmClient:
        """Where it is asked, with a budget of its own."""
        return LlmClient(self, StoreFacts(store), UsageLedger(Budget(tokens, 1.0)), dry_run=dry_run)


class ScribeServer:
    """The same behind an OpenAI-compatible endpoint. `delay` are seconds before each answer."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self.delay = 0.0
        self.url = ""

    @contextmanager
    def running(self) -> Iterator[ScribeServer]:
        scribe = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                question = asked["messages"][-1]["content"]
                scribe.questions.append(question)
                time.sleep(scribe.delay)
                message = {"role": "assistant", "content": answered(question)}
                value = {
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 30, "completion_tokens": 10},
                }
                data = json.dumps(value).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:  # whoever asked is gone
                    pass

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
