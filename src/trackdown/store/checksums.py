"""Checksums of stored values (xxh3): they detect a flipped bit, and a value that is stored under another key."""

from __future__ import annotations

from xxhash import xxh3_64_digest, xxh3_64_intdigest


def value_checksum(kind: str, key: str, value: bytes) -> bytes:
    """The checksum of a value under its kind and key: the same value under another key has another one."""
    return xxh3_64_digest(value, xxh3_64_intdigest(f"{kind}\0{key}".encode()))
