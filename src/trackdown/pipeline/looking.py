"""What to look for in the lines of each result: what the channels know of the query's words, and where it points."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.excerpts import Sought, SoughtTerms
from trackdown.index import CodeIndex
from trackdown.pipeline.fusing import Fused
from trackdown.query import Query


def sought_in(code: CodeIndex, query: Query, fused: Fused, listed: Sequence[int], units: Sequence[int]) -> list[Sought]:
    """What to look for in each listed candidate, of which `units` are the parts to show."""
    weights = next((channel.sought() for channel in fused.channels if channel.sought is not None), {})
    terms = SoughtTerms(weights)
    found = []
    for candidate, unit in zip(listed, units, strict=True):
        names = [channel.names[unit] for channel in fused.channels if unit in channel.names]
        path = code.path(int(fused.pool.files[candidate]))
        found.append(Sought(terms, names, [frame.line for frame in query.frames if _same_file(frame.path, path)]))
    return found


def _same_file(shown: str, path: str) -> bool:
    """Whether a path in a traceback, which may be absolute or only a name, is that of a file."""
    shown = shown.replace("\\", "/")
    return f"/{shown}".endswith(f"/{path}") or f"/{path}".endswith(f"/{shown}")
