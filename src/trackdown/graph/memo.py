"""Answers to questions that may lead back to themselves: each is worked out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")
_MISSING = object()


class RecursiveMemo:
    """Knows which questions are being answered, and how many were asked for the outermost of them.

    A question that needs its own answer, goes too deep or takes too long gets a substitute. An answer that rests on a
    substitute is not kept, so no answer depends on which question was asked first.
    """

    def __init__(self, deepest: int, most_steps: int) -> None:
        self._deepest = deepest
        self._most_steps = most_steps
        self._open: set[tuple[int, Hashable]] = set()
        self._steps = 0
        self._cut = False

    def once(self, answers: dict[Key, Answer], key: Key, compute: Callable[[], Answer], otherwise: Answer) -> Answer:
        """The answer to a question from `answers`, or computed and added to them; `otherwise` is the substitute."""
        known = answers.get(key, _MISSING)
        if known is not _MISSING:
            return cast(Answer, known)
        question = (id(answers), key)
        if question in self._open or len(self._open) >= self._deepest or self._steps >= self._most_steps:
            self._cut = True
            return otherwise
        outermost = not self._open
        self._steps = 1 if outermost else self._steps + 1
        before, self._cut = self._cut and not outermost, False
        self._open.add(question)
        try:
            found = compute()
        finally:
            self._open.discard(question)
        if not self._cut:
            answers[key] = found
        self._cut = self._cut or before
        if outermost:
            self._steps = 0
        return found
