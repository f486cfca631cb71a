"""What a place keeps: the present state, and for a grace period what earlier manifests name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from trackdown.fleet.manifest import OBJECTS, FleetManifest, built_path, drop_manifests, manifest_numbers, read_manifest
from trackdown.fleet.place import Place
from trackdown.fleet.table import GroupTables


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed: objects and their bytes, and manifests."""

    objects: int = 0
    bytes: int = 0
    manifests: int = 0


def collect(place: Place, grace_hours: float) -> Collected:
    """Remove what no manifest of the grace period names, and nothing younger than that. The latest manifest stays."""
    numbers = manifest_numbers(place)
    if not numbers:
        return Collected()
    until = datetime.now(UTC) - timedelta(hours=grace_hours)
    kept, old = _sorted_out(place, numbers, until)
    drop_manifests(place, old)
    named = {path for manifest in kept for one in manifest.repositories.values() for path in one.built.objects}
    named |= {built_path(one.built.key) for manifest in kept for one in manifest.repositories.values()}
    gone = [
        one
        for prefix in ("built", *OBJECTS)  # a record promises that its objects are there
        for one in place.listed(prefix)
        if one.path not in named and one.modified < until
    ]
    place.delete([one.path for one in gone])
    if old:
        _collect_tables(place, kept, timedelta(hours=grace_hours))
    return Collected(len(gone), sum(one.size for one in gone), len(old))


def _sorted_out(place: Place, numbers: list[int], until: datetime) -> tuple[list[FleetManifest], list[int]]:
    """The manifests that readers may be using, and the numbers of the others.

    A manifest is in use until the next one is published, and for the grace period after that.
    """
    kept: list[FleetManifest] = []
    for number in reversed(numbers):
        replaced_at = datetime.fromtimestamp(kept[-1].published_at, UTC) if kept else None
        manifest = read_manifest(place, number) if replaced_at is None or replaced_at >= until else None
        if manifest is None:
            break
        kept.append(manifest)
    oldest = kept[-1].number if kept else 0
    return kept, [number for number in numbers if number < oldest]


def _collect_tables(place: Place, kept: list[FleetManifest], grace: timedelta) -> None:
    tables = GroupTables(place)
    for group in tables.names():
        versions = {manifest.tables[group] for manifest in kept if group in manifest.tables}
        if versions:
            tables.collect(group, versions, grace)
        else:
            tables.drop(group)
