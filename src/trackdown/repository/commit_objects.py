"""Compare commits with their own objects.

A commit's id is the hash of its content, and its content names its parents. Git checks neither when it lists commits:
an object that was put into a clone by hand, or a file beside it, can make it tell of another author or other parents.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from trackdown.errors import GitError
from trackdown.repository.blobs import new_hash
from trackdown.repository.git import Git

if TYPE_CHECKING:
    from trackdown.repository.history import CommitRef

_AT_ONCE = 4000


def altered_commits(git: Git, listed: Sequence[CommitRef], boundary: Collection[str]) -> frozenset[str]:
    """The commits whose content does not match their id, or which have other parents than git listed.

    At the `boundary` of a shallow clone git lists no parents. Raises GitError.
    """
    altered: set[str] = set()
    for start in range(0, len(listed), _AT_ONCE):
        batch = listed[start : start + _AT_ONCE]
        names = "".join(f"{commit.oid}\n" for commit in batch).encode("ascii")
        output = git.run("cat-file", "--batch", "--buffer", stdin=names)
        at = 0
        for commit in batch:
            end = output.find(b"\n", at)
            if end < 0:
                raise GitError(f"git did not read commit {commit.oid}")
            header = output[at:end].split()
            if len(header) < 3:
                altered.add(commit.oid)
                at = end + 1
                continue
            at = end + 2 + int(header[2])
            content = output[end + 1 : at - 1]
            expected = [] if commit.oid in boundary else _parents(content)
            named = list(dict.fromkeys(commit.parents))
            if _id(content, header[1].decode("ascii"), commit.oid) != commit.oid or named != expected:
                altered.add(commit.oid)
    return frozenset(altered)


def _id(content: bytes, kind: str, oid: str) -> str:
    digest = new_hash(kind, len(content), oid)
    digest.update(content)
    return digest.hexdigest()


def _parents(content: bytes) -> list[str]:
    """The parents that a commit's content names, each only once: git may list one twice."""
    lines = content.partition(b"\nauthor ")[0].split(b"\n")[1:]
    named = takewhile(lambda line: line.startswith(b"parent "), lines)
    return list(dict.fromkeys(line[7:].decode("ascii", "replace") for line in named))
