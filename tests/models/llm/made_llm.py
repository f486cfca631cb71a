"""Language models made by hand: one that says what it is told to, and one that reads prompts as a good one would."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.types import Progress, no_progress


@dataclass
class MadeLlm:
    """A `LanguageModel` whose answers come from a function: a text, a `Completion`, or None.

    Records what it was asked.
    """

    says: Callable[[Prompt], str | Completion | None]
    name: str = "made"
    context: int = 8192
    asked: list[tuple[str, Prompt]] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        self.rounds.append(len(prompts))
        self.asked += [(stage, prompt) for prompt in prompts]
        return [self._answer(prompt) for prompt in prompts]

    def _answer(self, prompt: Prompt) -> Completion | None:
        said = self.says(prompt)
        return Completion(said, len(prompt.user) // 4, len(said) // 4, 0.0) if isinstance(said, str) else said


def blocks_of(text: str) -> dict[str, str]:
    """The blocks of a prompt by name, told from forged ones by the word that the first line gives."""
    first = re.match(r"The secret word is (\w+)\.\n", text)
    assert first is not None
    word = first[1]
    found = re.findall(rf"^BEGIN (\w+) {word}\n(.*?)\nEND \1 {word}$", text, re.DOTALL | re.MULTILINE)
    assert len(re.findall(word, text)) == 2 * len(found) + 1, "a marker's word stands in the markers alone"
    return dict(found)


def honest(relevance: Callable[[str], float], fewest: float = float("-inf")) -> Callable[[Prompt], str]:
    """A model that orders the pieces of a prompt by their relevance, the best first, and names those above a bar."""

    def says(prompt: Prompt) -> str:
        pieces = {name: text for name, text in blocks_of(prompt.user).items() if name != "ISSUE"}
        named = sorted(
            (name for name in pieces if relevance(pieces[name]) > fewest), key=lambda n: -relevance(pieces[n])
        )
        return ", ".join(named) or "0"

    return says
