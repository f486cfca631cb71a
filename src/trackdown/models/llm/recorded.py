"""A language model that is not here, only what it once answered: a file replayed without it."""

from __future__ import annotations

from pathlib import Path

from trackdown.errors import NoAnswer
from trackdown.models.llm.prompt import Completion, Prompt


class Recorded:
    """Has no answer to anything; the desk finds those of the file by itself. `context` is what it had when it was
    asked: stages cut their prompts to it."""

    concurrency = 1

    def __init__(self, name: str, path: Path, context: int) -> None:
        self.name = name
        self.context = context
        self._path = path

    def answer(self, prompt: Prompt) -> Completion:
        """Never. The reason is always the same."""
        raise NoAnswer(f"{self._path} has no answer of {self.name} to this question")
