"""What a commit's snapshot holds, asked for a few paths: the same rules, without a list of the whole tree."""

from __future__ import annotations

import os
from collections.abc import Iterable

from trackdown.repository.blobs import BlobReader
from trackdown.repository.git import Git
from trackdown.repository.ignore import IGNORE_FILE, IgnoreRules
from trackdown.repository.snapshot import File

_NO_FILES = (b"160000", b"120000", b"040000")  # submodules, links, folders


def files_among(git: Git, blobs: BlobReader, commit: str, paths: Iterable[str]) -> dict[str, File]:
    """Those of the paths that a commit's snapshot takes in. Raises GitError when its trees cannot be read."""
    wanted = set(paths)
    listed = regular_files(git, commit, wanted | set(_ignore_files(wanted)))
    texts = {
        path.rpartition("/")[0]: (blobs.read(oid) or b"").decode("utf-8", "replace")
        for path, oid in listed.items()
        if path.rsplit("/", 1)[-1] == IGNORE_FILE
    }
    rules = IgnoreRules(texts)
    found = {}
    for path in wanted & listed.keys():
        reason, forced = rules.decide(path)
        if not reason:
            found[path] = File(path, listed[path], forced)
    return found


def _ignore_files(paths: Iterable[str]) -> Iterable[str]:
    """Where the ignore files that rule over paths would stand."""
    for path in paths:
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            yield f"{folder}/{IGNORE_FILE}" if folder else IGNORE_FILE


def regular_files(git: Git, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blob ids of those paths that are files of a commit, neither links nor submodules. Raises GitError."""
    wanted = sorted(set(paths))
    found: dict[str, str] = {}
    if not wanted:
        return found
    for record in git.run("ls-tree", "-z", "--full-tree", commit, "--", *wanted).split(b"\0"):
        head, _, name = record.partition(b"\t")
        if name and head.split(b" ")[0] not in _NO_FILES:
            found[os.fsdecode(name)] = head.split(b" ")[2].decode("ascii")
    return found
