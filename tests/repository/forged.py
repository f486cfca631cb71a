"""Objects whose content does not match their id, as somebody could put them into a clone by hand."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path

_PACKED_KIND = {"commit": 1, "tree": 2, "blob": 3}


def forge_loose(git_dir: Path, oid: str, kind: str, content: bytes) -> None:
    """Put a loose object in the place of the one with this id."""
    path = git_dir / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def forge_packed(git_dir: Path, oid: str, kind: str, content: bytes) -> None:
    """Put a pack beside the others, whose index says that the object in it has this id."""
    (git_dir / "objects" / oid[:2] / oid[2:]).unlink(missing_ok=True)
    algorithm = hashlib.sha1 if len(oid) == 40 else hashlib.sha256
    head, left = bytearray(), len(content) >> 4
    first = _PACKED_KIND[kind] << 4 | len(content) & 15
    while left:
        head.append(first | 0x80)
        first, left = left & 0x7F, left >> 7
    head.append(first)
    entry = bytes(head) + zlib.compress(content)
    pack = b"PACK" + struct.pack(">II", 2, 1) + entry
    pack += algorithm(pack).digest()
    name = bytes.fromhex(oid)
    fan_out = struct.pack(">256I", *(int(number >= name[0]) for number in range(256)))
    index = b"\xfftOc" + struct.pack(">I", 2) + fan_out + name + struct.pack(">II", zlib.crc32(entry), 12)
    index += pack[-algorithm().digest_size :]
    index += algorithm(index).digest()
    folder = git_dir / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    (folder / f"pack-{oid}.pack").write_bytes(pack)
    (folder / f"pack-{oid}.idx").write_bytes(index)
