"""`trackdown fleet sync`: look what moved, build it, bring the tables up to date, and publish a manifest."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trackdown.errors import FleetError, TrackdownError
from trackdown.fleet.building import BuildTask, build_key
from trackdown.fleet.cluster import ClusterOptions, Outcome, build_all
from trackdown.fleet.collection import Collected, collect
from trackdown.fleet.definition import Fleet, read_fleet
from trackdown.fleet.lease import writing
from trackdown.fleet.looking import find_commits
from trackdown.fleet.manifest import (
    OBJECTS,
    BuiltShard,
    FleetManifest,
    MemberProblem,
    PublishedShard,
    built_path,
    find_built,
    now,
    publish,
    read_latest,
    rows_path,
)
from trackdown.fleet.members import Member, find_members
from trackdown.fleet.place import Place
from trackdown.fleet.rows import read_rows
from trackdown.fleet.table import GroupTables
from trackdown.settings import Settings
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    import pyarrow as pa

_ATTEMPTS = 20


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
    problems = {name: str(error) for name, error in commits.items() if isinstance(error, TrackdownError)}
    tasks = _tasks(fleet, members, commits, settings, options)
    ready, missing = _known(place, before, tasks, rebuild=options.rebuild)
    built: set[str] = set()

    def build(wanted: Mapping[str, BuildTask]) -> None:
        for name, outcome in _outcomes(wanted, options.cluster, on_link, progress):
            if isinstance(outcome, BuiltShard):
                ready[name] = outcome
                built.add(name)
            else:
                problems[name] = outcome

    def build_again() -> None:
        build(_collected_meanwhile(place, tasks, ready))

    build(missing)
    with writing(place) as is_held:
        look = _Look(fleet.file, members, before, ready, problems)
        manifest = _published(place, look, build_again, is_held, progress)
        collected = collect(place, fleet.grace_hours)
    return SyncReport(
        number=manifest.number,
        repositories=len(manifest.repositories),
        built=tuple(sorted(built & ready.keys())),
        reused=tuple(sorted(set(ready) - built)),
        removed=tuple(sorted(before.repositories.keys() - manifest.repositories.keys())),
        problems=problems,
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


@dataclass(frozen=True, slots=True)
class _Look:
    """What a sync saw when it began, `members` and the manifest `before`, and what came of it."""

    file: Path
    members: Mapping[str, Member]
    before: FleetManifest
    ready: Mapping[str, BuiltShard]
    problems: Mapping[str, str]

    def merged(self, latest: FleetManifest) -> FleetManifest:
        """The next manifest, without versions of tables.

        Builds take a while, and others publish meanwhile. So who is a member and in which groups is read from the file
        once more, and a shard that is published since this sync looked stays. Raises UsageError if the file is broken.
        """
        members = {member.name: member for member in find_members(read_fleet(self.file))}
        repositories: dict[str, PublishedShard] = {}
        problems = {name: one for name, one in latest.problems.items() if name in members.keys() - self.members.keys()}
        for name, member in members.items():
            earlier = latest.repositories.get(name)
            if earlier is not None and earlier.origin != member.origin:
                earlier = None  # another repository had this name
            is_newer = earlier is not None and earlier.built != self._built_before(name)
            if name in self.problems and not is_newer:
                problems[name] = MemberProblem(sorted(member.groups), member.origin, self.problems[name], now())
            built = None if is_newer else self._built_now(member)
            if built is None and earlier is not None:
                built = earlier.built
            if built is not None:
                repositories[name] = _publication(member, built, earlier)
        tables = dict.fromkeys(sorted({group for one in repositories.values() for group in one.groups}), 0)
        return FleetManifest(latest.number + 1, now(), repositories, dict(sorted(problems.items())), tables)

    def _built_before(self, name: str) -> BuiltShard | None:
        known = self.before.repositories.get(name)
        return None if known is None else known.built

    def _built_now(self, member: Member) -> BuiltShard | None:
        """What is ready of a member, if the file still means the same by it."""
        known = self.members.get(member.name)
        is_same = known is not None and replace(known, groups=()) == replace(member, groups=())
        return self.ready.get(member.name) if is_same else None


def _published(
    place: Place, look: _Look, build_again: Callable[[], None], is_held: Callable[[], bool], progress: Progress
) -> FleetManifest:
    """Publish what is ready, on top of what is published by then. Raises FleetError if others are always faster.

    `build_again` repairs what is ready but no longer in the place. Without the lease nothing is published: another sync
    may have removed objects since they were checked.
    """
    tables = GroupTables(place)
    for _ in range(_ATTEMPTS):
        build_again()
        before = read_latest(place)
        wanted = look.merged(before)
        if _says_the_same(before, wanted):
            return before
        versions = {}
        for done, group in enumerate(wanted.tables, 1):
            held = _with_rows(before, group) if group in before.tables else None
            content = _with_rows(wanted, group)
            reader = _RowReader(place, wanted.repositories)
            version = tables.bring_to(group, content, held, before.tables.get(group, 0), reader)
            if version != before.tables.get(group):
                if not tables.holds(group, version, content):
                    break  # another writer was there in between
                tables.tag(group, version)
            versions[group] = version
            progress("tables", done, len(wanted.tables))
        else:
            if not is_held():
                raise FleetError(f"another sync took over at {place.address.url} while this one slept: run it again")
            manifest = msgspec.structs.replace(wanted, published_at=now(), tables=versions)
            if publish(place, manifest):
                return manifest
    raise FleetError(f"other syncs were always faster at {place.address.url}: run the sync again")


def _with_rows(manifest: FleetManifest, group: str) -> dict[str, tuple[str, int]]:
    """What the table of a group holds: name → key and number of rows, of its repositories that have any."""
    counts = {name: manifest.repositories[name].built.rows for name in manifest.of_group(group)}
    return {name: (key, counts[name]) for name, key in manifest.of_group(group).items() if counts[name]}


def _publication(member: Member, built: BuiltShard, earlier: PublishedShard | None) -> PublishedShard:
    """A repository as it is published from now on, or as it is already."""
    groups = sorted(member.groups)
    if earlier is not None and (earlier.groups, earlier.origin, earlier.built) == (groups, member.origin, built):
        return earlier
    return PublishedShard(groups, member.origin, built, now())


def _says_the_same(before: FleetManifest, after: FleetManifest) -> bool:
    """Whether there is nothing new to publish."""
    told = {name: one.message for name, one in before.problems.items()}
    return (
        before.number > 0
        and before.repositories == after.repositories
        and set(before.tables) == set(after.tables)
        and told == {name: one.message for name, one in after.problems.items()}
    )


class _RowReader:
    """Reads the rows of a repository from the place."""

    def __init__(self, place: Place, repositories: Mapping[str, PublishedShard]) -> None:
        self._place = place
        self._repositories = repositories

    def __call__(self, name: str, key: str) -> pa.Table:
        built = self._repositories[name].built
        with tempfile.TemporaryDirectory(prefix="trackdown-fleet-") as folder:
            file = Path(folder) / "rows"
            self._place.download(rows_path(built.rows_sha256), file, built.rows_sha256)
            return read_rows(file, name, key)


def _bytes(manifest: FleetManifest) -> int:
    sizes: dict[str, int] = {}
    for one in manifest.repositories.values():
        built = one.built
        sizes |= dict(zip(built.objects, (built.shard_bytes, built.source_bytes, built.rows_bytes), strict=True))
    return sum(sizes.values())
