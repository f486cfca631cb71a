"""The static table: a vector for every word piece, nothing else. A word or a text is the sum of its pieces.

Rows are int8 with a scale each, read by mmap. The weight of a piece is in the length of its row, so a sum is enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.models.wordpiece import WordPieces

Vectors = npt.NDArray[np.float32]
_TOGETHER = 8192


class StaticTable:
    """Vectors of words and texts, microseconds each. Opened by `open_static`."""

    def __init__(self, model_id: str, rows: npt.NDArray[np.void], pieces: WordPieces) -> None:
        self.model_id = model_id
        self._scales: Vectors = rows["scale"].astype(np.float32)
        self._values: npt.NDArray[np.int8] = rows["values"]
        self.dimensions: int = self._values.shape[1]
        self._pieces = pieces

    def words(self, words: Sequence[str]) -> Vectors:
        """One vector for each word as it stands in code; zero where the vocabulary has nothing of it."""
        vectors = np.zeros((len(words), self.dimensions), np.float32)
        for start in range(0, len(words), _TOGETHER):
            pieces = [self._pieces.of_text(word) for word in words[start : start + _TOGETHER]]
            self._add_up(pieces, vectors[start : start + _TOGETHER])
        return vectors

    def _add_up(self, pieces: list[list[int]], sums: Vectors) -> None:
        """The first pieces of all words at once, then the second of those that have one, and so on."""
        longest_first = sorted(range(len(pieces)), key=lambda place: -len(pieces[place]))
        ordered = [pieces[place] for place in longest_first]
        added = np.zeros_like(sums)
        for turn in range(len(ordered[0])):
            having = bisect_left(ordered, -turn, key=lambda found: -len(found))
            added[:having] += self._rows([found[turn] for found in ordered[:having]])
        sums[longest_first] = added

    def text(self, text: str) -> Vectors:
        """The vector of a text with length 1; zero when it holds no word. A piece counts 1 + log of its occurrences."""
        counts = Counter(self._pieces.of_text(text))
        weights = 1 + np.log(np.fromiter(counts.values(), np.float32, len(counts)))
        vector: Vectors = weights @ self._rows(list(counts))
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector

    def _rows(self, pieces: list[int]) -> Vectors:
        numbers = np.array(pieces, np.intp)
        vectors = self._values[numbers].astype(np.float32)
        vectors *= self._scales[numbers, None]
        return vectors


def row_type(dimensions: int) -> np.dtype[np.void]:
    """How a row of the file looks: one file, so that one checksum speaks for scales and values."""
    return np.dtype([("scale", "<f4"), ("values", "i1", (dimensions,))])


def quantised(table: Vectors) -> npt.NDArray[np.void]:
    """The rows of a table in full precision as the file holds them."""
    scales = np.abs(table).max(axis=1) / 127
    rows = np.zeros(len(table), row_type(table.shape[1]))
    rows["scale"] = scales
    rows["values"] = np.rint(table / np.maximum(scales, 1e-30)[:, None])
    return rows


def open_static(path: Path, pieces: WordPieces, model_id: str) -> StaticTable:
    """Map a table that `quantised` made. Raises ModelError when the file holds something else."""
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
        if rows.ndim != 1 or rows.dtype != row_type(rows.dtype["values"].shape[0]):
            raise ValueError(f"its rows are {rows.dtype}")
    except (OSError, ValueError, KeyError, IndexError, EOFError) as error:
        raise ModelError(f"{path} is not a static table ({error}): export the models again") from None
    if len(rows) <= pieces.highest:
        raise ModelError(f"{path} has {len(rows)} rows, but its tokenizer has more pieces: export the models again")
    return StaticTable(model_id, rows.view(np.ndarray), pieces)  # reading some rows of a memmap takes much longer
