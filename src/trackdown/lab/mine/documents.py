"""Units of past and present files as documents that a model reads, and the lines of a change that count.

Code that was copied from other projects or written by a program is left out, by wider rules than the index has: the
same copies are in many repositories, and a model must not learn from them. A docstring becomes a query if it says
enough. A unit counts as edited if the change touches a line of it that says something: brackets, blank lines, a lone
`else` and imports change along with anything (after Gandhi, Gao and Callan).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trackdown.lab.mine.messages import content_words
from trackdown.repository import BlobReader, decode_text, reason_by_name, role_of
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS
from trackdown.units import TEXT, UNCERTAIN, Unit, extract_alone, language_of, split_docstring

LARGEST_FILE = 200_000
LONGEST_CODE = 12_000
_KINDS = FUNCTION_KINDS | CLASS_KINDS
_LONGEST_SPAN = 400

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A unit as it was once, at most so long as a model reads."""

    path: str
    symbol: str
    kind: str
    language: str
    code: str


def is_own_code(path: str) -> bool:
    """Whether a path is that of code in a language we parse: no test, no prose, nothing vendored or generated."""
    return role_of(path) == CODE and language_of(path) not in (TEXT, UNCERTAIN) and not is_foreign(path)


def read_units(blobs: BlobReader, path: str, oid: str) -> tuple[tuple[Unit, ...], list[str]]:
    """The functions and classes of a blob and its lines; none of a large, binary or generated one."""
    data = blobs.read(oid, LARGEST_FILE)
    if data is None or len(data) > LARGEST_FILE or is_written_by_a_program(data):
        return (), []
    facts = extract_alone(data, language_of(path))
    if facts.skip:
        return (), []
    return tuple(unit for unit in facts.units if unit.kind in _KINDS), (decode_text(data) or "").split("\n")


def document(path: str, unit: Unit, lines: Sequence[str]) -> Document:
    """A unit as a document."""
    code = "\n".join(lines[unit.start_line - 1 : unit.end_line])[:LONGEST_CODE]
    return Document(path, unit.symbol, unit.kind, language_of(path), code)


def edited_units(units: Sequence[Unit], spans: Sequence[Span]) -> list[Unit]:
    """The innermost unit around each line of the spans; of an empty span (n, n - 1) the one that goes on behind n."""
    found: dict[int, Unit] = {}
    for first, last in spans:
        for line in range(first, min(last, first + _LONGEST_SPAN) + 1) if last >= first else (first,):
            for place in range(len(units) - 1, -1, -1):
                unit = units[place]
                end = unit.end_line if last >= first else unit.end_line - 1
                if unit.start_line <= line <= end:
                    found[place] = unit
                    break
    return [found[place] for place in sorted(found)]


_FOLDERS = frozenset(
    """vendor vendors vendored _vendor node_modules bower_components jspm_packages third_party third-party thirdparty
    3rdparty 3rd_party 3rd-party extern external externals godeps pods carthage site-packages dist-packages bundled
    .yarn dist generated __generated__ _generated autogen""".split()
)
_NAMES = re.compile(
    r"[a-z]+(?:[.-][a-z]+)*[-.]v?\d+\.\d[\w.]*(?:[-.](?:slim|full|all|min|bundle))*\.(?:js|css)"  # jquery-3.7.1.js
    r"|(?:.*[._-])?(?:generated|autogen)\.\w+|.*[._-]gen\.\w+|zz_generated.*|.*\.(?:pb|g|designer)\.\w+"
    r"|.*_pb2?(?:_grpc)?\.\w+|.*\.(?:bundle|chunk|prod|umd|iife)\.js",
    re.IGNORECASE,
)
_WRITTEN_BY_A_PROGRAM = re.compile(
    rb"^[\s#/*;%\"'<!-]*(?:(?:this (?:file|code|class|module)|file|code) (?:is |was |has been )?)?"
    rb"(?:auto-?|automatically |machine[ -]?)?generated\W+(?:by|from|file|code|with|using|on|at|automatically|via)\b"
    rb"|<auto-?generated|@generated\b|this (?:file|code|class|module) (?:is|was|has been) (?:auto-?|automatically |"
    rb"machine[ -]?)generated|do not (?:edit|modify) (?:this file|by hand|directly|manually)|a bison parser, made by",
    re.IGNORECASE | re.MULTILINE,
)
_WITHIN = 600


@lru_cache(maxsize=4096)
def is_foreign(path: str) -> bool:
    """Whether a path says that its file is a copy of another project's, minified, or written by a program."""
    *folders, name = path.split("/")
    if any(folder.lower() in _FOLDERS for folder in folders):
        return True
    return bool(reason_by_name(path)) or _NAMES.fullmatch(name) is not None


def is_written_by_a_program(data: bytes) -> bool:
    """Whether a file's first lines say so."""
    return _WRITTEN_BY_A_PROGRAM.search(data, 0, _WITHIN) is not None


FEWEST_WORDS = 3
_NO_DOCUMENTATION = re.compile(
    r"inherit ?doc|copyright|licen[sc]e|eslint|noqa|pylint|todo|fixme|nolint|prettier-ignore|@ts-|istanbul"
    r"|auto-?generated|===|---",
    re.IGNORECASE,
)


def without_docstring(code: str, language: str) -> tuple[str, str]:
    """(what the documentation says first, the code without it); an empty text where there is none worth asking."""
    said, rest = split_docstring(code, language)
    return (said if _is_worth_asking(said) else ""), rest


def _is_worth_asking(text: str) -> bool:
    if _NO_DOCUMENTATION.search(text) or len(content_words(text)) < FEWEST_WORDS:
        return False
    return sum(char.isascii() for char in text) > 0.9 * len(text)


_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+")
_ALONE = frozenset("begin break continue default do done else end endif esac fi finally pass return then try".split())
_IMPORT = re.compile(
    r"import\b(?!\s*\()|from\s+\S+\s+import\b|#\s*include\b|using\s+(?:static\s+)?[\w.:]+\s*;|use\s+[\w\\:{}, *]+;"
)
_WORD = re.compile(r"\w+")


def is_trivial(line: str) -> bool:
    """Whether a line says nothing by itself: blank, only signs, a lone keyword, an import."""
    text = line.strip()
    words = _WORD.findall(text)
    return not words or (len(words) == 1 and words[0] in _ALONE) or _IMPORT.match(text) is not None


def telling_spans(hunks: bytes) -> list[Span]:
    """The lines of the old text that hunks without context edit: (first, last), or (n, n - 1) for text behind line n.

    Of a hunk count the removed lines that tell something. Where none does, but an added line does, its place counts.
    A hunk of trivial lines edits nothing.
    """
    spans: list[Span] = []
    for start, count, removed, added in _hunks(hunks):
        telling = [start + place for place, line in enumerate(removed) if not is_trivial(line)]
        if telling:
            spans += _runs(telling)
        elif not all(map(is_trivial, added)):
            spans.append((start, start + count - 1))
    return spans


def _hunks(hunks: bytes) -> Iterator[tuple[int, int, list[str], list[str]]]:
    """(first old line, number of old lines, removed lines, added lines) of each hunk."""
    found: tuple[int, int, list[str], list[str]] | None = None
    for line in hunks.split(b"\n"):
        if head := _HUNK.match(line):
            if found is not None:
                yield found
            found = (int(head[1]), int(head[2] or 1), [], [])
        elif found is not None and line[:1] in (b"-", b"+"):
            lines = found[2] if line[:1] == b"-" else found[3]
            lines.append(line[1:].decode("utf-8", "replace"))
    if found is not None:
        yield found


def _runs(numbers: list[int]) -> list[Span]:
    """Ascending numbers as spans of neighbours."""
    spans: list[Span] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
