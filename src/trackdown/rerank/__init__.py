"""Models reread the best candidates: encoder vectors, past commits, and code read together with the query."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.rerank.budget import budget_of
    from trackdown.rerank.cache import MODEL_OUTPUTS, RELEVANCE, VECTORS, digest, vector_key
    from trackdown.rerank.candidate_scores import clipped_z_scores
    from trackdown.rerank.llm import UNITS, llm_order
    from trackdown.rerank.neural import RerankInput, relevance_scorer, rerank, sum_with_models
    from trackdown.rerank.passages import candidate_passages
    from trackdown.rerank.plan import CODE, ENCODER, LATE, Listwise, RerankPlan, RerankWeights
    from trackdown.rerank.reading import TITLE, CandidateReader
    from trackdown.rerank.readings import ReadingCache
    from trackdown.rerank.result import Reranking
    from trackdown.rerank.texts import OPENING_VERSION, UnitTexts, normalized_query
else:
    __getattr__ = door(__name__)
