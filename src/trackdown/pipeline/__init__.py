"""In which order do the stages run? `cascade.py` is the answer, on one page."""

from trackdown.pipeline.cascade import RETRIEVERS, search
from trackdown.pipeline.fusing import ROLE_FACTORS
from trackdown.pipeline.plan import Early, Ranked, SearchPlan, Stopwatch, Tap, Tapped

__all__ = ["RETRIEVERS", "ROLE_FACTORS", "Early", "Ranked", "SearchPlan", "Stopwatch", "Tap", "Tapped", "search"]
