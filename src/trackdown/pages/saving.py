"""A text or bytes → a file: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from trackdown.errors import UsageError


def place_to_save(path: Path, *, keep: Iterable[Path] = ()) -> Path:
    """Where to write what is to be at `path`; a link is followed.

    Raises UsageError when there is something else than a plain file, or one of the files to `keep`.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise UsageError(f"cannot write to {path}: it is a folder. Name a file in it")
        if target.exists() and not target.is_file():
            raise UsageError(f"cannot write to {path}: it is not a plain file")
        if any(target == Path(os.path.realpath(kept)) for kept in keep):
            raise UsageError(f"cannot write to {path}: it is one of the files to read. Name another")
        if not target.parent.is_dir():
            raise UsageError(f"cannot write to {path}: its folder does not exist")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write to {str(path)!r}: {error}") from None
    return target


def save(content: str | bytes, target: Path) -> None:
    """Write aside and rename into place. Raises UsageError if it cannot be written; nothing is left then."""
    aside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        with aside.open("xb") as stream:
            try:
                stream.write(content.encode() if isinstance(content, str) else content)
                stream.flush()
                os.replace(aside, target)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise UsageError(f"cannot write to {target}: {error.strerror}") from None
