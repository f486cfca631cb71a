"""Which issues does a message say it resolves? Trackers have their customs, and a pattern can say anything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from trackdown.errors import UsageError
from trackdown.lab.mine.archives.issue import normal_id

_LONGEST_MESSAGE = 50_000
_CLOSING = re.compile(r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b(?:\s{0,3}:)?\s{1,3}", re.I)
_NUMBER = re.compile(
    r"(?:(?:issues?|bugs?|tickets?)\s{1,2}(?P<bare>\d{1,7})\b"
    r"|(?:(?:issues?|bugs?|tickets?|the|for)\s{1,2}){0,2}"
    r"(?:(?:https?://github\.com/)?(?P<repository>[\w.-]{1,60}/[\w.-]{1,100})(?:#|/issues/)|#|gh-)(?P<number>\d{1,7})\b)",
    re.I,
)
_AND = re.compile(r"\s{0,3}(?:,|&|;|\band\b)?\s{0,3}(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\s{1,3})?", re.I)
_KEY = re.compile(r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9]{1,9}[-_]\d{1,7})(?!\d)")
_TRAC = re.compile(
    r"\A\s{0,3}(?:trac\s{0,2})?#(\d{1,7})\s{0,2}:|\btrac\s{0,2}#?(\d{1,7})\b|\b(?:ticket|issue|bug)[\s:]{0,2}#(\d{1,7})\b",
    re.I,
)
_BUG = re.compile(
    r"\b(?:bug(?:zilla)?|bxc|fix(?:e[sd])?|pr)[\s:=]{0,2}(?:for\s)?#?(\d{3,7})\b|show_bug\.cgi\?id=(\d{1,7})\b", re.I
)

TITLES = "title"
_SHORTEST_TITLE = 15
_LABELS = re.compile(r"(?:\W{0,3}(?:\[[^\]\n]{1,40}\]|[A-Z][A-Z0-9]{1,9}-\d{1,7})[\s.:,]{0,3}){0,4}\s{0,2}", re.I)
_CREDITS = re.compile(r"[\s.;,(]{0,4}(?:\bcontributed by\b|\(#\d+\)|\bvia \w+\)?\s*\Z)", re.I)

References = Callable[[str], set[str]]
"""A message → the ids that it names."""


def closed_numbers(text: str, names: Collection[str]) -> set[str]:
    """The numbers that follow `fixes`, `closes` or `resolves`: `#1`, `#1 and #2`, `issue 3`, an issue's address.

    `owner/name#4` counts if it is one of `names`, in lower case: another project's issue has another text.
    """
    found: set[str] = set()
    for start in _CLOSING.finditer(text):
        place = start.end()
        while (one := _NUMBER.match(text, place)) is not None:
            repository = one["repository"]
            if repository is None or repository.casefold() in names:
                found.add(normal_id(one["bare"] or one["number"]))
            place = _AND.match(text, one.end()).end()  # type: ignore[union-attr]
    return found


def _all_of(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for one in pattern.finditer(text):
        yield next((normal_id(group) for group in one.groups() if group), "")


REFERENCE_STYLES: dict[str, str] = {
    "fixes": "`fixes #12`, `closes #12`, `resolves owner/name#12`",
    "key": "`KEY-12` anywhere in the message",
    "trac": "`Trac #12: …`, `#12: …`, `ticket #12`, `issue: #12`, and as fixes",
    "bug": "`bug 1234`, `fix for #1234`, the address of a Bugzilla, and as fixes",
    TITLES: "the subject is the title of the issue, whose number nobody names",
}
"""How commits name the issues of a tracker, by name."""


def references_of(style: str, names: Collection[str] = ()) -> References:
    """The references of a style. `names` are those of the repository, as `owner/name` in lower case."""

    def find(message: str) -> set[str]:
        text = message[:_LONGEST_MESSAGE]
        if style == "key":
            return {key.replace("_", "-") for key in _all_of(_KEY, text)}
        found = closed_numbers(text, names)
        if style in ("trac", "bug"):
            found |= set(_all_of(_TRAC if style == "trac" else _BUG, text))
        return found

    return find


def references_by_pattern(pattern: str) -> References:
    """The references that a regular expression finds; its first group is the id. Raises UsageError."""
    try:
        compiled = re.compile(pattern, re.I)
    except re.error as error:
        raise UsageError(f"the pattern {pattern!r} is not a regular expression: {error}") from None
    if not compiled.groups:
        raise UsageError(f"the pattern {pattern!r} has no group for the id, as in 'bug (\\d+)'")
    return lambda message: set(filter(None, _all_of(compiled, message[:_LONGEST_MESSAGE])))


def title_key(title: str) -> str:
    """A title for comparison: its letters and digits. Empty for one that is too short to tell an issue."""
    key = "".join(char for char in title.casefold() if char.isalnum())
    return key if len(key) >= _SHORTEST_TITLE else ""


def references_by_title(titles: Mapping[str, str]) -> References:
    """The issues whose title is a message's subject, or its first paragraph; `titles` maps keys of titles to ids.

    Labels before it (`[SQL]`, `KEY-12.`) and credits behind it don't count.
    """

    def find(message: str) -> set[str]:
        paragraph = message[:_LONGEST_MESSAGE].strip().partition("\n\n")[0]
        found = set()
        for said in (paragraph.partition("\n")[0], paragraph):
            bare = said[_LABELS.match(said).end() :]  # type: ignore[union-attr]
            credits = _CREDITS.search(bare)
            found |= {title_key(bare), title_key(bare[: credits.start()] if credits else "")}
        return {titles[key] for key in found if key and titles.get(key)}

    return find


_PULL = re.compile(
    r"\A\s{0,3}(?:auto |rollup )?merge (?:of |pull request )?(?:[\w.-]{1,60}/[\w.-]{1,100})?[#!](\d{1,7})\b"
    r"|\A[^\n]{0,500}\(#(\d{1,7})\)[ \t]{0,3}(?:\n|\Z)",
    re.I,
)


def merged_pull(message: str) -> str:
    """The number of the pull request whose merge or squashed commit says this; empty if it is none."""
    found = _PULL.match(message)
    return normal_id(found[1] or found[2]) if found else ""
