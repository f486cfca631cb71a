"""Scan a folder on disk into a snapshot, reading only what changed.

The state of the last scan holds the stat data and the content id of each file, and the folders that were listed. As in
git's racy-clean rule, a file is read again if it changed so recently that its timestamp could hide a second change. The
list of files is taken from the state as long as no folder, ignore file or git index has changed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from trackdown.repository.blobs import blob_id, read_on_disk
from trackdown.repository.git import StartedCommand
from trackdown.repository.ignore import IGNORE_FILE, IgnoreRules
from trackdown.repository.listing import existing_files, ignore_text, list_files, list_ignored
from trackdown.repository.listing_inputs import git_inputs, user_inputs, witness
from trackdown.repository.snapshot import File, Snapshot, snapshot_key, sorted_by_path
from trackdown.repository.source import Source
from trackdown.repository.worktree_state import STATE_VERSION, FileState, WorktreeState
from trackdown.types import Exclusion

_RACY_NS = 2_000_000_000
_FORCED_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class WorktreeScan:
    """What is on disk now, the state for the next scan, and whether that state should be saved."""

    snapshot: Snapshot
    state: WorktreeState
    changed: bool


def scan_worktree(
    source: Source, state: WorktreeState | None, max_bytes: int, last: Snapshot | None = None
) -> WorktreeScan:
    """Scan a folder, starting from the state of an earlier scan. `last` is that scan's snapshot, if available."""
    relisted = state is None or state.max_bytes != max_bytes or not _listing_is_current(source, state)
    status = None
    if state is None or relisted:
        status = _start_status(source)
        try:
            state = _list(source, state, max_bytes)
        except BaseException:
            if status is not None:
                status.stop()
            raise
    before = state.key
    changed = _refresh(source, state)
    head = source.head()
    if last is not None and last.key == state.key and not relisted and not changed and head == state.head:
        return WorktreeScan(last, state, False)
    files = sorted_by_path(File(path, seen.oid, seen.forced) for path, seen in state.files.items() if seen.oid)
    excluded = [Exclusion(path, reason) for path, reason in state.left_out.items()]
    excluded += [Exclusion(path, seen.reason) for path, seen in state.files.items() if not seen.oid]
    key = snapshot_key(files, max_bytes)
    if relisted or key != before or head != state.head:
        status = status or _start_status(source)
        state.dirty, changed = status is not None and bool(status()), True
    state.key, state.head = key, head
    notes = tuple(state.notes)
    snapshot = Snapshot(source, head, state.dirty, True, files, tuple(excluded), key, notes, max_bytes)
    return WorktreeScan(snapshot, state, changed)


def _start_status(source: Source) -> StartedCommand | None:
    """Start `git status` in the background: is anything not committed?"""
    if source.git is None:
        return None
    status = ("status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules")
    return source.git.start(*status, config=source.git.without_filters())


def _listing_is_current(source: Source, state: WorktreeState) -> bool:
    """Whether no folder and no witness has changed since the files were listed."""
    root = str(source.root)
    racy = state.listed_at - _RACY_NS
    try:
        for folder, changed_at in state.folders.items():
            if changed_at > racy or os.lstat(f"{root}/{folder}" if folder else root).st_ctime_ns != changed_at:
                return False
    except OSError:
        return False
    if source.git is not None and state.user_inputs != user_inputs():
        return False  # the last scan was another user's, or had another home
    return all(max(seen[:2]) <= racy and witness(path) == seen for path, seen in state.witnesses.items())


def listing_inputs_unchanged(state: WorktreeState) -> bool:
    """Whether git's index, its configuration and all ignore files are unchanged. Not all are in watched folders."""
    return all(witness(path) == seen for path, seen in state.witnesses.items())


def _list(source: Source, previous: WorktreeState | None, max_bytes: int) -> WorktreeState:
    """List the files again, keeping what is known of each."""
    listed_at = time.time_ns()
    root = source.root
    outside = git_inputs(source)
    paths, folders, too_deep = list_files(source)
    ignore_files = existing_files(root, folders, IGNORE_FILE)
    rules = IgnoreRules({path.rpartition("/")[0]: ignore_text(root, path) for path in ignore_files})
    if rules.brings_back:
        ignored, more, deeper = list_ignored(source)
        paths = list(dict.fromkeys([*paths, *(path for path in ignored if rules.ignores(path) is False)]))
        folders = folders | more
        too_deep = [*too_deep, *deeper]
    inside = [str(root / path) for path in [*ignore_files, *existing_files(root, folders, ".gitignore")]]
    times, linked = _stat_folders(root, folders)
    known = previous.files if previous is not None and previous.max_bytes == max_bytes else {}
    files: dict[str, FileState] = {}
    left_out: dict[str, str] = {}
    for path in paths:
        reason, forced = rules.decide(path)
        seen = known.get(path)
        if path.rpartition("/")[0] in linked:
            continue
        if reason:
            left_out[path] = reason
        elif seen is not None and seen.forced == forced:
            files[path] = seen
        else:
            files[path] = FileState(0, 0, -1, 0, "", "", forced, True)
    state = WorktreeState(STATE_VERSION, listed_at, times, {}, files, left_out, max_bytes)
    state.witnesses = {path: witness(path) for path in [*inside, *outside]}
    state.user_inputs = user_inputs()
    state.withdrawn = _withdrawn(root, previous, state) if previous is not None else {}
    state.notes = [*rules.notes, *([_too_deep(too_deep)] if too_deep else [])]
    return state


def _withdrawn(root: Path, previous: WorktreeState, state: WorktreeState) -> dict[str, str]:
    """Files that are there but no longer listed, or left out by a rule on names, and the ids of their contents."""
    found = dict(previous.withdrawn)
    for path, seen in previous.files.items():
        if seen.oid and path not in state.files and (path in state.left_out or os.path.lexists(f"{root}/{path}")):
            found[path] = seen.oid
    return found


def _too_deep(folders: list[str]) -> str:
    return f"{len(folders)} folders below {folders[0][:40]}… are nested too deeply to be opened and were left out"


def _stat_folders(root: Path, folders: Iterable[str]) -> tuple[dict[str, int], set[str]]:
    """When each folder changed, and which are links or behind one: like git, we don't follow them."""
    times: dict[str, int] = {}
    linked: set[str] = set()
    for folder in sorted(folders):
        if folder and folder.rpartition("/")[0] in linked:
            linked.add(folder)
            continue
        try:
            found = os.lstat(f"{root}/{folder}") if folder else os.stat(root)
        except OSError:
            continue
        times[folder] = found.st_ctime_ns
        if stat.S_ISLNK(found.st_mode):
            linked.add(folder)
    return times, linked


def _refresh(source: Source, state: WorktreeState) -> bool:
    """Read files that changed on disk again. Returns whether any did.

    From the first change on the state has no key until the scan is done, so an interrupted scan does no harm.
    """
    root = str(source.root)
    changed = False
    gone: list[str] = []
    for path, seen in state.files.items():
        try:
            found = os.lstat(f"{root}/{path}")
        except PermissionError:  # in a folder that we may not enter
            if seen.reason != "unreadable":
                changed, state.key = True, ""
                seen.oid, seen.reason, seen.racy = "", "unreadable", True
            continue
        except (OSError, ValueError):
            gone.append(path)
            continue
        if (
            not seen.racy
            and found.st_mtime_ns == seen.mtime
            and found.st_size == seen.size
            and found.st_ctime_ns == seen.ctime
            and found.st_ino == seen.inode
        ):
            continue
        changed, state.key = True, ""
        _reread(source, path, seen, found, state.max_bytes)
    if gone:
        state.key = ""
    for path in gone:
        del state.files[path]
    return changed or bool(gone)


def _reread(source: Source, path: str, seen: FileState, found: os.stat_result, max_bytes: int) -> None:
    now = time.time_ns()
    seen.mtime, seen.ctime, seen.size, seen.inode = found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
    seen.racy = max(found.st_mtime_ns, found.st_ctime_ns) > now - _RACY_NS
    seen.oid, seen.reason = "", ""
    if stat.S_ISLNK(found.st_mode):
        seen.reason = "symlink"
    elif stat.S_ISDIR(found.st_mode):
        seen.reason = "submodule"
    elif not stat.S_ISREG(found.st_mode):
        seen.reason = "unreadable"
    elif found.st_size > (_FORCED_MAX_BYTES if seen.forced else max_bytes):
        seen.reason = "large"
    else:
        data = read_on_disk(source.root, path)
        if data is None:
            seen.reason, seen.racy = "unreadable", True
        else:
            seen.oid = blob_id(data, source.object_format)
