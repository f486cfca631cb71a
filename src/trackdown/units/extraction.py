"""Extracts a blob's units and their words. tree-sitter parses; files without a grammar become line windows."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from tree_sitter import Node

from trackdown.repository import decode_text, reason_to_skip, seems_generated
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.catalogues import catalogue_messages
from trackdown.units.declarations import only_declares
from trackdown.units.facts import BlobFacts, Unit, skipped
from trackdown.units.languages import BY_NAME, UNCERTAIN, Language, language_of_content
from trackdown.units.literals import literals
from trackdown.units.message_words import pack_messages, pack_numbers
from trackdown.units.messages import Message, messages
from trackdown.units.parsing import ParseLimitError, captured, syntax_tree
from trackdown.units.split import split_lines
from trackdown.units.tokens import letter_definitions, words

_LONGEST_SIGNATURE = 240
_LONGEST_NAME = 120
_DEEPEST_DEFINITION = 100
_QUOTES = "\"'`:"
_CPLUSPLUS = re.compile(rb"^[ \t]*(?:namespace\s|template\s*<|class\s[^;(]{1,200}\{|(?:public|private)\s*:)", re.M)
_SCOPE = "scope"
_KINDS = (*sorted(CLASS_KINDS), "function", "method", _SCOPE)


@dataclass(slots=True)
class _Found:
    """A definition in the syntax tree, before it becomes a unit. Bytes and lines are half-open and 0-based."""

    node: Node
    kind: str
    name: str
    start: int
    end: int
    first_row: int
    last_row: int
    symbol: str = ""
    parent: _Found | None = None
    children: list[tuple[int, int]] = field(default_factory=list)
    index: int = -1


def extract(
    data: bytes, language: str, *, forced: bool = False, max_bytes: int = 1 << 20, as_text: str = ""
) -> BlobFacts:
    """The facts of one blob. Never raises for any content: an unreadable blob is skipped with a reason.

    A blob that is too hard for its grammar has only windows, as text has; `as_text` is a reason not even to try.
    """
    if language == UNCERTAIN:
        language = language_of_content(data)
    reason = "" if forced else reason_to_skip(data, language, max_bytes)
    if reason:
        return skipped(language, reason)
    text = decode_text(data)
    if text is None:
        return skipped(language, "binary")
    source = text.encode("utf-8", "replace")
    if language == "c" and _CPLUSPLUS.search(source):
        language = "cpp"  # a header: its name doesn't say which of the two it is
    row = BY_NAME.get(language)
    found: list[_Found] = []
    said: list[Message] = []
    if row is None:
        said = catalogue_messages(source)
    elif not as_text:
        try:
            root = syntax_tree(source, row.name)
            matches = captured(root, row.name)
            found = _definitions(matches, source, row)
            said = messages(source, literals(matches, source))
        except ParseLimitError as error:
            as_text = str(error)
    return _facts(source, language, found, said, as_text, seems_generated(data))


def _definitions(matches: Iterable[Mapping[str, Sequence[Node]]], source: bytes, language: Language) -> list[_Found]:
    """All definitions in document order, nested ones after what encloses them, with symbols and parents."""
    by_extent: dict[tuple[int, int], _Found] = {}
    for captures in matches:
        if "name" not in captures:
            continue
        kind = next((kind for kind in _KINDS if kind in captures), None)
        if kind is None:
            continue
        node = captures[kind][0]
        extent = (node.start_byte, node.end_byte)
        if extent in by_extent and (kind == _SCOPE or by_extent[extent].kind != _SCOPE):
            continue
        name = "".join(map(_text, captures["name"]))
        if not name:
            continue  # the parser inserted it to recover from a syntax error
        if "owner" in captures:
            name = ".".join([*map(_text, captures["owner"]), name])
            kind = "method" if kind == "function" else kind
        by_extent[extent] = _Found(node, kind, name, *extent, node.start_point[0], _last_row(node))
    found = sorted(by_extent.values(), key=lambda item: (item.start, -item.end))
    _nest(found)
    for item in found:
        if item.kind != _SCOPE:
            _take_what_leads(item, source, language, by_extent)
    if language.clauses:
        found = _merge_clauses(found)
    return [item for item in found if item.kind != _SCOPE]


def _text(node: Node) -> str:
    """A name as a symbol writes it: with dots (`A::b` is `A.b`), without type arguments and quotes."""
    text = (node.text or b"").decode("utf-8", "replace").strip()
    if text[:1] in _QUOTES:
        return " ".join((text.strip(_QUOTES) or text).split())[:_LONGEST_NAME]
    if not text.startswith("operator") and (text[:1].isalpha() or text[:1] == "_"):
        text = text.split("<", 1)[0].replace("::", ".")
    return "".join(text.split())[:_LONGEST_NAME]


def _last_row(node: Node) -> int:
    """The row of the last line that is not blank: some grammars let a node run up to the next one."""
    row, column = node.end_point[0], node.end_point[1]
    if column == 0 and row > node.start_point[0]:
        return node.start_point[0] + (node.text or b"").rstrip().count(b"\n")
    return row


def _nest(found: list[_Found]) -> None:
    """Give every definition its parent and its symbol. Raises ParseLimitError when they nest too deeply."""
    stack: list[_Found] = []
    for item in found:
        while stack and stack[-1].end < item.end:
            stack.pop()
        outer = stack[-1] if stack else None
        if len(stack) >= _DEEPEST_DEFINITION:
            raise ParseLimitError("its definitions nest too deeply")
        item.parent = outer
        item.symbol = item.name if outer is None else f"{outer.symbol}.{item.name}"
        if item.kind == "function" and outer is not None and (outer.kind in CLASS_KINDS or outer.kind == _SCOPE):
            item.kind = "method"
        stack.append(item)


def _take_what_leads(item: _Found, source: bytes, language: Language, others: Container[tuple[int, int]]) -> None:
    """Extend a definition to its wrappers, and to the comments, decorators and attributes directly above."""
    node = item.node
    while (outer := node.parent) is not None and outer.type in language.wrappers:
        if outer.start_point[0] < item.first_row - 40 or outer.end_point[0] > item.last_row + 2:
            break
        if outer.child_count > 40 or any(child.type == node.type and child != node for child in outer.children):
            break  # `const a = …, b = …`: the wrapper belongs to neither
        node = outer
    top = node
    while (above := _above(top, language.leading)) is not None:
        if _last_row(above) < top.start_point[0] - 1 or not _starts_its_line(above, source):
            break
        if (above.start_byte, above.end_byte) in others:
            break
        top = above
    item.start = top.start_byte
    item.first_row = top.start_point[0]
    if node is not item.node:
        item.end, item.last_row = node.end_byte, _last_row(node)


def _above(node: Node, types: tuple[str, ...]) -> Node | None:
    """The node before this one, if its type is one of `types`; it may precede a body that this node begins."""
    while (above := node.prev_sibling) is None:
        outer = node.parent
        if outer is None or outer.start_byte != node.start_byte:
            return None
        node = outer
    if above.type not in types and above.child_count:
        above = above.children[-1]  # Haskell's imports contain the comment that follows them
    return above if above.type in types else None


def _starts_its_line(node: Node, source: bytes) -> bool:
    line_start = source.rfind(b"\n", 0, node.start_byte) + 1
    return not source[line_start : node.start_byte].strip()


def _merge_clauses(found: list[_Found]) -> list[_Found]:
    """Neighbouring definitions of one function become one unit (Haskell's equations, Elixir's clauses)."""
    merged: list[_Found] = []
    latest: dict[int, _Found] = {}
    merged_into: dict[int, _Found] = {}
    for item in found:
        item.parent = merged_into.get(id(item.parent), item.parent)
        last = latest.get(id(item.parent))
        if last is not None and item.kind in FUNCTION_KINDS and (item.kind, item.symbol) == (last.kind, last.symbol):
            last.end, last.last_row = item.end, item.last_row
            merged_into[id(item)] = last
        else:
            latest[id(item.parent)] = item
            merged.append(item)
    return merged


def _signature(item: _Found) -> str:
    """The definition up to its body, on one line."""
    node = item.node
    body = node.child_by_field_name("body")
    text = (node.text or b"").decode("utf-8", "replace")
    if body is not None and body.start_byte > node.start_byte:
        text = (node.text or b"")[: body.start_byte - node.start_byte].decode("utf-8", "replace")
    else:
        lines = text.split("\n")
        text = next((line for line in lines if not line.lstrip().startswith("@")), lines[0])
    return " ".join(text.split())[:_LONGEST_SIGNATURE].rstrip("{ ")


def _facts(
    source: bytes, language: str, found: list[_Found], said: list[Message], as_text: str, generated: bool
) -> BlobFacts:
    """Count words: functions whole, classes without their members, windows over the rest. Messages go to the innermost
    unit.
    """
    found.sort(key=lambda item: (item.start, -item.end))
    counter = _WordCounter()
    units: list[Unit] = []
    covered: list[tuple[int, int]] = []
    for item in found:
        parent = item.parent
        while parent is not None and parent.kind == _SCOPE:
            parent = parent.parent
        item.index = len(units)
        if parent is not None:
            parent.children.append((item.start, item.end))
        if not covered or item.start >= covered[-1][1]:
            covered.append((item.start, item.end))
        elif item.end > covered[-1][1]:
            covered[-1] = (covered[-1][0], item.end)
        parent_index = parent.index if parent is not None else -1
        lines = item.first_row + 1, item.last_row + 1
        declares = item.kind in FUNCTION_KINDS and only_declares(item.node, language)
        units.append(Unit(item.kind, item.symbol, *lines, parent_index, _signature(item), declares))
    budget = 4 * len(source)  # functions nested a hundred deep would otherwise be counted a hundred times
    for item in found:
        budget -= item.end - item.start if item.kind in FUNCTION_KINDS else 0
        if item.kind in FUNCTION_KINDS and budget >= 0:
            counter.add(source[item.start : item.end].decode("utf-8", "replace"))
        else:
            counter.add(_outside(source, item.children, item.start, item.end))
    rest = source if not covered else _blanked(source, covered)
    for start, end, text in _windows(rest.decode("utf-8", "replace"), bool(covered)):
        units.append(Unit("window", "", start, end, -1, ""))
        counter.add(text, letter_definitions(text) if language in BY_NAME else ())
    line_count = source.count(b"\n") + (0 if source.endswith(b"\n") or not source else 1)
    speakers = _speakers(source, said, found, units)
    return BlobFacts(
        language,
        "",
        line_count,
        units,
        *counter.arrays(),
        as_text,
        pack_messages(message.words for message in said),
        pack_numbers(array("I", speakers)),
        {number: message.name for number, message in enumerate(said) if message.name},
        generated,
    )


def _speakers(source: bytes, said: list[Message], found: list[_Found], units: list[Unit]) -> list[int]:
    """For each message, the innermost unit that it stands in."""
    speakers = []
    window_lines = [unit.start_line for unit in units[len(found) :]]
    stack: list[_Found] = []
    entered, position, line = 0, 0, 1
    for message in said:
        while entered < len(found) and found[entered].start <= message.start:
            stack.append(found[entered])
            entered += 1
        while stack and stack[-1].end <= message.start:
            stack.pop()
        line += source.count(b"\n", position, message.start)
        position = message.start
        window = len(found) + max(0, bisect_right(window_lines, line) - 1)
        speakers.append(stack[-1].index if stack else min(window, len(units) - 1))
    return speakers


def _outside(source: bytes, spans: list[tuple[int, int]], start: int, end: int) -> str:
    """The text of [start, end) that lies in none of `spans`."""
    pieces = []
    position = start
    for first, last in spans:
        if first > position:
            pieces.append(source[position:first])
        position = max(position, last)
    pieces.append(source[position:end])
    return b"\n".join(pieces).decode("utf-8", "replace")


def _blanked(source: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The source with the spans taken out and their line breaks left in, so that line numbers stay."""
    pieces = []
    position = 0
    for start, end in spans:
        pieces.append(source[position:start])
        pieces.append(b"\n" * source.count(b"\n", start, end))
        position = end
    pieces.append(source[position:])
    return b"".join(pieces)


def _windows(text: str, has_gaps: bool) -> list[tuple[int, int, str]]:
    """Windows with at least one word; where units were cut out, without the blank lines at their ends."""
    lines = text.split("\n")
    windows = []
    for start, end in split_lines(text):
        if has_gaps:
            while start <= end and not lines[start - 1].strip():
                start += 1
            while end >= start and not lines[end - 1].strip():
                end -= 1
        piece = "\n".join(lines[start - 1 : end])
        if piece.strip():
            windows.append((start, end, piece))
    return windows


class _WordCounter:
    """Collects the words of one unit after the other into the three arrays of BlobFacts."""

    def __init__(self) -> None:
        self._vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        self._pointers = [0]
        self._ids: list[int] = []
        self._counts: list[int] = []

    def add(self, text: str, marks: Sequence[str] = ()) -> None:
        counts = Counter([*words(text), *marks])
        self._ids += map(self._vocabulary.__getitem__, counts)
        self._counts += counts.values()
        self._pointers.append(len(self._ids))

    def arrays(self) -> tuple[list[str], bytes, bytes, bytes]:
        columns = (self._pointers, self._ids, self._counts)
        pointers, ids, counts = (pack_numbers(array("I", column)) for column in columns)
        return list(self._vocabulary), pointers, ids, counts
