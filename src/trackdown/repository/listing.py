"""Which files a folder holds, before any rule of ours: git's own list, or a walk that heeds .gitignore files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from trackdown.errors import GitError
from trackdown.repository.blobs import read_on_disk
from trackdown.repository.git import Git, run
from trackdown.repository.ignore import read_patterns
from trackdown.repository.source import Source

_LONGEST_IGNORE_FILE = 1 << 20
_LS = ("ls-files", "-z", "--exclude-standard")


class Listing(NamedTuple):
    """Paths of files, and all folders in which another one could come ('' is the root)."""

    paths: list[str]
    folders: set[str]


def list_files(source: Source) -> Listing:
    """What is tracked, and what is neither tracked nor ignored. Raises GitError."""
    paths, folders = _list_git(source.git, source.root) if source.git else _walk(source.root, heeding=True)
    return Listing(paths, _with_parents(folders, paths))


def list_ignored(source: Source) -> Listing:
    """The files that .gitignore leaves out; in a plain folder, all files."""
    paths, folders = _list_git_ignored(source.git, source.root) if source.git else _walk(source.root, heeding=False)
    return Listing(paths, _with_parents(folders, paths))


def ignore_text(root: Path, path: str) -> str:
    """The text of an ignore file; none when it cannot be read."""
    return (read_on_disk(root, path, _LONGEST_IGNORE_FILE) or b"").decode("utf-8", "replace")


def existing_files(root: Path, folders: Iterable[str], name: str) -> list[str]:
    """The files of this name that stand in some of the folders, whether they are listed or not."""
    prefixes = (f"{folder}/" if folder else "" for folder in folders)
    return sorted(f"{prefix}{name}" for prefix in prefixes if os.access(f"{root}/{prefix}{name}", os.F_OK))


def _with_parents(folders: Iterable[str], paths: Iterable[str]) -> set[str]:
    found = {""}
    for folder in {*folders, *(path.rpartition("/")[0] for path in paths)}:
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _list_git(git: Git, root: Path) -> tuple[list[str], set[str]]:
    """Files, and folders without any: untracked ones, empty ones, and those whose files are all ignored.

    A file could come in each of them; but not in a folder that is ignored itself.
    """
    beside = [git.start(*_LS, "--others", "--directory"), git.start(*_LS, "--others", "--ignored", "--directory")]
    paths, _ = _files_and_folders(git.run(*_LS, "--cached", "--others", "--deduplicate"))
    (_, untracked), (_, passed_over) = (_files_and_folders(finish()) for finish in beside)
    ignored = _ignored_themselves(git, root, passed_over)
    return paths, _folders_below(root, untracked | (passed_over - ignored), ignored)


def _ignored_themselves(git: Git, root: Path, folders: set[str]) -> set[str]:
    """Those of the folders that a pattern names, and not only all they hold."""
    if not folders:
        return set()
    # This command knows no literal names; a leading `./` keeps git from reading a name as anything else.
    names = b"".join(b"./" + os.fsencode(folder) + b"/\0" for folder in sorted(folders))
    command = [word for word in git.arguments("check-ignore", "-z", "--stdin") if word != "--literal-pathspecs"]
    try:
        listed = run(command, cwd=root, stdin=names)
    except GitError:
        return set()  # git says with an exit code that none is
    return {os.fsdecode(name[2:-1]) for name in listed.split(b"\0") if name}


def _list_git_ignored(git: Git, root: Path) -> tuple[list[str], set[str]]:
    beside = git.start(*_LS, "--others", "--ignored", "--directory")
    paths, _ = _files_and_folders(git.run(*_LS, "--others", "--ignored"))
    _, ignored = _files_and_folders(beside())
    return paths, _folders_below(root, ignored, set())


def _files_and_folders(listed: bytes) -> tuple[list[str], set[str]]:
    """git marks folders (and repositories inside this one) with a slash."""
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [name for name in names if name[-1] != "/"], {name[:-1] for name in names if name[-1] == "/"}


def _folders_below(root: Path, tops: set[str], passed_over: set[str]) -> set[str]:
    found = set(tops)
    for top in tops:
        for inner, names, _ in os.walk(root / top):
            folder = Path(inner).relative_to(root).as_posix()
            names[:] = [name for name in names if name != ".git" and f"{folder}/{name}" not in passed_over]
            found.update(f"{folder}/{name}" for name in names)
    return found


def _walk(root: Path, *, heeding: bool) -> tuple[list[str], set[str]]:
    """All files below a plain folder, or those that its .gitignore files leave in. Links are not followed."""
    paths: list[str] = []
    folders: set[str] = set()
    specs: dict[str, GitIgnoreSpec] = {}

    def ignored(path: str, is_folder: bool) -> bool:
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in specs:
                name = path[len(folder) + 1 :] if folder else path
                found = specs[folder].check_file(f"{name}/" if is_folder else name).include
                if found is not None:
                    return found
        return False

    for inner, names, leaves in os.walk(root):
        folder = Path(inner).relative_to(root).as_posix()
        folder = "" if folder == "." else folder
        folders.add(folder)
        prefix = f"{folder}/" if folder else ""
        if heeding and ".gitignore" in leaves:
            specs[folder] = read_patterns(ignore_text(root, f"{prefix}.gitignore"))
        names[:] = sorted(n for n in names if n != ".git" and not ignored(f"{prefix}{n}", True))
        paths += [f"{prefix}{name}" for name in sorted(leaves) if not ignored(f"{prefix}{name}", False)]
    return paths, folders
