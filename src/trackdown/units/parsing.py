"""Parses a source with tree-sitter, within limits that depend on the source alone, never on the machine."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import accumulate

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from trackdown.units.languages import BY_NAME
from trackdown.units.literals import literal_patterns
from trackdown.units.repetition import without_repetitions

DEEPEST_NESTING = 1000
"""How many brackets may be open at once. Hand-written code stays below thirty, generated code below a hundred."""
LEXED_PER_BYTE = 64
"""How often the lexer may read a source on average. Kotlin's, which looks back, reads some files twenty times."""

_CHUNK = 4096
_ALWAYS_LEXED = 1 << 20
# Python's grammar takes quadratic time over lines of comment; a very long run of them documents no definition anyway.
_MANY_LINES = 200
_LONG_COMMENT = re.compile(rb"(?:^[ \t]*#[^\n]*\n){%d,}" % _MANY_LINES, re.M)
_NOT_A_LINE_END = re.compile(rb"[^\r\n]")
_NOT_A_BRACKET = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_OPENED = b"\2"
_STEPS = bytes.maketrans(b"([{)]}", 3 * _OPENED + 3 * b"\0")
_BRACKETS_AT_ONCE = 256


class ParseLimitError(ValueError):
    """A source is too hard for its grammar. The message says why, in words that fit behind a colon."""


@cache
def grammar_of(name: str) -> Grammar:
    """The grammar of a language in the table."""
    language = BY_NAME[name]
    return Grammar(getattr(import_module(language.grammar), language.function)())


@cache
def query_of(name: str) -> Query:
    """The query that finds a language's definitions and string literals."""
    text = files("trackdown.units").joinpath("queries", f"{BY_NAME[name].query_name}.scm").read_text("utf-8")
    grammar = grammar_of(name)
    return Query(grammar, text + literal_patterns(grammar, name))


def captured(root: Node, language: str) -> list[dict[str, list[Node]]]:
    """What that query finds in a syntax tree: for every match, its nodes by the names of the captures."""
    return [captures for _, captures in QueryCursor(query_of(language)).matches(root)]


def load_language(name: str) -> None:
    """Load a language's grammar and query ahead of time, if it has a grammar."""
    if name in BY_NAME:
        query_of(name)


def syntax_tree(source: bytes, language: str) -> Node:
    """The root of the syntax tree of a source in a language that has a grammar.

    Long repetitions in it read as spaces. Raises ParseLimitError when it nests too deeply or keeps the lexer going
    back and forth.
    """
    if language == "python" and source.count(b"#") >= _MANY_LINES:
        source = _LONG_COMMENT.sub(_spaces_for, source)
    plain = source
    source = without_repetitions(source)
    if _nesting(source) > DEEPEST_NESTING:
        raise ParseLimitError("its brackets nest too deeply")
    # A new parser each time: making one takes microseconds, and threads must not share one.
    parser = Parser(grammar_of(language))
    if source is not plain or _has_long_line(source):
        _check_lexing(parser, source)
    return parser.parse(source).root_node


def _spaces_for(found: re.Match[bytes]) -> bytes:
    return _NOT_A_LINE_END.sub(b" ", found[0])


def _nesting(source: bytes) -> int:
    """The largest number of brackets open at once, brackets in strings and comments included; 0 if it is harmless."""
    brackets = source.translate(_STEPS, _NOT_A_BRACKET)
    depth = 0
    for start in range(0, len(brackets), _BRACKETS_AT_ONCE):
        piece = brackets[start : start + _BRACKETS_AT_ONCE]
        opened = piece.count(_OPENED)
        if depth + opened > DEEPEST_NESTING:  # the order of the brackets matters now
            return max(accumulate(brackets, lambda depth, step: max(0, depth + step - 1), initial=0))
        depth = max(0, depth - (len(piece) - opened)) + opened  # as if every closing bracket came first
    return 0


def _has_long_line(source: bytes) -> bool:
    """Whether a line is longer than a chunk. Lexers that ask for the column go back to the line's start each time."""
    position = 0
    while position + _CHUNK < len(source):
        end = source.rfind(b"\n", position, position + _CHUNK)
        if end < 0:
            return True
        position = end + 1
    return False


def _check_lexing(parser: Parser, source: bytes) -> None:
    """Parse once while counting what the lexer reads. Raises ParseLimitError above the limit."""
    left = LEXED_PER_BYTE * len(source) + _ALWAYS_LEXED

    def read(offset: int, _: object) -> bytes:
        nonlocal left
        piece = source[offset : offset + _CHUNK]
        left -= len(piece)
        return piece if left > 0 else b""  # nothing more to read: the parser soon ends

    parser.parse(read)
    if left <= 0:
        raise ParseLimitError("the parser would read it over and over")
