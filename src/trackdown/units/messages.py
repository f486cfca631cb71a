"""What a program says: the string literals of a source that look like a text for people, as words.

Placeholders of every formatting style become gaps, so a message that was filled in can be found by what stays the
same: %s, {}, {name!r:>10}, ${x}, #{x}, \\(x), `+` between literals. Literals that the compiler or the program joins are
one message. A message knows the name that it is assigned to, because functions say a constant by its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trackdown.units.literals import LONGEST_BYTES, Span
from trackdown.units.message_words import GAP
from trackdown.units.tokens import words

LONGEST = 60
"""Words of a message that count. Longer literals are help pages, queries and test data."""

_JOINED = re.compile(rb"[\s\\]*(?:(?:\+|\.{1,2}|<>|\+\+|<<|&|\*)[\s\\]*)?")
_JOINED_AROUND = re.compile(rb"\s*(\+|\.{1,2}|<>|\+\+|<<|&|\*)\s*[^\"'`;{}]{1,80}?\s*\1\s*|\s*[A-Z]\w{0,30}\s*", re.S)
_LED = re.compile(rb"[\w)\]]\s*(?:\+|<<|<>|\.\.|&|\s\.)\s*$")
_OPERATORS = frozenset(bytes([byte]) for byte in b"+<>.&")
_FOLLOWED = re.compile(rb"\s*(?:\+|<<|<>|\.\.|&)\s*[\w$(]|\s*\.\s*\$|\s+\.\s+\w")
_OPENING = re.compile(rb"(?:[A-Za-z@$]{0,4}#*(?:\"{3}|'{3}|[\"'`]|\\\\))?")
_HEREDOC_END = re.compile(r"\n[ \t]*[A-Z_]{1,20}\s*$")
_PLACEHOLDER = re.compile(
    r"(?<!\\u)[$#]?\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"
    r"|\\\((?:[^()]|\([^()]*\))*\)|\$\([^()]*\)|\$[A-Za-z_]\w*(?:(?:->|\.)\w+)*"
    r"|%(?:\([^()\s]{1,60}\)|\{\w+\}|\d+\$|\[\d\])?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?"
    r"(?:hh|h|ll|l|L|q|j|z|t|I64)?[diouxXeEfFgGcrsaApvTqtUbw@]|%\d\b"
)
_ESCAPED = re.compile(
    r"\\(?:(?:e|033|x1[bB]|u001[bB])\[[\d;]{0,20}[A-Za-z]"  # a colour of the terminal
    r"|[ntrfvab0]|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(\r?\n)|(.))",
    re.S,
)
_GAP_MARK = "\0"
_PART_OF_A_WORD = re.compile(r"(?<!\w)\w+(?=\0)|(?<=\0)\w+")
_TEXTUAL = re.compile(r"[^\W\d_]{2,}")
"""A word of letters. A text has two at least."""
_STATEMENT_ENDS = (b";", b"{", b"}")
_WRAPPED = re.compile(rb">?\s*(?:[\w.:>*&]{0,40}[(\[{]\s*|[\w.]{1,30},\s*){0,4}[A-Za-z@$]{0,4}")
_NAME_AT_END = re.compile(rb"([A-Za-z_$][\w$.]{0,80})[\"']?(?:\[\w*\])?[\s:]*$")
_DEFINED = re.compile(rb"#[ \t]*define[ \t]+(\w{1,80})[ \t\\\n]*\(?$")
_CALLED = re.compile(rb"(?:^|[\s,{])([A-Z][A-Z0-9_]{3,})\s*\((?:[\w.]{1,30},\s*){0,3}$")
_ERROR_ATTRIBUTE = re.compile(rb"#\[error\(\s*$")
_VARIANT = re.compile(rb"[^\]\n]{0,80}\]\s*(?:#\[[^\]\n]{0,80}\]\s*)*([A-Za-z_]\w*)")
_LOOKED_BACK = 160
_LONGEST_JOINT = 100
_LONGEST_OPERATOR = 40
_LONGEST_NAME = 100
_SEPARATORS = frozenset(bytes([byte]) for byte in b",:)]}=;|?")
_LEADS_TO_A_VALUE = tuple(bytes([byte]) for byte in b"=:([{,>")


class Message(NamedTuple):
    """A text in a source: where its literal begins, its words with gaps, and the name it is assigned to, if any."""

    start: int
    words: list[str]
    name: str


def messages(source: bytes, spans: Sequence[Span]) -> list[Message]:
    """The messages among a source's literals. Literals that are joined make one message."""
    found: list[Message] = []
    index, count = 0, len(spans)
    while index < count:
        start, end = first = spans[index]
        index += 1
        joined: list[str] = []
        while index < count and end <= spans[index][0] < end + _LONGEST_JOINT:
            joint = _joint(source[end : spans[index][0]])
            if joint is None:
                break
            joined += [joint, _content(source, *spans[index])]
            end = spans[index][1]
            index += 1
        if not joined and source.find(b" ", start, end) < 0 and source.find(b"\\n", start, end) < 0:
            continue  # one word, as most literals are
        led = f"{_GAP_MARK} " if _is_led(source[max(0, start - _LONGEST_OPERATOR) : start]) else ""
        followed = _GAP_MARK if _FOLLOWED.match(source, end, end + _LONGEST_OPERATOR) else ""
        said = said_by("".join([led, _content(source, *first), *joined, followed]))
        if said:
            found.append(Message(start, said, _name(source, start, end)))
    return found


def _is_led(before: bytes) -> bool:
    """Whether an operator joins a literal with something before it."""
    return before.rstrip()[-1:] in _OPERATORS and _LED.search(before) is not None


def _content(source: bytes, start: int, end: int) -> str:
    """What is inside the quotes of a literal, as far as it counts."""
    raw = source[start : min(end, start + LONGEST_BYTES)]
    opening = _OPENING.match(raw)
    text = raw[opening.end() if opening is not None else 0 :].decode("utf-8", "replace").rstrip("\"'`")
    return _HEREDOC_END.sub("", text) if "\n" in text[-_LONGEST_JOINT:] else text


def _joint(between: bytes) -> str | None:
    """What stands between two literals of one message: a mark if something is filled in there; None if they are two."""
    if between[:1] in _SEPARATORS:
        return None
    rest = between.lstrip()
    if not rest:
        return ""
    if rest[:1] in _SEPARATORS:
        return None
    if _JOINED.fullmatch(between):
        return ""
    return _GAP_MARK if b"," not in between and _JOINED_AROUND.fullmatch(between) else None


def said_by(text: str) -> list[str]:
    """The words of a text with gaps for its placeholders; empty if it does not look like a text for people."""
    if " " not in text and "\\n" not in text and _GAP_MARK not in text:
        return []
    if "%" in text or "{" in text or "$" in text or "\\(" in text:
        text = _PLACEHOLDER.sub(_GAP_MARK, text)
    if "\\" in text:
        text = _ESCAPED.sub(_decoded, text)
    if _GAP_MARK in text:
        text = _PART_OF_A_WORD.sub(_GAP_MARK, text)
    first = _TEXTUAL.search(text, 0, LONGEST_BYTES)
    if first is None or _TEXTUAL.search(text, first.end(), LONGEST_BYTES) is None:
        return []
    said: list[str] = []
    for number, piece in enumerate(text.split(_GAP_MARK)):
        if number and (not said or said[-1]):
            said.append(GAP)
        said += words(piece)
    return said[:LONGEST]


def _decoded(escape: re.Match[str]) -> str:
    *codes, line_break, other = escape.groups()
    code = next(filter(None, codes), "")
    if code:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else " "
    return "" if line_break else other or " "


def _name(source: bytes, start: int, end: int) -> str:
    """The name of the constant, table entry or variant that a literal defines; empty if there is none."""
    before = source[max(0, start - _LOOKED_BACK) : start]
    if before.endswith(b"error("):
        if _ERROR_ATTRIBUTE.search(before) and (variant := _VARIANT.match(source, end)):
            return variant[1].decode("ascii", "ignore")
        return ""
    if not before.rstrip().endswith(_LEADS_TO_A_VALUE):
        defined = _DEFINED.search(before) if b"define" in before else None
        return defined[1].decode("ascii") if defined is not None else ""
    line = _statement(before)
    sign = max(line.rfind(b"="), line.rfind(b": "), line.rfind(b":="))
    if sign < 0:
        called = _CALLED.search(line)
        return called[1].decode("ascii") if called is not None else ""
    if not _WRAPPED.fullmatch(line, sign + 1):
        return ""
    named = _NAME_AT_END.search(line[:sign].partition(b":")[0][-_LONGEST_NAME:])
    return named[1].decode("ascii").rpartition(".")[2] if named is not None else ""


def _statement(before: bytes) -> bytes:
    """The beginning of the statement that goes on after `before`: on the same line, or on one or two lines above."""
    text = before[max(map(before.rfind, _STATEMENT_ENDS)) + 1 :]
    last = text.rfind(b"\n")
    if last < 0 or text[last + 1 :].strip():
        return text[last + 1 :]
    above = text.rfind(b"\n", 0, last)
    if above < 0 or last + 1 == len(text) or not text[above + 1 : last].strip():
        return text[above + 1 :]
    return text[text.rfind(b"\n", 0, above) + 1 :]
