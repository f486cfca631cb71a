"""Copies of fetched issues in the store: the latest ones, up to a number and a size."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from trackdown.errors import StoreError
from trackdown.store import Store
from trackdown.trackers import Project, TrackedIssue

_KIND = "issue"
_VERSION = 1
_MOST = 200
_MOST_BYTES = 16 << 20


class KeptIssue(msgspec.Struct, frozen=True):
    """A copy of an issue, and when it was fetched."""

    version: int
    fetched: float
    title: str
    body: str
    state: str
    merge: bool
    comment_count: int
    comments: tuple[str, ...]

    def issue(self) -> TrackedIssue:
        """The issue as it was."""
        return TrackedIssue(self.title, self.body, self.state, self.merge, self.comment_count, self.comments)

    @property
    def date(self) -> str:
        """When it was fetched, for people."""
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.fetched))


def keep(store: Store, name: str, issue: TrackedIssue) -> None:
    """Keep a copy, and drop the oldest ones beyond the limits. A store that cannot be written keeps none."""
    copy = KeptIssue(
        _VERSION,
        time.time(),
        issue.title,
        issue.body,
        issue.state,
        issue.merge,
        issue.comment_count,
        issue.comments,
    )
    with suppress(StoreError):
        store.database.write_record(_KIND, name, msgspec.json.encode(copy))
        size, beyond = 0, []
        for number, (key, value, _) in enumerate(store.database.records(_KIND), 1):
            size += len(value)
            beyond += [key] if number > _MOST or size > _MOST_BYTES else []
        store.database.delete_records(_KIND, beyond)


def kept(store: Store, name: str) -> KeptIssue | None:
    """The copy of an issue; None if there is none."""
    value = store.database.read_record(_KIND, name)
    try:
        copy = msgspec.json.decode(value, type=KeptIssue) if value is not None else None
    except msgspec.DecodeError:
        return None
    return copy if copy is not None and copy.version == _VERSION else None


def drop_copies(store: Store, project: Project) -> None:
    """Remove the copies of a project's issues."""
    beginnings = tuple(f"{project.name}{mark}" for mark in "#!")
    names = [key for key, _, _ in store.database.records(_KIND) if key.startswith(beginnings)]
    store.database.delete_records(_KIND, names)
