"""What the tools take. Models read the descriptions: they say when to give an argument, and what it looks like.

The two searches take the fields of `SearchRequest` with their help and limits, and tighter limits of the tools.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from trackdown.request import SearchRequest, help_of
from trackdown.types import Level

LEAST_TOKENS = 200
MOST_TOKENS = 50_000
_MOST_RESULTS = 100
_MOST_PATTERNS = 50
_MAX_TEXT_CHARS = 400_000


class ToolArguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    repository: Annotated[
        str | None,
        Field(description="Name of the repository, as index_status lists it. Needed only if several are served."),
    ] = None
    max_tokens: Annotated[
        int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Roughly the longest answer to return, in tokens.")
    ] = 4000


class ListArguments(ToolArguments):
    """What the tools that return a list take."""

    k: Annotated[int, Field(ge=1, le=_MOST_RESULTS, description=help_of("k"))] = 10
    at: Annotated[
        str | None,
        Field(description=help_of("at")),
    ] = None


class SearchArguments(ListArguments):
    """What searches take: the fields of `SearchRequest`, which `_search_fields` adds."""

    def as_request(self, query: str, default_budget: float) -> SearchRequest:
        """Return the request for the engine. A thorough search gets a time limit, because an agent is waiting.

        Raises UsageError for values that don't go together.
        """
        values = {one.name: getattr(self, one.name) for one in fields(SearchRequest) if one.name != "query"}
        request = SearchRequest(query, **values)
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
    """Turn the fields of `SearchRequest` into arguments; each tool describes its own query."""
    types = get_type_hints(SearchRequest)
    made: dict[str, Any] = {}
    for one in fields(SearchRequest):
        if one.name != "query":
            limits = {key: value for key, value in one.metadata.items() if key != "help"} | _LIMITS.get(one.name, {})
            several = get_origin(types[one.name]) is tuple
            kind = list[str] if several else types[one.name]
            default = [] if several else one.default
            made[one.name] = (kind, Field(default, description=help_of(one.name), **limits))
    return made


def _text(description: str) -> tuple[type[str], Any]:
    return str, Field(min_length=1, max_length=_MAX_TEXT_CHARS, description=description)


if TYPE_CHECKING:

    class SearchCode(SearchArguments):
        """Arguments of search_code."""

        query: str

    class LocateIssue(SearchArguments):
        """Arguments of locate_issue."""

        issue: str

else:
    SearchCode = create_model(
        "SearchCode",
        __base__=SearchArguments,
        query=_text(
            "A question, a description of what the code does, or names: 'where is the session cookie signed?', "
            "'retry failed uploads', 'QuerySet.bulk_create'. On one line it may contain filters: path:src/*.py, "
            'lang:python, kind:class, symbol:QuerySet.filter, -path:tests, "exact phrase"; filters alone list what '
            "matches."
        ),
        **_search_fields(),
    )
    LocateIssue = create_model(
        "LocateIssue",
        __base__=SearchArguments,
        issue=_text("The whole text as it was written: title, description, messages, tracebacks and code."),
        **_search_fields(),
    )


class PastChanges(ListArguments):
    """Arguments of past_changes."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_MAX_TEXT_CHARS,
            description="What the change did, the text of an issue, '#123', 'KEY-123' or a commit id.",
        ),
    ]
    exclude: Annotated[list[str], Field(max_length=_MOST_PATTERNS, description=help_of("exclude"))] = []


class RelatedCode(ListArguments):
    """Arguments of related_code."""

    location: Annotated[
        str,
        Field(min_length=3, max_length=4200, description="FILE:LINE, named from the root, e.g. src/app.py:120."),
    ]
    level: Annotated[
        Level | None,
        Field(description="Of similar code, return only functions, classes, or both (symbol)."),
    ] = None
    exclude: Annotated[list[str], Field(max_length=_MOST_PATTERNS, description=help_of("exclude"))] = []


class ReadUnit(ToolArguments):
    """Arguments of read_unit."""

    path: Annotated[
        str, Field(min_length=1, max_length=4096, description="The file, named from the repository's root.")
    ]
    symbol: Annotated[
        str | None,
        Field(max_length=1000, description="A function or class in it, e.g. Session.sign_cookie or sign_cookie."),
    ] = None
    lines: Annotated[
        str | None,
        Field(pattern=r"^[0-9]{1,9}(-[0-9]{1,9})?$", description="Instead of a symbol: lines, e.g. 120-180 or 120."),
    ] = None
    at: Annotated[
        str | None, Field(description="Read the file as of this commit, branch or tag instead of from disk.")
    ] = None


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
