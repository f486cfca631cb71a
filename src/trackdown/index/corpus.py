"""A snapshot with its indexes: everything that the stages of a search read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.repository import Snapshot
from trackdown.types import DeepState, FactCache, Progress, no_progress

if TYPE_CHECKING:
    from trackdown.graph import Graph
    from trackdown.index.rewrite_index import RewriteBodies, RewriteIndex
    from trackdown.index.segmented_vectors import SegmentedVectors
    from trackdown.index.snapshot_rewrites import SnapshotRewrites
    from trackdown.index.vectors import UnitVectors
    from trackdown.models import CrossEncoder, Encoder
    from trackdown.models.llm import CodeExample, LanguageModel

Texts = Callable[[Sequence[int]], list[str | None]]
"""Units → their source; None for a unit whose file has changed since it was indexed."""
Messages = Callable[[Sequence[int]], list[str]]
"""Positions of commits → their full messages."""


class RerankModels(Protocol):
    """The models that read candidates. Each is opened on first use; None if it does not exist."""

    def encoder(self) -> Encoder | None: ...

    def cross_encoder(self) -> CrossEncoder | None: ...

    def failed(self, error: ModelError) -> None:
        """Record that a model was opened but cannot run: the search continues without it."""
        ...


class TimeLeft(Protocol):
    """How long models may still read."""

    def left(self) -> float:
        """Seconds left."""
        ...

    def paused(self) -> AbstractContextManager[None]:
        """The clock stands still meanwhile."""
        ...


class DeepIndex(Protocol):
    """The deep index of a snapshot: encoder vectors of its units, computed ahead of searches."""

    def state_if_any(self) -> DeepState | None:
        """How far it is; None without an encoder, since then there is none to compute."""
        ...

    def complete(self, time: TimeLeft) -> bool:
        """Read the units without a vector, if they are few, as far as there is time. Returns whether any was read."""
        ...

    def vectors(self) -> SegmentedVectors | None:
        """The vectors of all units; None as long as one that needs a vector has none."""
        ...

    def query_vector(self, text: str, exemplars: Sequence[str]) -> npt.NDArray[np.float32] | None:
        """The encoder's vector of a query, together with code that answers it; None without an encoder."""
        ...


class NoFacts:
    """A `FactCache` that keeps nothing."""

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        return {}

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        pass


NO_FACTS = NoFacts()


def ignore_note(note: str) -> None:
    """Default for `note`: ignore it."""


def no_graph() -> Graph:
    """The graph of a corpus that has none."""
    raise LookupError("this corpus has no graph")


def no_vectors() -> None:
    """The vectors of a corpus that has none."""


def no_texts(units: Sequence[int]) -> list[str | None]:
    """The texts of a corpus whose source cannot be read."""
    return [None] * len(units)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot with its indexes, ready to be searched. The rest is opened or computed when a stage needs it.

    `history` is the commit index and the commit to look back from. `named_at` is the commit whose paths the files
    have, if it is another one: an evaluation may search the present code but see only an earlier history.
    `vectors` are the static vectors of units, `deep` those of the encoder; `models` read candidates, whose source comes
    from `texts` and whose commits' messages from `messages`, and `facts` caches what they compute. `llm` is a language
    model; `examples` are the main language of the code and pairs of description and code to show it. `rewrites` are its
    rewrites of units,
    `open_rewrites` opens those to search with, and `bodies` then replace the units' own words. `note` takes remarks for
    the answer. `partial` means that the index is incomplete or out of date; `notes` say why.
    """

    snapshot: Snapshot
    code: CodeIndex
    history: tuple[CommitIndex, str] | None = None
    named_at: str | None = None
    graph: Callable[[], Graph] = no_graph
    vectors: Callable[[], UnitVectors | None] = no_vectors
    deep: DeepIndex | None = None
    models: RerankModels | None = None
    texts: Texts = no_texts
    messages: Messages | None = None
    facts: FactCache = NO_FACTS
    llm: LanguageModel | None = None
    examples: Callable[[], tuple[str, Sequence[CodeExample]]] | None = None
    rewrites: SnapshotRewrites | None = None
    open_rewrites: Callable[[], RewriteIndex | None] | None = None
    bodies: RewriteBodies | None = None
    note: Callable[[str], None] = ignore_note
    progress: Progress = no_progress
    notes: tuple[str, ...] = ()
    partial: bool = False
