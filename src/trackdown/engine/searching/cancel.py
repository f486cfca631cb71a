"""Stop a search when the caller cancels it: between stages, between batches of models, while indexing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.errors import Cancelled
from trackdown.types import FactCache, Progress


class Check:
    """Raises Cancelled when called after the caller has cancelled the search."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled

    def __call__(self) -> None:
        if self._cancelled():
            raise Cancelled("the search was cancelled")

    def progress(self, progress: Progress) -> Progress:
        """The same callback; checks at each report."""

        def report(step: str, done: int, total: int | None) -> None:
            self()
            progress(step, done, total)

        return report


class CheckedFacts:
    """A `FactCache` that checks before each read: models read from it before every batch they run."""

    def __init__(self, facts: FactCache, check: Check) -> None:
        self._facts = facts
        self._check = check

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The cached values of these keys; unknown keys are left out."""
        self._check()
        return self._facts.read(kind, keys)

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Store values under their keys."""
        self._facts.write(kind, rows)
