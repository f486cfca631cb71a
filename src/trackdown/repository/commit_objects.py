"""Compare commits with their own objects.

A commit's id is the hash of its content, and its content names its parents. Git checks neither when it lists commits:
an object that was put into a clone by hand, or a file beside it, can make it tell of another author or other parents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from trackdown.errors import GitError
from trackdown.repository.git import Git

if TYPE_CHECKING:
    from trackdown.repository.history import CommitRef

_AT_ONCE = 16000
_SHA1_DIGITS = 40


def altered_commits(git: Git, listed: Sequence[CommitRef], boundary: Collection[str]) -> frozenset[str]:
    """The commits whose content does not match their id, or which have other parents than git listed.

    At the `boundary` of a shallow clone git lists no parents. Raises GitError.
    """
    altered: set[str] = set()
    for start in range(0, len(listed), _AT_ONCE):
        batch = listed[start : start + _AT_ONCE]
        names = "".join([f"{commit.oid}\n" for commit in batch]).encode("ascii")
        output = git.run("cat-file", "--batch", "--buffer", stdin=names)
        at = 0
        for commit in batch:
            end = output.find(b"\n", at)
            if end < 0:
                raise GitError(f"git did not read commit {commit.oid}")
            header = output[at:end].split(b" ")
            if len(header) < 3:  # it is missing
                altered.add(commit.oid)
                at = end + 1
                continue
            at = end + 2 + int(header[2])
            content = output[end + 1 : at - 1]
            if not _has_id(content, commit.oid) or not _has_parents(content, commit, boundary):
                altered.add(commit.oid)
    return frozenset(altered)


def _has_id(content: bytes, oid: str) -> bool:
    kind = hashlib.sha1 if len(oid) == _SHA1_DIGITS else hashlib.sha256
    return kind(b"commit %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == oid


def _has_parents(content: bytes, commit: CommitRef, boundary: Collection[str]) -> bool:
    """Whether a commit's content names these parents. They follow its tree, a line each."""
    if commit.oid in boundary:
        return not commit.parents
    named = "".join([f"parent {parent}\n" for parent in commit.parents]).encode("ascii")
    start = content.find(b"\n") + 1
    end = start + len(named)
    return content[start:end] == named and not content.startswith(b"parent ", end)
