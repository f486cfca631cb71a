"""A cache of what models computed: vectors of texts and relevance of pairs, as facts keyed by digest and model id."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from trackdown.types import FactCache

Float32s = npt.NDArray[np.float32]
VECTORS, RELEVANCE = "vector", "relevance"
"""Kinds of facts."""
_WRITE_BATCH = 200
_STORED = {VECTORS: "<f2", RELEVANCE: "<f4"}


def digest(*texts: str) -> str:
    """A digest of texts in their order."""
    found = hashlib.blake2b(digest_size=16)
    for text in texts:
        found.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return found.hexdigest()


def vector_key(of_text: str, model_id: str) -> str:
    """The key of a text's vector, by the digest of the text."""
    return f"{of_text}:{model_id}"


class ModelOutputCache:
    """Rows of numbers for texts: read from facts, or computed and written by `flush`.

    `key` names a text. `compute` makes the rows of some texts; a row may depend on its own text only. A row is rounded
    as it is stored before it is used, so the first answer equals later ones.
    """

    def __init__(
        self,
        kind: str,
        facts: FactCache,
        key: Callable[[str], str],
        compute: Callable[[list[str]], Float32s],
        size: int,
    ) -> None:
        self._kind = kind
        self._facts = facts
        self._key = key
        self._compute = compute
        self._size = size
        self._new: list[tuple[str, bytes]] = []

    def rows(self, texts: Sequence[str]) -> Float32s:
        """A row for each text."""
        keys = [self._key(text) for text in texts]
        stored = np.dtype(_STORED[self._kind])
        length = self._size * stored.itemsize
        known = {key: row for key, row in self._facts.read(self._kind, keys).items() if len(row) == length}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            rows = self._compute(list(missing.values())).astype(stored)
            made = [(key, row.tobytes()) for key, row in zip(missing, rows, strict=True)]
            known.update(made)
            self._new += made
            if len(self._new) >= _WRITE_BATCH:
                self.flush()
        table = np.frombuffer(b"".join(known[key] for key in keys), dtype=stored)
        return table.reshape(len(texts), self._size).astype(np.float32)

    def flush(self) -> None:
        """Write the rows computed since the last flush."""
        if self._new:
            self._facts.write(self._kind, self._new)
            self._new = []
