"""Completions in a file, one JSON line each, keyed by their prompts' digests: they repeat a run without its model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trackdown.errors import NoAnswer, UsageError
from trackdown.models.llm.prompt import Completion, Prompt

FORMAT = 1


class ReplayLine(msgspec.Struct, frozen=True):
    """A line of the file."""

    format: int
    key: str
    model: str
    context: int
    stage: str
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    complete: bool = msgspec.field(name="whole")


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """The content of a file. `models` maps each recorded model to its context size; `notes` names unreadable lines."""

    answers: Mapping[str, Completion]
    models: Mapping[str, int]
    notes: tuple[str, ...]


class ReplayOnlyModel:
    """Stands in for a model that isn't here, only its recorded answers: it answers nothing itself.

    `context` is the context size at recording time, because stages cut their prompts to it.
    """

    concurrency = 1

    def __init__(self, name: str, path: Path, context: int) -> None:
        self.name = name
        self.context = context
        self._path = path

    def answer(self, prompt: Prompt) -> Completion:
        """Always raises NoAnswer: the client has already looked into the file."""
        raise NoAnswer(f"{self._path} has no answer of {self.name} to this question")


def read_replay(path: Path) -> ReplayFile:
    """Read a file of completions. A damaged line, or one of another format, is skipped with a note.

    Raises UsageError when the file cannot be read at all.
    """
    answers: dict[str, Completion] = {}
    models: dict[str, int] = {}
    bad: list[int] = []
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                if not raw.strip():
                    continue
                line = _read(raw)
                if line is None:
                    bad.append(number)
                    continue
                answers[line.key] = Completion(line.text, line.tokens_in, line.tokens_out, line.seconds, line.complete)
                models[line.model] = line.context
    except OSError as error:
        raise UsageError(f"cannot read the answers in {path}: {error.strerror}") from None
    notes: tuple[str, ...] = ()
    if bad:
        lines = f"line {bad[0]}" if len(bad) == 1 else f"{len(bad)} lines (the first is line {bad[0]})"
        notes = (f"{path}: ignored {lines}: damaged, or of another version",)
    return ReplayFile(answers, models, notes)


def _read(raw: bytes) -> ReplayLine | None:
    try:
        line = msgspec.json.decode(raw, type=ReplayLine)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return line if line.format == FORMAT else None


class Recorder:
    """Appends completions to a file, each once. Lines that are already there stay."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = set(read_replay(path).answers) if path.exists() else set()

    def add(self, key: str, model: str, context: int, stage: str, answer: Completion) -> None:
        """Write a line at once, so that an interruption loses nothing. Raises UsageError if it can't be written."""
        if key in self._known:
            return
        line = ReplayLine(
            format=FORMAT,
            key=key,
            model=model,
            context=context,
            stage=stage,
            text=answer.text.encode("utf-8", "replace").decode(),  # JSON cannot hold half a surrogate pair
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=round(answer.seconds, 3),
            complete=answer.complete,
        )
        data = msgspec.json.encode(line) + b"\n"
        try:
            with open(self._path, "ab+", opener=_private) as stream:
                if stream.tell() and not _ends_a_line(self._path):
                    data = b"\n" + data  # an earlier writer was interrupted
                stream.write(data)
        except OSError as error:
            raise UsageError(f"cannot write answers to {self._path}: {error.strerror}") from None
        self._known.add(key)


def _private(path: str, flags: int) -> int:
    """Open a file; a new one only we can read, because answers reveal code."""
    return os.open(path, flags, 0o600)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"
