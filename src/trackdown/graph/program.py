"""What the graph is resolved from: a snapshot's files, definitions and references. The index provides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from trackdown.units.references import BlobReferences


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class of a snapshot. `index` is its place among the units of its file, which references name."""

    file: int
    index: int
    kind: str
    symbol: str
    start_line: int
    end_line: int

    def __hash__(self) -> int:
        return hash((self.file, self.index))  # which identify it; the rest takes longer

    @property
    def name(self) -> str:
        """The last part of the symbol."""
        return self.symbol.rsplit(".", 1)[-1]

    @property
    def owner(self) -> str:
        """The symbol of what encloses it, empty at the top of a file."""
        return self.symbol.rpartition(".")[0]


class Program(Protocol):
    """The files of a snapshot, each by a number."""

    @property
    def files(self) -> Mapping[str, int]:
        """Path → number of every file."""
        ...

    def path(self, file: int) -> str:
        """The path behind a number."""
        ...

    def language(self, file: int) -> str:
        """The language of a file."""
        ...

    def definitions(self, file: int) -> Sequence[Definition]:
        """The functions and classes of a file, in the order of its text."""
        ...

    def references(self, file: int) -> BlobReferences:
        """What a file refers to."""
        ...

    def expect(self, files: Iterable[int]) -> None:
        """Get the references of several files together, as they will be needed."""
        ...

    def named(self, name: str) -> Sequence[Definition]:
        """All definitions whose last name this is, to the letter."""
        ...

    def mentioning(self, name: str) -> Sequence[int]:
        """The files in whose text a name occurs (some may hold only its parts)."""
        ...

    def text(self, path: str) -> str | None:
        """The text of a file, also of one that is not indexed (tsconfig.json, go.mod); None where there is none."""
        ...
