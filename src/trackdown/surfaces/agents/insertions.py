"""The text that `trackdown install` puts into users' files: an entry in JSON or TOML, or a block between two marks.

Each kind can be put into a text and removed from it again. The rest of the text stays, comments and blanks included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from trackdown.errors import UsageError
from trackdown.surfaces.agents.edit_json import drop_member, put_member, read_json
from trackdown.surfaces.agents.edit_toml import drop_table, put_table, read_toml
from trackdown.surfaces.agents.nested import check_edit, value_at

Entry = dict[str, str | bool | list[str]]


class Insertion(Protocol):
    """Text of ours in a file. Every method raises UsageError for a text that cannot be read or edited."""

    def put(self, text: str) -> str:
        """Insert or update it; returns the same text if it is up to date."""
        ...

    def drop(self, text: str, original: str) -> str:
        """Remove it, and put back what `original`, the text before the first install, had in its place."""
        ...

    def is_in(self, text: str) -> bool:
        """Whether it, or an entry of the same name, is in the text."""
        ...

    def is_empty(self, text: str) -> bool:
        """Whether nothing is left of a file that was created for it."""
        ...


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A member of an object in JSON with comments. An update leaves its other keys alone."""

    section: tuple[str, ...]
    name: str
    entry: Entry

    def put(self, text: str) -> str:
        before = read_json(text)
        path = self._path(before)
        there = value_at(before, path)
        if not isinstance(there, dict):
            after = put_member(text, path, self.entry)
            check_edit(before, read_json(after), path, self.entry)
            return after
        after = text
        for key, value in self.entry.items():
            after = put_member(after, [*path, key], value)
        check_edit(before, read_json(after), path, {**there, **self.entry})
        return after

    def drop(self, text: str, original: str) -> str:
        before, old = read_json(text), read_json(original)
        path = self._path(before)
        theirs = value_at(old, path)
        after = drop_member(text, path) if theirs is None else put_member(text, path, theirs)
        for length in range(len(path) - 1, 0, -1):
            if value_at(read_json(after), path[:length]) == {} and value_at(old, path[:length]) is None:
                after = drop_member(after, path[:length])
        check_edit(before, read_json(after), path, theirs)
        return after

    def is_in(self, text: str) -> bool:
        return self.found_in(text) is not None

    def found_in(self, text: str) -> Any:
        """The entry as it is in the text; None if it is not there."""
        values = read_json(text)
        return value_at(values, self._path(values))

    def is_empty(self, text: str) -> bool:
        return text.strip() in ("", "{}")

    def _path(self, values: Any) -> tuple[str, ...]:
        """Where the entry belongs: OpenCode's later files have one more level."""
        inner = value_at(values, (*self.section, "servers"))
        deeper = self.section == ("mcp",) and isinstance(inner, dict) and "command" not in inner
        return (*self.section, *(("servers",) if deeper else ()), self.name)


@dataclass(frozen=True, slots=True)
class TomlEntry:
    """A table in TOML. An update leaves its other keys alone."""

    section: tuple[str, ...]
    name: str
    entry: Entry

    def put(self, text: str) -> str:
        return put_table(text, (*self.section, self.name), self.entry)

    def drop(self, text: str, original: str) -> str:
        path = (*self.section, self.name)
        theirs = value_at(read_toml(original), path)
        if isinstance(theirs, dict) and set(self.entry) <= set(theirs):
            return put_table(text, path, {key: theirs[key] for key in self.entry})
        return drop_table(text, path)

    def is_in(self, text: str) -> bool:
        return self.found_in(text) is not None

    def found_in(self, text: str) -> Any:
        """The entry as it is in the text; None if it is not there."""
        return value_at(read_toml(text), (*self.section, self.name))

    def is_empty(self, text: str) -> bool:
        return not text.strip()


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """Lines between two marks, which Markdown does not show."""

    mark: str
    lines: tuple[str, ...]

    def put(self, text: str) -> str:
        span = self._span(text)
        newline = "\r\n" if "\r\n" in text else "\n"
        block = newline.join([self._first, *self.lines, self._last]) + newline
        if span is not None:
            return text[: span[0]] + block + text[span[1] :]
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return text + gap + block

    def drop(self, text: str, original: str) -> str:
        span = self._span(text)
        if span is None:
            return text
        start, end = span
        above = text.rfind("\n", 0, max(0, start - 1)) + 1
        if not text[above:start].strip():
            start = above  # the blank line above it
        return text[:start] + text[end:]

    def is_in(self, text: str) -> bool:
        return self._span(text) is not None

    def is_empty(self, text: str) -> bool:
        return not text.strip()

    @property
    def _first(self) -> str:
        return f"<!-- {self.mark}:begin -->"

    @property
    def _last(self) -> str:
        return f"<!-- {self.mark}:end -->"

    def _span(self, text: str) -> tuple[int, int] | None:
        """From the start of the first mark's line to the end of the last mark's line."""
        first, last = text.find(self._first), text.find(self._last)
        if first < 0 and last < 0:
            return None
        if not 0 <= first < last or text.count(self._first) > 1 or text.count(self._last) > 1:
            raise UsageError(f"the marks {self._first} and {self._last} are not a pair")
        line = text.find("\n", last)
        return text.rfind("\n", 0, first) + 1, len(text) if line < 0 else line + 1
