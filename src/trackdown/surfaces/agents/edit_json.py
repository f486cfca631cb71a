"""Edit one member of a JSON file with comments and keep the rest as it is. json-five does the reading and writing.

json-five takes about ten seconds for a megabyte. A file that a program wrote is therefore edited as plain values, if
writing them again gives the same text; larger files of another form are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from json5.dumper import ModelDumper, dumps
from json5.loader import DefaultLoader
from json5.model import Comment, JSONObject, JSONText, String
from json5.parser import parse_source

from trackdown.errors import UsageError
from trackdown.surfaces.agents.nested import nested, value_at

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_ALL_BLANK = re.compile(r"(?:\s|//[^\n]*|(?>/\*.*?\*/))*+", re.DOTALL)
_OWN_LINE = re.compile(r"\r?\n[ \t]*\Z")
_BLANK_LINE_END = re.compile(r"[ \t]*\r?\n")
_LINE_ENDS_IN_STRINGS = "\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
_LARGEST = 1 << 20


def read_json(text: str) -> Any:
    """Return the value of a text; None if it holds none. Raises UsageError that names the line of a mistake."""
    try:
        return json.loads(text.removeprefix(_BOM), strict=False)
    except RecursionError:
        raise UsageError("it is nested too deep") from None
    except ValueError:
        if _is_blank(text):
            return None
        # Written and read again, because json-five leaves the halves of an escaped surrogate pair apart.
        stand_ins = _stand_ins(text)
        written = json.dumps(DefaultLoader().load(_parsed(text.translate(stand_ins))))
        for mark, stand_in in stand_ins.items():
            written = written.replace(f"\\u{stand_in:04x}", f"\\u{mark:04x}")
        return json.loads(written)


def put_member(text: str, path: Sequence[str], value: Any) -> str:
    """Set a member to a value; objects on the way are made. Raises UsageError if something else is in their place."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if _is_blank(text):
        gap = newline if text.removeprefix(_BOM) and not text.endswith("\n") else ""
        return text + gap + _pretty(nested(path, value), "", "  ", newline) + newline
    values = read_json(text)
    for depth in range(len(path)):
        if not isinstance(value_at(values, path[:depth]), dict | None) or (depth == 0 and not isinstance(values, dict)):
            raise UsageError(f"{'.'.join(path[:depth]) or 'the whole file'} is not an object")
    if value_at(values, path) == value:
        return text
    indent = _indent_of_program(text, values)
    if indent is None:
        return _put_in_model(text, path, value, newline)
    inner = values
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = value
    return _as_program(values, indent, text)


def drop_member(text: str, path: Sequence[str]) -> str:
    """Remove a member; the text stays as it is if it has none."""
    values = read_json(text)
    inner = value_at(values, path[:-1])
    if not isinstance(inner, dict) or path[-1] not in inner:
        return text
    indent = _indent_of_program(text, values)
    if indent is not None:
        del inner[path[-1]]
        return _as_program(values, indent, text)
    stand_ins = _stand_ins(text)
    document = _parsed(text.translate(stand_ins))
    node: Any = document.value
    *outer, last = (name.translate(stand_ins) for name in path)
    for name in outer:
        node = node.values[_position(node, name)]
    _remove(node, _position(node, last))
    return _restored(_written(document), stand_ins)


def _stand_ins(text: str) -> dict[int, int]:
    """Characters that are not in the text, for the two line ends that JSON allows in strings but json-five doesn't."""
    if not any(mark in text for mark in _LINE_ENDS_IN_STRINGS):
        return {}
    lowered = text.lower()
    free = (code for code in range(0xE000, 0xF900) if chr(code) not in text and f"\\u{code:04x}" not in lowered)
    return {ord(mark): next(free) for mark in _LINE_ENDS_IN_STRINGS}


def _restored(text: str, stand_ins: Mapping[int, int]) -> str:
    return text.translate({stand_in: mark for mark, stand_in in stand_ins.items()})


def _is_blank(text: str) -> bool:
    return _ALL_BLANK.fullmatch(text.removeprefix(_BOM)) is not None


def _indent_of_program(text: str, values: Any) -> str | None:
    """How a program indented the text; None if writing the values that way gives another text."""
    found = re.match(r"\{\n([ \t]+)", text)
    return found.group(1) if found and _as_program(values, found.group(1), text) == text else None


def _as_program(values: Any, indent: str, text: str) -> str:
    return json.dumps(values, indent=indent, ensure_ascii=False) + ("\n" if text.endswith("\n") else "")


def _parsed(text: str) -> JSONText:
    if len(text) > _LARGEST:
        raise UsageError(f"it is too large to edit ({len(text) >> 20} MB with comments or a form of its own)")
    try:
        return parse_source(text)
    except RecursionError:
        raise UsageError("it is nested too deep") from None
    except ValueError as error:
        line = getattr(error, "lineno", 0) or text.count("\n") + 1
        raise UsageError(f"it is not JSON: see line {line}") from None


def _written(document: JSONText) -> str:
    dumper: Any = ModelDumper()
    return dumps(document, dumper=dumper)


def _put_in_model(text: str, path: Sequence[str], value: Any, newline: str) -> str:
    stand_ins = _stand_ins(text)
    document = _parsed(text.translate(stand_ins))
    path = [name.translate(stand_ins) for name in path]
    node: Any = document.value
    step, margin = _margin(node, 0) or "  ", ""
    for depth, name in enumerate(path):
        position = _position(node, name)
        if position < 0:
            _append(node, name, nested(path[depth + 1 :], value), margin, step, newline)
            break
        own_margin = _margin(node, position)
        margin = margin if own_margin is None else own_margin
        if depth == len(path) - 1:
            one_line = own_margin is None
            shown = json.dumps(value, ensure_ascii=False) if one_line else _pretty(value, margin, step, newline)
            old, new = node.values[position], _model(shown)
            new.wsc_before, new.wsc_after = old.wsc_before, old.wsc_after
            node.values[position] = new
        node = node.values[position]
    return _restored(_written(document), stand_ins)


def _append(node: JSONObject, name: str, value: Any, margin: str, step: str, newline: str) -> None:
    """Add a member at the end of an object, behind the comments there. `margin` is that of the object's own line."""
    count, gap = len(node.keys), _gap(node, len(node.keys))
    end = max((place + 1 for place, one in enumerate(gap) if isinstance(one, Comment)), default=0)
    comments, closing = _text(gap[:end]), _text(gap[end:])
    if comments.endswith("\r"):  # json-five takes it for the end of the comment
        comments, closing = comments[:-1], "\r" + closing
    margins = [found for position in range(count) if (found := _margin(node, position)) is not None]
    if count and not margins:
        lead, closing = " ", comments + closing
        shown = json.dumps(value, ensure_ascii=False)
    else:
        inner = margins[-1] if margins else margin + step
        lead = comments + newline + inner
        closing = closing if "\n" in closing else newline + margin
        shown = _pretty(value, inner, step, newline)
    (key, new), *_ = _model(f"{{{json.dumps(name, ensure_ascii=False)}: {shown}}}").key_value_pairs
    gap.clear()
    node.keys.append(key)
    node.values.append(new)
    _gap(node, count)[:] = [lead]
    _gap(node, count + 1)[:] = [closing]


def _remove(node: JSONObject, position: int) -> None:
    """Remove a member with its comma; its line goes too if nothing else is on it."""
    is_last = position == len(node.keys) - 1 and node.trailing_comma is None
    before = _text(_gap(node, position))
    behind = _text(node.values[position].wsc_after)
    if not is_last:
        behind += _text(_gap(node, position + 1))
        _gap(node, position + 1).clear()
    own_line = _OWN_LINE.search(before)
    if own_line and _BLANK_LINE_END.match(behind):
        before = before[: own_line.start()]
    elif position:
        before = before.rstrip(" \t")
    del node.keys[position], node.values[position]
    if not node.keys:
        node.trailing_comma = None
        node.leading_wsc[:] = [before + behind] if (before + behind).strip() else []
    elif is_last:
        node.values[-1].wsc_after.append(before + behind)
    else:
        _gap(node, position)[:] = [before + behind]


def _gap(node: JSONObject, position: int) -> list[str | Comment]:
    """The blanks and comments before a member, or before the closing brace."""
    if position == 0:
        return node.leading_wsc
    if position < len(node.keys):
        return node.keys[position].wsc_before
    return node.values[-1].wsc_after if node.trailing_comma is None else node.trailing_comma.wsc_after


def _margin(node: JSONObject, position: int) -> str | None:
    """The blanks before a member on its line; None if it is not the first thing there."""
    found = _OWN_LINE.search(_text(_gap(node, position)))
    return found.group().lstrip("\r\n") if found else None


def _position(node: JSONObject, name: str) -> int:
    """The position of a member; -1 if there is none. The last one counts if a name is written twice."""
    names = [key.characters if isinstance(key, String) else vars(key)["name"] for key in node.keys]
    return max((position for position, one in enumerate(names) if one == name), default=-1)


def _text(gap: Sequence[str | Comment]) -> str:
    return "".join(one if isinstance(one, str) else one.value for one in gap)


def _model(text: str) -> Any:
    return parse_source(text).value


def _pretty(value: Any, margin: str, step: str, newline: str) -> str:
    """Write a value over several lines, the later ones behind a margin."""
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", newline + margin)
