"""Full commit messages, from facts; the commit index itself has only subjects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trackdown.index.commit_update import COMMITS, commit_key
from trackdown.index.commits import CommitIndex
from trackdown.repository import CommitFacts
from trackdown.store import Store

_DECODER = msgspec.msgpack.Decoder(CommitFacts)


def commit_messages(store: Store, repository: str, index: CommitIndex, positions: Sequence[int]) -> list[str]:
    """The messages of commits; only the subject if a commit's facts are gone or damaged."""
    oids = [index.oid(position) for position in positions]
    keys = [key for oid in oids for key in (commit_key(oid), commit_key(oid, repository))]
    found = store.database.read_facts(COMMITS, keys)
    messages = []
    for oid, position in zip(oids, positions, strict=True):
        value = found.get(commit_key(oid, repository)) or found.get(commit_key(oid))
        try:
            messages.append(_DECODER.decode(value or b"").message)
        except msgspec.DecodeError:
            messages.append(index.subject(position))
    return messages
