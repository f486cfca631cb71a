"""TOML as text: one table set or taken out, and every other byte left as it is.

A table is found by its header `[a.b]`. One that is written in another way (an inline table, dotted keys) is not edited:
`put` and `drop` raise UsageError then.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trackdown.errors import UsageError

_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n?")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A header or a key with its value, from the beginning of its line to the beginning of the next."""

    start: int
    end: int
    header: tuple[str, ...] | None
    key: tuple[str, ...]


def read(text: str) -> dict[str, Any]:
    """The values of a text. Raises UsageError that says where it goes wrong."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"it is not TOML: {error}") from None


def put(text: str, path: Sequence[str], values: Mapping[str, str | bool | list[str]]) -> str:
    """The text with a table's keys set; other keys of it stay. Raises UsageError where that cannot be."""
    before = read(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    header = next((one for one in _statements(text) if one.header == tuple(path)), None)
    if header is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(name)} = {_value(of)}" for name, of in values.items())]
        after = text + gap + newline.join(lines) + newline
    else:
        after = text
        for name, value in values.items():
            after = _put_key(after, tuple(path), name, value, newline)
    wanted = _with(before, path, values)
    try:
        if read(after) == wanted:
            return after
    except UsageError:
        pass
    raise UsageError(f"{'.'.join(path)} is written there in a way that cannot be edited safely")


def drop(text: str, path: Sequence[str]) -> str:
    """The text without a table and the tables below it; unchanged when it has none."""
    before, inner = read(text), tuple(path)
    if _at(before, path) is None:
        return text
    after, cut = "", 0
    statements = list(_statements(text))
    for position, one in enumerate(statements):
        if one.header is None or one.header[: len(inner)] != inner:
            continue
        following = next((other for other in statements[position + 1 :] if other.header is not None), None)
        body = [other for other in statements[position + 1 :] if following is None or other.end <= following.start]
        start, end = one.start, body[-1].end if body else one.end
        above = text.rfind("\n", 0, max(0, start - 1)) + 1
        if above >= cut and not text[above:start].strip():
            start = above  # the empty line that parted it from what stands before
        after += text[cut:start]
        cut = end
    after += text[cut:]
    values = read(after)
    if _at(values, path) is not None or _with(values, path, None) != _with(before, path, None):
        raise UsageError(f"{'.'.join(path)} is written there in a way that cannot be edited safely")
    return after


def _put_key(text: str, path: tuple[str, ...], name: str, value: str | bool | list[str], newline: str) -> str:
    """The text with a key of a table that has a header."""
    table: tuple[str, ...] | None = None
    last: _Statement | None = None
    for one in _statements(text):
        if one.header is not None:
            table = one.header
        if table != path:
            continue
        if one.header is None and one.key == (name,):
            if tomllib.loads(text[one.start : one.end].replace("\r\n", "\n")) == {name: value}:
                return text
            return text[: one.start] + f"{_key(name)} = {_value(value)}{newline}" + text[one.end :]
        last = one
    assert last is not None
    gap = "" if text[: last.end].endswith("\n") else newline
    return text[: last.end] + gap + f"{_key(name)} = {_value(value)}{newline}" + text[last.end :]


def _statements(text: str) -> Iterator[_Statement]:
    """Headers and keys in their order. The text is valid TOML."""
    place = 0
    while place < len(text):
        blank = _BLANK.match(text, place)
        assert blank is not None
        if blank.end() > place and (text[blank.end() - 1] == "\n" or blank.end() == len(text)):
            place = blank.end()
            continue
        end = _statement_end(text, place)
        written = tomllib.loads(text[place:end].replace("\r\n", "\n"))
        is_header = text[place:end].lstrip().startswith("[")
        names = _names(written, header=is_header)
        yield _Statement(place, end, names if is_header else None, () if is_header else names)
        place = end


def _statement_end(text: str, place: int) -> int:
    """The end of the line on which a statement ends: outside of texts, comments and brackets."""
    depth = 0
    while place < len(text):
        sign = text[place]
        if sign in "\"'" and (found := _STRING.match(text, place)):
            place = found.end()
            continue
        if sign == "#":
            line = text.find("\n", place)
            place = len(text) if line < 0 else line
            continue
        depth += (sign in "[{") - (sign in "]}")
        place += 1
        if sign == "\n" and depth <= 0:
            return place
    return place


def _names(written: Any, *, header: bool) -> tuple[str, ...]:
    """The names that one statement goes through: as long as there is one below the other."""
    names: list[str] = []
    while isinstance(written, dict) and len(written) == 1:
        (name, written), *_ = written.items()
        names.append(name)
        if isinstance(written, list) and header:  # [[a.b]]
            return (*names, "[]")
        if not header and not isinstance(written, dict):
            break
    return tuple(names)


def _at(values: Any, path: Sequence[str]) -> Any:
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _with(values: dict[str, Any], path: Sequence[str], wanted: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values with some keys of a table set, or without the table; tables that only led to it go too."""
    name, *rest = path
    if rest:
        inner = values.get(name, {})
        below = _with(inner if isinstance(inner, dict) else {}, rest, wanted)
        return {**values, name: below} if below or wanted is not None else _less(values, name)
    if wanted is None:
        return _less(values, name)
    inner = values.get(name, {})
    return {**values, name: {**(inner if isinstance(inner, dict) else {}), **wanted}}


def _less(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: str | bool | list[str]) -> str:
    """A value as TOML: its basic texts take JSON's escapes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
