"""A snapshot: the files of a commit and those that rules excluded. `worktree.py` makes snapshots of folders on disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from trackdown.errors import GitError
from trackdown.repository.content_rules import DEFAULT_MAX_BYTES
from trackdown.repository.ignore import IGNORE_FILE, IgnoreRules
from trackdown.repository.listing import decode_ignore_file
from trackdown.repository.source import Source
from trackdown.types import Exclusion, SnapshotInfo

_SUBMODULE, _SYMLINK = b"160000", b"120000"


@dataclass(frozen=True, slots=True)
class File:
    """A path and the id of its content. A `forced` file is included even if a rule on content would exclude it."""

    path: str
    oid: str
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files to search, sorted by path, and those that rules on paths excluded.

    `commit` is the commit whose past is visible; None without history. Files of more than `max_bytes` are not indexed,
    unless they are forced. Snapshots with equal `key` have the same files and limit, and share one code index.
    """

    source: Source
    commit: str | None
    dirty: bool
    on_disk: bool
    files: tuple[File, ...]
    excluded: tuple[Exclusion, ...]
    key: str
    notes: tuple[str, ...] = ()
    max_bytes: int = DEFAULT_MAX_BYTES

    @property
    def info(self) -> SnapshotInfo:
        """Which state of which repository this is, for answers."""
        return SnapshotInfo(self.source.name, self.commit, self.dirty)


def snapshot_key(files: Iterable[File], max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """A hash of paths, contents, forced files and the limit on a file's size."""
    lines = [f"{file.path}\0{file.oid}{'!' if file.forced else ''}\n" for file in files]
    if max_bytes != DEFAULT_MAX_BYTES:
        lines.append(f"\0{max_bytes}\n")  # no path is empty
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def commit_snapshot(source: Source, commit: str, max_bytes: int = DEFAULT_MAX_BYTES) -> Snapshot:
    """The tree of a commit."""
    assert source.git is not None
    modes: list[tuple[bytes, str, str]] = []
    ignore_files: dict[str, str] = {}
    for record in source.git.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        if not record:
            continue
        head, _, name = record.partition(b"\t")
        mode, _, oid = head.split(b" ")[:3]
        path = os.fsdecode(name)
        modes.append((mode, oid.decode("ascii"), path))
        if path.rsplit("/", 1)[-1] == IGNORE_FILE and mode not in (_SUBMODULE, _SYMLINK):
            ignore_files[path.rpartition("/")[0]] = oid.decode("ascii")
    rules = IgnoreRules({folder: _blob_text(source, oid) for folder, oid in ignore_files.items()})
    files: list[File] = []
    excluded: list[Exclusion] = []
    for mode, blob, path in modes:
        reason, forced = rules.decide(path)
        if mode in (_SUBMODULE, _SYMLINK):
            reason = "submodule" if mode == _SUBMODULE else "symlink"
        if reason:
            excluded.append(Exclusion(path, reason))
        else:
            files.append(File(path, blob, forced))
    ordered = sorted_by_path(files)
    key, notes = snapshot_key(ordered, max_bytes), tuple(rules.notes)
    return Snapshot(source, commit, False, False, ordered, tuple(excluded), key, notes, max_bytes)


def sorted_by_path(files: Iterable[File]) -> tuple[File, ...]:
    """Files in the order that every index uses."""
    return tuple(sorted(files, key=lambda file: file.path))


def _blob_text(source: Source, oid: str) -> str:
    assert source.git is not None
    try:
        return decode_ignore_file(source.git.run("cat-file", "blob", oid))
    except GitError:
        return ""
