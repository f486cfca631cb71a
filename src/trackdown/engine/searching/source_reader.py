"""Ranked candidates → results with their source, read from exactly the content that was indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from trackdown.excerpts import Excerpt, best_lines, definition
from trackdown.index import CodeIndex
from trackdown.pipeline import Ranked
from trackdown.repository import BlobReader, Snapshot, blob_id, decode_text, read_on_disk
from trackdown.types import ROLES, Result
from trackdown.units import oid_of_key

SNIPPET_LINES = 15


class SourceReader:
    """Reads the source of a snapshot. A context manager, because it may run a git process."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._reader: BlobReader | None = None
        self._lines: dict[str, list[str] | None] = {}

    def __enter__(self) -> SourceReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reader is not None:
            self._reader.close()

    def lines(self, path: str, oid: str) -> list[str] | None:
        """The lines of a file as it was indexed; None if that content is gone."""
        if path not in self._lines:
            data = self._read(path, oid)
            text = decode_text(data) if data is not None else None
            self._lines[path] = None if text is None else text.split("\n")
        return self._lines[path]

    def _read(self, path: str, oid: str) -> bytes | None:
        source = self._snapshot.source
        if self._snapshot.on_disk:
            data = read_on_disk(source.root, path)
            return data if data is not None and blob_id(data, source.object_format) == oid else None
        assert source.git is not None
        if self._reader is None:
            self._reader = BlobReader(source.git)
        return self._reader.read(oid)

    def units(self, code: CodeIndex, units: Sequence[int]) -> list[str | None]:
        """The source of units; None for a unit whose file has changed since it was indexed."""
        found: list[str | None] = []
        for unit in units:
            file = int(code.unit_file[unit])
            lines = self.lines(code.path(file), oid_of_key(code.fact_key(file)))
            first, last = int(code.unit_start[unit]), int(code.unit_end[unit])
            found.append(None if lines is None else "\n".join(lines[first - 1 : last]))
        return found

    def _excerpt(self, code: CodeIndex, item: Ranked, lines: Sequence[str], shown: int) -> Excerpt:
        """The lines that speak for the query. Those of a class begin with its own definition."""
        language = code.language(item.file)
        if shown < 0:
            return best_lines(lines, 1, "", language, item.sought)
        first, last = int(code.unit_start[shown]), int(code.unit_end[shown])
        excerpt = best_lines(lines[first - 1 : last], first, code.symbol(shown), language, item.sought)
        if item.unit in (shown, -1):
            return excerpt
        first, last = int(code.unit_start[item.unit]), int(code.unit_end[item.unit])
        own = definition(lines[first - 1 : last], first, code.symbol(item.unit), language, item.sought)
        return excerpt if own is None else replace(excerpt, matches=(own, *excerpt.matches))

    def result(self, code: CodeIndex, item: Ranked, rank: int, repository: str) -> Result | None:
        """A result with its snippet; None if the file has changed since it was indexed."""
        path = code.path(item.file)
        lines = self.lines(path, oid_of_key(code.fact_key(item.file)))
        if lines is None:
            return None
        shown = item.best_unit if item.best_unit >= 0 else item.unit
        first, last = (int(code.unit_start[shown]), int(code.unit_end[shown])) if shown >= 0 else (1, len(lines))
        snippet = "\n".join(line.rstrip("\r") for line in lines[first - 1 : min(last, first + SNIPPET_LINES - 1)])
        whole = item.unit < 0
        excerpt = self._excerpt(code, item, lines, shown)
        return Result(
            rank=rank,
            repository=repository,
            path=path,
            symbol="" if whole else code.symbol(item.unit),
            kind="file" if whole else code.kind(item.unit),
            language=code.language(item.file),
            start_line=1 if whole else int(code.unit_start[item.unit]),
            end_line=max(1, int(code.file_lines[item.file])) if whole else int(code.unit_end[item.unit]),
            score=item.score,
            snippet=snippet,
            why=item.parts,
            reason=item.reason,
            role=ROLES[code.file_role[item.file]],
            line=excerpt.line,
            matches=excerpt.matches,
        )
