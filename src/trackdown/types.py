"""Values that travel between rooms. Standard library only; everything is immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, overload

Level = Literal["function", "class", "symbol", "file"]
Effort = Literal["fast", "balanced", "thorough"]
Aggregation = Literal["maxp", "sump", "avgp", "blend"]
Verdict = Literal["strong", "likely", "weak"]
Fusion = Literal["rrf", "weighted", "ranker"]

LEVELS: tuple[Level, ...] = ("function", "class", "symbol", "file")
"""What can be ranked. The level `symbol` ranks functions and classes together."""
LEVEL_FILE, LEVEL_CLASS = "level file", "level class"
"""How advice speaks of asking for files and classes. The command line writes it as its option."""
EFFORTS: tuple[Effort, ...] = ("fast", "balanced", "thorough")
MAX_RESULTS = 1_000
"""The most results that one answer may have."""

MAX_QUERY_CHARS = 200_000
"""A search reads at most this much of a query."""

CODE, TEST, PROSE, VENDORED, GENERATED = range(5)
"""The role of a file. All others rank below code unless the query asks for them."""
ROLES = ("code", "test", "prose", "vendored", "generated")
"""What answers call them."""

FUNCTION_KINDS = frozenset({"function", "method"})
CLASS_KINDS = frozenset({"class", "interface", "struct", "trait", "enum", "module"})

FORK_SAFE_THREAD = "trackdown background"
"""The name of threads that hold no lock a forked worker could need: they load models or read the history."""


class Progress(Protocol):
    """A callback for the progress of long work. `total` is None while it is unknown."""

    def __call__(self, step: str, done: int, total: int | None) -> None: ...


def no_progress(step: str, done: int, total: int | None) -> None:
    """Default for `progress`: ignore it."""


def never() -> bool:
    """Default for `cancelled`: never."""
    return False


class FactCache(Protocol):
    """A cache of computed values. `kind` says what they are; a key names the content a value was computed from."""

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The cached values of these keys; unknown keys are left out."""
        ...

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Store values under their keys."""
        ...


@dataclass(frozen=True, slots=True)
class Match:
    """What one signal found in a candidate: in plain words, and the numbers behind it by name.

    `telling` False means that the words speak for other candidates rather than for this one.
    """

    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    telling: bool = True


@dataclass(frozen=True, slots=True)
class Why:
    """One reason for a result: the signal, its share of the score, and what matched in plain words.

    The values of all reasons add up to the score. `numbers` are the figures behind the words by name; they are there
    if the request asks for them (`explain`).
    """

    signal: str
    value: float
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def percent(share: float) -> str:
    """A share as people read it. What rounds to nothing without being nothing is `<1%`."""
    return "<1%" if 0 < share <= 0.005 else f"{share:.0%}"


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an answer is: the calibrated `probability` that a right place is among the results, and `why`.

    For a weak answer, `why` ends with what would help.
    """

    verdict: Verdict
    probability: float
    why: str

    def sentence(self) -> str:
        """The same in words."""
        return f"{self.verdict.capitalize()} answer ({percent(self.probability)}): {self.why}."


@dataclass(frozen=True, slots=True)
class LineMatch:
    """A line of a result. `spans` are the parts of `text` that match the query, as half-open ranges of characters.

    Of a very long line, `text` is a part that begins or ends with `…`.
    """

    line: int
    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A place in the code to look at. Lines are 1-based and inclusive; `path` is relative to the repository's root.

    `why` has every reason, `reason` the strongest ones in one line. `probability` is the
    calibrated one that this is a right place; None where nobody asked for it, as in related code. `matches` are the
    lines that speak for the query: the signature (without spans if nothing in it matches), then the best lines, best
    first. `line` is the line to go to: the best of them. `snippet` is how its best part begins; the JSON of the command
    line leaves it out. `role` is that of its file, one of ROLES.
    """

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
    reason: str = ""
    probability: float | None = None
    role: str = ROLES[CODE]
    line: int = 1
    matches: tuple[LineMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """Which state of which repository was searched. `commit` is None for a plain folder."""

    repository: str
    commit: str | None
    dirty: bool


@dataclass(frozen=True, slots=True)
class DeepState:
    """How far the deep index is: how many `units` have their encoder vector, of the `total` that need one.

    Units of tests need none. The deep index takes part in searches when it is `ready`: when all have theirs.
    """

    ready: bool
    units: int
    total: int

    def sentence(self) -> str:
        """The same in words."""
        count = f"{self.total} unit{'' if self.total == 1 else 's'} outside tests"
        if self.ready:
            return f"ready, {count}"
        return f"not ready, {self.units} of {count}: `trackdown index --deep` completes it"


@dataclass(frozen=True, slots=True)
class SearchResults(Sequence[Result]):
    """Ranked results, with notes and timings. `llm` is the cost table of the language model, if one was asked.

    `confidence` is None in early results, before the models have read. `deep` is the state of the deep index that the
    search met; None if nothing is indexed yet, or without an encoder. `matching` says how many places match a query of
    filters or quoted phrases alone, which chooses among none of them; None for other queries.
    """

    query: str
    level: Level
    results: tuple[Result, ...]
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    llm: Mapping[str, Any] = field(default_factory=dict)
    confidence: Confidence | None = None
    deep: DeepState | None = None
    matching: int | None = None

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
    """A commit similar to a query, with the files it touched under their present names, and the issues it names."""

    rank: int
    repository: str
    commit: str
    subject: str
    date: str
    author: str
    score: float
    files: tuple[str, ...]
    matched: tuple[str, ...]
    issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryResults(Sequence[PastCommit]):
    """Past commits similar to a query, best first."""

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
    """A file left out of a snapshot, and the rule that excluded it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """The files of a snapshot that are included (path, language) and those that are left out."""

    repository: str
    included: tuple[tuple[str, str], ...]
    excluded: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """What the store holds for one repository, as `trackdown status` shows it. `deep` is None if it is not indexed, or
    without an encoder."""

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
    deep: DeepState | None = None
    imported: ImportState | None = None


@dataclass(frozen=True, slots=True)
class ImportState:
    """An index that was imported into a clone: where it came from, its digest, and the commit it is about.

    `used` says whether the present index is, or builds on, what was imported; otherwise it was computed here.
    """

    origin: str
    digest: str
    commit: str
    bytes: int
    used: bool


@dataclass(frozen=True, slots=True)
class UnitSource:
    """The source of a file, of a class or function, or of a range of lines. Lines are 1-based and inclusive.

    `kind` is the kind of the unit, "file" for a whole file, or "lines" for a range of lines.
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
        """The text with line numbers."""
        width = len(str(self.end_line))
        lines = enumerate(self.text.split("\n"), self.start_line)
        return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in lines)


Phase = Literal["starting", "indexing", "ready", "broken", "closed"]
Watching = Literal["inotify", "polling", ""]


@dataclass(frozen=True, slots=True)
class IndexState:
    """The progress of an index that is kept up to date in the background.

    `ready` stays true while an update runs, because the previous index is still complete. `step`, `done` and `total`
    describe the current work; `problem` says why the last attempt failed. `updated_at` is in seconds since the epoch.
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
