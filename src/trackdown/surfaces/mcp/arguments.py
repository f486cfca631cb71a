"""What the tools take. The descriptions are read by models: they say when to give something, and what it looks like."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trackdown.types import Effort, Level

LEAST_TOKENS = 200
MOST_TOKENS = 50_000
_MOST_RESULTS = 100
_MAX_TEXT_CHARS = 400_000


class Arguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    repository: Annotated[
        str | None,
        Field(description="Name of the repository, as index_status lists it. Needed only if several are served."),
    ] = None
    max_tokens: Annotated[
        int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="The answer is never longer than about this.")
    ] = 4000


class Listed(Arguments):
    """What tools take that answer with a list."""

    k: Annotated[int, Field(ge=1, le=_MOST_RESULTS, description="How many results at most.")] = 10
    at: Annotated[
        str | None,
        Field(description="Look at the state of this commit, branch or tag instead of the files on disk."),
    ] = None


class Ranked(Listed):
    """What searches take."""

    level: Annotated[
        Level,
        Field(description="What to rank: functions and methods, classes, both together (symbol), or whole files."),
    ] = "function"
    effort: Annotated[
        Effort,
        Field(
            description="fast: by words and history only. balanced: small models read the best candidates. "
            "thorough: they read many, which takes up to half a minute."
        ),
    ] = "balanced"
    tests: Annotated[bool, Field(description="false leaves test files out.")] = True
    languages: Annotated[
        list[str], Field(max_length=20, description='Only files of these languages, e.g. ["python"].')
    ] = []
    folder: Annotated[str, Field(max_length=4096, description="Only files below this folder, e.g. src/api.")] = ""


class SearchCode(Ranked):
    """Arguments of search_code."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_MAX_TEXT_CHARS,
            description="A question, a description of what the code does, or names: "
            "'where is the session cookie signed?', 'retry failed uploads', 'QuerySet.bulk_create'.",
        ),
    ]


class LocateIssue(Ranked):
    """Arguments of locate_issue."""

    issue: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_MAX_TEXT_CHARS,
            description="The whole text: title, description, messages, tracebacks and code, as they were written.",
        ),
    ]


class PastChanges(Listed):
    """Arguments of past_changes."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=_MAX_TEXT_CHARS, description="What the change did, or the text of an issue."),
    ]


class RelatedCode(Listed):
    """Arguments of related_code."""

    location: Annotated[
        str,
        Field(min_length=3, max_length=4200, description="FILE:LINE, e.g. src/app.py:120; the file from the root."),
    ]
    level: Annotated[
        Level | None,
        Field(description="Of code that reads alike, show only functions, classes or both (symbol)."),
    ] = None


class ReadUnit(Arguments):
    """Arguments of read_unit."""

    path: Annotated[str, Field(min_length=1, max_length=4096, description="The file, from the repository's root.")]
    symbol: Annotated[
        str | None,
        Field(max_length=1000, description="A function or class in it, e.g. Session.sign_cookie or sign_cookie."),
    ] = None
    lines: Annotated[
        str | None,
        Field(pattern=r"^[0-9]{1,9}(-[0-9]{1,9})?$", description="Instead of a symbol: lines, e.g. 120-180 or 120."),
    ] = None
    at: Annotated[
        str | None, Field(description="Read the state of this commit, branch or tag instead of the file on disk.")
    ] = None


class IndexStatus(Arguments):
    """Arguments of index_status."""


def in_words(error: ValidationError) -> str:
    """What is wrong with arguments, in one line."""
    found = []
    for one in error.errors(include_url=False, include_context=False):
        name = ".".join(str(part) for part in one["loc"]) or "the arguments"
        given = "" if one["type"] in ("missing", "extra_forbidden") else f", not {_short(one['input'])}"
        found.append(f"{name}: {one['msg'][:1].lower()}{one['msg'][1:]}{given}")
    return "; ".join(found[:5])


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
