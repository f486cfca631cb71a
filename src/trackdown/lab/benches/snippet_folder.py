"""Snippets as a folder that can be searched: one file each, named by number, so that names give nothing away."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import TrackdownError, UsageError
from trackdown.repository import IGNORE_FILE, open_source

MARK = ".snippets.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class SnippetFolder:
    """A folder of snippets, and the file name of each by its key."""

    folder: Path
    files: Mapping[str, str]


def write_corpus(corpora: Path, name: str, snippets: Mapping[str, str], ending: str) -> SnippetFolder:
    """Write snippets as files of a folder below `corpora`, unless they are there already.

    The folder is named after the set and its content, so that no set takes another's place, and appears whole or not at
    all. Raises UsageError when it cannot be written, is somebody else's, or would lie in a git repository, whose rules
    and history would come along.
    """
    files = {key: f"{number:06d}{ending}" for number, key in enumerate(snippets)}
    contents = {files[key]: _encoded(code) for key, code in snippets.items()}
    digest = _digest(contents)
    folder = corpora.absolute() / f"{name}-{digest[:12]}"
    _check_is_outside_git(folder)
    if not _holds(folder, digest, contents):
        _check_is_ours(folder)
        _write(folder, digest, contents, ending)
    return SnippetFolder(folder, files)


def _write(folder: Path, digest: str, contents: Mapping[str, bytes], ending: str) -> None:
    """Make the folder aside and move it into place."""
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        aside.mkdir(parents=True)
        for name, content in contents.items():
            (aside / name).write_bytes(content)
        # Every rule that would leave out a file is overruled for the snippets, and nothing else is one.
        (aside / IGNORE_FILE).write_text(f"*\n!*{ending}\n", "utf-8")
        (aside / MARK).write_text(json.dumps({"format": _FORMAT, "digest": digest, "count": len(contents)}), "utf-8")
        _move_into_place(aside, folder)
    except OSError as error:
        if not _holds(folder, digest, contents):  # another process was faster
            raise UsageError(f"cannot write the snippets to {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _encoded(code: str) -> bytes:
    return code.replace("\0", " ").encode("utf-8", "replace")


def _digest(contents: Mapping[str, bytes]) -> str:
    found = hashlib.sha256()
    for name, content in contents.items():
        found.update(b"%s %d\n" % (name.encode(), len(content)) + content)
    return found.hexdigest()


def _holds(folder: Path, digest: str, contents: Mapping[str, bytes]) -> bool:
    """Whether a folder is the corpus of these contents, with nothing missing, added or cut short."""
    try:
        mark = json.loads((folder / MARK).read_text("utf-8"))
        with os.scandir(folder) as entries:
            sizes = {entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries}
    except (OSError, ValueError):
        return False
    if not isinstance(mark, dict) or (mark.get("format"), mark.get("digest")) != (_FORMAT, digest):
        return False
    own = {name: size for name, size in sizes.items() if name not in (MARK, IGNORE_FILE)}
    return IGNORE_FILE in sizes and own == {name: len(content) for name, content in contents.items()}


def _check_is_ours(folder: Path) -> None:
    """Raises UsageError unless the folder is missing, empty, or one that we wrote."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder: remove it, or name another place for the snippets")
    if folder.is_dir() and not (folder / MARK).is_file() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files: remove it, or name another place for the snippets")


def _check_is_outside_git(folder: Path) -> None:
    above = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    try:
        inside = open_source(above).git is not None
    except TrackdownError:
        inside = False
    if inside:
        raise UsageError(f"{folder} lies in a git repository: name a place outside for the snippets")


def _move_into_place(aside: Path, folder: Path) -> None:
    """Put a folder where there may be an older one."""
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    if folder.exists():
        folder.rename(old)
    try:
        aside.rename(folder)
    finally:
        shutil.rmtree(old, ignore_errors=True)
