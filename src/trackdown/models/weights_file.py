"""Verify files of weights against their manifest, by size and sha256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import ModelError
from trackdown.plain_files import open_plain

HOW_TO_FIX = "put the file there again, or reinstall trackdown if it came with the package"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A manifest's entry for a file: its size and the sha256 of its content."""

    bytes: int
    sha256: str


def file_entry(path: Path) -> FileEntry:
    """The present size and sha256 of a file. Raises ModelError when it cannot be read."""
    try:
        with open_plain(path) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return FileEntry(stream.tell(), digest)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {HOW_TO_FIX}") from None


def verified(path: Path, expected: FileEntry) -> Path:
    """The path, if its content is as expected. Raises ModelError otherwise.

    The file is hashed at every open: 24 MB take about 15 ms on a processor with SHA instructions, a tenth of the time
    that onnxruntime needs to load them, so a cheaper and weaker check would gain little.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {HOW_TO_FIX}") from None
    if size != expected.bytes:
        raise ModelError(f"{path} has {size} bytes instead of {expected.bytes}: {HOW_TO_FIX}")
    if file_entry(path) != expected:
        raise ModelError(f"{path} does not match the sha256 in its manifest: {HOW_TO_FIX}")
    return path
