"""An issue in the order in which a model should read it: what tells most comes first.

A model reads the first few hundred word pieces of a text. Issues begin with headings of a template, and have versions,
logs and whole programs before the sentence that matters. Training and search share this code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trackdown.query.parse import find_frames, find_names

if TYPE_CHECKING:
    from trackdown.query.line_kinds import LineKind

MOST_CHARS = 1 << 16
"""Nothing beyond is looked at."""
_FEW_LINES = 2
_FIRST_PROSE = 1800
"""Characters of prose before messages, names and frames: about 350 word pieces. The rest of it follows them."""
_FIRST_MESSAGES = 400
_FIRST_NAMES = 800
_FIRST_FRAMES = 10
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\((?:https?://|/)[^()\s]{1,1000}\)")
_URL = re.compile(r"\b(?:https?|ftp)://[^\s<>()\[\]\"'`]{1,2000}")
_TAG = re.compile(
    r"</?(?:details|summary|br|p|pre|code|div|span|img|sub|sup|b|i|em|strong|ul|ol|li|a|tt)\b[^<>\n]{0,500}>"
)
_NUMBER = re.compile(r"\d+")
_FOREIGN = re.compile(
    r"(?:site|dist)-packages|/lib(?:64)?/python\d|node_modules|node:|internal/|<frozen|<ipython|/rustc/|/go/src/|"
    r"\bat (?:java|javax|sun|jdk|com\.sun|junit|org\.junit|scala|kotlin)[./]|"
    r"\b(?:std|core|alloc|rt|panicking|backtrace)::|\bruntime\."
)
_NATIVE_FRAME = re.compile(r"\s*#?\d{1,3}:?\s+(?:0x[0-9a-f]+\s*(?:in|-)?\s*)?(\S{3,200})")
_MANGLED = re.compile(r"::h[0-9a-f]{8,}\w*$|\(0x.*$|\(\.\.\.\)$")
_INSTALLED = re.compile(r".*(?:site|dist)-packages[/\\]")


def most_telling_first(text: str) -> str:
    """The parts of an issue, re-ordered: title, prose, messages, names, frames, code, and last templates and logs.

    A line that occurs twice is kept once. A text of one or two lines, which somebody typed, is returned as it is.
    """
    head = text[:MOST_CHARS]
    if sum(1 for line in head.split("\n") if line.strip()) <= _FEW_LINES:
        return head
    from trackdown.query.line_kinds import LineKind  # here, because what somebody types does without

    title, _, body = without_html_comments(head).strip().partition("\n")
    lines = _lines_by_kind(body, title)
    prose, later_prose = _split_at(lines[LineKind.PROSE], _FIRST_PROSE)
    messages, later_messages = _split_at(lines[LineKind.MESSAGE], _FIRST_MESSAGES)
    told = "\n".join([title, *prose, *messages])
    names = _new_names(told, [*later_prose, *later_messages, *lines[LineKind.CODE]])
    frames = _frame_texts(lines[LineKind.FRAME])
    parts = [
        [title],
        prose,
        messages,
        _split_at(names, _FIRST_NAMES)[0],
        frames[:_FIRST_FRAMES],
        later_prose,
        later_messages,
        frames[_FIRST_FRAMES:],
        lines[LineKind.CODE],
        lines[LineKind.TEMPLATE],
        lines[LineKind.LOG],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def without_html_comments(text: str) -> str:
    """A text without the comments of HTML, in which templates explain themselves.

    A comment that never ends is none: somebody wrote about it.
    """
    kept, place = [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return "".join([*kept, text[place:]])


def _lines_by_kind(body: str, title: str) -> dict[LineKind, list[str]]:
    """Lines of each kind in their order, each once. Links to other pages count as part of a template."""
    from trackdown.query.line_kinds import LineKind, kinds_of_lines

    found: dict[LineKind, list[str]] = {kind: [] for kind in LineKind}
    seen = {title.strip()}
    for kind, line in kinds_of_lines(body):
        if kind is LineKind.PROSE:
            line = _TAG.sub(" ", _LINK.sub(r"\1", line))
            found[LineKind.TEMPLATE] += _URL.findall(line)
            line = _URL.sub(" ", line).strip()
        key = _NUMBER.sub("0", line.strip()) if kind in (LineKind.LOG, LineKind.MESSAGE) else line.strip()
        if key and key not in seen:
            seen.add(key)
            found[kind].append(line)
    return found


def _split_at(lines: list[str], chars: int) -> tuple[list[str], list[str]]:
    """The first lines, with at most that many characters, and the others. A line is cut between two words."""
    for number, line in enumerate(lines):
        if len(line) > chars:
            cut = line.rfind(" ", 0, chars) + 1
            return [*lines[:number], line[:cut]], [line[cut:], *lines[number + 1 :]]
        chars -= len(line)
    return lines, []


def _new_names(told: str, lines: Iterable[str]) -> list[str]:
    """The identifiers in lines that are read later, unless they have been read already."""
    known = set(re.findall(r"\w+", told))
    names = find_names("", [], ("\n".join(lines),), (), ())
    found = []
    for name in names:
        words = re.findall(r"\w+", name)
        if any(word not in known for word in words):
            known.update(words)
            found.append(name)
    return found


def _frame_texts(lines: Iterable[str]) -> list[str]:
    """Frames as path and function, innermost first, each once; those of installed libraries come last."""
    own: dict[str, None] = {}
    foreign: dict[str, None] = {}
    python: list[str] = []
    for line in [*lines, ""]:
        if line.lstrip().startswith("File "):
            python.append(line)  # Python prints the innermost frame last.
            continue
        for each in [*reversed(python), line]:
            if each:
                (foreign if _FOREIGN.search(each) else own)[_frame_text(each)] = None
        python.clear()
    return [frame for frame in (*own, *(frame for frame in foreign if frame not in own)) if frame]


def _frame_text(line: str) -> str:
    """The last parts of a frame's path, and its function."""
    native = _NATIVE_FRAME.match(line)
    function = _MANGLED.sub("", native[1]) if native else ""
    for frame in find_frames(line)[:1]:
        function = frame.function or function
        path = "/".join(_INSTALLED.sub("", frame.path).replace("\\", "/").split("/")[-4:])
        # A file of Java is called like its class.
        same = path.partition(".")[0] == function.partition(".")[0]
        return function if same else f"{path} {function}".strip()
    return function or _MANGLED.sub("", line.strip())
