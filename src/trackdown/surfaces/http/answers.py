"""The shapes of answers. They make the OpenAPI document; the engine's own values are what is written."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from trackdown.types import Level


class Answer(BaseModel):
    """Something that the API writes."""

    model_config = ConfigDict(extra="forbid")


class Why(Answer):
    """One reason for a result. Up to fusion their values sum to the score."""

    signal: str
    value: float
    detail: str


class Result(Answer):
    """One place to look at. Lines are 1-based and inclusive."""

    rank: int = Field(ge=1)
    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    why: list[Why]


class Snapshot(Answer):
    """Which state of which repository an answer speaks of."""

    repository: str
    commit: str | None
    dirty: bool


class SearchAnswer(Answer):
    """Ranked results. `partial`: a first index is still being made, and this is from what was ready. `llm` says what a
    language model was asked, if any was.
    """

    query: str
    level: Level
    partial: bool
    notes: list[str]
    snapshots: list[Snapshot]
    timings_ms: dict[str, float]
    results: list[Result]
    llm: dict[str, Any] = Field(default_factory=dict)


class PastCommit(Answer):
    """A commit that resembles a query, with its files under their present names."""

    rank: int
    repository: str
    commit: str
    subject: str
    date: str
    author: str
    score: float
    files: list[str]
    matched: list[str]


class HistoryAnswer(Answer):
    """Past commits like a query, best first."""

    query: str
    partial: bool
    notes: list[str]
    snapshots: list[Snapshot]
    commits: list[PastCommit]


class Relative(Answer):
    """A class, function or file that a place hangs together with, and how sure that is."""

    path: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    how: str


class CoChange(Answer):
    """A file that changed together with another."""

    path: str
    commits: int
    share: float
    latest: str


class RelatedAnswer(Answer):
    """What stands near a place."""

    location: str
    symbol: str
    partial: bool
    notes: list[str]
    snapshots: list[Snapshot]
    similar: list[Result]
    changes_together: list[CoChange]
    callers: list[Relative]
    callees: list[Relative]
    siblings: list[Relative]
    subclasses: list[Relative]
    bases: list[Relative]


class Node(Answer):
    """A directory, a file, a class or a function."""

    id: str
    kind: str
    path: str
    symbol: str
    start_line: int
    end_line: int


class Edge(Answer):
    """One node's relation to another, and how it was resolved."""

    source: str
    target: str
    type: str
    how: str


class GraphAnswer(Answer):
    """Nodes by id, nearest first, and the edges between them. `cut`: there was more than fits."""

    start: list[str]
    nodes: list[Node]
    edges: list[Edge]
    cut: bool
    partial: bool
    notes: list[str]
    snapshots: list[Snapshot]
    drawing: dict[str, Any] | None = Field(None, description="Where everything stands, if that was asked for.")


class UnitAnswer(Answer):
    """Source text. Lines are 1-based and inclusive."""

    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    notes: list[str]
    snapshots: list[Snapshot]


class Indexing(Answer):
    """How far indexing is. `total` is null while it is unknown."""

    step: str
    done: int
    total: int | None


class RepositoryAnswer(Answer):
    """A repository that can be named in requests. `root` is only told on loopback, for links into an editor."""

    name: str
    kind: str
    root: str | None
    subfolder: str
    url: str | None
    phase: str
    ready: bool
    indexing: Indexing | None
    commit: str | None
    files: int
    units: int
    languages: dict[str, int]
    problem: str


class RepositoriesAnswer(Answer):
    """All repositories of this server."""

    version: str
    repositories: list[RepositoryAnswer]


class StatusEntry(Answer):
    """What is indexed of one repository. Numbers are 0 where `problem` says why it cannot be looked at."""

    repository: str
    kind: str
    commit: str | None
    dirty: bool
    ready: bool
    files: int
    units: int
    languages: dict[str, int]
    excluded: dict[str, int]
    commits: int
    index_bytes: int
    store_bytes: int
    notes: list[str]
    phase: str
    indexing: Indexing | None
    watching: str
    updates: int
    updated_at: float
    problem: str


class Load(Answer):
    """How much work there is, and how much there may be."""

    running: int
    waiting: int
    most_waiting: int


class StatusAnswer(Answer):
    """The state of the server and of its repositories."""

    version: str
    load: Load
    repositories: list[StatusEntry]


class ReportEntry(Answer):
    """A file of the folder of reports."""

    name: str
    bytes: int
    modified: float
    media_type: str


class ReportsAnswer(Answer):
    """What evaluations wrote, newest first."""

    reports: list[ReportEntry]


class HealthAnswer(Answer):
    """The server answers."""

    status: Literal["ok"]
    version: str


class FieldError(Answer):
    """What is wrong with one field of a request."""

    where: str
    message: str


class ProblemAnswer(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []
