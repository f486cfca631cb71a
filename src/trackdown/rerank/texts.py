"""What models read: the query, and units of code as a whole or in windows of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from trackdown.index.code import CodeIndex
from trackdown.models.normalization import normalized, normalized_unit

WINDOW_TOKENS = 350
"""System 1's window: so many tokens of code, punctuation included, in whole lines."""
MOST_WINDOWS = 8
_LONGEST_UNIT = 4000
_LONGEST_QUERY = 6000
_ENCODED_WORDS = 140
_TOKEN = re.compile(r"\w+|[^\w\s]")


def normalized_query(text: str) -> str:
    """A query as models read it: all of it, code and tracebacks too, as commit messages were read in training."""
    return normalized(text[:_LONGEST_QUERY])


class UnitTexts:
    """Units as models read them. `read` gives their source, or None for what is no longer there; it is asked once."""

    def __init__(self, code: CodeIndex, read: Callable[[Sequence[int]], list[str | None]]) -> None:
        self._code = code
        self._read = read
        self._sources: dict[int, str | None] = {}

    def whole(self, unit: int) -> str | None:
        """The beginning of a unit, about as much as the encoder was trained on: more would only take longer."""
        source = self._source(unit)
        return None if source is None else " ".join(self._said(unit, source[:_LONGEST_UNIT]).split()[:_ENCODED_WORDS])

    def windows(self, unit: int, most: int = MOST_WINDOWS) -> list[str]:
        """A unit in windows of whole lines, each with its path and symbol; none when it cannot be read."""
        source = self._source(unit)
        if source is None:
            return []
        found = []
        for window in line_windows(source):
            found.append(self._said(unit, window[:_LONGEST_UNIT]))
            if len(found) == most:
                break
        return found

    def _said(self, unit: int, source: str) -> str:
        path = self._code.path(int(self._code.unit_file[unit]))
        return normalized_unit(path, self._code.symbol(unit), source)

    def _source(self, unit: int) -> str | None:
        if unit not in self._sources:
            (self._sources[unit],) = self._read([unit])
        return self._sources[unit]


def line_windows(source: str, tokens: int = WINDOW_TOKENS) -> Iterator[str]:
    """Whole lines up to so many tokens; a line that is longer stands alone. There is always a first window."""
    lines: list[str] = []
    held = 0
    for line in source.split("\n"):
        size = len(_TOKEN.findall(line))
        if lines and held + size > tokens:
            yield "\n".join(lines)
            lines, held = [], 0
        lines.append(line)
        held += size
    yield "\n".join(lines)
