"""Edit one table of a TOML file and keep the rest as it is, comments included. tomlkit does the reading and writing.

The standard library's reader checks every edit: all other values must read as they did before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, Null, Table, Whitespace

from trackdown.errors import UsageError
from trackdown.surfaces.agents.nested import check_edit, nested, value_at

TableValues = Mapping[str, str | bool | list[str]]


def read_toml(text: str) -> dict[str, Any]:
    """Return the values of a text. Raises UsageError that names the line of a mistake."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"it is not TOML: {error}") from None


def put_table(text: str, path: Sequence[str], values: TableValues) -> str:
    """Set keys of a table, which is added at the end if it is missing; its other keys stay.

    Raises UsageError if the edit would change anything else.
    """
    before = read_toml(text)
    there = value_at(before, path)
    newline = "\r\n" if "\r\n" in text else "\n"
    if there is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        after = text + gap + tomlkit.dumps(nested(path, dict(values))).replace("\n", newline)
    elif isinstance(there, dict) and all(there.get(name) == value for name, value in values.items()):
        return text
    else:
        after = _set_keys(text, path, values, newline)
    wanted = {**(there if isinstance(there, dict) else {}), **values}
    check_edit(before, read_toml(after), path, wanted)
    return after


def drop_table(text: str, path: Sequence[str]) -> str:
    """Remove a table and the tables below it. Comments behind its last key stay. Raises UsageError."""
    before = read_toml(text)
    if value_at(before, path) is None:
        return text
    document = _parsed(text)
    parent: Any = document
    for name in path[:-1]:
        parent = parent[name]
    remainder = _comments_behind(parent[path[-1]])
    del parent[path[-1]]
    _fill_gap(document, remainder)
    after = tomlkit.dumps(document)
    newline = "\r\n" if "\r\n" in text else "\n"
    if text.startswith(after) and after.endswith(newline * 2):
        after = after[: -len(newline)]  # the blank line that put_table added
    check_edit(before, read_toml(after), path, None)
    return after


def _parsed(text: str) -> tomlkit.TOMLDocument:
    """Read a text with tomlkit. Raises UsageError if that would not write the same text again.

    It moves tables if those of one section are apart and an array of tables is between them.
    """
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"it is not TOML: {error}") from None
    if tomlkit.dumps(document) != text:
        raise UsageError("the order of its tables would change: edit it by hand")
    return document


def _set_keys(text: str, path: Sequence[str], values: TableValues, newline: str) -> str:
    document = _parsed(text)
    table: Any = document
    for name in path:
        table = table[name]
    if not isinstance(table, dict):
        return text
    known = [name for name in values if name in table]
    for name, value in values.items():
        if name not in known:
            item = tomlkit.item(value)
            item.trivia.trail = newline
            table[name] = item
        elif table[name] != value:
            table[name] = value
    if isinstance(table, Table):
        _move_before_comments(table.value.body, [name for name in values if name not in known])
    return tomlkit.dumps(document)


def _move_before_comments(body: list[Any], names: Sequence[str]) -> None:
    """Move new keys at the end of a table above the comments before them, which belong to what follows the table."""
    rest, new = body[: len(body) - len(names)], body[len(body) - len(names) :]
    if names and [key.key if key else "" for key, _ in new] == names:
        end = max((place + 1 for place, (key, _) in enumerate(rest) if key is not None), default=0)
        body[:] = [*rest[:end], *new, *rest[end:]]


def _comments_behind(table: Any) -> str:
    """The comments and blank lines behind a table's last key: they usually belong to what follows."""
    kept: list[str] = []
    while isinstance(table, Table):
        last: Any = None
        kept = []
        for key, item in table.value.body:
            if key is not None:
                last, kept = item, []
            elif isinstance(item, Comment | Whitespace):
                kept.append(item.as_string())
        if not isinstance(last, Table):
            break
        table = last
    return "".join(kept).lstrip("\r\n")


def _fill_gap(container: Container, text: str) -> None:
    """Put text where an item was removed from a container or from one inside it."""
    for position, (_, item) in enumerate(container.body):
        if isinstance(item, Null):
            container.body[position] = (None, Whitespace(text, fixed=True))
        elif isinstance(item, Table):
            _fill_gap(item.value, text)
