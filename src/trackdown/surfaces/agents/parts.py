"""What of ours stands in a file of the user's: an entry in JSON or TOML, or a block of text between two marks.

Every part is put into a text and taken out of it again; what else stands there stays, comments and blanks included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from trackdown.errors import UsageError
from trackdown.surfaces.agents import jsonc, toml_text

Entry = dict[str, str | bool | list[str]]


class Part(Protocol):
    """Something of ours in a text. All methods raise UsageError for a text that cannot be read or edited."""

    def put(self, text: str) -> str:
        """The text with the part in it, as it should be; the same text when it is there already."""
        ...

    def drop(self, text: str, original: str) -> str:
        """The text without the part. What `original`, the text from before, had in its place is put back."""
        ...

    def is_in(self, text: str) -> bool:
        """Whether the part, or something in its place, is there."""
        ...

    def is_empty(self, text: str) -> bool:
        """Whether nothing is left in a text that was made for the part."""
        ...

    def shown(self) -> str:
        """The part alone, as somebody would write it by hand."""
        ...


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A member of an object in JSON with comments. Keys of it that are not ours stay when it is put again."""

    section: tuple[str, ...]
    name: str
    entry: Entry

    def put(self, text: str) -> str:
        before = jsonc.read(text)
        path = self._path(before)
        there = _at(before, path)
        after = text
        if isinstance(there, dict):
            for key, value in self.entry.items():
                after = jsonc.put(after, [*path, key], value)
        else:
            after = jsonc.put(after, path, self.entry)
        wanted = {**(there if isinstance(there, dict) else {}), **self.entry}
        read = jsonc.read(after)
        if _at(read, path) != wanted or _without(read, path) != _without(before, path):
            raise UsageError(f"{'.'.join(path)} is written there in a way that cannot be edited safely")
        return after

    def drop(self, text: str, original: str) -> str:
        before = jsonc.read(text)
        path, old = self._path(before), jsonc.read(original)
        theirs = _at(old, path)
        after = jsonc.put(text, path, theirs) if theirs is not None else jsonc.drop(text, path)
        for length in range(len(path) - 1, 0, -1):
            if _at(jsonc.read(after), path[:length]) == {} and _at(old, path[:length]) is None:
                after = jsonc.drop(after, path[:length])
        if _without(jsonc.read(after), path) != _without(before, path):
            raise UsageError(f"{'.'.join(path)} is written there in a way that cannot be edited safely")
        return after

    def is_in(self, text: str) -> bool:
        values = jsonc.read(text)
        return _at(values, self._path(values)) is not None

    def is_empty(self, text: str) -> bool:
        return text.strip() in ("", "{}")

    def shown(self) -> str:
        return jsonc.put("", [*self.section, self.name], self.entry)

    def _path(self, values: Any) -> tuple[str, ...]:
        """Where the entry belongs: OpenCode's later files have one more level."""
        inner = _at(values, (*self.section, "servers"))
        deeper = self.section == ("mcp",) and isinstance(inner, dict) and "command" not in inner
        return (*self.section, *(("servers",) if deeper else ()), self.name)


@dataclass(frozen=True, slots=True)
class TomlEntry:
    """A table in TOML. Keys of it that are not ours stay when it is put again."""

    section: tuple[str, ...]
    name: str
    entry: Entry

    def put(self, text: str) -> str:
        return toml_text.put(text, (*self.section, self.name), self.entry)

    def drop(self, text: str, original: str) -> str:
        path = (*self.section, self.name)
        theirs = _at(toml_text.read(original), path)
        if isinstance(theirs, dict):
            known = {key: theirs[key] for key in self.entry if key in theirs}
            if set(known) == set(self.entry):
                return toml_text.put(text, path, known)
        return toml_text.drop(text, path)

    def is_in(self, text: str) -> bool:
        return _at(toml_text.read(text), (*self.section, self.name)) is not None

    def is_empty(self, text: str) -> bool:
        return not text.strip()

    def shown(self) -> str:
        return toml_text.put("", (*self.section, self.name), self.entry)


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """Lines between two marks that Markdown does not show."""

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
            start = above  # the empty line that parted it from what stands before
        return text[:start] + text[end:]

    def is_in(self, text: str) -> bool:
        return self._span(text) is not None

    def is_empty(self, text: str) -> bool:
        return not text.strip()

    def shown(self) -> str:
        return self.put("")

    @property
    def _first(self) -> str:
        return f"<!-- {self.mark}:begin -->"

    @property
    def _last(self) -> str:
        return f"<!-- {self.mark}:end -->"

    def _span(self, text: str) -> tuple[int, int] | None:
        """From the beginning of the first mark's line to the end of the last one's."""
        first, last = text.find(self._first), text.find(self._last)
        if first < 0 and last < 0:
            return None
        if not 0 <= first < last or text.count(self._first) > 1 or text.count(self._last) > 1:
            raise UsageError(f"the marks {self._first} and {self._last} do not belong together there")
        line = text.find("\n", last)
        return text.rfind("\n", 0, first) + 1, len(text) if line < 0 else line + 1


def _at(values: Any, path: Sequence[str]) -> Any:
    """What stands at a path of names; None when there is nothing."""
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _without(values: Any, path: Sequence[str]) -> Any:
    """The values without what stands at a path, and without objects that only led to it."""
    if not isinstance(values, dict):
        return values or {}
    name, *rest = path
    below = _without(values.get(name, {}), rest) if rest else {}
    others = {key: value for key, value in values.items() if key != name}
    return others if below == {} else {**others, name: below}
