"""List a folder's files before our own rules apply: git's list, or a walk that obeys .gitignore files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from trackdown.errors import GitError
from trackdown.repository.blobs import read_on_disk
from trackdown.repository.folders import walk_folders
from trackdown.repository.git import Git, finish, start
from trackdown.repository.ignore import IgnoreRules
from trackdown.repository.source import Source

MAX_IGNORE_FILE_BYTES = 1 << 20
_LS = ("ls-files", "-z", "--exclude-standard")


class Listing(NamedTuple):
    """Paths of files, and all folders in which a new file would be listed ('' is the root).

    `too_deep` are folders whose paths are longer than the system can open.
    """

    paths: list[str]
    folders: set[str]
    too_deep: list[str]


def list_files(source: Source) -> Listing:
    """Tracked files, and untracked files that are not ignored. Raises GitError."""
    found = _list_git(source.git, source.root) if source.git else _walk(source.root, obey_gitignore=True)
    return found._replace(folders=_with_parents(found.folders, found.paths))


def list_ignored(source: Source) -> Listing:
    """The files that .gitignore excludes; in a plain folder all files."""
    found = _list_git_ignored(source.git, source.root) if source.git else _walk(source.root, obey_gitignore=False)
    return found._replace(folders=_with_parents(found.folders, found.paths))


def ignore_text(root: Path, path: str) -> str:
    """The text of an ignore file; empty when it cannot be read."""
    return decode_ignore_file(read_on_disk(root, path, MAX_IGNORE_FILE_BYTES) or b"")


def decode_ignore_file(data: bytes) -> str:
    """The text of an ignore file, up to the last whole line within a limit."""
    if len(data) > MAX_IGNORE_FILE_BYTES:
        data = data[:MAX_IGNORE_FILE_BYTES].rpartition(b"\n")[0]
    return data.decode("utf-8", "replace")


def existing_files(root: Path, folders: Iterable[str], name: str) -> list[str]:
    """The files of this name in any of the folders, whether they are listed or not."""
    prefixes = (f"{folder}/" if folder else "" for folder in folders)
    return sorted(f"{prefix}{name}" for prefix in prefixes if os.access(f"{root}/{prefix}{name}", os.F_OK))


def _with_parents(folders: Iterable[str], paths: Iterable[str]) -> set[str]:
    found = {""}
    for folder in {*folders, *(path.rpartition("/")[0] for path in paths)}:
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _list_git(git: Git, root: Path) -> Listing:
    """Files, and folders without files: untracked ones, empty ones, and those whose files are all ignored.

    A new file in any of these folders would be listed, unless the folder itself is ignored.
    """
    with (
        git.start(*_LS, "--others", "--directory") as list_untracked,
        git.start(*_LS, "--others", "--ignored", "--directory") as list_passed_over,
    ):
        paths, _ = _files_and_folders(git.run(*_LS, "--cached", "--others", "--deduplicate"))
        _, untracked = _files_and_folders(list_untracked())
        _, passed_over = _files_and_folders(list_passed_over())
    ignored = _ignored_themselves(git, root, passed_over)
    return Listing(paths, *_folders_below(root, untracked | (passed_over - ignored), ignored))


def _ignored_themselves(git: Git, root: Path, folders: set[str]) -> set[str]:
    """The folders that a pattern ignores themselves, not just all their files."""
    if not folders:
        return set()
    # This command has no literal mode; a leading `./` keeps git from reading a name as anything else.
    names = b"".join(b"./" + os.fsencode(folder) + b"/\0" for folder in sorted(folders))
    command = [word for word in git.arguments("check-ignore", "-z", "--stdin") if word != "--literal-pathspecs"]
    try:
        listed = finish(start(command, cwd=root), names, work_tree=root)
    except GitError:
        return set()  # the exit code says that none is ignored
    return {os.fsdecode(name[2:-1]) for name in listed.split(b"\0") if name}


def _list_git_ignored(git: Git, root: Path) -> Listing:
    with git.start(*_LS, "--others", "--ignored", "--directory") as list_folders:
        paths, _ = _files_and_folders(git.run(*_LS, "--others", "--ignored"))
        _, ignored = _files_and_folders(list_folders())
    return Listing(paths, *_folders_below(root, ignored, set()))


def _files_and_folders(listed: bytes) -> tuple[list[str], set[str]]:
    """Split git's list: folders, and repositories inside this one, end in a slash."""
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [name for name in names if name[-1] != "/"], {name[:-1] for name in names if name[-1] == "/"}


def _folders_below(root: Path, tops: set[str], passed_over: set[str]) -> tuple[set[str], list[str]]:
    found = set(tops)
    too_deep: list[str] = []
    for top in tops:
        for folder, names, _ in walk_folders(root, top, too_deep):
            names[:] = [name for name in names if name != ".git" and f"{folder}/{name}" not in passed_over]
            found.update(f"{folder}/{name}" for name in names)
    return found, too_deep


def _walk(root: Path, *, obey_gitignore: bool) -> Listing:
    """All files below a plain folder, or those that its .gitignore files don't exclude. Links are not followed."""
    found = Listing([], set(), [])
    rules = IgnoreRules({})
    for folder, names, leaves in walk_folders(root, "", found.too_deep):
        found.folders.add(folder)
        prefix = f"{folder}/" if folder else ""
        if obey_gitignore and ".gitignore" in leaves:
            rules.add(folder, ignore_text(root, f"{prefix}.gitignore"))
        names[:] = sorted(n for n in names if n != ".git" and not rules.ignores(f"{prefix}{n}", is_folder=True))
        found.paths.extend(f"{prefix}{name}" for name in sorted(leaves) if not rules.ignores(f"{prefix}{name}"))
    return found
