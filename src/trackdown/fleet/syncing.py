"""`trackdown fleet sync`: look what moved, build it, bring the tables up to date, and publish a manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from trackdown.errors import TrackdownError
from trackdown.fleet.building import BuildTask, build_key
from trackdown.fleet.cluster import ClusterOptions, Outcome, build_all
from trackdown.fleet.collection import Collected, collect
from trackdown.fleet.definition import Fleet
from trackdown.fleet.failures import Failure, attempt_of, remembered
from trackdown.fleet.lease import writing
from trackdown.fleet.looking import find_commits
from trackdown.fleet.manifest import (
    OBJECTS,
    BuiltShard,
    FleetManifest,
    built_path,
    find_built,
    now,
    read_latest,
)
from trackdown.fleet.members import Member, find_members
from trackdown.fleet.place import Place
from trackdown.fleet.publishing import SyncLook, publish_look
from trackdown.settings import Settings
from trackdown.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How to sync. `seconds` is the time for one repository; `rebuild` builds everything again."""

    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    seconds: float = 1800.0
    rebuild: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: how many repositories are published, which were built now, which failed and why."""

    number: int
    repositories: int
    built: tuple[str, ...]
    reused: tuple[str, ...]
    removed: tuple[str, ...]
    problems: Mapping[str, str]
    units: int
    bytes: int
    seconds: float
    collected: Collected


def sync(
    fleet: Fleet,
    settings: Settings,
    options: SyncOptions,
    *,
    progress: Progress = no_progress,
    on_link: Callable[[str], None] = lambda link: None,
) -> SyncReport:
    """Bring the place of a fleet up to date. Raises FleetError and UsageError; a repository's problems are reported."""
    started = time.monotonic()
    members = {member.name: member for member in find_members(fleet)}
    place = Place(fleet.address)
    before = read_latest(place)
    commits = find_commits(list(members.values()), progress)
    problems = {
        name: Failure(str(error), now()) for name, error in commits.items() if isinstance(error, TrackdownError)
    }
    tasks = _tasks(fleet, members, commits, settings, options)
    ready, missing = _known(place, before, tasks, rebuild=options.rebuild)
    built: set[str] = set()

    known = {} if options.rebuild else remembered(before)

    def build(wanted: Mapping[str, BuildTask]) -> None:
        attempts = {name: attempt_of(task, options.cluster.limits) for name, task in wanted.items()}
        problems.update({name: known[attempt] for name, attempt in attempts.items() if attempt in known})
        left = {name: task for name, task in wanted.items() if attempts[name] not in known}
        tried = {task.key: task.where for task in reversed(left.values())}  # of equal ones the first is built
        for name, outcome in _outcomes(left, options.cluster, on_link, progress):
            if isinstance(outcome, BuiltShard):
                ready[name] = outcome
                built.add(name)
            else:
                was_tried = wanted[name].where == tried[wanted[name].key]
                problems[name] = Failure(outcome.message, now(), attempts[name] if outcome.lasts and was_tried else "")

    def build_again() -> None:
        build(_collected_meanwhile(place, tasks, ready))

    build(missing)
    with writing(place) as is_held:
        look = SyncLook(fleet.file, members, before, ready, problems, options.rebuild)
        manifest = publish_look(place, look, build_again, is_held, progress)
        collected = collect(place, fleet.grace_hours)
    return SyncReport(
        number=manifest.number,
        repositories=len(manifest.repositories),
        built=tuple(sorted(built & ready.keys())),
        reused=tuple(sorted(set(ready) - built)),
        removed=tuple(sorted(before.repositories.keys() - manifest.repositories.keys())),
        problems={name: failure.message for name, failure in problems.items()},
        units=sum(one.built.units for one in manifest.repositories.values()),
        bytes=_bytes(manifest),
        seconds=round(time.monotonic() - started, 2),
        collected=collected,
    )


def _tasks(
    fleet: Fleet,
    members: Mapping[str, Member],
    commits: Mapping[str, str | TrackdownError],
    settings: Settings,
    options: SyncOptions,
) -> dict[str, BuildTask]:
    """What every repository needs, whether it is built already or not."""
    found = {}
    for name, commit in commits.items():
        if isinstance(commit, str):
            member = members[name]
            limit = member.max_file_kb or settings.max_file_kb
            key = build_key(commit, limit, member.deep, settings)
            found[name] = BuildTask(
                name, member.where, commit, key, limit, member.deep, settings.models, fleet.address, options.seconds
            )
    return found


def _known(
    place: Place, before: FleetManifest, tasks: Mapping[str, BuildTask], *, rebuild: bool
) -> tuple[dict[str, BuiltShard], dict[str, BuildTask]]:
    """What is built already, by the published manifest or by an earlier sync's record; and the tasks that are left."""
    published = {one.built.key: one.built for one in before.repositories.values()}
    ready: dict[str, BuiltShard] = {}
    missing: dict[str, BuildTask] = {}
    if rebuild:
        place.delete([built_path(task.key) for task in tasks.values()])
        return ready, dict(tasks)
    for name, task in tasks.items():
        built = published.get(task.key) or find_built(place, task.key)
        if built is None:
            missing[name] = task
        else:
            ready[name] = built
    return ready, missing


def _outcomes(
    wanted: Mapping[str, BuildTask], cluster: ClusterOptions, on_link: Callable[[str], None], progress: Progress
) -> Iterator[tuple[str, Outcome]]:
    """Build repositories, equal ones once; yields the outcome of each by its name."""
    names: dict[str, list[str]] = {}
    for name, task in wanted.items():
        names.setdefault(task.key, []).append(name)
    if not names:
        return
    once = [wanted[alike[0]] for alike in names.values()]
    progress("build", 0, len(once))
    for done, (task, outcome) in enumerate(build_all(once, cluster, on_link, progress), 1):
        yield from ((name, outcome) for name in names[task.key])
        progress("build", done, len(once))


def _collected_meanwhile(
    place: Place, tasks: Mapping[str, BuildTask], ready: dict[str, BuiltShard]
) -> dict[str, BuildTask]:
    """Take out of `ready` what lacks an object in the place; returns the tasks that build it again.

    If this sync took longer than the grace period, another one has removed what nothing named yet. None does so while
    this one holds the lease.
    """
    present = {one.path for prefix in OBJECTS for one in place.listed(prefix)}
    gone = [name for name, built in ready.items() if not present.issuperset(built.objects)]
    place.delete([built_path(ready.pop(name).key) for name in gone])
    return {name: tasks[name] for name in gone}


def _bytes(manifest: FleetManifest) -> int:
    sizes: dict[str, int] = {}
    for one in manifest.repositories.values():
        built = one.built
        sizes |= dict(zip(built.objects, (built.shard_bytes, built.source_bytes, built.rows_bytes), strict=True))
    return sum(sizes.values())
