"""What requests may ask: names, types and limits, from which the OpenAPI document is made.

A search takes the fields of `SearchRequest`, with their help, defaults and limits. This module adds the limits that a
server needs beyond those, so that no client can ask for minutes of work, and the name of the repository.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic.json_schema import SkipJsonSchema

from trackdown.engine import MOST_DEPTH, MOST_DIFF_LINES, Change, Direction, EdgeType, HistoryLimits, How
from trackdown.errors import UsageError
from trackdown.request import SearchRequest, help_of
from trackdown.types import MAX_QUERY_CHARS, MAX_RESULTS, Level

MAX_QUERY_CHARS_IN_URL = 8_000
MAX_PATCH_CHARS = 1_000_000


def _whole(value: object) -> object:
    """JSON has one kind of number: 5.0 is an integer, too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Name = Annotated[str, Field(min_length=1, max_length=250)]
Symbol = Annotated[str, Field(min_length=1, max_length=1000)]
Language = Annotated[str, Field(min_length=1, max_length=50)]
Revision = Annotated[str, Field(min_length=1, max_length=250)]
Location = Annotated[str, Field(min_length=1, max_length=4096)]
Count = Annotated[int, Field(ge=1, le=MAX_RESULTS), BeforeValidator(_whole)]
Line = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS_IN_URL)]
Pattern = Annotated[str, Field(min_length=1, max_length=4096)]
Date = Annotated[str, Field(min_length=1, max_length=100)]
Absent = SkipJsonSchema[None]
Issue = Annotated[str, Field(min_length=1, max_length=2000)]

_REPOSITORY = (
    "A name from /v1/repositories. Optional if there is only one; search and history take all of them by default."
)
_GROUPS = "Of a fleet: only repositories of these groups. Excludes repository."
_ISSUE = (
    "Instead of a query: an issue of a served repository by name (5049, !12, owner/repo#5049 or its address). The "
    "server fetches it if it was started with --fetch-issues."
)
_COMMENTS = "Also read the issue's comments."
_LIMITS: dict[str, dict[str, Any]] = {
    "query": {"min_length": 1},
    "at": {"min_length": 1, "max_length": 250},
    "budget": {"le": 60_000, "allow_inf_nan": False},
    "depth": {"le": 1_000},
    "mode": {"min_length": 1, "max_length": 200},
    "languages": {"max_length": 50},
    "folder": {"max_length": 4096},
    "exclude": {"max_length": 50},
}
"""Limits of this server beyond those of the engine."""
_LISTS: dict[str, Any] = {"languages": list[Language], "exclude": list[Pattern]}


class QueryParameters(BaseModel):
    """Parameters in the URL. An unknown name is refused, so that a typo does not go unnoticed."""

    model_config = ConfigDict(extra="forbid")

    repository: Name | Absent = Field(None, description=_REPOSITORY)


class SearchParameters(BaseModel):
    """The parameters of a search: the fields of `SearchRequest`, which `_search_fields` adds, and where to search."""

    repository: Name | None = Field(None, description=_REPOSITORY)
    groups: list[Name] = Field([], max_length=50, description=_GROUPS)
    issue: Issue | None = Field(None, description=_ISSUE)
    comments: bool = Field(False, description=_COMMENTS)

    @model_validator(mode="after")
    def _goes_together(self) -> SearchParameters:
        asked = self.model_fields_set
        if ("query" in asked) == (self.issue is not None):
            raise ValueError("give either a query or an issue")
        try:
            self.as_request()
        except UsageError as error:
            raise ValueError(str(error)) from None
        return self

    def as_request(self) -> SearchRequest:
        """Return the request for the engine. Raises UsageError for values that don't go together."""
        asked = {name: getattr(self, name) for name in self.model_fields_set - set(SearchParameters.model_fields)}
        return SearchRequest(**{"query": "", **asked})


def _search_fields(*, in_address: bool) -> dict[str, Any]:
    """Turn the fields of `SearchRequest` into those of a model.

    In a URL a list is one parameter for each item (`language`), null cannot be written, and a query has to be shorter.
    """
    types = get_type_hints(SearchRequest)
    made: dict[str, Any] = {}
    for one in fields(SearchRequest):
        limits = {key: value for key, value in one.metadata.items() if key != "help"} | _LIMITS.get(one.name, {})
        if one.name == "query":
            limits["max_length"] = MAX_QUERY_CHARS_IN_URL if in_address else MAX_QUERY_CHARS
        optional, several = one.default is None, get_origin(types[one.name]) is tuple
        kind: Any = _LISTS[one.name] if several else types[one.name]
        if optional:
            kind = next(part for part in kind.__args__ if part is not type(None))
        described = Annotated[kind, Field(**limits)] if limits else kind
        if kind is int:
            described = Annotated[described, BeforeValidator(_whole)]
        if optional:
            described = described | (Absent if in_address else None)
        default = (
            {"default": [] if several else one.default} if one.default is not MISSING else {"default_factory": str}
        )
        alias = one.name.removesuffix("s") if in_address and several else None
        made[one.name] = (described, Field(description=help_of(one.name), alias=alias, **default))
    return made


if TYPE_CHECKING:
    SearchQuery = SearchParameters
    SearchBody = SearchParameters
else:
    SearchQuery = create_model(
        "SearchQuery",
        __doc__="A search by GET.",
        __base__=(SearchParameters, QueryParameters),
        repository=(Name | Absent, Field(None, description=_REPOSITORY)),
        groups=(list[Name], Field([], alias="group", max_length=50, description=_GROUPS)),
        issue=(Issue | Absent, Field(None, description=_ISSUE)),
        **_search_fields(in_address=True),
    )
    SearchBody = create_model(
        "SearchBody",
        __doc__="A search by POST, for a whole issue.",
        __base__=SearchParameters,
        **_search_fields(in_address=False),
    )
    SearchBody.model_config = ConfigDict(extra="forbid", strict=True)
    SearchBody.model_rebuild(force=True)


class HistoryQuery(QueryParameters):
    """Past commits similar to a query, or the latest ones."""

    query: Annotated[str, Field(max_length=MAX_QUERY_CHARS_IN_URL)] = Field(
        "", description=help_of("query") + " Without it, the latest commits."
    )
    k: Count = Field(10, description=help_of("k"))
    at: Revision | Absent = Field(None, description=help_of("at"))
    exclude: list[Pattern] = Field([], max_length=50, description=help_of("exclude"))
    author: list[Name] = Field([], max_length=50, description="Only commits by these: a part of a name or address.")
    path: list[Pattern] = Field([], max_length=50, description="Only commits that touched files matching a pattern.")
    since: Date | Absent = Field(None, description="Only commits from this date on: 2024, 2024-03-01, 2 weeks ago.")
    until: Date | Absent = Field(None, description="Only commits up to this date, the whole day included.")

    def limits(self) -> HistoryLimits:
        """Return the limits beyond the query."""
        return HistoryLimits(author=self.author, path=self.path, since=self.since, until=self.until)


class ShowQuery(QueryParameters):
    """A commit with its message and diff, and what Trackdown makes of it."""

    commit: Revision = Field(description="A commit's id, or its first digits; a branch or tag names its commit.")
    lines: Annotated[int, Field(ge=0, le=MOST_DIFF_LINES)] = Field(500, description="How many lines of the diff.")
    path: list[Pattern] = Field([], max_length=50, description="Only files that match a pattern.")
    at: Revision | Absent = Field(None, description=help_of("at"))


class BlameQuery(QueryParameters):
    """Who last changed some lines."""

    target: Location = Field(description="FILE:LINE, FILE:FIRST-LAST, FILE:SYMBOL, a file or a symbol.")
    at: Revision | Absent = Field(None, description=help_of("at"))


class RelatedQuery(QueryParameters):
    """Code related to a class, a function, a line or a file."""

    location: Location = Field(description="A symbol, a file or FILE:LINE, named from the repository's root.")
    k: Count = Field(10, description="How many of each kind.")
    at: Revision | Absent = Field(None, description=help_of("at"))
    exclude: list[Pattern] = Field([], max_length=50, description=help_of("exclude"))


class ImpactBody(BaseModel):
    """What may have to change with a diff. Without `patch`, `revisions` and `staged`: with the uncommitted changes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    repository: Name | None = Field(None, description=_REPOSITORY)
    patch: Annotated[str, Field(min_length=1, max_length=MAX_PATCH_CHARS)] | None = Field(
        None, description="A unified diff, which may be applied already or not."
    )
    revisions: Revision | None = Field(None, description="A..B or A...B, as git understands them.")
    staged: bool = Field(False, description="The changes in git's index.")
    k: Count = Field(10, description=help_of("k"))
    level: Level = Field("file", description="What to rank: files, functions, classes, or both of these (symbol).")
    at: Revision | None = Field(None, description="The commit, branch or tag that the patch is for.")
    exclude: list[Pattern] = Field([], max_length=50, description=help_of("exclude"))

    @model_validator(mode="after")
    def _one_change(self) -> ImpactBody:
        try:
            self.as_change()
        except UsageError as error:
            raise ValueError(str(error)) from None
        return self

    def as_change(self) -> Change:
        """Return the change for the engine. Raises UsageError if several are named."""
        return Change(self.patch, self.revisions, self.staged)


class GraphQuery(QueryParameters):
    """Containment, imports, calls and inheritance around a node."""

    target: Location = Field(description="A symbol, a file, FILE:LINE or a folder.")
    depth: Annotated[int, Field(ge=1, le=MOST_DEPTH)] = Field(1, description="How many edges to follow.")
    edges: list[EdgeType] = Field([], max_length=4, description="Which types of edge to follow. Default: all.")
    direction: Direction = Field("both", description="Follow incoming edges, outgoing edges, or both.")
    how: list[How] = Field([], max_length=3, description="How edges may have been resolved. Default: all.")
    at: Revision | Absent = Field(None, description=help_of("at"))
    drawing: bool = Field(False, description="Also return the coordinates of a drawing.")


class ReadUnitQuery(QueryParameters):
    """The source of a symbol, of some lines or of a file."""

    path: Location = Field(description="A file, named from the repository's root.")
    symbol: Symbol | Absent = Field(
        None, description="A class or function in it, as search results name it. Excludes lines."
    )
    lines: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$")] | Absent = Field(
        None, description="A line or FIRST-LAST, 1-based and inclusive."
    )
    at: Revision | Absent = Field(None, description=help_of("at"))

    def span(self) -> tuple[int, int] | None:
        """Return the lines as numbers."""
        if self.lines is None:
            return None
        first, _, last = self.lines.partition("-")
        return int(first), int(last or first)

    @model_validator(mode="after")
    def _one_location(self) -> ReadUnitQuery:
        if self.symbol is not None and self.lines is not None:
            raise ValueError("give a symbol or lines, not both")
        span = self.span()
        if span is not None and span[0] > span[1]:
            raise ValueError(f"lines {self.lines} end before they begin")
        return self


class StatusQuery(QueryParameters):
    """The state of one repository, or of all."""
