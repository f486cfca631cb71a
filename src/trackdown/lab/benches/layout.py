"""Where the clone of a repository lies: `owner/name` → a folder, by the way in which a user lays out clones."""

from __future__ import annotations

import os
from pathlib import Path
from string import Formatter

from trackdown.errors import UsageError

_PLACEHOLDERS = frozenset({"owner", "name"})


def find_repository(repos: Path, layout: str, name: str) -> Path | None:
    """The clone of `owner/name` below `repos`, by a layout: '{owner}/{name}', '{owner}+{name}/repo' or '{name}'.

    None where there is no such folder, and for a name that is not `owner/name` or would lead out of `repos`. Where the
    exact name is missing, one that differs in case only is taken, as GitHub does. Raises UsageError when the layout
    cannot be read or `repos` is no folder.
    """
    _check_layout(layout)
    if not os.path.isdir(repos):
        raise UsageError(f"{repos} is no folder: name the one that holds the clones")
    owner, slash, own_name = name.partition("/")
    if not slash or not (_is_plain(owner) and _is_plain(own_name)):
        return None
    found = Path(repos)
    for part in layout.format(owner=owner, name=own_name).split("/"):
        below = _below(found, part)
        if below is None:
            return None
        found = below
    return found


def _check_layout(layout: str) -> None:
    asked = f"the layout {layout!r} of the clones"
    try:
        pieces = list(Formatter().parse(layout))
    except ValueError as error:
        raise UsageError(f"{asked} cannot be read: {error}") from None
    for _, field, specification, conversion in pieces:
        if field is not None and (field not in _PLACEHOLDERS or specification or conversion):
            raise UsageError(f"{asked} may hold {{owner}} and {{name}}, not {{{field}}}")
    if "name" not in {field for _, field, _, _ in pieces}:
        raise UsageError(f"{asked} must hold {{name}}")
    if layout.startswith("/") or "\0" in layout or ".." in layout.split("/"):
        raise UsageError(f"{asked} must stay below the folder of the clones")


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and not set(part) & {"/", "\\", "\0"}


def _below(folder: Path, part: str) -> Path | None:
    """The folder of this name in another, in any case where the exact one is missing."""
    exact = folder / part
    if os.path.isdir(exact):
        return exact
    try:
        alike = sorted(other for other in os.listdir(folder) if other.casefold() == part.casefold())
    except OSError:
        return None
    return next((folder / other for other in alike if os.path.isdir(folder / other)), None)
