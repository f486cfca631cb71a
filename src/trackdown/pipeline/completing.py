"""Before retrieval: the encoder reads the few units that the deep index lacks, in the time that the models have."""

from __future__ import annotations

import math
from dataclasses import replace

from trackdown.index import Corpus
from trackdown.pipeline.plan import SearchPlan, Stopwatch
from trackdown.rerank import RerankPlan, budget_of
from trackdown.retrieve import deep


def with_deep_completed(corpus: Corpus, options: SearchPlan, watch: Stopwatch) -> SearchPlan:
    """Complete the deep index if the plan goes deep and only a few units lack a vector. Returns the plan with the time
    that is left for the models. What is read is kept, so that a later search goes on if this one has too little time.
    """
    if not options.goes_deep or corpus.deep is None:
        return options
    budget = budget_of(options.judging or RerankPlan(), corpus.progress)
    if not corpus.deep.complete(budget):
        return options
    watch.lap(deep.SIGNAL)
    if options.judging is None or math.isinf(budget.left()):
        return options
    left = 1000 * budget.left()
    spent = (options.judging.budget_ms or left) - left
    return replace(options, judging=replace(options.judging, budget_ms=left, spent_ms=spent))
