"""Trackdown: given an issue, a question or a name, which code of a git repository has to change?

The names below are the whole public API. They are loaded when they are first used, so that worker processes and
`trackdown --help` start without the engine.
"""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.engine import Blame, Change, CommitReport, Related, Repository, open, search_all
    from trackdown.errors import TrackdownError
    from trackdown.request import SearchRequest
    from trackdown.settings import Settings, load_settings
    from trackdown.types import HistoryResults, PastCommit, Result, SearchResults, SnapshotInfo, Why
else:
    __getattr__ = door(__name__)

__version__ = "0.2.0"


__all__ = [
    "Blame",
    "Change",
    "CommitReport",
    "HistoryResults",
    "PastCommit",
    "Related",
    "Repository",
    "Result",
    "SearchRequest",
    "SearchResults",
    "Settings",
    "SnapshotInfo",
    "TrackdownError",
    "Why",
    "__version__",
    "load_settings",
    "open",
    "search_all",
]
