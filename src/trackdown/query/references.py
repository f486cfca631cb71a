"""References in a query: `#123`, `GH-123`, `!45`, keys such as `KAFKA-123`, and commit ids.

Whether one means anything is for the history to say: it counts if a commit speaks of it, or has that id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from trackdown.query.stopwords import STOPWORDS
from trackdown.units import words

MOST_REFERENCES = 20
_MOST_LOOKED_AT = 500
_REFERENCE = re.compile(
    r"(?<![\w&#/])(?:#|[Gg][Hh]-)(?P<issue>\d{1,7})\b"
    r"|(?<![\w!])!(?P<merge>\d{1,7})\b"
    r"|(?<![\w-])(?P<key>[A-Z][A-Z0-9_]{1,14}-[1-9]\d{0,6})\b(?!-)"
    r"|(?<![\w#.-])(?P<commit>(?=[0-9a-f]*\d)[0-9a-f]{7,40})\b(?!-)"
)
_ADDRESS = re.compile(r"/(?:(?P<issue>issues|pulls?)|merge_requests)/(?P<number>\d{1,7})\b")
_MOST_READ = 20_000
_STANDARDS = frozenset("AES CP CVE ECMA EN IEC IEEE ISO LATIN MD MP PEP RFC RSA SHA TLS UCS US UTF WINDOWS X".split())
"""What stands before a number without being the key of a project."""
_ABOUT_REFERENCES = frozenset(
    "bug change changes closes commit commits fix fixed fixes gh merge mr patch pr pull ref refs request revision "
    "see ticket".split()
)
_FIRST_NUMBER = 10
"""In a longer text, smaller numbers count its own scenarios and steps."""


@dataclass(frozen=True, slots=True)
class QueryReference:
    """What a query refers to: `text` as it is written, and the number of an issue or merge request, a whole key, or
    the beginning of a commit id.
    """

    kind: Literal["issue", "merge", "key", "commit"]
    value: str
    text: str


def find_references(text: str, *, typed: bool) -> tuple[QueryReference, ...]:
    """The references in a text, each once, in order. `typed` says that it is a line that somebody typed."""
    found: dict[tuple[str | None, str], QueryReference] = {}
    for match in islice(_REFERENCE.finditer(text), _MOST_LOOKED_AT):
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        counting = kind in ("issue", "merge") and int(value) < _FIRST_NUMBER
        if (counting and not typed) or (kind == "key" and value.partition("-")[0] in _STANDARDS):
            continue
        found.setdefault((kind, value), QueryReference(kind, value, match[0]))  # type: ignore[arg-type]
        if len(found) == MOST_REFERENCES:
            break
    return tuple(found.values())


def says_nothing_else(text: str) -> bool:
    """Whether a text with references has no other word that says what to look for."""
    rest = words(_REFERENCE.sub(" ", text).lower())
    return all(word in STOPWORDS or word in _ABOUT_REFERENCES for word in rest)


def issues_named(message: str) -> tuple[str, ...]:
    """The issues, merge requests and keys that a commit's message speaks of, each once, as it writes them.

    Of an address, it is the number: `…/issues/123` is `#123`.
    """
    text = message[:_MOST_READ]
    found: dict[str, str] = {}
    for one in find_references(text, typed=True):
        if one.kind != "commit":
            found.setdefault(one.value, one.text)
    for match in islice(_ADDRESS.finditer(text), MOST_REFERENCES):
        found.setdefault(match["number"], f"{'#' if match['issue'] else '!'}{match['number']}")
    return tuple(found.values())


def commits_named(message: str) -> tuple[str, ...]:
    """The commit ids that a commit's message speaks of, each once."""
    references = find_references(message[:_MOST_READ], typed=True)
    return tuple(one.value for one in references if one.kind == "commit")
