"""What a bench adapter hands to the runner: tasks to search, and cases that cannot be searched, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trackdown.lab.cases import Place
from trackdown.types import Level


@dataclass(frozen=True, slots=True)
class Task:
    """One case: where to search (`place`, at commit `at`), for what, and what should be found.

    `seen_from` is the commit whose past is visible, where that is not `at` itself. `folder` restricts the answer.
    `roles` False ranks tests and prose like code. `among` restricts the ranking to these files (system 1's oracle
    setting). `depth` is how many places are ranked. `exemplars` are answers that a language model wrote elsewhere.
    """

    id: str
    query: str
    gold: tuple[Place, ...]
    place: str
    repository: str
    level: Level
    at: str | None = None
    seen_from: str | None = None
    folder: str = ""
    roles: bool = True
    category: str = ""
    depth: int = 100
    among: tuple[str, ...] = ()
    exemplars: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A case that is not scored: `reason` groups alike ones, `detail` names what this one is about."""

    id: str
    reason: str
    detail: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """A public benchmark, read and ready to run. `metrics` are those that its table shows.

    `rewrites` are texts of a language model by the path of the file that they stand for: summary and code.
    `texts` is a digest of all such texts that come with the bench, exemplars of tasks included.
    """

    name: str
    level: Level
    tasks: tuple[Task, ...]
    skipped: tuple[Skipped, ...] = ()
    metrics: tuple[str, ...] = ()
    remarks: Mapping[str, int] | None = None
    rewrites: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    texts: str = ""
