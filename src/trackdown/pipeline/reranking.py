"""Models rerank the best candidates: first the neural cascade, then a language model."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.index import Corpus
from trackdown.pipeline.expanding import pieces
from trackdown.pipeline.fusing import Fused, meant_by
from trackdown.pipeline.other_words import EXACT, TRUST_FACTOR
from trackdown.pipeline.plan import Stopwatch
from trackdown.query import Query
from trackdown.rerank import Listwise, Reranking, RerankPlan
from trackdown.retrieve import mentions, messages

_FEW_WORDS, _NAME_WORDS = 20, 3
"""A question of at most so many words is short; at most so many may be a name."""


def judge_best(
    corpus: Corpus, query: Query, fused: Fused, chosen: Sequence[int], judging: RerankPlan, watch: Stopwatch
) -> Reranking:
    """The models' scores for the best candidates, and the new order."""
    from trackdown.rerank import RerankInput, normalized_query, rerank

    judging = judging.trusting(trust_in_words(query, fused, judging.units))
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


def trust_in_words(query: Query, fused: Fused, units_read: int) -> float:
    """How much more the fused score counts than for an issue. It counts four times for a short question about files
    that the models don't read whole; and four times for a message of the program, a name or a place such as
    `src/app.py:30`, which words find exactly. In other words than the code's, it is the deep index that the fused score
    follows.
    """
    words = len(query.text.split())
    is_short = words <= _FEW_WORDS
    is_question = is_short and query.is_one_line
    best = {channel.signal: float(channel.scores.max(initial=0.0)) for channel in fused.channels}
    quotes = is_short and best.get(messages.SIGNAL, 0.0) >= EXACT
    names = words <= _NAME_WORDS and best.get(mentions.SIGNAL, 0.0) >= EXACT
    means = quotes or names or meant_by(fused.channels) is not None
    in_part = fused.pool.level == "file" and len(fused.pool.owned) > units_read * fused.pool.count
    by_kind = (4.0 if is_question and in_part else 1.0) * (4.0 if means else 1.0)
    return by_kind * float(TRUST_FACTOR**fused.other_words)


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
