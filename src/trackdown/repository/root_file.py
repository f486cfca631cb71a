"""A small file at the root of a repository, in the work tree or in a commit. Links are never followed."""

from __future__ import annotations

import errno
import os
import stat
from functools import lru_cache
from pathlib import Path

from trackdown.errors import GitError, ProjectFileError
from trackdown.repository.git import Git
from trackdown.repository.source import Source

_REGULAR = (b"100644", b"100755")
_SYMLINK = b"120000"


def read_root_file(source: Source, name: str, at: str | None, limit: int) -> bytes | None:
    """The content of a file at the root, or None if there is none: what is on disk now, or with `at`, and in a bare
    repository, what the commit has. At most `limit` + 1 bytes, so that a caller can tell that it is too large.

    Raises UnknownRevision, and ProjectFileError if it is a link or anything else that is not a readable file.
    """
    if at is None and source.kind != "bare":
        return _on_disk(source.root / name, f"{name} of {source.name}", limit)
    commit = source.head() if at is None else source.resolve(at)
    if commit is None or source.git is None:
        return None
    try:
        return _in_commit(source.git, commit, name, limit)
    except GitError as error:
        raise ProjectFileError(f"{name} of {commit[:10]} cannot be read: {error}") from None


def _on_disk(path: Path, what: str, limit: int) -> bytes | None:
    """The content of a file; errors call it `what`, because they also reach people who use a server."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise _is_link(what) from None
        raise ProjectFileError(f"{what} cannot be read ({error.strerror}): check its permissions") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ProjectFileError(f"{what} is not a file: remove it, or put a file in its place")
        return os.read(descriptor, limit + 1)
    except OSError as error:
        raise ProjectFileError(f"{what} cannot be read ({error.strerror})") from None
    finally:
        os.close(descriptor)


@lru_cache(maxsize=256)
def _in_commit(git: Git, commit: str, name: str, limit: int) -> bytes | None:
    """A commit never changes, so neither does the answer."""
    listed = git.run("ls-tree", "-l", "-z", "--full-tree", commit, name).removesuffix(b"\0")
    if not listed:
        return None
    mode, _, oid, size = listed.partition(b"\t")[0].split()
    if mode == _SYMLINK:
        raise _is_link(f"{name} of {commit[:10]}")
    if mode not in _REGULAR:
        raise ProjectFileError(f"{name} of {commit[:10]} is not a file: put a file in its place")
    if not size.isdigit():
        raise ProjectFileError(f"{name} of {commit[:10]} is not in this clone: fetch it with git")
    return git.run("cat-file", "blob", oid.decode("ascii")) if int(size) <= limit else b" " * (limit + 1)


def _is_link(what: str) -> ProjectFileError:
    return ProjectFileError(f"{what} is a symbolic link, which is not followed: put a file in its place")
