"""What the tools answer with beside text: the same, for programs. Names are those of the command line's JSON."""

from __future__ import annotations

from pydantic import BaseModel, Field

from trackdown.types import Level


class Reason(BaseModel):
    """One reason for a result."""

    signal: str
    value: float
    detail: str


class Hit(BaseModel):
    """One place to look at. Lines are 1-based and inclusive; reasons and source are left out where room is short."""

    rank: int
    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    score: float
    why: list[Reason] = []
    snippet: str = ""


class Listing(BaseModel):
    """What every list says of itself."""

    partial: bool = Field(description="True while a first index runs: there may be better answers in a moment.")
    notes: list[str]
    left_out: int = Field(description="How many results max_tokens had no room for.")


class Found(Listing):
    """The answer of search_code and locate_issue."""

    level: Level
    results: list[Hit]


class Commit(BaseModel):
    """A past commit with the files it touched, under the names these have now."""

    rank: int
    repository: str
    commit: str
    subject: str
    date: str
    author: str
    score: float
    files: list[str] = []
    more_files: int = 0


class Past(Listing):
    """The answer of past_changes."""

    commits: list[Commit]


class Near(BaseModel):
    """Something near a place. `relation` is caller, callee, base, subclass, sibling, similar or changes_together."""

    relation: str
    path: str
    symbol: str = ""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    detail: str = ""


class Nearby(Listing):
    """The answer of related_code."""

    location: str
    symbol: str
    related: list[Near]


class Source(BaseModel):
    """The answer of read_unit."""

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
    left_out: int = Field(description="How many lines max_tokens had no room for; they follow end_line.")


class Served(BaseModel):
    """One repository and its index."""

    name: str
    root: str
    subfolder: str = ""
    kind: str
    phase: str
    ready: bool
    step: str = ""
    done: int = 0
    total: int | None = None
    files: int
    units: int
    commit: str | None = None
    watching: str = ""
    problem: str = ""


class State(Listing):
    """The answer of index_status."""

    repositories: list[Served]
