"""Trackdown: given an issue, a question or a name, which code of a git repository has to change?

    import trackdown

    repo = trackdown.open(".")                          # a path or a git URL
    for result in repo.search("where is the session cookie signed?"):
        print(result.path, result.start_line, result.symbol, result.reason)

`open` and `search_all` lead to everything else: a `Repository` answers `search`, `history`, `show`, `blame`, `related`,
`graph` and `unit`. `help(trackdown.Repository)` describes each. Every error is a `TrackdownError`.

The names in `__all__` are the whole public API. They are loaded when they are first used, so that worker processes and
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


def __dir__() -> list[str]:
    """All names, loaded or not: `help(trackdown)` and completion show them."""
    return sorted({*globals(), *__all__})
