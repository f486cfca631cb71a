"""Promotes neighbours of the best candidates, picked by the expansion's selector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from trackdown.index import Corpus
from trackdown.pipeline.fusing import Fused
from trackdown.query import Query
from trackdown.types import Match

if TYPE_CHECKING:
    from trackdown.expand import Chooser, Expansion, Reader


def expand(
    corpus: Corpus, query: Query, fused: Fused, chosen: Sequence[int], expansion: Expansion
) -> tuple[list[int], dict[int, dict[str, Match]]]:
    """The new order, and for each candidate that moved up, how it is related to one above it."""
    from trackdown.expand import SIGNAL, expand_spider, neighbour_finder

    pool = fused.pool
    units, files = pool.units.tolist(), pool.files.tolist()
    neighbours = neighbour_finder(corpus.code, corpus.graph, units, files, pool.level, expansion)
    reader = _reader(corpus, query, fused) if expansion.selector == "cross-encoder" else None
    chooser = _chooser(corpus, query, fused) if expansion.selector == "llm" else None
    placed = expand_spider(chosen, fused.total[chosen].tolist(), neighbours, expansion, reader, chooser)
    moves = {
        one.candidate: {SIGNAL: Match(one.relation, {"rank before": one.before, "rank after": rank})}
        for rank, one in enumerate(placed, 1)
        if one.centre is not None
    }
    return [one.candidate for one in placed], moves


def _reader(corpus: Corpus, query: Query, fused: Fused) -> Reader | None:
    """Lets the cross-encoder score neighbours; None if there is none."""
    from trackdown.rerank import normalized_query, relevance_scorer

    read = relevance_scorer(normalized_query(query.as_read), corpus)
    return None if read is None else lambda chosen: read(fused.pool.units_of(chosen, fused.units, 1))


def _chooser(corpus: Corpus, query: Query, fused: Fused) -> Chooser | None:
    """Lets the language model pick neighbours; None if there is none."""
    from trackdown.expand import llm_selector

    if corpus.models is None or corpus.llm is None:
        return None
    return llm_selector(query.text, partial(pieces, corpus, fused, 1), corpus.llm, corpus.note, corpus.progress)


def pieces(corpus: Corpus, fused: Fused, units: int, chosen: Sequence[int]) -> list[str]:
    """The text of candidates for a language model, each with up to `units` of its units."""
    from trackdown.rerank import candidate_passages

    found = fused.pool.units_of(chosen, fused.units, units)
    return candidate_passages(corpus.code, corpus.texts, found, fused.pool.files[list(chosen)].tolist())
