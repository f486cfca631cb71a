"""JSON with comments, read with the place of every value: one member can be changed, and the rest stays as it is.

Comments and commas behind the last member are allowed, as the editors that use such files allow them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trackdown.errors import UsageError

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_EMPTY = re.compile(r"\{\s*\}")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|$)")
_SCALAR = re.compile(r'[^\s,\]}\[{:"/]+')
_DEEPEST = 100
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Member:
    """A name with its value. `comma` is the place of the comma behind it, or -1."""

    name: str
    start: int
    value: Node
    comma: int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands. `members` are those of an object; None for anything else."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] | None = None

    def member(self, name: str) -> Member | None:
        """The member of a name; the last one where it is written twice, as JSON readers have it."""
        return next((one for one in reversed(self.members or ()) if one.name == name), None)


def read(text: str) -> Any:
    """The value of a text; None when it holds none. Raises UsageError that says in which line it goes wrong."""
    node = _Reader(text).document()
    return None if node is None else node.value


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a member set to a value; objects on the way are made. Raises UsageError where that cannot be."""
    if not text.removeprefix(_BOM).strip():
        return text + _shown(_nested(path, value), "", "  ", _newline(text)) + "\n"
    root = _Reader(text).document()
    if root is None:
        end = "" if text.endswith("\n") else _newline(text)
        return text + end + _shown(_nested(path, value), "", "  ", _newline(text)) + _newline(text)
    node, depth = root, 0
    while True:
        if node.members is None:
            raise UsageError(f"{'.'.join(path[:depth]) or 'the whole'} is not an object")
        member = node.member(path[depth])
        if member is None:
            return _Editor(text, root).insert(node, path[depth], _nested(path[depth + 1 :], value))
        if depth == len(path) - 1:
            return text if member.value.value == value else _Editor(text, root).replace(node, member, value)
        node, depth = member.value, depth + 1


def drop(text: str, path: Sequence[str]) -> str:
    """The text without a member; unchanged when it has none."""
    root = _Reader(text).document()
    node: Node | None = root
    for name in path[:-1]:
        member = node.member(name) if node is not None else None
        node = member.value if member is not None else None
    if root is None or node is None:
        return text
    found = node.member(path[-1])
    return text if found is None else _without(text, node, found)


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _shown(value: Any, margin: str, step: str, newline: str) -> str:
    """A value as it is written, its later lines behind a margin."""
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", newline + margin)


class _Reader:
    """Reads a document from its beginning."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(_BOM) if text.startswith(_BOM) else 0

    def document(self) -> Node | None:
        """The one value of the text, None when there are only comments."""
        self._skip()
        if self._at == len(self._text):
            return None
        node = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise self._wrong("something stands behind the end")
        return node

    def _value(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self._wrong("it is nested too deep")
        sign = self._text[self._at : self._at + 1]
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        start = self._at
        if sign == '"':
            text = self._string()
            return Node(start, self._at, text)
        found = _SCALAR.match(self._text, start)
        try:
            value = json.loads(found.group()) if found else None
        except ValueError:
            found = None
        if found is None:
            raise self._wrong("a value is expected")
        self._at = found.end()
        return Node(start, self._at, value)

    def _string(self) -> str:
        try:
            value, self._at = json.JSONDecoder(strict=False).raw_decode(self._text, self._at)
        except ValueError:
            raise self._wrong("a text is not ended or not well written") from None
        assert isinstance(value, str)
        return value

    def _object(self, depth: int) -> Node:
        start, members, value = self._at, list[Member](), dict[str, Any]()
        self._at += 1
        while True:
            self._skip()
            if self._take("}"):
                return Node(start, self._at, value, tuple(members))
            if members and members[-1].comma < 0:
                raise self._wrong("a comma or } is expected")
            place = self._at
            if self._text[place : place + 1] != '"':
                raise self._wrong("a name in quotes is expected")
            name = self._string()
            self._skip()
            if not self._take(":"):
                raise self._wrong(f"a colon is expected behind {name!r}")
            self._skip()
            node = self._value(depth + 1)
            self._skip()
            comma = self._at - 1 if self._take(",") else -1
            members.append(Member(name, place, node, comma))
            value[name] = node.value

    def _array(self, depth: int) -> Node:
        start, values, more = self._at, list[Any](), True
        self._at += 1
        while True:
            self._skip()
            if self._take("]"):
                return Node(start, self._at, values)
            if not more:
                raise self._wrong("a comma or ] is expected")
            values.append(self._value(depth + 1).value)
            self._skip()
            more = self._take(",")

    def _take(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._at):
            return False
        self._at += 1
        return True

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _wrong(self, what: str) -> UsageError:
        line = self._text.count("\n", 0, self._at) + 1
        return UsageError(f"it is not JSON: {what} in line {line}")


class _Editor:
    """Writes members in the manner of the text around them."""

    def __init__(self, text: str, root: Node) -> None:
        self._text = text
        self._newline = _newline(text)
        inner = next((self._margin(one.start) for one in root.members or () if self._alone(one.start)), "")
        outer = self._margin(root.start)
        self._step = inner.removeprefix(outer) if inner != outer and inner.startswith(outer) else "  "

    def replace(self, node: Node, member: Member, value: Any) -> str:
        """The text with another value for a member."""
        margin = self._margin(member.start) if self._alone(member.start) else self._margin(node.start)
        shown = _shown(value, margin, self._step, self._newline)
        return self._text[: member.value.start] + shown + self._text[member.value.end :]

    def insert(self, node: Node, name: str, value: Any) -> str:
        """The text with one member more at the end of an object, behind the comments that stand there."""
        assert node.members is not None
        text, last = self._text, node.members[-1] if node.members else None
        if last is not None and not any(self._alone(one.start) for one in node.members):
            return self._insert_in_line(last, name, value)
        behind = node.start + 1 if last is None else max(last.comma + 1, last.value.end)
        place = behind
        while found := _COMMENT.search(text, place, node.end - 1):
            place = found.end()
        margins = (self._margin(one.start) for one in reversed(node.members) if self._alone(one.start))
        margin = next(margins, self._margin(node.start) + self._step)
        shown = _shown(value, margin, self._step, self._newline)
        line = f"{self._newline}{margin}{json.dumps(name, ensure_ascii=False)}: {shown}"
        line += "," if last is not None and last.comma >= 0 else ""
        rest = text[place:]
        if "\n" not in text[place : node.end - 1]:  # the brace closes on this line
            rest = self._newline + self._margin(node.start) + rest.lstrip(" \t")
        if last is None or last.comma >= 0:
            return text[:place] + line + rest
        return text[: last.value.end] + "," + text[last.value.end : place] + line + rest

    def _insert_in_line(self, last: Member, name: str, value: Any) -> str:
        """The text with one member more in an object that is written on one line."""
        text = self._text
        shown = f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        if last.comma >= 0:
            return text[: last.comma + 1] + f" {shown}," + text[last.comma + 1 :]
        return text[: last.value.end] + f", {shown}" + text[last.value.end :]

    def _alone(self, place: int) -> bool:
        """Whether only blanks stand before a place on its line."""
        return not self._text[self._text.rfind("\n", 0, place) + 1 : place].strip(" \t" + _BOM)

    def _margin(self, place: int) -> str:
        """The blanks at the beginning of a place's line."""
        line = self._text[self._text.rfind("\n", 0, place) + 1 : place].lstrip(_BOM)
        return line[: len(line) - len(line.lstrip(" \t"))]


def _without(text: str, node: Node, member: Member) -> str:
    """The text without a member and its comma; a line that held nothing else goes with it."""
    assert node.members is not None
    position = node.members.index(member)
    start, end = member.start, member.value.end if member.comma < 0 else member.comma + 1
    newline = text.rfind("\n", 0, start)
    if newline >= 0 and not text[newline + 1 : start].strip(" \t") and _LINE_END.match(text, end):
        start = newline - 1 if text[newline - 1] == "\r" else newline
    elif position:
        start = len(text[:start].rstrip(" \t"))
    kept = text[:start] + text[end:]
    if member.comma < 0 and position:  # the one before is the last now: its comma has nothing behind it
        comma = node.members[position - 1].comma
        kept = kept[:comma] + kept[comma + 1 :]
    empty = _EMPTY.match(kept, node.start)
    return kept if empty is None else kept[: node.start] + "{}" + kept[empty.end() :]
