"""What the tools take.

Agents pay for every word of a tool's definition in each conversation, so the list of tools shows only those arguments
that agents use (`listed`). The others are accepted all the same; docs/mcp.md names them. The two searches take the
fields of `SearchRequest` with their limits, and tighter limits of the tools.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from trackdown.engine import MOST_DEPTH, Direction, EdgeType
from trackdown.request import SearchRequest
from trackdown.types import Level

LEAST_TOKENS = 200
MOST_TOKENS = 50_000
ANSWER_TOKENS, CONCISE_TOKENS, SOURCE_TOKENS = 1_500, 700, 4_000
"""The longest answer if the caller does not say: a list, a concise list, and source or a diff."""
_MOST_RESULTS = 100
_MOST_PATTERNS = 50
_MAX_TEXT_CHARS = 400_000

_Text = Annotated[str, Field(min_length=1, max_length=_MAX_TEXT_CHARS)]
_Target = Annotated[str, Field(min_length=1, max_length=4200, description="A symbol, FILE or FILE:LINE.")]
_Patterns = Annotated[list[str], Field(max_length=_MOST_PATTERNS)]


class ToolArguments(BaseModel):
    """What every tool takes. A program that asks for `structured` content gets no text beside it."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)
    listed: ClassVar[tuple[str, ...]] = ()
    usual_tokens: ClassVar[int] = ANSWER_TOKENS

    repository: Annotated[str | None, Field(description="A name from index_status.")] = None
    max_tokens: Annotated[int | None, Field(ge=LEAST_TOKENS, le=MOST_TOKENS)] = None
    structured: bool = False

    @property
    def most_tokens(self) -> int:
        """How long the answer may be."""
        return self.max_tokens or self.usual_tokens


class ListArguments(ToolArguments):
    """What the tools that return a list take."""

    k: Annotated[int, Field(ge=1, le=_MOST_RESULTS)] = 10
    at: str | None = None


class SearchArguments(ListArguments):
    """What searches take: the fields of `SearchRequest`, which `_search_fields` adds, whether to be concise, and the
    groups of a fleet.
    """

    concise: Annotated[bool, Field(description="Half as long.")] = False
    groups: Annotated[list[str], Field(max_length=_MOST_PATTERNS)] = []

    @property
    def most_tokens(self) -> int:
        """How long the answer may be."""
        return self.max_tokens or (CONCISE_TOKENS if self.concise else ANSWER_TOKENS)

    def as_request(self, query: str, default_budget: float) -> SearchRequest:
        """Return the request for the engine. A thorough search gets a time limit, because an agent is waiting.

        Raises UsageError for values that don't go together.
        """
        named = self.model_fields_set & {one.name for one in fields(SearchRequest)} - {"query"}
        request = SearchRequest(query, **{name: getattr(self, name) for name in named})
        unlimited = request.budget is None and request.depth is None and request.rerank is not False
        return replace(request, budget=default_budget) if request.effort == "thorough" and unlimited else request


_LIMITS: dict[str, dict[str, Any]] = {
    "k": {"le": _MOST_RESULTS},
    "mode": {"max_length": 200},
    "languages": {"max_length": 20},
    "folder": {"max_length": 4096},
    "exclude": {"max_length": _MOST_PATTERNS},
}
"""Limits of the tools beyond those of the engine."""


def _search_fields() -> dict[str, Any]:
    """Turn the fields of `SearchRequest` into arguments; each tool has its own name for the query."""
    types = get_type_hints(SearchRequest)
    made: dict[str, Any] = {}
    for one in fields(SearchRequest):
        if one.name != "query":
            limits = {key: value for key, value in one.metadata.items() if key != "help"} | _LIMITS.get(one.name, {})
            several = get_origin(types[one.name]) is tuple
            kind = list[str] if several else types[one.name]
            default = [] if several else one.default
            made[one.name] = (kind, Field(default, **limits))
    made["level"] = (Level | None, Field(None, description="symbol: functions and classes."))
    return made


if TYPE_CHECKING:

    class SearchCode(SearchArguments):
        """Arguments of search_code."""

        query: str

    class LocateIssue(SearchArguments):
        """Arguments of locate_issue."""

        issue: str
        comments: bool

else:
    SearchCode = create_model("SearchCode", __base__=SearchArguments, query=(_Text, ...), **_search_fields())
    SearchCode.listed = ("query", "k", "level", "concise")
    LocateIssue = create_model(
        "LocateIssue", __base__=SearchArguments, issue=(_Text, ...), comments=(bool, False), **_search_fields()
    )
    LocateIssue.listed = ("issue", "k", "level", "concise")


class PastChanges(ListArguments):
    """Arguments of past_changes."""

    listed = ("query", "k")

    query: Annotated[_Text, Field(description="Words, an issue's text, #123, KEY-123 or a commit id.")]
    exclude: _Patterns = []


class ShowCommit(ToolArguments):
    """Arguments of show_commit."""

    listed = ("commit", "path")
    usual_tokens = SOURCE_TOKENS

    commit: Annotated[str, Field(min_length=1, max_length=1000)]
    path: Annotated[str | None, Field(max_length=4096, description="Only this file or folder.")] = None


class RelatedCode(ListArguments):
    """Arguments of related_code. With eight kinds of relatives, a few of each are enough."""

    listed = ("target", "k")

    target: _Target
    k: Annotated[int, Field(ge=1, le=_MOST_RESULTS, description="How many of each kind.")] = 5
    level: Level | None = None
    exclude: _Patterns = []


class ChangeImpact(ListArguments):
    """Arguments of change_impact."""

    listed = ("revisions", "k", "level")

    revisions: Annotated[str | None, Field(max_length=1000, description="A..B; default: uncommitted edits")] = None
    level: Level = "file"
    patch: Annotated[str | None, Field(max_length=_MAX_TEXT_CHARS)] = None
    staged: bool = False
    exclude: _Patterns = []


class CodeGraph(ToolArguments):
    """Arguments of code_graph."""

    listed = ("target", "edges", "direction", "depth")

    target: _Target
    edges: Annotated[list[EdgeType], Field(max_length=4, description="Default: all.")] = []
    direction: Direction = "both"
    depth: Annotated[int, Field(ge=1, le=MOST_DEPTH)] = 1
    at: str | None = None


class ReadUnit(ToolArguments):
    """Arguments of read_unit."""

    listed = ("path", "symbol", "lines", "at")
    usual_tokens = SOURCE_TOKENS

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    symbol: Annotated[str | None, Field(max_length=1000, description="e.g. Session.sign_cookie")] = None
    lines: Annotated[str | None, Field(pattern=r"^[0-9]{1,9}(-[0-9]{1,9})?$", description="e.g. 120-180")] = None
    at: Annotated[str | None, Field(description="A commit, branch or tag.")] = None


class IndexStatus(ToolArguments):
    """Arguments of index_status."""


def in_words(error: ValidationError) -> str:
    """Describe invalid arguments in one line."""
    found = []
    for one in error.errors(include_url=False, include_context=False):
        name = ".".join(str(part) for part in one["loc"]) or "the arguments"
        given = "" if one["type"] in ("missing", "extra_forbidden") else f", not {_short(one['input'])}"
        found.append(f"{name}: {one['msg'][:1].lower()}{one['msg'][1:]}{given}")
    return "; ".join(found[:5])


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
