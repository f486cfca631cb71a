"""What a caller may ask to see only: some languages, a folder. Names are checked before anything is searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import UsageError
from trackdown.index.bm25 import Mask
from trackdown.index.code import CodeIndex
from trackdown.units.languages import BY_NAME, TEXT

NOWHERE = "\0"
"""A folder that no path is below."""


def checked_languages(languages: Sequence[str]) -> tuple[str, ...]:
    """Names of languages as results write them. Raises UsageError for one that nobody knows."""
    wanted = tuple(dict.fromkeys(name.strip().lower() for name in languages))
    for name in wanted:
        if name not in BY_NAME and name != TEXT:
            raise UsageError(f"there is no language {name!r}; there are {', '.join(sorted([*BY_NAME, TEXT]))}")
    return wanted


def checked_folder(folder: str) -> str:
    """A folder below the root, without slashes around it; '' for the root. Raises UsageError for one that leaves it."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith("/") or ".." in parts or "\0" in folder:
        raise UsageError(f"{folder!r} is not a folder of the repository: name it from the root, like src/web")
    return "/".join(parts)


def intersection(folder: str, subfolder: str) -> str:
    """What lies below both of two folders."""
    if not folder or f"{subfolder}/".startswith(f"{folder}/"):
        return subfolder
    return folder if not subfolder or folder.startswith(f"{subfolder}/") else NOWHERE


def lies_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or stands below it; everything stands below ''."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def files_below(code: CodeIndex, folder: str) -> Mask:
    """Which of the index's files stand below a folder."""
    inside = np.zeros(len(code.file_alive), dtype=bool)
    inside[[file for path, file in code.files_by_path.items() if lies_below(path, folder)]] = True
    return inside


def filter_notes(code: CodeIndex, languages: Sequence[str], folder: str) -> list[str]:
    """Notes about filters that leave nothing to be found."""
    notes = []
    missing = [name for name in languages if name not in code.languages()]
    if missing:
        notes.append(f"no file is in {', '.join(missing)}")
    if folder and not any(path.startswith(f"{folder}/") or path == folder for path in code.files_by_path):
        notes.append(f"no indexed file is below {folder}")
    return notes
