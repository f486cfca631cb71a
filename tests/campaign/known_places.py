"""Which files, symbols and lines a repository has ever had, as git tells it.

A partial answer may lack anything, but what it has must exist. This is found without the program under test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.conftest import Repo


@dataclass(frozen=True)
class KnownPlaces:
    """The texts that each path of a repository had in any commit."""

    texts: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, repo: Repo) -> KnownPlaces:
        """Read them from all commits of a repository whose paths have no odd characters."""
        found: dict[str, dict[str, str]] = {}
        for commit in repo.git("rev-list", "--all").split():
            for line in repo.git("ls-tree", "-r", commit).splitlines():
                what, _, path = line.partition("\t")
                oid = what.split()[2]
                if oid not in found.setdefault(path, {}):
                    found[path][oid] = repo.git("cat-file", "blob", oid)
        return cls({path: tuple(texts.values()) for path, texts in found.items()})

    def problem(self, answer: Any) -> str:
        """What an answer names that never was, or nothing."""
        return next(filter(None, map(self._problem, _places(answer))), "")

    def _problem(self, place: dict[str, Any]) -> str:
        path, symbol = place["path"], place.get("symbol") or ""
        first, last = place.get("start_line") or 1, place.get("end_line") or 1
        texts = self.texts.get(path) if isinstance(path, str) else None
        if texts is None:
            return f"there never was a file {path!r}"
        name = re.split(r"[.:#/]+", symbol)[-1] if isinstance(symbol, str) else None
        if name is None or not any(name in text for text in texts):
            return f"{path} never had {symbol!r}"
        if not 1 <= first <= last <= max(text.count("\n") + 1 for text in texts):
            return f"{path} never had the lines {first} to {last}"
        return ""


def _places(answer: Any) -> Iterator[dict[str, Any]]:
    """All objects in an answer that have a path."""
    if isinstance(answer, dict):
        if "path" in answer:
            yield answer
        for value in answer.values():
            yield from _places(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from _places(value)
