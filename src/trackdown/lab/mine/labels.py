"""When is a past commit, or a unit, an answer? System 1's two labels, after Gandhi, Gao and Callan.

A past commit is one when it touched a file that the query's own commit touches. A unit is one when the change touches
a line of it that tells something: brackets, blank lines, a lone `else` and imports change along with anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from trackdown.lab.mine.documents import Span

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+")
_ALONE = frozenset("begin break continue default do done else end endif esac fi finally pass return then try".split())
_IMPORT = re.compile(
    r"import\b(?!\s*\()|from\s+\S+\s+import\b|#\s*include\b|using\s+(?:static\s+)?[\w.:]+\s*;|use\s+[\w\\:{}, *]+;"
)
_WORD = re.compile(r"\w+")


def shares_a_file(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two commits touched a file in common."""
    return not set(one).isdisjoint(other)


def is_trivial(line: str) -> bool:
    """Whether a line says nothing by itself: blank, only signs, a lone keyword, an import."""
    text = line.strip()
    words = _WORD.findall(text)
    return not words or (len(words) == 1 and words[0] in _ALONE) or _IMPORT.match(text) is not None


def telling_spans(hunks: bytes) -> list[Span]:
    """The lines of the old text that hunks without context edit: (first, last), or (n, n - 1) for text behind line n.

    Of a hunk count the removed lines that tell something. Where none does, but an added line does, its place counts.
    A hunk of trivial lines edits nothing.
    """
    spans: list[Span] = []
    for start, count, removed, added in _hunks(hunks):
        telling = [start + place for place, line in enumerate(removed) if not is_trivial(line)]
        if telling:
            spans += _runs(telling)
        elif not all(map(is_trivial, added)):
            spans.append((start, start + count - 1))
    return spans


def _hunks(hunks: bytes) -> Iterator[tuple[int, int, list[str], list[str]]]:
    """(first old line, number of old lines, removed lines, added lines) of each hunk."""
    found: tuple[int, int, list[str], list[str]] | None = None
    for line in hunks.split(b"\n"):
        if head := _HUNK.match(line):
            if found is not None:
                yield found
            found = (int(head[1]), int(head[2] or 1), [], [])
        elif found is not None and line[:1] in (b"-", b"+"):
            lines = found[2] if line[:1] == b"-" else found[3]
            lines.append(line[1:].decode("utf-8", "replace"))
    if found is not None:
        yield found


def _runs(numbers: list[int]) -> list[Span]:
    """Ascending numbers as spans of neighbours."""
    spans: list[Span] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans


__all__ = ["is_trivial", "shares_a_file", "telling_spans"]
