"""In which order do the stages run? `cascade.py` is the answer, on one page."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.pipeline.cascade import RETRIEVERS, fused_candidates, search
    from trackdown.pipeline.plan import Early, Ranked, SearchPlan, Stopwatch, Tap, Tapped
    from trackdown.pipeline.ranking import PoolRanking
    from trackdown.pipeline.roles import candidate_factors, role_factors
else:
    __getattr__ = door(__name__)
