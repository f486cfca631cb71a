"""Files of weights: there, whole, and the ones that the manifest speaks of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import ModelError

AGAIN = "put the file there again, or reinstall trackdown if it came with the package"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What a manifest keeps of a file: its size and the sha256 of its content."""

    bytes: int
    sha256: str


def file_entry(path: Path) -> FileEntry:
    """Size and sha256 of a file as it is now. Raises ModelError when it cannot be read."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return FileEntry(stream.tell(), digest)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {AGAIN}") from None


def verified(path: Path, expected: FileEntry) -> Path:
    """The path, when its content is the expected one; ModelError says what is wrong otherwise.

    The whole file is hashed at every open: 24 MB take about 15 ms where the processor knows SHA, a tenth of what
    onnxruntime needs to load them, so there is no cheaper and weaker check beside it.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {AGAIN}") from None
    if size != expected.bytes:
        raise ModelError(f"{path} has {size} bytes instead of {expected.bytes}: {AGAIN}")
    if file_entry(path) != expected:
        raise ModelError(f"{path} does not have the content that its manifest names (sha256): {AGAIN}")
    return path
