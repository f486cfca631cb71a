"""Trackdown: given an issue, a question or a name, which code of a git repository has to change?

The names below are the whole public API. They are loaded when they are first used, so that worker processes and
`trackdown --help` start without the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trackdown.engine import Related, Repository, open, search_all
    from trackdown.errors import TrackdownError
    from trackdown.request import SearchRequest
    from trackdown.settings import Settings, load_settings
    from trackdown.types import HistoryResults, PastCommit, Result, SearchResults, SnapshotInfo, Why

__version__ = "0.2.0"

_HOME = {
    "HistoryResults": "types",
    "PastCommit": "types",
    "Related": "engine",
    "Repository": "engine",
    "Result": "types",
    "SearchRequest": "request",
    "SearchResults": "types",
    "Settings": "settings",
    "SnapshotInfo": "types",
    "TrackdownError": "errors",
    "Why": "types",
    "load_settings": "settings",
    "open": "engine",
    "search_all": "engine",
}

__all__ = [
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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'trackdown' has no attribute {name!r}")
    return getattr(import_module(f"trackdown.{_HOME[name]}"), name)
