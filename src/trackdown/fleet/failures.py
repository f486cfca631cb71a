"""Repositories that failed: which failures would only be repeated, and how long a sync waits before it tries again."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from trackdown.errors import GitError, MissingObject, RepositoryError, TrackdownError
from trackdown.fleet.building import BuildTask
from trackdown.fleet.manifest import FleetManifest, now
from trackdown.repository import without_credentials

_RETRY_AFTER = 24 * 3600.0
"""Seconds. Memory, time and networks may be better by then, and a repository may have been repaired."""
_NO_ROOM = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT))


@dataclass(frozen=True, slots=True)
class BuildFailure:
    """Why nothing was built. `lasts` says whether the same would come of trying again at once."""

    message: str
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing is published of a repository's present commit. `attempt` stands for what failed at the time `at`; it
    is '' if the next sync tries that again.
    """

    message: str
    at: float
    attempt: str = ""


def failure_of(error: Exception) -> BuildFailure:
    """What a build raised, in one line.

    What the place, a disk, a network, git or the installation of a worker is to blame for does not last: the next sync
    tries again. What a clone lacks does.
    """
    said = " ".join(str(error).split())
    if isinstance(error, TrackdownError):
        of_the_repository = isinstance(error, MissingObject) or not isinstance(error, GitError)
        lasts = isinstance(error, RepositoryError) and of_the_repository and not any(text in said for text in _NO_ROOM)
        return BuildFailure(said, lasts)
    return BuildFailure(
        f"unexpected {type(error).__name__}: {said[:300]}", lasts=not isinstance(error, OSError | ImportError)
    )


def attempt_of(task: BuildTask, limits: tuple[object, ...]) -> str:
    """A digest of what is tried: the repository, all that its key stands for, the time it may take, other limits."""
    about = [task.key, without_credentials(task.where), task.seconds, limits]
    return sha256(msgspec.json.encode(about)).hexdigest()[:40]


def remembered(manifest: FleetManifest) -> Mapping[str, Failure]:
    """Attempt → its failure, for those that are not to be tried again yet."""
    since = now() - _RETRY_AFTER
    return {
        one.attempt: Failure(one.message, one.at, one.attempt)
        for one in manifest.problems.values()
        if one.attempt and one.at > since
    }
