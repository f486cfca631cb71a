"""What a scan of a folder on disk leaves for the next one, and how it is stored."""

from __future__ import annotations

import msgspec

from trackdown.repository.listing_inputs import Witness

STATE_VERSION = 3
"""Raise it when a scan must not start from an older state: its layout changed, or a rule on names did."""


class FileState(msgspec.Struct, array_like=True):
    """A file as of the last scan. With an empty `oid` it was excluded for `reason`."""

    mtime: int
    ctime: int
    size: int
    inode: int
    oid: str
    reason: str
    forced: bool
    racy: bool


class WorktreeState(msgspec.Struct, array_like=True):
    """What the next scan starts from.

    `folders` are those in which a new file would be listed, with the time of their last change (ctime, because an
    archive can set mtime). `witnesses` are stat data of files that decide what is listed (listing_inputs.py), and
    `user_inputs` those of them that follow from the user's environment. `withdrawn` are files that were searchable
    and are ignored now, with the ids of their contents; they have to leave the store.
    """

    version: int
    listed_at: int
    folders: dict[str, int]
    witnesses: dict[str, Witness]
    files: dict[str, FileState]
    left_out: dict[str, str]
    max_bytes: int
    head: str | None = None
    dirty: bool = False
    key: str = ""
    user_inputs: list[str] = []
    withdrawn: dict[str, str] = {}
    notes: list[str] = []


def encode_state(state: WorktreeState) -> bytes:
    """State → bytes. If a name is not UTF-8, only what is known of the other files: the next scan lists them again."""
    return msgspec.msgpack.encode(state if _is_clean(state) else _clean_part(state))


def decode_state(data: bytes) -> WorktreeState | None:
    """Bytes → state; None if they are damaged or of another version."""
    try:
        state = msgspec.msgpack.decode(data, type=WorktreeState)
    except msgspec.DecodeError:
        return None
    return state if state.version == STATE_VERSION else None


def _is_clean(state: WorktreeState) -> bool:
    names = (state.files, state.folders, state.left_out, state.witnesses, state.withdrawn)
    return all(_is_utf8("\0".join(some)) for some in names)


def _clean_part(state: WorktreeState) -> WorktreeState:
    """What can be stored of a state. It holds no list that could pass for the present one: its root is out of date."""
    files = {path: seen for path, seen in state.files.items() if _is_utf8(path)}
    withdrawn = {path: oid for path, oid in state.withdrawn.items() if _is_utf8(path)}
    return WorktreeState(state.version, 0, {"": 1}, {}, files, {}, state.max_bytes, withdrawn=withdrawn)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
