"""A snapshot's index as the graph sees it: definitions from arrays, references from facts, made on demand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np

from trackdown.errors import FilesChanged
from trackdown.graph import Definition
from trackdown.index.code import CodeIndex
from trackdown.index.postings import find_terms
from trackdown.repository import BlobReader, Snapshot, decode_text, read_on_disk
from trackdown.store import Store
from trackdown.types import Progress, no_progress
from trackdown.units import ContentSource, ExtractionJob, extract_all, oid_of_key, terms, words
from trackdown.units.references import REFERENCES_VERSION, BlobReferences, decode_references

REFERENCES = "references"
_LARGEST_CONFIGURATION = 1 << 20


def references_key(fact_key: str) -> str:
    """The key of a blob's references, from the key of its units."""
    return f"{fact_key}/{REFERENCES_VERSION}"


class IndexedProgram:
    """The `Program` of a prepared snapshot. Parsed references are stored, unless the store cannot be written."""

    def __init__(
        self,
        code: CodeIndex,
        snapshot: Snapshot,
        store: Store,
        *,
        workers: int,
        progress: Progress = no_progress,
    ) -> None:
        self._code = code
        self._snapshot = snapshot
        self._store = store
        self._workers = workers
        self._progress = progress
        source = snapshot.source
        git_dir = str(source.git.git_dir) if source.git else None
        self._content = ContentSource(
            str(source.root), git_dir, snapshot.on_disk, source.object_format, snapshot.max_bytes
        )
        self._definitions: dict[int, list[Definition]] = {}
        self._references: dict[int, BlobReferences] = {}
        self._mentioning: dict[str, list[int]] = {}
        self._by_name: dict[str, list[tuple[int, int]]] | None = None

    @property
    def files(self) -> Mapping[str, int]:
        """Path → number of every live file."""
        return self._code.files_by_path

    def path(self, file: int) -> str:
        """The path of a file."""
        return self._code.path(file)

    def language(self, file: int) -> str:
        """The language of a file."""
        return self._code.language(file)

    def definitions(self, file: int) -> Sequence[Definition]:
        """The functions and classes of a file."""
        if file not in self._definitions:
            code, rows = self._code, self._code.units_of(file)
            self._definitions[file] = [
                Definition(
                    file,
                    row - rows.start,
                    code.kind(row),
                    code.symbol(row),
                    int(code.unit_start[row]),
                    int(code.unit_end[row]),
                )
                for row in rows
                if code.kind(row) != "window"
            ]
        return self._definitions[file]

    def named(self, name: str) -> Sequence[Definition]:
        """All definitions with this last name."""
        if self._by_name is None:
            self._by_name = self._gather_names()
        places = self._by_name.get(name, [])
        return [one for file, index in places for one in self.definitions(file) if one.index == index]

    def _gather_names(self) -> dict[str, list[tuple[int, int]]]:
        code = self._code
        found: dict[str, list[tuple[int, int]]] = {}
        previous, start = -1, 0
        for row in np.flatnonzero(code.unit_alive).tolist():
            file = int(code.unit_file[row])
            if file != previous:
                previous, start = file, code.units_of(file).start
            symbol = code.symbol(row)
            if symbol:
                found.setdefault(symbol.rsplit(".", 1)[-1], []).append((file, row - start))
        return found

    def mentioning(self, name: str) -> Sequence[int]:
        """The files that have all words of a name."""
        if name not in self._mentioning:
            wanted = [term for word in words(name) for term in terms(word)[:1]]  # the whole word, not its parts
            found: set[int] | None = None
            for term in wanted:
                files = self._files_with(term)
                found = files if found is None else found & files
            self._mentioning[name] = sorted(found or ())
        return self._mentioning[name]

    def _files_with(self, term: str) -> set[int]:
        found: set[int] = set()
        for segment, offset in zip(self._code.segments, self._code.unit_offsets.tolist(), strict=False):
            (row,) = find_terms(segment.terms, [term])
            if row < 0:
                continue
            field = segment.fields["body"]
            units = field.documents[field.pointers[row] : field.pointers[row + 1]].astype(np.int64) + offset
            found.update(np.unique(self._code.unit_file[units[self._code.unit_alive[units]]]).tolist())
        return found

    def references(self, file: int) -> BlobReferences:
        """The references of a file."""
        if file not in self._references:
            self.expect([file])
        return self._references[file]

    def expect(self, files: Iterable[int]) -> None:
        """Load the references of many files at once."""
        missing = [file for file in files if file not in self._references]
        by_key: dict[str, list[int]] = {}
        for file in missing:
            by_key.setdefault(references_key(self._code.fact_key(file)), []).append(file)
        for key, value in self._store.database.read_facts(REFERENCES, by_key).items():
            try:
                found = decode_references(value)
            except msgspec.DecodeError:
                continue  # damaged: parsed again, for this process
            for file in by_key.pop(key):
                self._references[file] = found
        self._make(by_key)

    def _make(self, wanted: Mapping[str, Sequence[int]]) -> None:
        if not wanted:
            return
        forced = {file.path for file in self._snapshot.files if file.forced}
        jobs = []
        for key, files in wanted.items():
            path, oid = self.path(files[0]), oid_of_key(self._code.fact_key(files[0]))
            jobs.append(
                ExtractionJob(key, os.fsencode(path), oid, self.language(files[0]), path in forced, references=True)
            )
        done = 0
        rows = []
        for batch in extract_all(self._content, jobs, self._workers):
            for item in batch:
                if item.facts is None:
                    raise FilesChanged("files changed while their references were being read: try again")
                found = decode_references(item.facts)
                for file in wanted[item.key]:
                    self._references[file] = found
                if item.facts is not None and not item.here_only:
                    rows.append((item.key, item.facts))
            done += len(batch)
            self._progress("references", done, len(jobs))
        if not self._store.read_only:
            self._store.database.write_facts(REFERENCES, rows)

    @cached_property
    def _oids(self) -> dict[str, str]:
        """Path → blob id of every file of the snapshot, indexed or not."""
        return {file.path: file.oid for file in self._snapshot.files}

    def text(self, path: str) -> str | None:
        """The text of any file of the snapshot."""
        source = self._snapshot.source
        if path not in self._oids:
            return None
        if self._snapshot.on_disk or source.git is None:
            data = read_on_disk(source.root, path, _LARGEST_CONFIGURATION)
        else:
            with BlobReader(source.git) as reader:
                data = reader.read(self._oids[path], _LARGEST_CONFIGURATION)
        return decode_text(data) if data is not None else None
