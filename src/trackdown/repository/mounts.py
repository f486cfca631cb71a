"""Which kind of file system a folder is on: on some, changes made elsewhere come without an event."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_SEEN_FROM_ELSEWHERE = frozenset(
    "9p afs ceph cifs coda drvfs gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 prl_fs smb3 smbfs vboxsf virtiofs "
    "vmhgfs".split()
)


def changes_unseen(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether others may change this folder without our kernel hearing of it: it is shared or on a network."""
    kind = file_system(folder, mounts)
    return kind in _SEEN_FROM_ELSEWHERE or kind.startswith("fuse.")


def file_system(folder: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system that a folder is on, as Linux names it; "" where that cannot be known."""
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
        if inside and len(point) >= best:  # of two on one folder, the later one is what is seen
            best, found = len(point), right.split(b" ")[0]
    return os.fsdecode(found)
