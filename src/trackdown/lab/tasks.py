"""Tasks: cases made ready to run. A bench is a list of them, with the cases that cannot be searched.

`past` searches each case at its commit's parent: the state in which the change had to be found. `head` searches the
present state and hides the case's own commit and later ones from the history; the code, though, holds the change. At
function level the classes among a case's symbols do not count; at class level a method counts for its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from trackdown.errors import MissingObject, TrackdownError, UsageError
from trackdown.lab.cases import Case, CodeLocation, Protocol
from trackdown.lab.clone import UnitsAt, enclosing
from trackdown.repository import Source, open_source
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level


@dataclass(frozen=True, slots=True)
class Task:
    """One case: where to search (`place`, at commit `at`), for what, and what should be found.

    `seen_from` is the commit whose past is visible, where that is not `at` itself. `folder` restricts the answer.
    `roles` False ranks tests and prose like code. `among` restricts the ranking to these files (system 1's oracle
    setting). `depth` is how many places are ranked. `exemplars` are answers that a language model wrote elsewhere.
    """

    id: str
    query: str
    gold: tuple[CodeLocation, ...]
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


CaseLevel = Literal["file", "symbol"]
METRICS = ("MRR", "R@1", "R@5", "R@10", "nDCG@10", "Hit@1", "Hit@10", "Acc@5")


def bench_of_cases(
    place: str,
    cases: Sequence[Case],
    *,
    level: Level,
    protocol: Protocol | None = None,
    name: str = "",
    depth: int = 100,
) -> Bench:
    """Tasks for the cases of one repository. `protocol` None takes each case's own.

    Raises UsageError when cases were mined for the other protocol: their truth is that of another state.
    """
    source = open_source(place)
    label = name or source.name
    tasks: list[Task] = []
    skipped: list[Skipped] = []
    for case in cases:
        chosen = protocol or case.protocol
        if case.commit and chosen != case.protocol:
            mined = f"case {case.id!r} was mined for protocol {case.protocol!r}"
            raise UsageError(f"{mined}: build the data set again with --protocol {chosen}")
        id_ = f"{name}/{case.id}" if name else case.id
        try:
            parent = source.resolve(f"{case.commit}^") if case.commit else None
        except TrackdownError as error:
            skipped.append(Skipped(id_, "commit or its parent not in the clone", str(error), label))
            continue
        # What was mined speaks of HEAD; a case that a person wrote asks about what is there now.
        at, seen_from = (parent, None) if chosen == "past" else (source.head() if case.commit else None, parent)
        gold = _gold(case, level)
        tasks.append(Task(id_, case.query, gold, place, label, level, at, seen_from, source.subfolder, depth=depth))
    tasks = list(_of_level(tasks, source, level))
    skipped += [Skipped(task.id, f"no truth at {level} level", task.query, label) for task in tasks if not task.gold]
    return Bench("eval", level, tuple(task for task in tasks if task.gold), tuple(skipped), METRICS)


def _gold(case: Case, level: Level) -> tuple[CodeLocation, ...]:
    return tuple(map(CodeLocation, case.files)) if level == "file" else case.symbols


def _of_level(tasks: Iterable[Task], source: Source, level: Level) -> Iterator[Task]:
    """The tasks with the truth that their level can find. What no file holds stays: it was not found."""
    head = source.head()
    if level not in ("function", "class") or head is None:
        yield from tasks
        return
    with UnitsAt(source) as units:
        for task in tasks:
            commit = task.at or head
            found = (_place_of_level(place, units, commit, level) if place.path else place for place in task.gold)
            yield replace(task, gold=tuple(dict.fromkeys(place for place in found if place.symbol)))


def _place_of_level(place: CodeLocation, units: UnitsAt, commit: str, level: Level) -> CodeLocation:
    """A function or a class; without a symbol where it does not count."""
    try:
        classes = units.symbols(commit, place.path, CLASS_KINDS)
        functions = units.symbols(commit, place.path, FUNCTION_KINDS)
    except MissingObject:
        return place
    if level == "class":
        return replace(place, symbol=enclosing(place.symbol, classes))
    return replace(place, symbol="") if place.symbol in classes - functions else place


def joined(benches: Sequence[Bench]) -> Bench:
    """Several repositories' cases as one bench."""
    tasks = tuple(task for bench in benches for task in bench.tasks)
    skipped = tuple(case for bench in benches for case in bench.skipped)
    return Bench("eval", benches[0].level, tasks, skipped, METRICS)
