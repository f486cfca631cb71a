"""The files that decide what is listed: ignore files, git's index, and git's configuration with all that it includes.

A scan keeps stat data of each. As long as none of them and no folder changes, the list of files stays valid.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trackdown.errors import GitError
from trackdown.repository.git_files import check_file
from trackdown.repository.source import Source

Witness = tuple[int, int, int, int]
"""When a file's content and its stat data last changed, its size and inode; zeros without a file.

An edit that keeps size and time of change still changes ctime: no program can set that.
"""
_NO_FILE: Witness = (0, 0, 0, 0)


def witness(path: str) -> Witness:
    """Stat data of a file. Of what is not a regular file, only which one it is: /dev/null is always empty."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _NO_FILE
    if not stat.S_ISREG(found.st_mode):
        return (0, 0, -1, found.st_ino)
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def user_inputs() -> list[str]:
    """The user's own and the system's git files, whether they exist or not. They follow from the environment."""
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    own = [named] if named is not None else [f"{home}/.gitconfig", f"{config}/git/config"]
    return ["/etc/gitconfig", *filter(None, own), f"{config}/git/ignore"]


def git_inputs(source: Source) -> list[str]:
    """The files outside the work tree that decide what git lists. Runs git, to find those that configuration names.

    Raises GitError if git would wait forever at one of them.
    """
    if source.git is None:
        return []
    git_dir = source.git.git_dir
    common = source.common_dir or git_dir
    fixed = [git_dir / "index", git_dir / "config.worktree", common / "config", common / "info" / "exclude"]
    try:
        settings = source.git.run("config", "--list", "--null", "--show-origin", "--includes")
    except GitError:
        settings = b""
    found = sorted({*map(str, fixed), *user_inputs(), *_named_in(os.fsdecode(settings), source.root)})
    for path in found:
        check_file(path)
    return found


def _named_in(settings: str, root: Path) -> set[str]:
    """The files that settings come from, that they include or would include, and ignore files that they name."""
    found = set()
    fields = settings.split("\0")
    for origin, setting in zip(fields[::2], fields[1::2], strict=False):
        name, _, value = setting.partition("\n")
        place = origin.removeprefix("file:")
        if place != origin:
            found.add(os.path.join(root, place))
        if value and name == "core.excludesfile":
            found.add(os.path.join(root, os.path.expanduser(value)))
        elif value and name.startswith(("include.", "includeif.")) and name.endswith(".path"):
            found.add(os.path.join(root, os.path.dirname(place), os.path.expanduser(value)))
    return found
