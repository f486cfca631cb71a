"""Answers in a file, one JSON line each, by the digest of their prompts: to repeat a run without its model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from trackdown.errors import UsageError
from trackdown.models.llm.prompt import Completion

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
    whole: bool


class ReplayFile:
    """What a file holds. `models` are those whose answers they are, with their contexts; `notes` says which lines could
    not be read."""

    def __init__(self, answers: Mapping[str, Completion], models: Mapping[str, int], notes: tuple[str, ...]) -> None:
        self.answers = answers
        self.models = models
        self.notes = notes


def read_replay(path: Path) -> ReplayFile:
    """Read a file of answers; a damaged line, or one of another format, is left out with a note.

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
                answers[line.key] = Completion(
                    line.text, line.tokens_in, line.tokens_out, line.seconds, line.whole, fresh=False
                )
                models[line.model] = line.context
    except OSError as error:
        raise UsageError(f"cannot read the answers in {path}: {error.strerror}") from None
    notes: tuple[str, ...] = ()
    if bad:
        told = f"line {bad[0]} is" if len(bad) == 1 else f"{len(bad)} lines (the first is line {bad[0]}) are"
        notes = (f"{path}: {told} damaged or of another version, and left out",)
    return ReplayFile(answers, models, notes)


def _read(raw: bytes) -> ReplayLine | None:
    try:
        line = msgspec.json.decode(raw, type=ReplayLine)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return line if line.format == FORMAT else None


class Recorder:
    """Adds answers to a file, each once. What is there already stays."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = set(read_replay(path).answers) if path.exists() else set()

    def add(self, key: str, model: str, context: int, stage: str, answer: Completion) -> None:
        """Write a line at once, so that an interruption loses nothing. Raises UsageError where that cannot be done."""
        if key in self._known:
            return
        text = answer.text.encode("utf-8", "replace").decode()  # half a surrogate pair has no place in JSON
        line = ReplayLine(
            FORMAT, key, model, context, stage, text, answer.tokens_in, answer.tokens_out, round(answer.seconds, 3),
            answer.whole,
        )  # fmt: skip
        data = msgspec.json.encode(line) + b"\n"
        try:
            with self._path.open("ab+") as stream:
                if stream.tell() and not _ends_a_line(self._path):
                    data = b"\n" + data  # whoever wrote before was interrupted
                stream.write(data)
        except OSError as error:
            raise UsageError(f"cannot write answers to {self._path}: {error.strerror}") from None
        self._known.add(key)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"
