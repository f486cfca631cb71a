"""Questions that a repository can answer, made from what is in it: for people who see it for the first time.

Which ones depends on the content alone: the latest repair, and the longest functions and classes outside tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from trackdown.engine.searching.filters import lies_below
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS, Progress
from trackdown.units import oid_of_key

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.index import Corpus

_LATEST, _LONGEST, _READ = 400, 3000, 12
"""How many commits and units are looked at, and how many files are read."""
_REPAIR = re.compile(r"(?:\[[^\]]{0,40}\] ?)?\bfix(?:es|ed)?\b(?:\([^)]{0,40}\))?:? +(?:bug |issue |for )?(.+)", re.I)
_NUMBER = re.compile(r"[\s(\[]*#\d+[)\]]*\s*$")
_DULL = re.compile(
    r"\b(typos?|typing|hints?|docs?|readme|lint|tests?|ci|changelog|format|spelling|comments?|merge|version|warnings?|mypy"
    r"|compil\w+|builds?|deps)\b",
    re.I,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SAID = re.compile(r"(?:raise|throw|panic|[Ee]rror|fail|abort|warn)[^\"\n]{0,60}\"([^\"\n]{20,80})\"")
_VERBS = frozenset(
    "apply build check clear close compare compile compute connect convert copy create decode delete detect dispatch "
    "encode escape evaluate expand export fetch find flush generate handle import insert join load "
    "match merge normalize open parse prepare process propagate publish read receive redirect refresh register release "
    "remove rename render replace replicate reset resize resolve restore retry rewrite rotate save scan schedule "
    "select send serialize sign split start stop store sync truncate unload update upload validate verify wait "
    "wrap write".split()
)
_VAGUE = frozenset(
    "all and case cases data do for from func generic impl internal it new of recursive stuff the to with".split()
)


@dataclass(frozen=True, slots=True)
class Example:
    """A query worth trying, and what it is an example of."""

    kind: Literal["issue", "question", "message", "name"]
    query: str


def find_examples(repository: Repository, progress: Progress) -> tuple[Example, ...]:
    """See `Repository.examples`."""
    corpus = repository.present_or(None, progress)
    functions = _longest(corpus, FUNCTION_KINDS, repository.within)
    found = [
        ("issue", _repair(corpus, repository.within)),
        ("question", _question(corpus, functions)),
        ("message", _message(corpus, functions)),
        ("name", _name(corpus, [*_longest(corpus, CLASS_KINDS, repository.within), *functions])),
    ]
    return tuple(Example(kind, query) for kind, query in found if query)  # type: ignore[arg-type]


def _longest(corpus: Corpus, kinds: frozenset[str], within: str) -> list[int]:
    """The longest units of these kinds outside tests, longest first."""
    code = corpus.code
    wanted = np.flatnonzero(code.unit_alive & code.is_kind(kinds) & (code.file_role == CODE)[code.unit_file])
    order = np.argsort(code.unit_start[wanted] - code.unit_end[wanted], kind="stable")[:_LONGEST]
    found: list[int] = wanted[order].tolist()
    return [unit for unit in found if lies_below(code.path(int(code.unit_file[unit])), within)]


def _repair(corpus: Corpus, within: str) -> str:
    """What the latest commit that repaired code says it was about, as the title of an issue would say it."""
    if corpus.history is None:
        return ""
    index, commit = corpus.history
    code = corpus.code
    for position in index.latest(commit, _LATEST)[::-1].tolist():
        match = _REPAIR.match(_NUMBER.sub("", index.subject(position)))
        said = match[1].strip().rstrip(".") if match else ""
        if not 5 <= len(said.split()) <= 14 or _DULL.search(said):
            continue
        _, paths = index.changes(np.array([position]))
        files = [code.files_by_path.get(path) for path in map(index.path, paths.tolist()) if lies_below(path, within)]
        if any(file is not None and code.file_role[file] == CODE for file in files):
            return said
    return ""


def _question(corpus: Corpus, functions: list[int]) -> str:
    """What a function's name says that it does, as a question. Two words are about something more than one."""
    second = ""
    for unit in functions:
        verb, *rest = [word.lower() for word in _WORD.findall(corpus.code.symbol(unit).rpartition(".")[2])] or [""]
        if verb not in _VERBS or any(len(word) < 3 or word in _VAGUE for word in rest):
            continue
        if len(rest) == 2:
            return f"where does it {verb} the {' '.join(rest)}?"
        if len(rest) == 1 and not second:
            second = f"where does it {verb} the {rest[0]}?"
    return second


def _message(corpus: Corpus, functions: list[int]) -> str:
    """Something that the program says when things go wrong."""
    with SourceReader(corpus.snapshot) as reader:
        for line in _lines(corpus, functions, reader):
            match = _SAID.search(line[:300])
            said = match[1] if match else ""
            if len(said.split()) >= 4 and not set(said) & set("%{}\\$<>"):
                return said.strip()
    return ""


def _lines(corpus: Corpus, functions: list[int], reader: SourceReader) -> Iterator[str]:
    """The lines of the longest functions, of a few files."""
    code = corpus.code
    files = list(dict.fromkeys(int(code.unit_file[unit]) for unit in functions))[:_READ]
    for file in files:
        yield from reader.lines(code.path(file), oid_of_key(code.fact_key(file))) or ()


def _name(corpus: Corpus, units: list[int]) -> str:
    """The longest class or, without classes, function."""
    return next((symbol for unit in units if (symbol := corpus.code.symbol(unit))), "")
