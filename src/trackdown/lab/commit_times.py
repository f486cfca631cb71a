"""Which commits a clone has, and when they were made, for many at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trackdown.errors import TrackdownError
from trackdown.repository.git import Git
from trackdown.repository.source import open_source

_COMMIT_ID = re.compile(r"[0-9a-f]{7,64}")


def is_commit_id(text: str) -> bool:
    """Whether a text can be a commit's id, in full or shortened: branches and other revisions are none."""
    return _COMMIT_ID.fullmatch(text) is not None


def commit_times(place: str, revisions: Iterable[str]) -> dict[str, int]:
    """Full commit id → seconds since 1970. Whatever is wrong with the place shows when it is searched."""
    try:
        git = open_source(place).git
        present = present_commits(git, revisions) if git is not None else []
        if git is None or not present:
            return {}
        listed = git.run("log", "--no-walk=unsorted", "--format=%H %ct", "--stdin", stdin=_lines(present))
    except TrackdownError:
        return {}
    return {oid: int(seconds) for oid, seconds in map(str.split, listed.decode("ascii").splitlines())}


def present_commits(git: Git, revisions: Iterable[str]) -> list[str]:
    """The full ids of those that are ids of commits of this clone."""
    wanted = sorted(set(filter(is_commit_id, revisions)))
    answer = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=_lines(wanted))
    lines = answer.decode("utf-8", "replace").splitlines()
    return [line.split()[0] for line in lines if line.endswith(" commit")]


def _lines(items: Iterable[str]) -> bytes:
    return "".join(f"{item}\n" for item in items).encode("ascii")
