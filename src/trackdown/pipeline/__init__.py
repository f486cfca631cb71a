"""In which order do the stages run? `cascade.py` is the answer, on one page."""

from trackdown.pipeline.cascade import RETRIEVERS, search
from trackdown.pipeline.fusing import role_factors
from trackdown.pipeline.plan import Early, Ranked, SearchPlan, Stopwatch, Tap, Tapped

__all__ = ["RETRIEVERS", "Early", "Ranked", "SearchPlan", "Stopwatch", "Tap", "Tapped", "role_factors", "search"]
