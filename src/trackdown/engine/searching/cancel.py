"""Stopping a search that nobody waits for any more: between stages, between batches of models, while indexing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.errors import Cancelled
from trackdown.types import FactCache, Progress


class Check:
    """Asks a caller whether the answer is still wanted. Raises Cancelled when it is not."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled

    def __call__(self) -> None:
        if self._cancelled():
            raise Cancelled("the search was cancelled")

    def progress(self, progress: Progress) -> Progress:
        """The same progress; a report is an occasion to ask."""

        def report(step: str, done: int, total: int | None) -> None:
            self()
            progress(step, done, total)

        return report


class CheckedFacts:
    """A `FactCache` that asks before it reads: models look there for what is known before every batch they run."""

    def __init__(self, facts: FactCache, check: Check) -> None:
        self._facts = facts
        self._check = check

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are there."""
        self._check()
        return self._facts.read(kind, keys)

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Keep values under their keys."""
        self._facts.write(kind, rows)
