"""Split an issue into what each retriever needs. Nothing here looks at a repository."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import islice

from trackdown.errors import QueryError
from trackdown.query.references import QueryReference, find_references, says_nothing_else
from trackdown.query.stopwords import STOPWORDS
from trackdown.query.syntax import NO_FILTERS, Filters, TypedLine, read_syntax
from trackdown.types import MAX_QUERY_CHARS
from trackdown.units import TEXT, language_of, term_counts, words

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?$(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`([^`\n]{1,200})`")
_QUOTED = re.compile(r"\"([^\"\n]{8,200})\"|“([^”\n]{8,200})”")
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,300})", line (\d{1,7})(?:, in ([\w<>.]{1,120}))?')
_JVM_FRAME = re.compile(r"\bat (?:[\w$]+\.)*([\w$]+)\.([\w$<>]+)\(([\w$]+\.(?:java|kt|scala|groovy)):(\d{1,7})\)")
_JS_FRAME = re.compile(
    r"\bat (?:(?:async |new )?([\w$.<>\[\] ]{1,120}?) \()?((?:[a-z]+://)?[^\s()]{1,300}?):(\d{1,7}):\d+"
)
# A run of path characters is tried only from its beginning: otherwise long runs would take quadratic time.
_PLACE = re.compile(r"(?<![\w/.@+-])(/?(?:[\w.@+-]+/)*[\w.@+-]+\.[A-Za-z]\w{0,9}):(\d{1,7})\b")
_LINK = re.compile(
    r"https?://[\w.-]+/[^\s#?()<>\"'`]{1,200}?/(?:blob|blame|raw|src)/([^\s#?()<>\[\]\"'`]{1,300})"
    r"(?:\?[\w=&]{0,40})?(?:#(?:L|lines-|n)(\d{1,7}))?"
)
"""Links to a file on GitHub, GitLab, Gitea or Bitbucket, and to a line of it. The path follows some ref."""
_PATH = re.compile(r"(?<![\w/.:@+-])((?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9})(?![\w/])")
_FOLDER_PATH = re.compile(r"(?<![\w/.:@+-])((?:[\w.@+-]+/){1,10}[\w.@+-]*)(?![\w/])")
_DOTTED = re.compile(r"(?<![\w/])([A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+)")
_CALL = re.compile(r"\b([A-Za-z_]\w{2,})\(")
_NAME = re.compile(
    r"\b(?:[A-Za-z]\w*_\w+|_+[A-Za-z]\w*|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+)\b"
)
_LETTER_NAME = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z]")
_ASKS_FOR_TESTS = re.compile(
    r"\b(?:unit ?tests?|test ?(?:suite|cases?|files?|coverage|runner|fixtures?)|tests? (?:for|of|that)|"
    r"flaky|(?:the|a|which|where are|failing) tests?|tests? (?:fails?|failed|failing)|testing)\b|\btest_\w+|^tests?\b",
    re.IGNORECASE,
)

_ASKS_FOR_PROSE = re.compile(
    r"\b(?:docs?|documentation|documented|readme|changelog|release notes|tutorial|typo)\b", re.I
)
_UNREADABLE = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\udc80-\udcff]")
"""Terminal colours, other control characters, and bytes that were not UTF-8."""
_FILE_ENDINGS = frozenset(
    "cfg conf css csv env gif gz html ico ini ipynb jpeg jpg json less lock log mod pdf png po proto rst sass scss sql "
    "sum svg tar tex toml tsv txt whl xml yaml yml zip".split()
)
_LONGEST_NAME = 200
THE_QUERY = "the query"
_TITLE = 1.6


@dataclass(frozen=True, slots=True)
class Frame:
    """A line that the query points at. `function` is known only from a traceback."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Query:
    """The parts of an issue. `weights` holds every term worth searching for.

    `exemplars` is code that a language model wrote as an answer (GAR); with `exemplars_only`, the query's own words are
    not searched for. `filters` limit the answer, and are no longer part of `text`. `phrases` are those that somebody
    typed in quotes; with `exactly_quoted`, the query is nothing else, and what has none of them is no answer.
    `references` are issues and commits it speaks of; with `only_references`, it says nothing else. `typed` says that it
    is a line that somebody typed, not an issue. `valueless` are prefixes of filters in it that nothing follows.
    `speaker` says whose text it is, in words.
    """

    text: str
    title: str
    prose: str
    code: tuple[str, ...]
    quoted: tuple[str, ...]
    frames: tuple[Frame, ...]
    paths: tuple[str, ...]
    names: tuple[str, ...]
    weights: dict[str, float]
    asks_for_tests: bool
    asks_for_prose: bool
    exemplars: tuple[str, ...] = ()
    exemplars_only: bool = False
    filters: Filters = NO_FILTERS
    phrases: tuple[str, ...] = ()
    exactly_quoted: bool = False
    references: tuple[QueryReference, ...] = ()
    only_references: bool = False
    typed: bool = False
    valueless: tuple[str, ...] = ()
    speaker: str = THE_QUERY

    @property
    def is_one_line(self) -> bool:
        """Whether it is a question, a message or a name. An issue has a title and a body, however short."""
        return "\n" not in self.text.strip()

    @property
    def only_filters(self) -> bool:
        """Whether there is nothing to search for, only filters: the answer is what they match."""
        return bool(self.filters) and not self.text.strip()

    @property
    def as_read(self) -> str:
        """The text as models read it: what tells most comes first."""
        from trackdown.query.reading_order import most_telling_first

        return most_telling_first(self.text)


def understand(text: str, *, syntax: bool = True) -> Query:
    """Split a query into its parts. Without `syntax` it is nobody's typed line: `path:` in it is a word.

    Raises QueryError if there is nothing to search for.
    """
    cleaned = _clean(text)
    typed = read_syntax(cleaned) if syntax else TypedLine(cleaned)
    cleaned = typed.text
    prose, code = _fences(cleaned)
    frames = find_frames(cleaned)
    title = next((line.strip().lstrip("#").strip() for line in prose.splitlines() if line.strip()), "")
    short = syntax and len(cleaned.strip().splitlines()) == 1
    references = find_references(prose, typed=short)
    weights = _weights(cleaned, title)
    quoted = dict.fromkeys([*typed.phrases, *((a or b).strip() for a, b in _QUOTED.findall(prose))])
    inline = _INLINE_CODE.findall(prose)
    paths = _paths(cleaned)
    names = find_names(prose, inline, code, frames, paths)
    if short:
        names = tuple(dict.fromkeys((*names, *_letter_names(prose, inline))))
    if not weights and not names and (cleaned.strip() or not typed.filters):
        raise QueryError("the query has no words to search for: give a few words, a name or the text of an issue")
    return Query(
        cleaned,
        title,
        prose,
        (*code, *inline),
        tuple(quoted),
        frames,
        paths,
        names,
        weights,
        # A long issue is resolved in code, even if it mentions tests or documentation.
        asks_for_tests=short and bool(_ASKS_FOR_TESTS.search(prose)),
        asks_for_prose=bool(_ASKS_FOR_PROSE.search(title)),
        filters=typed.filters,
        phrases=typed.phrases,
        exactly_quoted=bool(typed.phrases) and not typed.has_words,
        references=references,
        only_references=short and bool(references) and says_nothing_else(cleaned),
        typed=short,
        valueless=typed.valueless,
    )


def _clean(text: str) -> str:
    """Drop control characters and cut a very long query. Raises QueryError if it is empty or not text."""
    if not text.strip():
        raise QueryError("the query is empty: give a few words, a name or the text of an issue")
    head = text[:MAX_QUERY_CHARS]
    odd = sum(1 for char in head if char == "\0" or char == "\ufffd" or "\udc80" <= char <= "\udcff")
    if odd > len(head) / 10:
        raise QueryError("the query is not text: it looks like a binary file")
    return _UNREADABLE.sub(" ", head).replace("\r\n", "\n")


def _fences(text: str) -> tuple[str, tuple[str, ...]]:
    """(prose, code blocks)."""
    code = tuple(match[1].strip("\n") for match in _FENCE.findall(text))
    return _FENCE.sub("\n", text), code


def find_frames(text: str) -> tuple[Frame, ...]:
    """Traceback frames of Python, the JVM, JavaScript, `path:line` as Go, Rust and compilers print it, and links."""
    found: dict[Frame, None] = {}
    for path, line, function in _PYTHON_FRAME.findall(text):
        found[Frame(path, int(line), function.strip("<>"))] = None
    for owner, function, path, line in _JVM_FRAME.findall(text):
        found[Frame(path, int(line), f"{owner}.{function}")] = None
    for function, path, line in _JS_FRAME.findall(text):
        found[Frame(path, int(line), function.strip())] = None
    for path, line in _LINK.findall(text):
        if line:
            found[Frame(path, int(line), "")] = None
    known = {(frame.path, frame.line) for frame in found}
    for path, line in _PLACE.findall(text):
        if (path, int(line)) not in known:
            found[Frame(path, int(line), "")] = None
    return tuple(found)[:200]


def _paths(text: str) -> tuple[str, ...]:
    """Texts that look like the path or name of a file, or like a folder."""
    found = dict.fromkeys(match.removeprefix("./") for match in _PATH.findall(text))
    found.update(dict.fromkeys(path.rstrip(".,;:") for path, line in _LINK.findall(text) if not line))
    found.update(dict.fromkeys(match.strip("/") for match in _FOLDER_PATH.findall(text) if match.count("/") > 1))
    return tuple(path for path in found if len(path) < 300)[:200]


def find_names(
    prose: str, inline: list[str], code: tuple[str, ...], frames: tuple[Frame, ...], paths: tuple[str, ...]
) -> tuple[str, ...]:
    """Identifiers in the text: words that look like one, words in backquotes, and names of calls."""
    found: dict[str, None] = {}
    text = "\n".join([prose, *code])
    for dotted in _DOTTED.findall(text):
        found[re.sub(r"::|#|->", ".", dotted)] = None
    for snippet in inline:
        found.update(dict.fromkeys(word for word in words(snippet) if len(word) > 2))
    found.update(dict.fromkeys(_NAME.findall(text)))
    found.update(dict.fromkeys(_CALL.findall(text)))
    found.update(dict.fromkeys(frame.function for frame in frames if frame.function))
    stripped = prose.strip()
    if re.fullmatch(r"[.:#]*[^\W\d][\w.:#]*", stripped):
        found[re.sub(r"::|#", ".", stripped)] = None
    # In prose, `QuerySet.filter` is a name; code is full of such calls into other libraries.
    skip = {path for path in paths if _is_file_name(path) or path not in prose}
    kept = (name for name in found if name not in skip and name.lower() not in STOPWORDS and len(name) <= _LONGEST_NAME)
    return tuple(islice(kept, 300))


def _letter_names(prose: str, inline: list[str]) -> list[str]:
    """Names whose last part is one letter: the query as a whole (`g`, `flask.g`), or what it has in backquotes."""
    return [name for name in map(str.strip, (prose, *inline)) if _LETTER_NAME.fullmatch(name)]


def _is_file_name(path: str) -> bool:
    """Whether a text that looks like a path is not a dotted name: `setup.py`, `a.json` and `e.g` are not."""
    ending = path.rpartition(".")[2].lower()
    return "/" in path or len(ending) < 3 or ending in _FILE_ENDINGS or language_of(path) != TEXT


def _weights(text: str, title: str) -> dict[str, float]:
    """Terms with their weights: a repeated term counts more, but less each time; terms of the title count more."""
    counts = term_counts(text)
    kept = {term: count for term, count in counts.items() if term not in STOPWORDS} or dict(counts)
    weights = {term: 1.0 + math.log(count) for term, count in kept.items()}
    if len(text) > 2 * len(title):
        for term in term_counts(title):
            if term in weights:
                weights[term] *= _TITLE
    return weights
