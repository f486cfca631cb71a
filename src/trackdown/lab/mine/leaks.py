"""Does a query give the change away? The share of the identifiers that a commit brings in which the query names.

An identifier is new when a code line that was added holds it and its file had it nowhere before. `retry_limit`,
`retryLimit` and "retry limit" are the same name. Tests and prose do not count: they are not what has to be found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from trackdown.lab.mine.documents import is_own_code
from trackdown.lab.mine.messages import content_words
from trackdown.lab.mine.patches import FilePatch
from trackdown.lab.mine.states import regular_files
from trackdown.repository.blobs import BlobReader
from trackdown.repository.git import Git
from trackdown.units.tokens import words

_LARGEST_FILE = 1 << 20
_SHORTEST = 3
_CODE_LINE = re.compile(
    r"[=(){}\[\];<>]|:\s*$|^\s*(?:return|import|from|raise|throw|yield|del|await|use|require|package|include|end|@)\b"
)
_COMMENT = re.compile(r"\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|pragma)\b)|//|/\*|\*|<!--|--\s)")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_KEYWORDS = frozenset(
    """abstract and args async await begin bool boolean break byte case catch char class const continue def default
    define del dict elif else end enum except export extends extern false final finally float fn for func function
    global goto if ifdef impl implements import include inline int interface is kwargs lambda let list long match mod
    module mut namespace native new nil none nonlocal not null object of operator or package pass print private
    protected pub public raise rescue return self set short signed static str string struct super switch template then
    this throw throws trait true try tuple type typedef typeof undefined union unless unsigned use using val value var
    virtual void volatile when where while with yield""".split()
)

Name = tuple[str, ...]
"""The parts of an identifier, in lower case."""


def new_identifiers(git: Git, blobs: BlobReader, parent: str | None, patches: Sequence[FilePatch]) -> frozenset[Name]:
    """The names that a commit's patches bring in. `parent` is the commit before it. Raises GitError."""
    touched = [patch for patch in patches if patch.new_path is not None and is_own_code(patch.new_path)]
    before = [patch.old_path for patch in touched if patch.old_path is not None]
    oids = regular_files(git, parent, before) if parent is not None else {}
    found: set[Name] = set()
    for patch in touched:
        oid = oids.get(patch.old_path or "")
        data = blobs.read(oid, _LARGEST_FILE) if oid is not None else None
        old = (data or b"").decode("utf-8", "replace")
        added = (os.fsencode(line[1:]).decode("utf-8", "replace") for line in _added(patch))
        found |= _names(filter(_is_code, added)) - _names([old])
    return frozenset(found)


def leak(query: str, identifiers: frozenset[Name]) -> float:
    """The share of identifiers that a query names, from 0 to 1; 0 where there are none."""
    return len(leaked(query, identifiers)) / len(identifiers) if identifiers else 0.0


def leaked(query: str, identifiers: frozenset[Name]) -> list[Name]:
    """The identifiers that a query names, in the order of the alphabet."""
    said = [part for word in words(query) for part in _parts(word)]
    single, longest = set(said), max(map(len, identifiers), default=0)
    runs = {2: set(pairwise(said))} | {
        length: {tuple(said[start : start + length]) for start in range(len(said) - length + 1)}
        for length in range(3, longest + 1)
    }
    return sorted(name for name in identifiers if (name[0] in single if len(name) == 1 else name in runs[len(name)]))


def _added(patch: FilePatch) -> Iterable[str]:
    return (line for hunk in patch.hunks for line in hunk.lines if line[0] == "+")


def _is_code(line: str) -> bool:
    return _CODE_LINE.search(line) is not None and _COMMENT.match(line) is None


def _names(lines: Iterable[str]) -> set[Name]:
    """The names in lines that could give something away: no keywords, no words of any change, no single letters."""
    found = {word for line in lines for word in words(line)}
    return {
        _parts(word)
        for word in found
        if len(word) >= _SHORTEST and not word[0].isdigit() and word.lower() not in _KEYWORDS and content_words(word)
    } - {()}


def _parts(word: str) -> Name:
    return tuple(part.lower() for part in _PART.findall(word)) if word.isascii() else tuple(word.lower().split("_"))
