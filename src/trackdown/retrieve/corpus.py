"""What is searched: the code index of a snapshot, the history that its commit can see, and what models need of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.graph.graph import Graph
    from trackdown.index.neural import Neural
    from trackdown.index.rewrite_index import RewriteBodies, RewriteIndex
    from trackdown.index.vectors import UnitVectors
    from trackdown.models.llm.code_generation import CodeExample
    from trackdown.models.llm.prompt import LanguageModel


def not_told(note: str) -> None:
    """What hears notes where nobody wants them."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot's indexes. `history` is the commit index and the commit to look from; None where there is none.

    `named_at` is the commit whose names the files have, where that is not the commit to look from: an evaluation may
    search the present code and still see an earlier past only. `graph` makes the snapshot's graph when a stage asks,
    `vectors` the vectors of its units. Without `neural` nothing is judged. `asker` is a language model, where there is
    one; `tell` hears what is worth knowing of its answers. `examples` are the language of the code and pairs of
    description and code to show it; `rewritten` opens what units became when it rewrote them, and `bodies` are then
    searched by words in place of `code`'s.
    """

    code: CodeIndex
    history: tuple[CommitIndex, str] | None
    named_at: str | None = None
    graph: Callable[[], Graph] | None = None
    vectors: Callable[[], UnitVectors | None] | None = None
    neural: Neural | None = None
    asker: LanguageModel | None = None
    tell: Callable[[str], None] = not_told
    examples: Callable[[], tuple[str, Sequence[CodeExample]]] | None = None
    rewritten: Callable[[], RewriteIndex | None] | None = None
    bodies: RewriteBodies | None = None

    @property
    def progress(self) -> Progress:
        """Who hears how far models are, and may stop them."""
        return no_progress if self.neural is None else self.neural.progress


def with_rewrites(corpus: Corpus) -> Corpus:
    """The corpus with units as they are together with their rewrites; as it is where there are none."""
    found = corpus.rewritten() if corpus.rewritten is not None else None
    if found is None:
        return corpus
    vectors, add = corpus.vectors, found.vectors

    def rewritten_vectors() -> UnitVectors | None:
        plain = vectors() if vectors is not None else None
        return None if plain is None else add(plain)

    return replace(corpus, bodies=found.bodies, vectors=rewritten_vectors)
