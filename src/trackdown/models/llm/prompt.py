"""A prompt, its completion, and the interface through which stages ask a language model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from trackdown.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question. `examples` are earlier turns of the conversation: a question and the answer that it should get.

    `number` tells several completions of the same question apart.
    """

    system: str
    user: str
    examples: tuple[tuple[str, str], ...] = ()
    max_tokens: int = 256
    temperature: float = 0.0
    number: int = 0

    def digest(self, model: str) -> str:
        """The cache key of this prompt's completion by a model."""
        content = json.dumps([model, asdict(self)], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(content.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer to a prompt. `complete` is False when it was cut off at the token limit."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    complete: bool = True


class LanguageModel(Protocol):
    """A language model with its cache and its budget, as stages see it."""

    @property
    def name(self) -> str:
        """The model's id, part of the key of everything derived from its answers."""
        ...

    @property
    def context(self) -> int:
        """The size of the context window in tokens, prompt and completion together."""
        ...

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        """A completion for each prompt, in order; None where there is none, and then a note says why.

        Cached completions cost nothing. The cost is recorded under `stage`.
        """
        ...
