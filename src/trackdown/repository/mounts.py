"""The type of a folder's file system. On some of them, changes made elsewhere cause no event."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_SHARED_TYPES = frozenset(
    "9p afs ceph cifs coda drvfs gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 prl_fs smb3 smbfs vboxsf virtiofs "
    "vmhgfs".split()
)


def changes_unseen(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether others can change this folder without an event from our kernel: it is shared or on a network."""
    kind = file_system(folder, mounts)
    return kind in _SHARED_TYPES or kind.startswith("fuse.")


def file_system(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Linux's name for the type of a folder's file system; "" if unknown."""
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return ""
    place = os.fsencode(folder)
    best, found = -1, b""
    for line in lines:
        left, _, right = line.partition(b" - ")
        fields = left.split(b" ")
        if len(fields) < 5 or not right:
            continue
        point = _OCTAL.sub(lambda code: bytes([int(code[1], 8)]), fields[4])
        inside = point == b"/" or place == point or place.startswith(point + b"/")
        if inside and len(point) >= best:  # of two mounts on one folder, the later one is visible
            best, found = len(point), right.split(b" ")[0]
    return os.fsdecode(found)
