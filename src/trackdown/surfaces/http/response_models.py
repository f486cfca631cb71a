"""Answers that are the server's own. The others are the engine's dataclasses, which FastAPI describes as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trackdown.engine import Example
from trackdown.types import DeepState, SnapshotInfo


@dataclass(frozen=True, slots=True)
class GraphNodeEntry:
    """A directory, a file, a class or a function."""

    id: str
    kind: str
    path: str
    symbol: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class GraphEdgeEntry:
    """An edge between two nodes, and how it was resolved."""

    source: str
    target: str
    type: str
    how: str


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """Nodes, nearest first, and the edges between them. `cut`: not everything fitted, or time was up.

    `drawing`: coordinates, if asked for.
    """

    start: list[str]
    nodes: list[GraphNodeEntry]
    edges: list[GraphEdgeEntry]
    cut: bool
    notes: list[str]
    snapshots: list[SnapshotInfo]
    partial: bool
    drawing: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """How far indexing has got. `total` is null while it is unknown."""

    step: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class RepositoryEntry:
    """A repository that requests can name. `root` is given on loopback only, for links into an editor."""

    name: str
    kind: str
    root: str | None
    subfolder: str
    url: str | None
    phase: str
    ready: bool
    indexing: IndexingProgress | None
    commit: str | None
    files: int
    units: int
    languages: Mapping[str, int]
    problem: str


@dataclass(frozen=True, slots=True)
class RepositoriesAnswer:
    """All repositories of this server. `fetches_issues`: a search can name an issue of one of them."""

    version: str
    fetches_issues: bool
    repositories: Sequence[RepositoryEntry]


@dataclass(frozen=True, slots=True)
class StatusEntry:
    """What is indexed of one repository. If it can't be read, the numbers are 0 and `problem` says why."""

    repository: str
    kind: str
    commit: str | None
    dirty: bool
    ready: bool
    files: int
    units: int
    languages: Mapping[str, int]
    excluded: Mapping[str, int]
    commits: int
    index_bytes: int
    store_bytes: int
    notes: Sequence[str]
    phase: str
    indexing: IndexingProgress | None
    watching: str
    updates: int
    updated_at: float
    problem: str
    deep: DeepState | None


@dataclass(frozen=True, slots=True)
class LoadEntry:
    """How many requests run, how many wait, and how many may wait."""

    running: int
    waiting: int
    most_waiting: int


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The state of the server and of its repositories."""

    version: str
    load: LoadEntry
    repositories: Sequence[StatusEntry]


@dataclass(frozen=True, slots=True)
class ExamplesAnswer:
    """Queries worth trying in a repository."""

    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A file in the folder of reports."""

    name: str
    bytes: int
    modified: float
    media_type: str


@dataclass(frozen=True, slots=True)
class ReportsAnswer:
    """Reports of evaluations, newest first."""

    reports: Sequence[ReportEntry]


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """The server is up."""

    status: Literal["ok"]
    version: str


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a request."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class ProblemAnswer:
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: Sequence[FieldError] = ()
