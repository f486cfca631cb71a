"""What the tools return besides text: the same content, for programs. Names are those of the command line's JSON.

Results are not the engine's dataclasses, because they leave out what does not fit into max_tokens.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from trackdown.types import Confidence, DeepState, Level, Why


class SearchHit(BaseModel):
    """One place to look at. Lines are 1-based and inclusive; reasons and source are left out if there is no room."""

    rank: int
    repository: str
    path: str
    symbol: str
    kind: str
    language: str
    start_line: int
    end_line: int
    score: float
    probability: float | None = None
    reason: str = ""
    why: list[Why] = Field([], description="Every reason with its share of the score; only with explain.")
    snippet: str = ""


class ListOutput(BaseModel):
    """What every list has."""

    partial: bool = Field(
        description="True while the first index is being built (ask again) and if files are unreadable."
    )
    notes: list[str]
    left_out: int = Field(description="How many results did not fit into max_tokens.")


class SearchOutput(ListOutput):
    """The answer of search_code and locate_issue."""

    level: Level
    confidence: Confidence | None = Field(
        None, description="The probability that a right place is among the results. A weak answer says what would help."
    )
    deep: DeepState | None = Field(
        None, description="How many units the encoder has read ahead. They take part in searches once all are read."
    )
    results: list[SearchHit]


class CommitHit(BaseModel):
    """A past commit with the files it touched, under their current names."""

    rank: int
    repository: str
    commit: str
    subject: str
    date: str
    author: str
    score: float
    files: list[str] = []
    more_files: int = 0


class HistoryOutput(ListOutput):
    """The answer of past_changes."""

    commits: list[CommitHit]


class RelatedHit(BaseModel):
    """Something near a place. `relation` is caller, callee, base, subclass, sibling, similar or changes_together."""

    relation: str
    path: str
    symbol: str = ""
    kind: str = ""
    start_line: int = 0
    end_line: int = 0
    detail: str = ""


class RelatedOutput(ListOutput):
    """The answer of related_code."""

    location: str
    symbol: str
    related: list[RelatedHit]


class UnitOutput(BaseModel):
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
    left_out: int = Field(description="How many lines did not fit into max_tokens; they follow end_line.")


class ServedEntry(BaseModel):
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


class StatusOutput(ListOutput):
    """The answer of index_status."""

    repositories: list[ServedEntry]
