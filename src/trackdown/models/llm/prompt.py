"""What is asked of a language model and what comes back: all that the stages know of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from trackdown.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question. `examples` are turns that came before it: what was asked, and what should be answered.

    `number` tells apart several answers to the same question, where several are wanted.
    """

    system: str
    user: str
    examples: tuple[tuple[str, str], ...] = ()
    max_tokens: int = 256
    temperature: float = 0.0
    number: int = 0

    def digest(self, model: str) -> str:
        """The key of its answer by a model: the same prompt is asked once."""
        told = json.dumps([model, asdict(self)], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(told.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote. `whole` is False when it was cut off at its limit; `fresh` False when it had been kept."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    whole: bool = True
    fresh: bool = True


class LanguageModel(Protocol):
    """A language model with its cache and its budget, as stages see it."""

    @property
    def name(self) -> str:
        """The model's id: part of the key of everything that is made from its answers."""
        ...

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        ...

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        """An answer for each prompt, in their order; None where there is none, which a note then explains.

        What was asked before costs nothing. `stage` is what the cost is booked under.
        """
        ...
