"""The values that rooms hand to each other. Standard library only; everything is immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, overload

Level = Literal["function", "class", "symbol", "file"]
Effort = Literal["fast", "balanced", "thorough"]
Aggregation = Literal["maxp", "sump", "avgp", "blend"]
Fusion = Literal["rrf", "weighted", "learned"]

LEVELS: tuple[Level, ...] = ("function", "class", "symbol", "file")
"""What can be ranked; a symbol is a function or a class, in one ranking."""
EFFORTS: tuple[Effort, ...] = ("fast", "balanced", "thorough")

MAX_QUERY_CHARS = 200_000
"""A search reads at most this much of a query."""

CODE, TEST, PROSE = 0, 1, 2
"""The role of a file. Tests and prose rank below code unless they are asked for."""

FUNCTION_KINDS = frozenset({"function", "method"})
CLASS_KINDS = frozenset({"class", "interface", "struct", "trait", "enum", "module"})


class Progress(Protocol):
    """What long work reports to. `total` may be None while it is unknown."""

    def __call__(self, step: str, done: int, total: int | None) -> None: ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """The progress of callers that do not want to hear of it."""


def never() -> bool:
    """What callers who never change their mind say when they are asked whether they have."""
    return False


class FactCache(Protocol):
    """Where what was computed is kept. `kind` says what it is; a key names the content it was computed from."""

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are there."""
        ...

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Keep values under their keys."""
        ...


@dataclass(frozen=True, slots=True)
class Why:
    """One reason for a result: which signal, how much it added to the score, and in words."""

    signal: str
    value: float
    detail: str


@dataclass(frozen=True, slots=True)
class Result:
    """One place to look at. Lines are 1-based and inclusive; `path` is relative to the repository's root."""

    rank: int
    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    why: tuple[Why, ...]


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """Which state of which repository an answer speaks of. `commit` is None for a plain folder."""

    repository: str
    commit: str | None
    dirty: bool


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[Result]):
    """Ranked results with what is worth knowing about them. `llm` says what a language model was asked, if any was."""

    query: str
    level: Level
    results: tuple[Result, ...]
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    llm: Mapping[str, Any] = field(default_factory=dict)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit that resembles a query, with the files it touched under their present names."""

    rank: int
    repository: str
    commit: str
    subject: str
    date: str
    author: str
    score: float
    files: tuple[str, ...]
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryResults(Sequence[PastCommit]):
    """Past commits like a query, best first."""

    query: str
    commits: tuple[PastCommit, ...]
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False

    @overload
    def __getitem__(self, index: int) -> PastCommit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PastCommit, ...]: ...
    def __getitem__(self, index: int | slice) -> PastCommit | tuple[PastCommit, ...]:
        return self.commits[index]

    def __len__(self) -> int:
        return len(self.commits)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A file that a snapshot leaves out, and the rule that did it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a snapshot takes in (path, language) and what it leaves out."""

    repository: str
    included: tuple[tuple[str, str], ...]
    excluded: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """What the store holds for one repository, as `trackdown status` shows it."""

    repository: str
    kind: str
    commit: str | None = None
    dirty: bool = False
    ready: bool = False
    files: int = 0
    units: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    commits: int = 0
    index_bytes: int = 0
    store: str = ""
    store_bytes: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitSource:
    """The source of a file, of a class or function, or of some lines. Lines are 1-based and inclusive.

    `kind` is that of the unit, "file" for a whole file or "lines" for some of it.
    """

    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()

    def numbered(self) -> str:
        """The text with the number of each line before it."""
        width = len(str(self.end_line))
        lines = enumerate(self.text.split("\n"), self.start_line)
        return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in lines)


Phase = Literal["starting", "indexing", "ready", "broken", "closed"]
Watching = Literal["inotify", "polling", ""]


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the index of a repository is that is kept up to date in the background.

    `ready` stays true while an update runs: there is a whole index, of what was there before. `step`, `done` and
    `total` tell of the work under way, `problem` why the last attempt failed. `updated_at` is a time of day.
    """

    phase: Phase = "starting"
    ready: bool = False
    step: str = ""
    done: int = 0
    total: int | None = None
    watching: Watching = ""
    commit: str | None = None
    files: int = 0
    units: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    updates: int = 0
    updated_at: float = 0.0
    problem: str = ""


Clock = Callable[[], float]
