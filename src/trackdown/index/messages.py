"""Full commit messages, from facts; the commit index itself has only subjects."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from trackdown.errors import GitError
from trackdown.index.commit_update import COMMITS, commit_key
from trackdown.index.commits import CommitIndex
from trackdown.index.strings import StringTable
from trackdown.repository import CommitFacts, CommitRef, Git, read_commits
from trackdown.store import Store

_DECODER = msgspec.msgpack.Decoder(CommitFacts)


def commit_messages(
    store: Store,
    repository: str,
    index: CommitIndex,
    positions: Sequence[int],
    git: Git | None = None,
    asked: dict[int, str] | None = None,
) -> list[str]:
    """The messages of commits. If a commit has no facts, an imported segment has its message, or git is asked; without
    git, it is only the subject.

    `asked` keeps what git was asked for, by position: merges never have facts, and many searches read them.
    """
    asked = {} if asked is None else asked
    rest = [position for position in positions if position not in asked]
    found = dict(zip(rest, _read_messages(store, repository, index, rest, git, asked), strict=True)) if rest else {}
    return [found[position] if position in found else asked[position] for position in positions]


def _read_messages(
    store: Store,
    repository: str,
    index: CommitIndex,
    positions: Sequence[int],
    git: Git | None,
    asked: dict[int, str],
) -> list[str]:
    oids = [index.oid(position) for position in positions]
    keys = [key for oid in oids for key in (commit_key(oid), commit_key(oid, repository))]
    found = store.database.read_facts(COMMITS, keys)
    messages: dict[str, str] = {}
    for oid in oids:
        value = found.get(commit_key(oid, repository)) or found.get(commit_key(oid))
        if value is not None:
            with suppress(msgspec.DecodeError):
                messages[oid] = _DECODER.decode(value).message
    gone = {oid: position for oid, position in zip(oids, positions, strict=True) if oid not in messages}
    for oid, position in list(gone.items()):
        if carried := _carried(index, position):
            messages[oid] = asked[position] = carried
            del gone[oid]
    if gone and git is not None:
        with suppress(GitError):  # this clone lacks the commit
            for commit in read_commits(git, _refs(list(gone))):
                messages[commit.oid] = asked[gone[commit.oid]] = commit.message
    return [messages.get(oid) or index.subject(position) for oid, position in zip(oids, positions, strict=True)]


def _carried(index: CommitIndex, position: int) -> str:
    """The message that a segment carries along because it was imported; empty if it does not, or for a merge."""
    segment, local = index.locate(position)
    return StringTable(segment.arrays, "messages").text(local) if "messages_bytes" in segment.arrays else ""


def _refs(oids: Sequence[str]) -> list[CommitRef]:
    return [CommitRef(oid, ()) for oid in oids]
