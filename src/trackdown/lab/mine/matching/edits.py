"""What a commit did to a repository's sources, and which of its functions it edited."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from trackdown.errors import GitError
from trackdown.lab.mine.changes import ChangeReader
from trackdown.lab.mine.documents import edited_units, is_foreign, is_own_code, read_units, telling_spans
from trackdown.lab.mine.filters import MASS_CHANGE, is_housekeeping
from trackdown.repository import BlobReader, CommitRef, Git, role_of
from trackdown.types import CODE, FUNCTION_KINDS

MOST_FILES = 8
NOT_COMPARED, NO_SOURCE = "commit cannot be compared", "no source file modified"
MANY_FILES = "too many source files modified"
_MOST_CHANGED, _MOST_DELETED, _MOST_ADDED = 40, 4, 12
_BATCH = 256
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TESTS = re.compile(r"(?:^|/)[^/]*[._-][Tt]ests?/|(?i:testcase|unittests?)\.\w+$|[a-z]Tests?\.\w+$")
_NOT_PARSED = frozenset(
    """asm clj coffee d dart ejs el erl f f90 fs groovy jsp l m ml mli mm nim pas pl pm proto ps1 pxd pxi pyx r s sql
    svelte vb vue y""".split()
)
_ASIDE = frozenset("doc docs documentation example examples sample samples demo demos benchmark benchmarks".split())

PathChanges = list[tuple[str, str]]
"""(git's letter, path) of every file that a commit changed; a rename is a file deleted and one added."""


def is_source(path: str) -> bool:
    """Whether a file is code of the project itself: no test, example, documentation, vendored or generated file.

    Folders and files that only end in `Tests` are tests here, too; the index doesn't take them for any. Code in a
    language that we don't parse counts: it is what the fix changed.
    """
    *folders, name = path.lower().split("/")
    is_other_code = name.rpartition(".")[2] in _NOT_PARSED and role_of(path) == CODE and not is_foreign(path)
    if not (is_own_code(path) or is_other_code) or not _ASIDE.isdisjoint(folders):
        return False
    return _TESTS.search(path) is None and not is_housekeeping(path)


def path_changes(git: Git, commits: Sequence[CommitRef]) -> dict[str, PathChanges]:
    """The changes of commits against their first parents, by id. One that git cannot compare is left out.

    No content is read, so that mirrors without their largest blobs do.
    """
    found: dict[str, PathChanges] = {}
    unique = list({commit.oid: commit for commit in commits if commit.parents}.values())
    for first in range(0, len(unique), _BATCH):
        batch = unique[first : first + _BATCH]
        try:
            found |= _path_changes(git, batch)
        except GitError:
            for commit in batch:
                try:
                    found |= _path_changes(git, [commit])
                except GitError:
                    continue
    return found


def _path_changes(git: Git, commits: Sequence[CommitRef]) -> dict[str, PathChanges]:
    asked = "".join(f"{commit.oid} {commit.parents[0]}\n" for commit in commits).encode("ascii")
    output = git.run("diff-tree", "--stdin", "-r", "-z", "--no-renames", "--name-status", "--always", stdin=asked)
    found: dict[str, PathChanges] = {}
    changes: PathChanges = []
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        if _COMMIT.fullmatch(token.strip()):
            changes = found.setdefault(token.strip().decode("ascii"), [])
        elif token:
            changes.append((token.decode("ascii"), os.fsdecode(next(tokens, b""))))
    return found


def modified_sources(changes: PathChanges | None, most_files: int = MOST_FILES) -> tuple[tuple[str, ...], str]:
    """The source files that a commit modified, and the rule that drops it; no rule if it may resolve an issue."""
    if changes is None:
        return (), NOT_COMPARED
    sources = [(status, path) for status, path in changes if is_source(path)]
    modified = tuple(sorted(path for status, path in sources if status == "M"))
    if not modified:
        return (), NO_SOURCE
    if len(modified) > most_files:
        return (), MANY_FILES
    deleted, added = (sum(status == letter for status, _ in sources) for letter in "DA")
    is_mass = len(changes) > _MOST_CHANGED or deleted > _MOST_DELETED or added > _MOST_ADDED
    return (modified, MASS_CHANGE) if is_mass else (modified, "")


def edited_functions(git: Git, blobs: BlobReader, commits: Iterable[CommitRef]) -> dict[str, set[str]]:
    """The bare names of the functions that commits edited in source files, by commit."""
    found: dict[str, set[str]] = {}
    for oid, file in ChangeReader(git, context=0, statuses="M").read(list(commits)):
        if file.hunks and file.old_oid and is_source(file.old_path):
            units, _ = read_units(blobs, file.old_path, file.old_oid)
            edited = edited_units(units, telling_spans(file.hunks))
            names = {unit.symbol.rpartition(".")[2] for unit in edited if unit.kind in FUNCTION_KINDS}
            found.setdefault(oid, set()).update(names)
    return found
