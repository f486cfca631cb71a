"""What to match and how, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trackdown.lab.mine.matching.edits import MOST_FILES

GIVES_AWAY_SIGNS = ("names_file", "plan", "names_function", "names_functions")
"""How a row may give the fix away; the last is for several functions."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Where the table goes, and what goes into it.

    `style` or `pattern` say how commits name issues, if not as the adapter knows. `most_named` bounds how many of the
    edited functions a text may name exactly; `since` and `until` bound the commits' dates, in seconds since 1970.
    """

    out: Path
    style: str = ""
    pattern: str = ""
    pull_requests: bool = False
    most_files: int = MOST_FILES
    most_named: int | None = None
    since: int | None = None
    until: int | None = None


@dataclass(slots=True)
class MatchReport:
    """What came of an archive. Each of its `issues` is a row or was dropped by the rule that counts it.

    `outside` are ids that commits name and the archive lacks. `gives_away` counts the rows that name a changed file,
    tell of a change already made, or name one or several of the edited functions exactly.
    """

    repository: str
    issues: int = 0
    pull_requests: int = 0
    unreadable: int = 0
    outside: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    gives_away: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; drops in descending order."""
        return asdict(self) | {"rows": dict(self.rows), "dropped": dict(self.dropped.most_common())}
