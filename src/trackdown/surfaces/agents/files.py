"""Putting a part of ours into a file of the user's, and taking it back: whole or not at all, with a copy kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trackdown.errors import UsageError
from trackdown.surfaces.agents.parts import Part

Action = Literal["added", "changed", "there already", "removed", "restored", "not there"]
_ATTEMPTS = 3
_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done to a file. `backup` is where the text from before is kept, if it is."""

    file: Path
    action: Action
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class Backups:
    """Copies of files from before a part of ours came in, in a folder that only the user can read."""

    folder: Path

    def place(self, file: Path) -> Path:
        """Where the copy of a file is kept."""
        digest = hashlib.sha256(os.fsencode(file)).hexdigest()[:10]
        return self.folder / f"{file.name.lstrip('.')}-{digest}"

    def read(self, file: Path) -> str | None:
        """The copy of a file; None when there is none."""
        return _read(self.place(file))

    def keep(self, file: Path, text: str) -> Path:
        """Keep a copy, in place of an older one."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(self.place(file), text, 0o600, expected=_read(self.place(file)))
        return self.place(file)

    def forget(self, file: Path) -> None:
        """Remove the copy of a file."""
        self.place(file).unlink(missing_ok=True)


def install(file: Path, part: Part, backups: Backups) -> Outcome:
    """Put a part into a file, which is made when it is not there. Raises UsageError; the file is as before then."""
    file = Path(os.path.realpath(file))
    with _told(file):
        for attempt in range(_ATTEMPTS):
            before = _read(file)
            was_in = before is not None and part.is_in(before)
            after = part.put(before or "")
            if after == before:
                return Outcome(file, "there already", _kept(backups, file))
            # A copy from before an earlier install is the one to go back to.
            if before is not None and not (was_in and backups.place(file).exists()):
                backups.keep(file, before)
            elif before is None:
                backups.forget(file)
            file.parent.mkdir(parents=True, exist_ok=True)
            if _write(file, after, 0o600, expected=before, last=attempt == _ATTEMPTS - 1):
                return Outcome(file, "changed" if was_in else "added", _kept(backups, file))
    raise AssertionError("the last attempt writes or raises")


def undo(file: Path, part: Part, backups: Backups) -> Outcome:
    """Take a part out of a file, and with it the file if it was made for it. Raises UsageError."""
    file = Path(os.path.realpath(file))
    with _told(file):
        for attempt in range(_ATTEMPTS):
            now, original = _read(file), backups.read(file)
            if now is None or not part.is_in(now):
                backups.forget(file)
                return Outcome(file, "not there")
            unchanged = original is not None and part.put(original) == now
            after = original if original is not None and unchanged else part.drop(now, original or "")
            is_last = attempt == _ATTEMPTS - 1
            if original is None and part.is_empty(after):
                if _read(file) == now or is_last:
                    file.unlink()
                    return Outcome(file, "removed")
            elif _write(file, after, 0o600, expected=now, last=is_last):
                backups.forget(file)
                return Outcome(file, "restored" if after == original else "removed")
    raise AssertionError("the last attempt writes or raises")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What goes wrong with a file, said of that file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{file} is left as it is: {error}") from None
    except OSError as error:
        raise UsageError(f"{file} is left as it is: {error.strerror or error}") from None


def _kept(backups: Backups, file: Path) -> Path | None:
    place = backups.place(file)
    return place if place.exists() else None


def _read(file: Path) -> str | None:
    """The text of a file, line ends and all; None when there is none."""
    try:
        with file.open("rb") as stream:
            if not file.is_file():
                raise UsageError("it is not a plain file")
            data = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(data) > _LARGEST:
        raise UsageError("it is too large to be settings")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("it is not UTF-8") from None


def _write(file: Path, text: str, mode: int, *, expected: str | None, last: bool = True) -> bool:
    """Write a text aside and rename it into place, with the rights that the file has; `mode` for a new one.

    False when the file changed since it was read as `expected`, and another attempt may follow.
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
