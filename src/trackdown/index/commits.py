"""The commit index: the messages of a repository's commits as postings, the paths they changed, and their ancestry.

One per repository. A search masks it to the ancestors of its commit, so the future never leaks. It has a base segment
and, for later commits, a delta.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import FieldScorer, FormGroups, Mask, Scores
from trackdown.index.identities import Identities
from trackdown.index.postings import PostingsWriter, find_terms, known_terms, open_field
from trackdown.index.strings import SortedTable, StringTable, pack, pack_sorted, to_bytes, to_text
from trackdown.repository import CommitFacts, CommitRef
from trackdown.store import Arrays
from trackdown.units import words

Int64s = npt.NDArray[np.int64]
_LONGEST_SUBJECT = 200
_NOT_ASKED = -2


def build_segment(
    commits: Iterable[tuple[CommitRef, CommitFacts | None]], base: CommitSegment | None = None
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Gather commits, ancestors first, into arrays. Merges have no facts: they only connect.

    With a base, the segment is a delta: its positions continue those of the base.
    """
    offset = len(base.oids) if base is not None else 0
    writer = PostingsWriter("message")
    oids: list[bytes] = []
    place: dict[str, int] = {}
    parents: list[int] = []
    parent_pointers = [0]
    times: list[int] = []
    subjects: list[bytes] = []
    authors: list[bytes] = []
    paths: dict[bytes, int] = {}
    changed: list[int] = []
    change_pointers = [0]
    renames: list[tuple[int, int, int]] = []
    childless: dict[str, None] = dict.fromkeys(base.tips) if base is not None else {}
    document_ids: list[int] = []
    document_words: list[int] = []
    for number, (listed, commit) in enumerate(commits):
        place[listed.oid] = number + offset
        oids.append(bytes.fromhex(listed.oid))
        childless[listed.oid] = None
        for parent in listed.parents:
            childless.pop(parent, None)
            at = place.get(parent, -1)
            parents.append(base.position(parent) if at < 0 and base is not None else at)
        parent_pointers.append(len(parents))
        times.append(commit.time if commit else 0)
        subjects.append(commit.message.split("\n", 1)[0][:_LONGEST_SUBJECT].encode() if commit else b"")
        authors.append(commit.author.encode() if commit else b"")
        if commit is not None:
            found = writer.number(words(commit.message))
            document_words += found
            document_ids += [number] * len(found)
            for change in commit.changes:
                path = paths.setdefault(change.path, len(paths))
                if change.old_path is not None:
                    old = paths.setdefault(change.old_path, len(paths))
                    renames.append((number + offset, old, path))
                changed.append(path)
        change_pointers.append(len(changed))
    writer.fields["message"].add(document_ids, document_words, np.ones(len(document_ids)))
    table = sorted(paths)
    order = np.empty(len(paths), dtype=np.int64)
    order[[paths[path] for path in table]] = np.arange(len(table))
    renamed = np.array(renames, dtype=np.int64).reshape(-1, 3)
    renamed[:, 1:] = order[renamed[:, 1:]] if len(renamed) else renamed[:, 1:]
    width = len(oids[0]) if oids else 20
    arrays: dict[str, npt.NDArray[Any]] = {
        "oids": np.frombuffer(b"".join(oids), dtype=np.uint8).reshape(len(oids), width),
        "parents": np.array(parents, dtype=np.int32),
        "parent_pointers": np.array(parent_pointers, dtype=np.int64),
        "times": np.array(times, dtype=np.int64),
        "change_paths": order[np.array(changed, dtype=np.int64)].astype(np.int32),
        "change_pointers": np.array(change_pointers, dtype=np.int64),
        "renames": renamed,
    }
    arrays |= pack("subjects", subjects) | pack("authors", authors) | pack_sorted("paths", table)
    arrays |= writer.arrays({"message": len(oids)})
    return arrays, {"tips": list(childless)}


class CommitSegment:
    """The arrays of one segment."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.oids = arrays["oids"]
        self.tips: list[str] = arrays.meta["tips"]
        self.subjects = StringTable(arrays, "subjects")
        self.authors = StringTable(arrays, "authors")
        self.paths = SortedTable(arrays, "paths")
        self.terms = SortedTable(arrays, "terms")
        self.message = open_field(arrays, "message")
        self._order: npt.NDArray[Any] | None = None

    def position(self, oid: str) -> int:
        """The position of a commit in this segment, or -1."""
        keys = self._sorted()
        wanted = np.frombuffer(bytes.fromhex(oid), dtype=np.uint8)
        if not len(self.oids) or len(wanted) != self.oids.shape[1]:
            return -1
        prefix = wanted[:8].view(">u8")[0]
        order = self._order
        assert order is not None
        place = int(np.searchsorted(keys, prefix, sorter=order))
        while place < len(order) and keys[order[place]] == prefix:
            if np.array_equal(self.oids[order[place]], wanted):
                return int(order[place])
            place += 1
        return -1

    def with_prefix(self, prefix: str) -> list[int]:
        """The positions in this segment of all commits whose id begins with some hexadecimal digits."""
        keys = self._sorted()
        order = self._order
        assert order is not None
        bounds = [np.uint64(int(prefix[:16].ljust(16, filling), 16)) for filling in "0f"]
        first = int(np.searchsorted(keys, bounds[0], sorter=order))
        last = int(np.searchsorted(keys, bounds[1], side="right", sorter=order))
        return [at for at in order[first:last].tolist() if bytes(self.oids[at]).hex().startswith(prefix)]

    def _sorted(self) -> npt.NDArray[Any]:
        """The first eight bytes of every id as a number; `_order` sorts them."""
        keys = np.ascontiguousarray(self.oids[:, :8]).view(">u8").ravel().astype(np.uint64)
        if self._order is None:
            self._order = np.argsort(keys, kind="stable")
        return keys


@dataclass(frozen=True, slots=True)
class _Past:
    """The history of a commit: the commits it reaches (None: all), the renames among them, and their messages."""

    visible: Mask | None
    identities: Identities
    messages: FieldScorer


class CommitIndex:
    """All known commits of a repository, base and delta as one space of positions."""

    def __init__(self, segments: Sequence[CommitSegment]) -> None:
        self.segments = list(segments)
        self.offsets = np.cumsum([0, *(len(segment.oids) for segment in segments)])
        self._starts: list[int] = self.offsets.tolist()
        self.count = self._starts[-1]
        self.tips = segments[-1].tips if segments else []
        self.times = self._joined("times")
        self.path_numbers = self._join_paths()
        self._paths: dict[int, str] = {}
        self._present: tuple[Mapping[str, int], Int64s] = ({}, np.zeros(0, dtype=np.int64))
        self._states = lru_cache(maxsize=8)(self._state)

    def _joined(self, name: str) -> npt.NDArray[Any]:
        return np.concatenate([segment.arrays[name] for segment in self.segments])

    def _join_paths(self) -> list[npt.NDArray[np.int64]]:
        """Per segment, the common number of each of its paths: first those of the base, then new ones."""
        base = self.segments[0].paths
        numbers = [np.arange(len(base), dtype=np.int64)]
        self.new_paths: list[bytes] = []
        for segment in self.segments[1:]:
            paths = [segment.paths.raw(index) for index in range(len(segment.paths))]
            mapped = np.array(base.find(paths), dtype=np.int64)
            new = np.flatnonzero(mapped < 0)
            mapped[new] = len(base) + len(self.new_paths) + np.arange(len(new))
            self.new_paths += [paths[index] for index in new.tolist()]
            numbers.append(mapped)
        return numbers

    def path(self, number: int) -> str:
        """The path with a number."""
        path = self._paths.get(number)
        if path is None:
            base = self.segments[0].paths
            raw = base.raw(number) if number < len(base) else self.new_paths[number - len(base)]
            path = self._paths[number] = to_text(raw)
        return path

    def _texts(self, numbers: Sequence[int]) -> list[str]:
        """The paths with some numbers, which must be sorted."""
        base = self.segments[0].paths
        known = base.texts(number for number in numbers if number < len(base))
        new = [to_text(self.new_paths[number - len(base)]) for number in numbers if number >= len(base)]
        return known + new

    def present_numbers(self, numbers: Int64s, present: Mapping[str, int]) -> Int64s:
        """The number that a snapshot (path → number) gives to each of some paths, or -1.

        Cached for the last snapshot.
        """
        # Read and written as one value, because another thread may ask about another snapshot.
        snapshot, known = self._present
        if snapshot is not present:
            known = np.full(len(self.segments[0].paths) + len(self.new_paths), _NOT_ASKED, dtype=np.int64)
            self._present = (present, known)
        new = sorted(set(numbers[known[numbers] == _NOT_ASKED].tolist()))
        if new:
            known[new] = [present.get(path, -1) for path in self._texts(new)]
        return known[numbers]

    def position(self, oid: str) -> int:
        """The position of a commit, or -1."""
        for segment, offset in zip(self.segments, self.offsets.tolist(), strict=False):
            found = segment.position(oid)
            if found >= 0:
                return int(found + offset)
        return -1

    def with_prefix(self, prefix: str) -> list[int]:
        """The positions of all commits whose id begins with some hexadecimal digits."""
        offsets = self.offsets.tolist()
        return [at + offset for s, offset in zip(self.segments, offsets, strict=False) for at in s.with_prefix(prefix)]

    def oid(self, position: int) -> str:
        segment, local = self.locate(position)
        return bytes(segment.oids[local]).hex()

    def subject(self, position: int) -> str:
        segment, local = self.locate(position)
        return segment.subjects.text(local)

    def author(self, position: int) -> str:
        segment, local = self.locate(position)
        return segment.authors.text(local)

    def locate(self, position: int) -> tuple[CommitSegment, int]:
        """The segment of a position, and the position in it."""
        place = bisect_right(self._starts, position) - 1
        return self.segments[place], int(position) - self._starts[place]

    def ancestors(self, commit: str) -> Mask | None:
        """Which commits a commit reaches, itself included; None for all. The commit must be in the index."""
        return self._states(commit).visible

    def visible(self, commit: str) -> int:
        """The number of commits that a commit reaches."""
        mask = self.ancestors(commit)
        return self.count if mask is None else int(mask.sum())

    def identities(self, commit: str) -> Identities:
        """The renames in a commit's history."""
        return self._states(commit).identities

    def _state(self, commit: str) -> _Past:
        mask = None if self.tips == [commit] else self._reach(self.position(commit))
        positions, old, new = [], [], []
        for segment, numbers in zip(self.segments, self.path_numbers, strict=True):
            events = segment.arrays["renames"]
            visible = events if mask is None else events[mask[events[:, 0]]]
            positions.append(visible[:, 0])
            old.append(numbers[visible[:, 1]])
            new.append(numbers[visible[:, 2]])
        identities = Identities(np.concatenate(positions), np.concatenate(old), np.concatenate(new))
        offsets = self.offsets.tolist()
        messages = FieldScorer(
            [
                (segment.message, None if mask is None else mask[first:last])
                for segment, first, last in zip(self.segments, offsets, offsets[1:], strict=False)
            ],
            empty_count=False,
        )
        return _Past(mask, identities, messages)

    def _reach(self, start: int) -> Mask:
        reached = bytearray(self.count)
        reached[start] = 1
        for segment, offset in reversed(list(zip(self.segments, self.offsets.tolist(), strict=False))):
            pointers, parents = segment.arrays["parent_pointers"].tolist(), segment.arrays["parents"].tolist()
            for local in range(min(len(segment.oids) - 1, start - offset), -1, -1):
                if reached[local + offset]:
                    for parent in parents[pointers[local] : pointers[local + 1]]:
                        if parent >= 0:
                            reached[parent] = 1
        return np.frombuffer(reached, dtype=np.uint8).astype(bool)

    def score(
        self,
        commit: str,
        wanted: Sequence[str],
        weights: Sequence[float],
        k1: float,
        b: float,
        forms: FormGroups | None = None,
    ) -> Scores:
        """BM25 of the messages of the commits that a commit reaches; merges have no message and don't count."""
        rows = [find_terms(segment.terms, wanted) for segment in self.segments]
        return self._states(commit).messages.score(rows, weights, k1, b, forms)

    def has_terms(self, wanted: Sequence[str]) -> list[bool]:
        """Which terms occur in some message."""
        return known_terms([segment.terms for segment in self.segments], wanted)

    def changes(self, positions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The paths that commits touched: (index into `positions`, number of the path at that time)."""
        owners: list[npt.NDArray[np.int64]] = []
        paths: list[npt.NDArray[np.int64]] = []
        ranges = pairwise(self.offsets.tolist())
        for segment, (first, last), numbers in zip(self.segments, ranges, self.path_numbers, strict=False):
            inside = np.flatnonzero((positions >= first) & (positions < last))
            local = positions[inside] - first
            pointers = segment.arrays["change_pointers"]
            starts, sizes = pointers[local], pointers[local + 1] - pointers[local]
            steps = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            rows = np.repeat(starts, sizes) + steps
            owners.append(np.repeat(inside, sizes))
            paths.append(numbers[segment.arrays["change_paths"][rows]])
        return np.concatenate(owners), np.concatenate(paths)

    def latest(self, commit: str, count: int) -> npt.NDArray[np.int64]:
        """The last `count` commits that a commit reaches, oldest first."""
        mask = self.ancestors(commit)
        return np.arange(max(self.count - count, 0), self.count) if mask is None else np.flatnonzero(mask)[-count:]

    def touching(self, path: str, commit: str, limit: int = 2000) -> npt.NDArray[np.int64]:
        """Visible commits that touched the file that is now at `path`, latest first."""
        past = self._states(commit)
        visible = np.arange(self.count) if past.visible is None else np.flatnonzero(past.visible)
        owners, numbers = self.changes(visible)
        wanted = self.path_number(path)
        if wanted < 0:
            return np.zeros(0, dtype=np.int64)
        present = past.identities.present(numbers, visible[owners])
        return np.unique(visible[owners[present == wanted]])[::-1][:limit]

    def path_number(self, path: str) -> int:
        """The number of a path, or -1 if no commit touched it under that name."""
        raw = to_bytes(path)
        (found,) = self.segments[0].paths.find([raw])
        if found >= 0:
            return found
        return len(self.segments[0].paths) + self.new_paths.index(raw) if raw in self.new_paths else -1
