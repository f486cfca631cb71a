"""What models read: the query, a unit in few words, and a unit in windows of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from trackdown.index import CodeIndex
from trackdown.models import brief_unit, normalized

WINDOW_TOKENS = 350
"""System 1's window, in tokens of code including punctuation. A window holds whole lines."""
MAX_WINDOWS = 8
OPENING_VERSION = 2
"""Raise it when the encoder would now read another text of the same unit: the deep index is then made again."""
_MAX_UNIT_CHARS = 12_000
_MAX_QUERY_CHARS = 6000
_TOKEN = re.compile(r"\w+|[^\w\s]")


def normalized_query(text: str) -> str:
    """A query as models read it, code and tracebacks included, like the commit messages of training."""
    return normalized(text[:_MAX_QUERY_CHARS])


class UnitTexts:
    """Units as models read them. `read` returns their source, None for a unit that is gone; each is read once."""

    def __init__(self, code: CodeIndex, read: Callable[[Sequence[int]], list[str | None]]) -> None:
        self._code = code
        self._read = read
        self._sources: dict[int, str | None] = {}

    def opening(self, unit: int) -> str | None:
        """A unit from its beginning, as models read it in training; None when it cannot be read."""
        source = self._source(unit)
        if source is None:
            return None
        return self._brief(unit, source)

    def windows(self, unit: int, most: int = MAX_WINDOWS) -> list[str]:
        """A unit in windows of whole lines, each with path and symbol; none when the unit cannot be read."""
        source = self._source(unit)
        if source is None:
            return []
        found = []
        for window in line_windows(source):
            found.append(self._brief(unit, window))
            if len(found) == most:
                break
        return found

    def _brief(self, unit: int, source: str) -> str:
        path = self._code.path(int(self._code.unit_file[unit]))
        return brief_unit(path, self._code.symbol(unit), source[:_MAX_UNIT_CHARS])

    def _source(self, unit: int) -> str | None:
        if unit not in self._sources:
            (self._sources[unit],) = self._read([unit])
        return self._sources[unit]


def line_windows(source: str, tokens: int = WINDOW_TOKENS) -> Iterator[str]:
    """Windows of whole lines, at most `tokens` tokens each; a longer line is its own window. There is at least one."""
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
