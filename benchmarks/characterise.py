"""What the program answers, question by question: to see that a change of the code changes no answer.

python benchmarks/characterise.py FLASK EXPRESS COBRA GSON --write FILE      record the answers
python benchmarks/characterise.py FLASK EXPRESS COBRA GSON --against FILE    compare them with a recording

The questions are in golden/characterise.json: searches through the Python API, the command line, HTTP and MCP, with
and without a language model (a stand-in answers, is recorded, and the recording is replayed), then everything else that
can be asked. The arguments are clones of the repositories named there, in any order; each is checked out at the commit
that the questions name, in a temporary folder with a store of its own. No question depends on the clock.

Times, versions, sizes of the store, paths of the machine and prose (reasons, notes, messages, descriptions) are masked;
order, scores and fields are not. Long texts are compared by their digests. A recording has one line an answer. An
answer that only gained a field is listed but does not count as different; neither does a difference in the OpenAPI
document or in the list of MCP tools. The exit code is 1 if any other answer differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from recordings import Answers, compare, masked, read, write

import trackdown
from trackdown.settings import load_settings

QUESTIONS = Path(__file__).parent / "golden" / "characterise.json"
MODEL = "stand-in"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--write", type=Path, help="a .jsonl or .jsonl.gz file")
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    questions = json.loads(QUESTIONS.read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="characterise-") as folder:
        answers = ask_everything(questions, arguments.repositories, Path(folder).resolve())
    if arguments.write is not None:
        write(arguments.write, answers)
    return 0 if arguments.against is None else compare(read(arguments.against), answers)


def ask_everything(questions: dict[str, Any], clones: Sequence[Path], folder: Path) -> Answers:
    """The masked answers to all questions, by the names of these."""
    for name in [name for name in os.environ if name.startswith("TRACKDOWN_")]:
        del os.environ[name]
    os.environ |= {"TRACKDOWN_STORE": str(folder / "store"), "XDG_CONFIG_HOME": str(folder / "config")}
    os.environ["TRACKDOWN_DEEP"] = "no"  # answers must not change when the deep index is complete
    about = questions["repositories"]
    places = {name: check_out(clones, name, about[name]["commit"], folder) for name in about}
    answers: Answers = {}

    def take(found: Iterator[tuple[str, Any]]) -> None:
        started, before = time.monotonic(), len(answers)
        for name, answer in found:
            assert name not in answers, f"{name} is asked twice"
            answers[name] = masked(json.loads(json.dumps(answer).replace(str(folder), "ROOT")))
        print(f"{len(answers) - before} answers in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)

    take(searches(about, questions["searches"], places, "search"))
    take(others(about, questions["others"], places))
    take(searches_with_llm(about, questions["with_llm"], places, folder))
    take(commands(questions["commands"], places))
    take(http(questions["http"], list(places.values())))
    take(iter(anyio.run(tools, questions["tools"], list(places.values()))))
    return answers


def check_out(clones: Sequence[Path], name: str, commit: str, folder: Path) -> Path:
    """A clone of the repository of this name at a commit."""
    source = next((path for path in clones if path.resolve().name == name), None)
    if source is None:
        raise SystemExit(f"give the path of a clone of {name}, in a folder of that name")
    place = folder / name
    subprocess.run(["git", "clone", "-q", "--shared", str(source.resolve()), str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "checkout", "-q", "--detach", commit], check=True)
    return place


# The Python API


def searches(
    about: Mapping[str, Any], specs: Sequence[dict[str, Any]], places: Mapping[str, Path], kind: str, **settings: Any
) -> Iterator[tuple[str, Any]]:
    """Every specification with the first queries of every repository. `$name` is what the repository has there."""
    for name, spec in product(places, specs):
        options = {key: filled(value, about[name]) for key, value in spec.items() if key not in ("queries", "mode")}
        shown = " ".join(f"{key}={value}" for key, value in spec.items() if key != "queries")
        mode = {"mode": spec["mode"]} if "mode" in spec else {}
        with trackdown.open(places[name], settings=load_settings(**mode, **settings)) as repository:
            for number, query in enumerate(about[name]["queries"][: spec["queries"]], 1):
                search = options | {"effort": options.get("effort", "fast")}
                yield f"{kind} {name} {number} {shown}", tried(lambda: asdict(repository.search(query, **search)))  # noqa: B023


def others(
    about: Mapping[str, Any], specs: Sequence[dict[str, Any]], places: Mapping[str, Path]
) -> Iterator[tuple[str, Any]]:
    """What else can be asked of a repository: each of its places, or its first two queries."""
    for name, spec in product(places, specs):
        ask, options = spec["ask"], {key: filled(value, about[name]) for key, value in spec.items() if key != "ask"}
        targets = {"history": about[name]["queries"][:2], "status": [], "inventory": []}.get(ask) or about[name].get(
            ask
        )
        shown = " ".join(f"{key}={value}" for key, value in spec.items() if key != "ask")
        with trackdown.open(places[name], settings=load_settings()) as repository:
            for target in [()] if targets is None else [(target,) for target in targets]:
                call = getattr(repository, ask)
                question = " ".join(part for part in (ask, name, *target, shown) if part)
                yield question, tried(lambda: plain(call(*target, **options)))  # noqa: B023


def filled(value: Any, about: Mapping[str, Any]) -> Any:
    """A value with what stands for `$name` in it."""
    if isinstance(value, list):
        return [filled(one, about) for one in value]
    return about[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def plain(answer: Any) -> Any:
    """An answer as JSON has it. The edges of a graph are lines."""
    if not hasattr(answer, "edges"):
        return asdict(answer)
    edges = [f"{edge.source.id} {edge.type} {edge.target.id} {edge.how}" for edge in answer.edges]
    nodes = [f"{node.kind} {node.id} {node.end_line}" for node in answer.nodes]
    return {"nodes": nodes, "edges": edges, "starts": [node.id for node in answer.starts], "cut": answer.cut}


def tried(ask: Callable[[], Any]) -> Any:
    """The answer, or the name of the error."""
    try:
        return ask()
    except Exception as error:
        return {"error": type(error).__name__}


# With a language model


def searches_with_llm(
    about: Mapping[str, Any], questions: Mapping[str, Any], places: Mapping[str, Path], folder: Path
) -> Iterator[tuple[str, Any]]:
    """Rewrite some code and search, once with the stand-in to record it; the answers are those of the replay."""
    chosen = {name: places[name] for name in questions["repositories"]}
    recording = folder / "recording.jsonl"

    def ask(**settings: Any) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []
        for name, place in chosen.items():
            with trackdown.open(place, settings=load_settings(**settings)) as repository:
                made = tried(lambda: asdict(repository.rewrite(limit=questions["rewrites"])))
                found.append((f"rewrite {name}", made))
        return found + list(searches(about, questions["searches"], chosen, "llm", **settings))

    with stand_in() as url:
        ask(llm=url, llm_model=MODEL, llm_record=recording, store=folder / "recorded")
    model = json.loads(recording.read_text("utf-8").splitlines()[0])["model"]
    yield from ask(llm_model=model, llm_replay=recording, store=folder / "replayed")


@contextmanager
def stand_in() -> Iterator[str]:
    """The URL of an endpoint that answers from the words it is asked about."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": made_up(body["messages"][-1]["content"])}
            usage = {"prompt_tokens": 100, "completion_tokens": 20}
            data = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def made_up(question: str) -> str:
    """Numbers where pieces of code are to be chosen; else a function, or a sentence on a piece of code."""
    if "BEGIN" in question:
        return "3, 1, 2"
    lines = question.splitlines()
    is_code = len(lines) > 2
    words = re.findall(r"[A-Za-z]{3,}", " ".join(lines[1:-1]) if is_code else lines[0].partition(":")[2])
    some = list(dict.fromkeys(words))[:12]
    if is_code:
        return f"It handles {' '.join(some)}."
    return f"def {'_'.join(some[:4])}({', '.join(some[4:8])}):\n    return {' + '.join(some[8:]) or 'None'}"


# The command line, HTTP and MCP


def commands(specs: Sequence[Sequence[str]], places: Mapping[str, Path]) -> Iterator[tuple[str, Any]]:
    """What commands print as JSON, and their exit codes. An issue comes from standard input."""
    issue = "Configuration is lost\n\nWhen a file is read twice, `from_file` forgets the values of the first."
    for spec in specs:
        words = [re.sub(r"^\$(\w+)", lambda found: str(places[found[1]]), word) for word in spec]
        run = subprocess.run(
            [sys.executable, "-m", "trackdown", *words, "--format", "json"], input=issue, capture_output=True, text=True
        )
        answer = json.loads(run.stdout) if run.stdout else None
        yield f"command {' '.join(spec)}", {"exit": run.returncode, "answer": answer}


def http(specs: Sequence[Sequence[Any]], places: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """What the server answers: GET with parameters, or POST with a body."""
    with served(places) as address:
        for path, *rest in specs:
            parameters, body = (*rest, None, None)[:2]
            shown = f"{path}?{urlencode(parameters, doseq=True)}" if parameters else path
            name = f"http {shown}" if body is None else f"http {shown} {json.dumps(body)}"
            yield name, request(address, shown, body)
        yield "openapi", request(address, "/openapi.json", None)["body"]


def request(address: str, path: str, body: Any) -> dict[str, Any]:
    """Status, media type and body of an answer. Of a stream the results, of anything but JSON only that it came."""
    connection = HTTPConnection(address, timeout=300)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    data = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, data, headers)
    answer = connection.getresponse()
    text, media = answer.read().decode(), (answer.headers["Content-Type"] or "").partition(";")[0]
    connection.close()
    found: Any = None
    if media.endswith("json"):
        found = json.loads(text)
    elif media == "text/event-stream":
        events = [
            dict(line.split(": ", 1) for line in event.splitlines() if ": " in line) for event in text.split("\n\n")
        ]
        found = [(event["event"], json.loads(event["data"])) for event in events if event.get("event") == "results"]
    return {"status": answer.status, "media": media, "body": found}


@contextmanager
def served(places: Sequence[Path]) -> Iterator[str]:
    """Host and port of a server whose indexes are ready."""
    command = [sys.executable, "-m", "trackdown", "serve", *map(str, places), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None, "the server did not start"
            address = urlsplit(found.group()).netloc
            while not all(one["ready"] for one in request(address, "/v1/repositories", None)["body"]["repositories"]):
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


async def tools(specs: Sequence[tuple[str, dict[str, Any]]], places: Sequence[Path]) -> list[tuple[str, Any]]:
    """The list of MCP tools, and what some calls answer for programs."""
    words = ["-m", "trackdown", "mcp", *map(str, places), "--wait", "600"]
    found: list[tuple[str, Any]] = []
    async with Client(StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))) as client:
        listed = await client.list_tools()
        found.append(("tools", {tool.name: tool.model_dump(mode="json") for tool in listed.tools}))
        for name, arguments in specs:
            room = {} if "max_tokens" in arguments else {"max_tokens": 50_000}
            answer = await client.call_tool(name, arguments | room | {"structured": True})
            value = {"error": answer.is_error, "answer": answer.structured_content}
            found.append((f"tool {name} {json.dumps(arguments)}", value))
    return found


if __name__ == "__main__":
    sys.exit(main())
