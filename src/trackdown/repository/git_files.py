"""The files of a git directory, looked at before git opens them.

Git waits forever at a named pipe and reads a device without end. Both may lie in a repository that somebody else made.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trackdown.errors import GitError

_OWN = ("HEAD", "index", "commondir", "config.worktree", "info/sparse-checkout")
_SHARED = ("config", "packed-refs", "shallow", "info/exclude", "info/attributes", "objects/info/alternates")
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_LONGEST = 1 << 20


def read_git_file(path: str | os.PathLike[str], limit: int = _LONGEST) -> bytes | None:
    """The content of a small file of a git directory; None when it is not a regular file or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(descriptor)
        return os.read(descriptor, min(found.st_size, limit)) if stat.S_ISREG(found.st_mode) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def check_git_files(git_dir: str | os.PathLike[str]) -> None:
    """Raise GitError if git would wait forever at a file of this git directory."""
    own = os.fspath(git_dir)
    for name in _OWN:
        check_file(f"{own}/{name}")
    common = os.fsdecode((read_git_file(f"{own}/commondir") or b"").strip())
    shared = os.path.join(own, common) if common else own
    for name in _SHARED:
        check_file(f"{shared}/{name}")
    head = read_git_file(f"{own}/HEAD") or b""
    if head.startswith(b"ref: refs/"):
        check_file(f"{shared}/{os.fsdecode(head[5:].strip())}")


def check_discovery(folder: Path) -> None:
    """Raise GitError if git would wait forever while it looks for the repository that contains a folder."""
    for parent in (folder, *folder.parents):
        found = git_dir_of(parent)
        if found is not None:
            check_git_files(found)
            return
        check_file(f"{parent}/HEAD")  # git looks whether the folder is a bare repository
        if os.path.exists(parent / "HEAD") and os.path.exists(parent / "objects"):
            check_git_files(parent)
            return


def git_dir_of(folder: Path) -> Path | None:
    """The git directory that a folder's `.git` is or names; None without one."""
    entry = folder / ".git"
    if os.path.isdir(entry):  # Path.is_dir raises if it is a link that cannot be followed
        return entry.resolve()
    text = read_git_file(entry, 1 << 14) or b""
    if not text.startswith(b"gitdir: "):
        return None
    try:
        return (folder / os.fsdecode(text[8:].strip())).resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def check_file(path: str) -> None:
    """Raise GitError if git would wait forever at a file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return  # git does without it, or says what is wrong with it
    kind = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), None)
    if kind is not None and not _is_null(found):
        raise GitError(f"{path} is {kind}, not a file: git cannot read it; remove it or search another folder")


def check_pipe(path: str) -> None:
    """Raise GitError if there is a named pipe where git expects an ignore file. Git follows no link there."""
    try:
        is_pipe = stat.S_ISFIFO(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return
    if is_pipe:
        raise GitError(f"{path} is a named pipe, not a file: git would wait for it forever; remove it")


def _is_null(found: os.stat_result) -> bool:
    """Whether this is /dev/null, which some people link to in place of an empty file."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev
