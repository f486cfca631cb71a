"""The rewrites of a snapshot's units, and their index (ReCo)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trackdown.index.blob_facts import MakeFacts
from trackdown.index.code import CodeIndex
from trackdown.store import Store
from trackdown.types import Progress

if TYPE_CHECKING:
    from trackdown.index.corpus import Texts
    from trackdown.index.rewrite_index import RewriteIndex
    from trackdown.store import Arrays


class RewriteMemory:
    """Cached between searches: array files, and the digests of the units of the last index."""

    def __init__(self) -> None:
        self.arrays: dict[str, Arrays] = {}
        self.digests: tuple[CodeIndex, list[str]] | None = None


@dataclass(frozen=True, slots=True)
class SnapshotRewrites:
    """Rewrites of one snapshot's units.

    `texts` in its methods reads the source of units. Digests are stored as facts. `make` makes facts that are gone.
    """

    store: Store
    code: CodeIndex
    memory: RewriteMemory
    progress: Progress
    make: MakeFacts | None = None

    def digests(self, texts: Texts) -> list[str]:
        """The digests of all units' texts."""
        from trackdown.index.rewrite_facts import unit_digests

        if self.memory.digests is None or self.memory.digests[0] is not self.code:
            found = unit_digests(self.store, self.code, texts)
            if not all(map(found.__getitem__, np.flatnonzero(self.code.unit_alive).tolist())):
                return found  # a file changed while it was being read: it may be readable next time
            self.memory.digests = (self.code, found)
        return self.memory.digests[1]

    def open(self, texts: Texts, rewriter: str = "") -> RewriteIndex | None:
        """The index of one rewriter's rewrites, by default of the rewriter that made most; None if there are none."""
        from trackdown.index.rewrite_facts import rewriters
        from trackdown.index.rewrite_index import best_rewriter, open_rewrite_index

        digests = self.digests(texts)
        chosen = rewriter or best_rewriter(self.store, self.code, digests, list(rewriters(self.store)))
        if chosen is None:
            return None
        return open_rewrite_index(self.store, self.code, chosen, digests, self.memory.arrays, self.progress, self.make)

    def name(self, rewriter: str) -> str:
        """The name of a rewriter, for display."""
        from trackdown.index.rewrite_facts import rewriters

        return rewriters(self.store).get(rewriter, rewriter)

    def having(self, rewriter: str) -> Mapping[str, tuple[int, ...]]:
        """Digest of a text → the numbers of its rewrites."""
        from trackdown.index.rewrite_facts import rewritten_numbers

        return rewritten_numbers(self.store, rewriter)

    def keep(self, rewriter: str, name: str, rows: Sequence[tuple[str, int, str, str]]) -> None:
        """Store new rewrites: digest, number, summary, code. Raises StoreError."""
        from trackdown.index.rewrite_facts import write_rewrites

        write_rewrites(self.store, rewriter, name, rows)
