"""Models rerank the best candidates: first the neural cascade, then a language model."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.index import Corpus
from trackdown.pipeline.expanding import pieces
from trackdown.pipeline.fusing import Fused
from trackdown.pipeline.plan import Stopwatch
from trackdown.query import Query
from trackdown.rerank import Listwise, Reranking, RerankPlan


def judge_best(
    corpus: Corpus, query: Query, fused: Fused, chosen: Sequence[int], judging: RerankPlan, watch: Stopwatch
) -> Reranking:
    """The models' scores for the best candidates, and the new order."""
    from trackdown.rerank import RerankInput, normalized_query, rerank

    past = fused.past
    ranking = RerankInput(
        normalized_query(query.as_read),
        fused.total[chosen],
        fused.factor[chosen],
        fused.pool.units_of(chosen, fused.units, judging.units),
        fused.pool.files[chosen].tolist(),
        past.positions if past is not None else (),
        past.behind if past is not None else lambda file: (),
        [normalized_query(text) for text in query.exemplars],
    )
    return rerank(ranking, corpus, judging, watch.lap)


def order(
    corpus: Corpus, query: Query, fused: Fused, chosen: Sequence[int], listwise: Listwise, verdict: Reranking
) -> None:
    """Let a language model reorder the first places."""
    from trackdown.rerank import UNITS, llm_order

    assert corpus.llm is not None
    first, rest = verdict.order[: listwise.depth], verdict.order[listwise.depth :]
    shown = pieces(corpus, fused, UNITS, [chosen[place] for place in first])
    found = llm_order(query.text, shown, listwise, corpus.llm, corpus.note, corpus.progress)
    verdict.reorder([*(first[number] for number in found), *rest], fused.total[chosen])
