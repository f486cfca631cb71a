"""The index of a snapshot's units with their rewrites (ReCo), beside the plain one.

A unit with N rewrites is indexed as N copies of itself and its N rewrites. If other units have N rewrites and this one
has fewer, more copies of its own text replace them, so that lengths stay comparable in a partly rewritten code base.

The name of an array file has the segment, the rewriter and a digest of the rewrites in it. So an edit costs only its
delta, new rewrites are never missed, and those of two rewriters never mix.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import FilesChanged, StoreError
from trackdown.index.blob_facts import MakeFacts
from trackdown.index.bm25 import FieldScorer, FormGroups, Scores
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment, add_body
from trackdown.index.postings import PostingsWriter, find_terms, open_field
from trackdown.index.rewrite_facts import are_rewritten, read_rewrites, rewritten_numbers
from trackdown.index.segment_facts import SegmentFacts
from trackdown.index.strings import SortedTable
from trackdown.store import Arrays, Store
from trackdown.types import Progress, no_progress
from trackdown.units import words

if TYPE_CHECKING:
    from trackdown.index.segmented_vectors import SegmentVectors
    from trackdown.index.vectors import UnitVectors
    from trackdown.models import StaticTable

REWRITTEN_VERSION = 2
"""Part of the name of every array file. Raise it when the same facts would now give other arrays."""
_PREFIX = "rewritten-"
_WORDS = "words"
_BODY = "body"


def segment_of_rewrite_index(name: str) -> str | None:
    """The segment that an array file with rewrites belongs to; None for another kind of file."""
    return name.removeprefix(_PREFIX).partition("-")[2] if name.startswith(_PREFIX) else None


class RewriteBodies:
    """Lexical search in the bodies of all units together with their rewrites."""

    def __init__(self, code: CodeIndex, segments: Sequence[Arrays]) -> None:
        self._terms = [SortedTable(arrays, "terms") for arrays in segments]
        offsets = code.unit_offsets.tolist()
        self._scorer = FieldScorer(
            [
                (open_field(arrays, _BODY), code.unit_alive[first:last] if code.has_dead else None)
                for arrays, first, last in zip(segments, offsets, offsets[1:], strict=False)
            ]
        )

    def score(
        self, wanted: Sequence[str], weights: Sequence[float], k1: float, b: float, forms: FormGroups | None = None
    ) -> Scores:
        """BM25 over units, like the code index's `score` for plain bodies."""
        return self._scorer.score([find_terms(terms, wanted) for terms in self._terms], weights, k1, b, forms)


@dataclass(frozen=True, slots=True)
class RewriteIndex:
    """A rewriter's rewrites of a snapshot; `count` live units have one. `vectors` adds rewrites to plain vectors."""

    rewriter: str
    count: int
    bodies: RewriteBodies
    vectors: Callable[[UnitVectors], UnitVectors]


def open_rewrite_index(
    store: Store,
    code: CodeIndex,
    rewriter: str,
    digests: Sequence[str],
    known: MutableMapping[str, Arrays],
    progress: Progress = no_progress,
    make: MakeFacts | None = None,
) -> RewriteIndex | None:
    """The index with a rewriter's rewrites, given the digests of the units' texts; None if it has rewritten none.

    `make` makes facts that the store lacks. Arrays come from `known` (in memory), from the store, or are built and
    added to both.
    """
    numbers = rewritten_numbers(store, rewriter)
    having = [numbers.get(digest, ()) for digest in digests]
    live = [unit for unit in np.flatnonzero(code.unit_alive).tolist() if having[unit]]
    if not live:
        return None
    times = max(len(having[unit]) for unit in live)
    offsets = code.unit_offsets.tolist()
    segments = [
        _Segment(store, segment, rewriter, times, digests[first:last], having[first:last], make)
        for segment, first, last in zip(code.segments, offsets, offsets[1:], strict=False)
    ]
    bodies = RewriteBodies(code, [one.bodies(known, progress) for one in segments])
    present = {segment.name for segment in code.segments}
    for name in [name for name in known if segment_of_rewrite_index(name) not in present]:
        del known[name]
    return RewriteIndex(rewriter, len(live), bodies, lambda plain: _augmented(plain, segments, known))


def best_rewriter(store: Store, code: CodeIndex, digests: Sequence[str], among: Sequence[str]) -> str | None:
    """The rewriter with the most rewrites of a snapshot's live units; None if there are no rewrites."""
    live = {digests[unit] for unit in np.flatnonzero(code.unit_alive).tolist()}
    counts = {rewriter: len(live & rewritten_numbers(store, rewriter).keys()) for rewriter in among}
    best = max(sorted(counts), key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


class _Segment:
    """One segment with the rewrites of its units, at most the first `times` of each."""

    def __init__(
        self,
        store: Store,
        segment: CodeSegment,
        rewriter: str,
        times: int,
        digests: Sequence[str],
        having: Sequence[tuple[int, ...]],
        make: MakeFacts | None,
    ) -> None:
        self.times = times
        self._store = store
        self._segment = segment
        self._rewriter = rewriter
        self._make = make
        self._wanted = {
            unit: [(digest, number) for number in numbers[:times]]
            for unit, (digest, numbers) in enumerate(zip(digests, having, strict=True))
            if numbers
        }
        content = repr((REWRITTEN_VERSION, times, segment.content, sorted(self._wanted.items())))
        self._what = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    def bodies(self, known: MutableMapping[str, Arrays], progress: Progress) -> Arrays:
        """Postings of bodies with rewrites."""
        return self._open_or_build(_WORDS, known, lambda: self._build_bodies(progress))

    def vectors(self, plain: SegmentVectors, table: StaticTable, known: MutableMapping[str, Arrays]) -> SegmentVectors:
        """Vectors of units with rewrites."""
        from trackdown.index.segmented_vectors import SegmentVectors
        from trackdown.index.vectors import vectors_name

        of = vectors_name("", table.model_id).strip("-").replace("-", "_")
        found = self._open_or_build(of, known, lambda: self._build_vectors(plain, table))
        return SegmentVectors(found["rows"], found["scales"])

    def _open_or_build(self, of: str, known: MutableMapping[str, Arrays], build: Callable[[], _Built]) -> Arrays:
        """Arrays from memory, from the store, or built now."""
        start = f"{_PREFIX}{self._rewriter}.{of}."
        name = f"{start}{self._what}-{self._segment.name}"
        meta = {"what": self._what, "content": self._segment.content}
        found = known.get(name)
        if found is None and self._segment.name:
            opened = self._store.open_arrays(name)
            found = opened if opened is not None and opened.meta == meta else None
        if found is None:
            built = build()
            found = Arrays(built.arrays, meta)
            if built.complete and self._segment.name and not self._store.read_only:
                with suppress(StoreError):  # a full disk must not end a search: it is built again next time
                    self._store.write_arrays(name, built.arrays, meta)
                    self._drop_others(start, name)
        for other in [other for other in known if other.startswith(start) and other.endswith(f"-{self._segment.name}")]:
            del known[other]
        known[name] = found
        return found

    def _drop_others(self, start: str, name: str) -> None:
        """Remove this segment's older array files of the same rewriter: they will not be used again."""
        for other in self._store.array_names():
            if other != name and other.startswith(start) and segment_of_rewrite_index(other) == self._segment.name:
                self._store.delete_arrays(other)

    def _codes(self) -> tuple[dict[int, list[str]], bool]:
        """Unit → the code of its rewrites, and whether all could be read."""
        wanted = {pair for pairs in self._wanted.values() for pair in pairs}
        found = read_rewrites(self._store, self._rewriter, wanted)
        lost = wanted - found.keys()
        if lost and not self._store.read_only and not are_rewritten(self._store, self._rewriter, lost):
            raise FilesChanged("rewrites were removed while they were being read: try again")
        codes = {unit: [found[pair].code for pair in pairs if pair in found] for unit, pairs in self._wanted.items()}
        return codes, len(found) == len(wanted)

    def _build_bodies(self, progress: Progress) -> _Built:
        codes, complete = self._codes()
        facts = SegmentFacts(self._store, self._segment, progress, "rewritten", make=self._make)
        writer = PostingsWriter(_BODY)
        first = 0
        for _, found in facts:
            count = found if isinstance(found, int) else len(found.units)
            if not isinstance(found, int):
                lacking = [2 * self.times - len(codes.get(first + unit, ())) for unit in range(count)]
                add_body(writer, found, first, np.array(lacking, dtype=np.int64))
            for unit in range(first, first + count):
                for code in codes.get(unit, ()):
                    counts = Counter(words(code))
                    writer.fields[_BODY].add(
                        np.full(len(counts), unit), writer.number(list(counts)), list(counts.values())
                    )
            first += count
        return _Built(writer.arrays({_BODY: len(self._segment.symbols)}), complete and not facts.missing)

    def _build_vectors(self, plain: SegmentVectors, table: StaticTable) -> _Built:
        """The weighted mean of each unit's vector and those of its rewrites, all of length 1 (ReCo's dense form)."""
        from trackdown.index.segmented_vectors import as_whole_numbers
        from trackdown.index.vectors import code_vector

        codes, complete = self._codes()
        rows, scales = np.array(plain.rows), np.array(plain.scales)
        for unit, texts in codes.items():
            total = (2 * self.times - len(texts)) * plain.scales[unit] * plain.rows[unit].astype(np.float32)
            for text in texts:
                vector = code_vector(table, text)
                total += vector / np.float32(max(float(np.linalg.norm(vector)), 1e-20))
            made = as_whole_numbers(total[None, :].astype(np.float32))
            rows[unit], scales[unit] = made.rows[0], made.scales[0]
        return _Built({"rows": rows, "scales": scales}, complete)


def _augmented(plain: UnitVectors, segments: Sequence[_Segment], known: MutableMapping[str, Arrays]) -> UnitVectors:
    from trackdown.index.vectors import UnitVectors

    pairs = zip(segments, plain.segments, strict=True)
    return UnitVectors(plain.table, [one.vectors(vectors, plain.table, known) for one, vectors in pairs])


@dataclass(frozen=True, slots=True)
class _Built:
    """Arrays, and whether they are complete: only then are they stored."""

    arrays: Mapping[str, npt.NDArray[Any]]
    complete: bool
