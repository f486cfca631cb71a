"""The last part of a sync: bring the tables up to date and publish a manifest, on top of what others published."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trackdown.errors import FleetError
from trackdown.fleet.definition import read_fleet
from trackdown.fleet.failures import Failure
from trackdown.fleet.manifest import (
    BuiltShard,
    FleetManifest,
    MemberProblem,
    PublishedShard,
    now,
    publish,
    read_latest,
    rows_path,
)
from trackdown.fleet.members import Member, find_members
from trackdown.fleet.place import Place
from trackdown.fleet.rows import read_rows
from trackdown.fleet.table import GroupTables
from trackdown.types import Progress

if TYPE_CHECKING:
    import pyarrow as pa

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class SyncLook:
    """What a sync saw when it began, `members` and the manifest `before`, and what came of it.

    With `rebuild` all tables are built again.
    """

    file: Path
    members: Mapping[str, Member]
    before: FleetManifest
    ready: Mapping[str, BuiltShard]
    problems: Mapping[str, Failure]
    rebuild: bool = False

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
                problems[name] = _problem(member, self.problems[name])
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


def publish_look(
    place: Place, look: SyncLook, build_again: Callable[[], None], is_held: Callable[[], bool], progress: Progress
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
        damaged = set(wanted.tables) if look.rebuild else _damaged(tables, before)
        if not damaged and _says_the_same(before, wanted):
            return before
        versions = _brought_up_to_date(tables, place, before, wanted, damaged, progress)
        if versions is None:
            continue  # another writer was there in between
        if not is_held():
            raise FleetError(f"another sync took over at {place.address.url} while this one slept: run it again")
        files = {group: tables.files_digest(group, version) for group, version in versions.items()}
        manifest = msgspec.structs.replace(wanted, published_at=now(), tables=versions, table_files=files)
        if publish(place, manifest):
            return manifest
    raise FleetError(f"other syncs were always faster at {place.address.url}: run the sync again")


def _damaged(tables: GroupTables, before: FleetManifest) -> set[str]:
    """The groups whose published table lacks a file, or of whose files nothing is known.

    A digest of '' says that the files of a table just built could not be told; then nothing is compared.
    """
    return {
        group
        for group, version in before.tables.items()
        if before.table_files.get(group) != ""
        and before.table_files.get(group) != (tables.files_digest(group, version) or "lost")
    }


def _brought_up_to_date(
    tables: GroupTables,
    place: Place,
    before: FleetManifest,
    wanted: FleetManifest,
    damaged: set[str],
    progress: Progress,
) -> dict[str, int] | None:
    """Group → the version of its table that holds what is wanted; None if another writer changed one meanwhile."""
    versions = {}
    for done, group in enumerate(wanted.tables, 1):
        content = _with_rows(wanted, group)
        reader = _RowReader(place, wanted.repositories)
        known = before.tables.get(group, 0)
        if group in damaged:
            version = tables.build_again(group, content, reader)
        else:
            held = _with_rows(before, group) if group in before.tables else None
            version = tables.bring_to(group, content, held, known, reader)
        if version != known or group in damaged:
            if not tables.holds(group, version, content):
                return None
            tables.tag(group, version)
        versions[group] = version
        progress("tables", done, len(wanted.tables))
    return versions


def _with_rows(manifest: FleetManifest, group: str) -> dict[str, tuple[str, int]]:
    """What the table of a group holds: name → key and number of rows, of its repositories that have any."""
    counts = {name: manifest.repositories[name].built.rows for name in manifest.of_group(group)}
    return {name: (key, counts[name]) for name, key in manifest.of_group(group).items() if counts[name]}


def _problem(member: Member, failure: Failure) -> MemberProblem:
    return MemberProblem(sorted(member.groups), member.origin, failure.message, failure.at, failure.attempt)


def _publication(member: Member, built: BuiltShard, earlier: PublishedShard | None) -> PublishedShard:
    """A repository as it is published from now on, or as it is already."""
    groups = sorted(member.groups)
    if earlier is not None and (earlier.groups, earlier.origin, earlier.built) == (groups, member.origin, built):
        return earlier
    return PublishedShard(groups, member.origin, built, now())


def _says_the_same(before: FleetManifest, after: FleetManifest) -> bool:
    """Whether there is nothing new to publish."""
    return (
        before.number > 0
        and before.repositories == after.repositories
        and set(before.tables) == set(after.tables)
        and _told(before) == _told(after)
    )


def _told(manifest: FleetManifest) -> dict[str, tuple[str, str, float]]:
    """What failed. When it did counts only if that says when it is tried again."""
    return {name: (one.message, one.attempt, one.at if one.attempt else 0.0) for name, one in manifest.problems.items()}


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
