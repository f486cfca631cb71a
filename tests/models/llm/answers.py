"""Recorded answers, written by hand: files that the program replays in place of a language model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from trackdown.models.llm.prompt import Prompt
from trackdown.models.llm.replay import FORMAT, ReplayLine


def write_answers(
    path: Path, answers: Iterable[tuple[str, Prompt, str]], model: str = "made", context: int = 8192
) -> Path:
    """A file with (stage, prompt, text) as a model of this name and context would have answered."""
    lines = [
        ReplayLine(FORMAT, prompt.digest(model), model, context, stage, text, 100, 10, 0.5, True)
        for stage, prompt, text in answers
    ]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path
