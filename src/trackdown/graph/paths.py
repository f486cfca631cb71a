"""Paths within a repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def joined_path(folder: str, relative: str) -> str:
    """A path relative to a folder, without dots; empty for the root. It begins with `..` if it leaves the root."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def shared_length(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of leading parts that two paths share."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def nearest_path(path: str, candidates: Iterable[str]) -> str | None:
    """The candidate that shares most folders with a path, of several the shortest; None for no candidates."""
    here = path.split("/")[:-1]
    return min(
        candidates,
        key=lambda other: (-shared_length(here, other.split("/")[:-1]), len(other), other),
        default=None,
    )
