"""Catalogues of messages: .properties, Android's strings.xml, .resx, gettext, JSON and YAML of locales.

They are recognised by their content. An entry is a message whose name is its key: `users.flash.created`. The name of a
gettext entry is the text that it translates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trackdown.units.messages import LONGEST, Message, said_by

_FEWEST_ENTRIES = 3
_LONGEST_CATALOGUE = 1 << 20
_XML = re.compile(rb'<(?:string|data)\s[^<>]{0,200}?name="([\w.:-]{1,100})"[^<>]{0,200}>\s*(?:<value>)?([^<]{3,2000})')
_JSON = re.compile(rb'"((?:[^"\\\n]++|\\.)*+)"?+(\s*+:)?+|([{}\[])')
"""A string, closed or not, and whether it is a key; or a bracket."""
_LINE = re.compile(rb"^[ \t\r\f\v]*+[^\s#!]", re.M)
"""The beginning of a line that is neither blank nor a comment."""
_PROPERTY = re.compile(rb"^[ \t]*+([\w.-]{2,100})[ \t]*+=[ \t]*+([^\n]{3,2000})$", re.M)
_YAML = re.compile(rb"^( *+)([\w.-]{1,80}):(?!\S)[ \t]*+([^\n]{0,2000})$", re.M)
_YAML_LOCALE = re.compile(rb"(?:\s|#[^\n]*\n|---)*[\"']?[a-z]{2}(?:[-_][A-Za-z]{2,4})?[\"']?:[ \t]*\n")
_GETTEXT = re.compile(
    rb'^msgid[ \t]+((?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"\s*+)++)^msgstr[ \t]+((?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"\s*+)++)',
    re.M,
)
_GETTEXT_QUOTES = re.compile(rb'"\s*"|^"|"\s*$')
_LONGEST_NAME = 200
_LONGEST_KEY, _LONGEST_VALUE = 100, 2000
Entry = tuple[int, str, str]


def catalogue_messages(source: bytes) -> list[Message]:
    """The entries of a catalogue that are texts; none if the source is no catalogue."""
    if len(source) > _LONGEST_CATALOGUE:
        return []
    count, found = 0, []
    for start, name, text in _entries(source):
        count += 1
        if text and (said := said_by(text)):
            found.append(Message(start, said[:LONGEST], name[:_LONGEST_NAME]))
    return found if len(found) >= _FEWEST_ENTRIES and 2 * len(found) >= count else []


def _entries(source: bytes) -> Iterator[Entry]:
    """(where it begins, key, text) of each entry."""
    head = source[:4096].lstrip()
    if head.startswith(b"<") and (b"<resources" in head or b"<root" in head):
        yield from ((found.start(), _decoded(found[1]), _decoded(found[2])) for found in _XML.finditer(source))
    elif head.startswith(b"{"):
        yield from _nested_json(source)
    elif b'\nmsgid "' in b"\n" + head:
        yield from _translated(source)
    elif _YAML_LOCALE.match(head):
        yield from _nested_yaml(source)
    elif source.count(b"=") >= _FEWEST_ENTRIES:
        properties = list(_PROPERTY.finditer(source))
        if len(properties) >= _FEWEST_ENTRIES and 2 * len(properties) >= len(_LINE.findall(source)):
            yield from ((found.start(), _decoded(found[1]), _decoded(found[2])) for found in properties)


def _translated(source: bytes) -> Iterator[Entry]:
    """The entries of gettext; none if most of them are empty or one word, which is no text."""
    entries = [(found, _unquoted(found[2])) for found in _GETTEXT.finditer(source)]
    may_be_text = [b" " in text or b"\\n" in text for _, text in entries]
    if 2 * sum(may_be_text) < len(entries):
        return
    for (found, text), may_be in zip(entries, may_be_text, strict=True):
        yield (found.start(), _decoded(_unquoted(found[1])), _decoded(text)) if may_be else (found.start(), "", "")


def _unquoted(literals: bytes) -> bytes:
    """What one or several literals of gettext say together."""
    inside = literals.rstrip()[1:-1]
    return inside if b'"' not in inside else _GETTEXT_QUOTES.sub(b"", literals)


def _nested_json(source: bytes) -> Iterator[Entry]:
    """The entries of objects, however they nest. An object in a list has no key of its own."""
    path: list[str] = []
    key: re.Match[bytes] | None = None
    for found in _JSON.finditer(source):
        name = "" if key is None else _decoded(key[1])
        if found[2]:
            key = found if 0 < len(found[1]) <= _LONGEST_KEY else None
            continue
        if found[3] == b"{":
            path.append(name)
        elif found[3] == b"}":
            del path[-1:]
        elif key is not None and not found[3] and len(found[1]) <= _LONGEST_VALUE:
            yield key.start(), ".".join(filter(None, [*path[-4:], name])), _decoded(found[1])
        key = None


def _nested_yaml(source: bytes) -> Iterator[Entry]:
    """The entries below the language that a file of Rails begins with."""
    path: list[tuple[int, str]] = []
    for found in _YAML.finditer(source):
        indent = len(found[1])
        while path and path[-1][0] >= indent:
            path.pop()
        if found[3] and found[3][:1] not in b"|>&*":
            yield found.start(), ".".join([*(key for _, key in path[1:][-4:]), _decoded(found[2])]), _decoded(found[3])
        else:
            path.append((indent, _decoded(found[2])))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip()
