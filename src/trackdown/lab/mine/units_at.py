"""Files of any commit and the units in them, read straight from git and independent of what an index takes in."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from types import TracebackType

from trackdown.repository.blobs import BlobReader
from trackdown.repository.content_rules import decode_text
from trackdown.repository.source import Source
from trackdown.units.extract import extract
from trackdown.units.facts import Unit
from trackdown.units.languages import language_of


def enclosing(symbol: str, known: Container[str]) -> str:
    """A symbol, or else the nearest around it, that is known; an empty text when none is."""
    while symbol and symbol not in known:
        symbol = symbol.rpartition(".")[0]
    return symbol


class UnitsAt:
    """Reads files of commits; a context manager, since it holds a git process."""

    def __init__(self, source: Source) -> None:
        assert source.git is not None
        self._git = source.git
        self._reader = BlobReader(source.git)
        self.units = lru_cache(maxsize=256)(self._units)
        self.text = lru_cache(maxsize=256)(self._text)

    def __enter__(self) -> UnitsAt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.close()

    def holds(self, commit: str, path: str) -> bool:
        """Whether a commit has a file of this name; a folder or a submodule is none."""
        return self._blob(commit, path) is not None

    def symbols(self, commit: str, path: str, kinds: Container[str]) -> frozenset[str]:
        """The symbols of some kinds in a file."""
        return frozenset(unit.symbol for unit in self.units(commit, path) if unit.kind in kinds)

    def _text(self, commit: str, path: str) -> str | None:
        """A file's text; None where the commit has no such file, or it is no text."""
        data = self._data(commit, path)
        return decode_text(data) if data is not None else None

    def _units(self, commit: str, path: str) -> tuple[Unit, ...]:
        """The units of a file; none where there is no such file."""
        data = self._data(commit, path)
        return tuple(extract(data, language_of(path), forced=True, path=path).units) if data is not None else ()

    def _data(self, commit: str, path: str) -> bytes | None:
        blob = self._blob(commit, path)
        return self._reader.read(blob) if blob is not None else None

    def _blob(self, commit: str, path: str) -> str | None:
        try:
            name = path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None
        if "\0" in path or {"", ".", ".."} & set(path.split("/")):
            return None  # git would take it for another place, or refuse it
        line = self._git.run("ls-tree", "-z", "--full-tree", commit, "--", path).split(b"\0")[0]
        head, _, found = line.partition(b"\t")
        return head.split()[2].decode("ascii") if found == name and b" blob " in head else None
