"""The engine behind every surface: open a repository, keep its indexes true, search it, explain the answer."""

from trackdown.engine.modes import list_modes, options_of, with_mode
from trackdown.engine.prepare import Prepared
from trackdown.engine.rank import RankedPlace, rank
from trackdown.engine.related import CoChange, Related
from trackdown.engine.repository import Repository, clear_everything, open
from trackdown.engine.several import search_all

__all__ = [
    "CoChange",
    "Prepared",
    "RankedPlace",
    "Related",
    "Repository",
    "clear_everything",
    "list_modes",
    "open",
    "options_of",
    "rank",
    "search_all",
    "with_mode",
]
