"""What requests may ask: names, types and limits, from which the OpenAPI document is made."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from trackdown.engine import MOST_DEPTH, Direction, EdgeType, How
from trackdown.request import MAX_RESULTS
from trackdown.types import Effort, Level

LONGEST_QUERY = 200_000
LONGEST_QUERY_IN_ADDRESS = 8_000
MOST_BUDGET_MS = 60_000
MOST_CANDIDATES = 1_000
_MOST_FILTERS = 50


def _whole(value: object) -> object:
    """JSON knows one kind of number: 5.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Name = Annotated[str, Field(min_length=1, max_length=250)]
Symbol = Annotated[str, Field(min_length=1, max_length=1000)]
Language = Annotated[str, Field(min_length=1, max_length=50)]
Revision = Annotated[str, Field(min_length=1, max_length=250)]
Place = Annotated[str, Field(min_length=1, max_length=4096)]
Count = Annotated[int, Field(ge=1, le=MAX_RESULTS), BeforeValidator(_whole)]
Line = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY_IN_ADDRESS)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
Budget = Annotated[float, Field(ge=0, le=MOST_BUDGET_MS, allow_inf_nan=False)]
Depth = Annotated[int, Field(ge=1, le=MOST_CANDIDATES), BeforeValidator(_whole)]
Absent = SkipJsonSchema[None]

_REPOSITORY = "One of the names of /v1/repositories. Without it: the only one, or all of them in search and history."
_K = "How many results."
_LEVEL = "What to rank."
_AT = "A commit, branch or tag whose state is searched, with the history it had then."
_EFFORT = "How much models may read: nothing, as much as the budget allows, or all that helps."
_BUDGET = "How long models may read, in milliseconds. Not together with a depth."
_DEPTH = "Let models read exactly so many candidates, however long it takes."
_RERANK = "Let models reorder the best results, or leave that out; without it the effort decides."
_TESTS = "False leaves test files out."
_LANGUAGE = "Only code in these languages."
_FOLDER = "Only what stands below this folder, named from the repository's root."
_QUERY = "An issue, a question or a name."


class Asked(BaseModel):
    """What stands in an address. A name that is not known is refused, so that a slip of the pen does not go unseen."""

    model_config = ConfigDict(extra="forbid")

    repository: Name | Absent = Field(None, description=_REPOSITORY)


class Bounded(BaseModel):
    """What bounds reranking: a time, a number, or neither."""

    budget: Budget | Absent = Field(None, description=_BUDGET)
    depth: Depth | Absent = Field(None, description=_DEPTH)
    rerank: bool | Absent = Field(None, description=_RERANK)

    @model_validator(mode="after")
    def _one_bound(self) -> Bounded:
        if self.budget is not None and self.depth is not None:
            raise ValueError("a budget bounds reranking by time and a depth by number: give one of them")
        if self.rerank is False and (self.budget is not None or self.depth is not None):
            raise ValueError("a budget or a depth is for reranking: it does not go with leaving that out")
        return self


class SearchAsked(Bounded, Asked):
    """A search by GET."""

    query: Line = Field(description=_QUERY)
    k: Count = Field(10, description=_K)
    level: Level = Field("function", description=_LEVEL)
    at: Revision | Absent = Field(None, description=_AT)
    effort: Effort = Field("balanced", description=_EFFORT)
    tests: bool = Field(True, description=_TESTS)
    language: list[Language] = Field([], max_length=_MOST_FILTERS, description=_LANGUAGE)
    folder: Annotated[str, Field(max_length=4096)] = Field("", description=_FOLDER)

    def as_body(self) -> SearchBody:
        """The same as if it had come in a body."""
        values = self.model_dump(exclude={"language"})
        return SearchBody(**values, languages=self.language)


class SearchBody(Bounded):
    """A search by POST, for whole issues."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Text = Field(description=_QUERY)
    repository: Name | None = Field(None, description=_REPOSITORY)
    k: Count = Field(10, description=_K)
    level: Level = Field("function", description=_LEVEL)
    at: Revision | None = Field(None, description=_AT)
    effort: Effort = Field("balanced", description=_EFFORT)
    budget: Budget | None = Field(None, description=_BUDGET)
    depth: Depth | None = Field(None, description=_DEPTH)
    rerank: bool | None = Field(None, description=_RERANK)
    tests: bool = Field(True, description=_TESTS)
    languages: list[Language] = Field([], max_length=_MOST_FILTERS, description=_LANGUAGE)
    folder: Annotated[str, Field(max_length=4096)] = Field("", description=_FOLDER)


class HistoryAsked(Asked):
    """Past commits like a query."""

    query: Line = Field(description=_QUERY)
    k: Count = Field(10, description=_K)
    at: Revision | Absent = Field(None, description=_AT)


class RelatedAsked(Asked):
    """Code near a place."""

    location: Place = Field(
        pattern=r"^[^\x00]*[^\x00/]:0*[1-9][0-9]{0,8}$", description="FILE:LINE, named from the repository's root."
    )
    k: Count = Field(10, description="How many of each kind.")
    at: Revision | Absent = Field(None, description=_AT)


class GraphAsked(Asked):
    """What contains, imports, calls and inherits from a place."""

    target: Place = Field(description="A symbol, a file, FILE:LINE or a folder.")
    depth: Annotated[int, Field(ge=1, le=MOST_DEPTH)] = Field(1, description="How many edges to go.")
    edges: list[EdgeType] = Field([], max_length=4, description="Which edges to follow; all without it.")
    direction: Direction = Field("both", description="Follow edges that come in, that go out, or both.")
    how: list[How] = Field([], max_length=3, description="How sure an edge must be; all without it.")
    at: Revision | Absent = Field(None, description=_AT)
    drawing: bool = Field(False, description="Say where everything stands in a drawing of it, too.")


class UnitAsked(Asked):
    """The source of a symbol, of some lines or of a file."""

    path: Place = Field(description="A file, named from the repository's root.")
    symbol: Symbol | Absent = Field(None, description="A class or function in it, as results name it. Not with lines.")
    lines: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$")] | Absent = Field(
        None, description="A line, or FIRST-LAST, from 1 on and inclusive."
    )
    at: Revision | Absent = Field(None, description=_AT)

    def span(self) -> tuple[int, int] | None:
        """The lines as numbers."""
        if self.lines is None:
            return None
        first, _, last = self.lines.partition("-")
        return int(first), int(last or first)

    @model_validator(mode="after")
    def _one_place(self) -> UnitAsked:
        if self.symbol is not None and self.lines is not None:
            raise ValueError("give a symbol or lines, not both")
        span = self.span()
        if span is not None and span[0] > span[1]:
            raise ValueError(f"lines {self.lines} end before they begin")
        return self


class StatusAsked(Asked):
    """The state of one repository, or of all."""
