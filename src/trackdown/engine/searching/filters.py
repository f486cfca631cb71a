"""Filters of a search: languages and a folder. Names are checked before the search starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import UsageError
from trackdown.index import CodeIndex, Mask
from trackdown.units import BY_NAME, TEXT

NOWHERE = "\0"
"""A folder that no path is below."""


def checked_languages(languages: Sequence[str]) -> tuple[str, ...]:
    """Normalized names of languages, without duplicates. Raises UsageError for an unknown one."""
    wanted = tuple(dict.fromkeys(name.strip().lower() for name in languages))
    for name in wanted:
        if name not in BY_NAME and name != TEXT:
            raise UsageError(f"unknown language {name!r}; known are {', '.join(sorted([*BY_NAME, TEXT]))}")
    return wanted


def checked_folder(folder: str) -> str:
    """A folder's path from the root, without outer slashes; '' for the root. Raises UsageError for one outside."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith("/") or ".." in parts or "\0" in folder:
        raise UsageError(f"{folder!r} is not a folder of the repository: give its path from the root, such as src/web")
    return "/".join(parts)


def intersection(folder: str, subfolder: str) -> str:
    """The folder that is below both; NOWHERE if there is none."""
    if not folder or f"{subfolder}/".startswith(f"{folder}/"):
        return subfolder
    return folder if not subfolder or folder.startswith(f"{subfolder}/") else NOWHERE


def lies_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or below it; everything is below ''."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def files_below(code: CodeIndex, folder: str) -> Mask:
    """Which of the index's files are below a folder."""
    inside = np.zeros(len(code.file_alive), dtype=bool)
    inside[[file for path, file in code.files_by_path.items() if lies_below(path, folder)]] = True
    return inside


def filter_notes(code: CodeIndex, languages: Sequence[str], folder: str) -> list[str]:
    """Notes about filters that match no file."""
    notes = []
    missing = [name for name in languages if name not in code.languages()]
    if missing:
        notes.append(f"no indexed file is in {', '.join(missing)}")
    if folder and not any(lies_below(path, folder) for path in code.files_by_path):
        notes.append(f"no indexed file is below {folder}")
    return notes
