"""In which order do the stages run? `cascade.py` is the answer, on one page."""

from trackdown.pipeline.cascade import RETRIEVERS, search
from trackdown.pipeline.fusing import ROLE_FACTORS
from trackdown.pipeline.options import Early, Options, Ranked, Stopwatch, Tap, Tapped

__all__ = ["RETRIEVERS", "ROLE_FACTORS", "Early", "Options", "Ranked", "Stopwatch", "Tap", "Tapped", "search"]
