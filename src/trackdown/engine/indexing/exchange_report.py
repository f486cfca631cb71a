"""What was exported or imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    """An index that was written to a file or read from one: its digest and size, its commit, and what it contains.

    `place` is that file, or the URL it came from. `parts` are those that were written, or that are used here.
    """

    repository: str
    place: str
    digest: str
    bytes: int
    commit: str
    files: int
    units: int
    commits: int
    parts: tuple[str, ...]
    notes: tuple[str, ...] = ()
