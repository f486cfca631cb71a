"""What moved: the commit of every repository of a fleet, without fetching anything."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trackdown.errors import RepositoryError, TrackdownError
from trackdown.fleet.members import Member
from trackdown.repository import is_url, newest_commit, open_source
from trackdown.types import Progress

_AT_ONCE = 8


def find_commits(members: Sequence[Member], progress: Progress) -> dict[str, str | TrackdownError]:
    """Name → the commit to publish, or why there is none."""
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="trackdown-look") as pool:
        found: dict[str, str | TrackdownError] = {}
        for done, (member, commit) in enumerate(zip(members, pool.map(_commit, members), strict=True), 1):
            found[member.name] = commit
            progress("look", done, len(members))
    return found


def _commit(member: Member) -> str | TrackdownError:
    try:
        if is_url(member.where):
            return newest_commit(member.where, member.at, Path.cwd())
        source = open_source(member.where)
        if source.git is None or source.head() is None:
            raise RepositoryError(f"{member.origin} has no commit: a fleet publishes commits")
        return source.resolve(member.at)
    except TrackdownError as error:
        return error
