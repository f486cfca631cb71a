"""One search, as a caller requests it.

Every surface builds a `SearchRequest`, and `engine.plan` turns it into a plan for the stages. Each field has its help
text and limits, so the command line, the HTTP API and the MCP tools describe and check it in the same words.

A request says what to search for and how; the settings decide what it leaves open (None). Repositories, models,
stores, endpoints and keys belong to the settings of the process that answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

from trackdown.errors import UsageError
from trackdown.types import EFFORTS, LEVELS, MAX_RESULTS, Effort, Level

MAX_DEPTH = 10_000
MAX_BUDGET_MS = 10**9


def _about(help: str, **limits: int) -> dict[str, Any]:
    return {"help": help, **limits}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. Raises UsageError for values that make no sense, alone or together."""

    query: str = field(metadata=_about("An issue, a question or a name."))
    k: int | None = field(
        default=None, metadata=_about("How many results to return, 10 by default.", ge=1, le=MAX_RESULTS)
    )
    level: Level | None = field(
        default=None,
        metadata=_about("What to rank: functions (the default), classes, both (symbol), or files."),
    )
    at: str | None = field(
        default=None, metadata=_about("Use this commit, branch or tag, with the history it had then.")
    )
    effort: Effort | None = field(
        default=None,
        metadata=_about(
            "How much the models read: nothing (fast), the best candidates (balanced, the default), or everything that "
            "helps (thorough)."
        ),
    )
    budget: float | None = field(
        default=None,
        metadata=_about(
            "How long the models may read, in milliseconds. A slow machine then reads less. Not together with depth.",
            ge=0,
        ),
    )
    depth: int | None = field(
        default=None,
        metadata=_about(
            "Let the models read exactly this many candidates, however long it takes. The answer is then the same on "
            "every machine.",
            ge=1,
            le=MAX_DEPTH,
        ),
    )
    rerank: bool | None = field(
        default=None, metadata=_about("Let the models rerank the results, or not. By default the effort decides.")
    )
    mode: str | None = field(
        default=None,
        metadata=_about(
            "Which retrievers and stages take part, joined by +: bm25, commits, hybrid+rrf, hybrid+rerank@50, …"
        ),
    )
    adaptive: bool | None = field(default=None, metadata=_about("Weight the retrievers by the kind of query."))
    graph: bool | None = field(
        default=None, metadata=_about("Promote code related to the top results by calls, imports or inheritance.")
    )
    gar: bool = field(
        default=False, metadata=_about("Also search for code that a language model writes as an answer (GAR).")
    )
    reco: bool = field(
        default=False,
        metadata=_about("Like gar, and match code together with its rewrites from `trackdown rewrite` (ReCo)."),
    )
    languages: tuple[str, ...] = field(default=(), metadata=_about("Only files in these languages, e.g. python."))
    folder: str = field(
        default="",
        metadata=_about(
            "Only files below this folder, named from the repository's root. It may be a pattern: src/*/web."
        ),
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=_about("Leave out files that match these patterns, e.g. vendor/, *.pb.go, src/**/fixtures."),
    )
    tests: bool | None = field(
        default=None, metadata=_about("Include test files, ranked below code, or leave them out. Default: include.")
    )
    generated: bool | None = field(
        default=None, metadata=_about("Include generated code, ranked below code, or leave it out. Default: include.")
    )
    third_party: bool | None = field(
        default=None,
        metadata=_about("Include copies of other people's code, ranked below code, or not. Default: include."),
    )
    explain: bool = field(default=False, metadata=_about("Give the numbers behind every reason."))

    def __post_init__(self) -> None:
        object.__setattr__(self, "languages", tuple(self.languages))  # JSON knows lists only
        object.__setattr__(self, "exclude", tuple(self.exclude))
        if self.k is not None:
            check_count(self.k)
        if self.level is not None and self.level not in LEVELS:
            raise UsageError(f"level must be one of {', '.join(LEVELS)}, not {self.level!r}")
        if self.effort is not None and self.effort not in EFFORTS:
            raise UsageError(f"effort must be one of {', '.join(EFFORTS)}, not {self.effort!r}")
        if self.budget is not None and self.depth is not None:
            raise UsageError("a budget limits reranking by time and a depth by count: give only one of them")
        if self.budget is not None and not (math.isfinite(self.budget) and 0 <= self.budget <= MAX_BUDGET_MS):
            raise UsageError(f"the budget must be 0 or more milliseconds, not {self.budget}")
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise UsageError(f"the depth must be between 1 and {MAX_DEPTH}, not {self.depth}")
        if self.rerank is False and (self.budget is not None or self.depth is not None):
            raise UsageError("a budget or a depth limits reranking, which rerank=False switches off")


def check_count(k: int) -> None:
    """Raise UsageError if the number of results is out of range."""
    if not 1 <= k <= MAX_RESULTS:
        raise UsageError(f"k must be between 1 and {MAX_RESULTS}, not {k}")


def request_of(query: str | SearchRequest, options: dict[str, Any]) -> SearchRequest:
    """Make a request from a query and fields by name. Raises UsageError and, for an unknown field, TypeError."""
    return replace(query, **options) if isinstance(query, SearchRequest) else SearchRequest(query, **options)


def help_of(name: str) -> str:
    """The help text of a field."""
    return next(str(one.metadata["help"]) for one in fields(SearchRequest) if one.name == name)
