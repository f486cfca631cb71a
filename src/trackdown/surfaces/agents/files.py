"""Insert our text into a user's file and remove it again: atomically, and with a copy of the previous file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trackdown.errors import UsageError
from trackdown.plain_files import open_plain
from trackdown.surfaces.agents.insertions import Insertion

Action = Literal["added", "changed", "there already", "removed", "restored", "not there"]
_ATTEMPTS = 3
_LARGEST = 64 << 20
_LONGEST_NAME = 100
"""Of a backup: a file's own name may be as long as names can be."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What was done to a file. `backup` is a copy of the previous file, if there is one."""

    file: Path
    action: Action
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class Backups:
    """Copies of files from before the first install, in a folder that only the user can read."""

    folder: Path

    def path_of(self, file: Path) -> Path:
        """Return the path of a file's copy."""
        digest = hashlib.sha256(os.fsencode(file)).hexdigest()[:10]
        return self.folder / f"{file.name.lstrip('.')[:_LONGEST_NAME]}-{digest}"

    def read(self, file: Path) -> str | None:
        """Return a file's copy; None if there is none."""
        return _read(self.path_of(file))

    def keep(self, file: Path, text: str) -> Path:
        """Write a copy in place of an older one."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(self.path_of(file), text, 0o600, expected=_read(self.path_of(file)))
        return self.path_of(file)

    def forget(self, file: Path) -> None:
        """Remove the copy of a file."""
        self.path_of(file).unlink(missing_ok=True)


def install(file: Path, insertion: Insertion, backups: Backups) -> FileChange:
    """Put an insertion into a file, or into a new one. Raises UsageError; the file is then unchanged."""
    file = Path(os.path.realpath(file))
    with _naming(file):
        for attempt in range(_ATTEMPTS):
            before = _read(file)
            was_in = before is not None and insertion.is_in(before)
            after = insertion.put(before or "")
            if after == before:
                return FileChange(file, "there already", _kept(backups, file))
            # The copy from before the first install is the one that undo goes back to.
            if before is not None and not (was_in and backups.path_of(file).exists()):
                backups.keep(file, before)
            elif before is None:
                backups.forget(file)
            for folder in [folder for folder in file.parents if not folder.exists()]:
                with suppress(OSError):  # without the mark, undo leaves an empty folder
                    backups.keep(folder, "")
            file.parent.mkdir(parents=True, exist_ok=True)
            if _write(file, after, 0o600, expected=before, last=attempt == _ATTEMPTS - 1):
                return FileChange(file, "changed" if was_in else "added", _kept(backups, file))
    raise AssertionError("the last attempt writes or raises")


def undo(file: Path, insertion: Insertion, backups: Backups) -> FileChange:
    """Remove an insertion from a file, and the file and its folders if install created them. Raises UsageError."""
    file = Path(os.path.realpath(file))
    with _naming(file):
        for attempt in range(_ATTEMPTS):
            now, original = _read(file), backups.read(file)
            if now is None or not insertion.is_in(now):
                backups.forget(file)
                _remove_created(file.parent, backups)
                return FileChange(file, "not there")
            unchanged = original is not None and insertion.put(original) == now
            after = original if original is not None and unchanged else insertion.drop(now, original or "")
            is_last = attempt == _ATTEMPTS - 1
            if original is None and insertion.is_empty(after):
                if _read(file) == now or is_last:
                    file.unlink()
                    _remove_created(file.parent, backups)
                    return FileChange(file, "removed")
            elif _write(file, after, 0o600, expected=now, last=is_last):
                for path in (file, *file.parents):  # folders that hold something of the user's are the user's
                    backups.forget(path)
                return FileChange(file, "restored" if after == original else "removed")
    raise AssertionError("the last attempt writes or raises")


def _remove_created(folder: Path, backups: Backups) -> None:
    """Remove a folder, and those above it, if install created them and nothing is in them."""
    while backups.read(folder) is not None:
        with suppress(OSError):
            folder.rmdir()
        backups.forget(folder)
        folder = folder.parent


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Turn every error into a UsageError that names the file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{file} is left as it is: {error}") from None
    except OSError as error:
        raise UsageError(f"{file} is left as it is: {error.strerror or error}") from None


def _kept(backups: Backups, file: Path) -> Path | None:
    path = backups.path_of(file)
    return path if path.exists() else None


def _read(file: Path) -> str | None:
    """Return the text of a file with its line ends; None if there is no file."""
    try:
        with open_plain(file) as stream:
            data = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(data) > _LARGEST:
        raise UsageError("it is too large for a settings file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("it is not UTF-8") from None


def _write(file: Path, text: str, mode: int, *, expected: str | None, last: bool = True) -> bool:
    """Write a new file next to the old one and rename it into place. It keeps the permissions; a new one gets `mode`.

    Returns False if the file no longer reads as `expected` and another attempt may follow.
    """
    aside = file.with_name(f".{file.name[:100]}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            if file.exists():
                os.fchmod(stream.fileno(), file.stat().st_mode & 0o7777)
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        if _read(file) != expected:
            if last:
                raise UsageError("another program keeps changing it: try again")
            return False
        os.replace(aside, file)
        return True
    finally:
        aside.unlink(missing_ok=True)
