"""What a place publishes: numbered manifests that never change, and records of what was built.

The highest number is the state of the fleet. A manifest names every repository's shard by its digest, and the version
of every table, so that a reader sees one state while a writer makes the next.
"""

from __future__ import annotations

import re
import time
from typing import Annotated, TypeVar

import msgspec

from trackdown.errors import FleetError
from trackdown.fleet.place import Place

FORMAT = 1
T = TypeVar("T")
_MANIFESTS = "manifests"
_BUILT = "built"
OBJECTS = ("shards", "sources", "rows")
"""Where the objects are that manifests name."""
_NAME = re.compile(r"manifests/(\d{10})\.json")


# Keys and digests become names of files, in the place and in caches.
Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40,64}$")]
Group = Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9_-]{0,62}$")]


class BuiltShard(msgspec.Struct, frozen=True):
    """What was built of one commit with one set of versions and models: its `key` stands for all of them."""

    key: Hex
    commit: Hex
    object_format: str
    max_file_kb: int
    shard: Hex
    shard_sha256: Hex
    shard_bytes: int
    source_sha256: Hex
    source_bytes: int
    rows_sha256: Hex
    rows_bytes: int
    rows: int
    files: int
    units: int
    commits: int
    languages: dict[str, int]
    parts: list[str]
    seconds: float

    @property
    def objects(self) -> tuple[str, str, str]:
        """The objects of the place that belong to it."""
        return shard_path(self.shard_sha256), source_path(self.source_sha256), rows_path(self.rows_sha256)


class PublishedShard(msgspec.Struct, frozen=True):
    """A repository of the fleet as it is published. `origin` is where it came from, without credentials."""

    groups: list[Group]
    origin: str
    built: BuiltShard
    published_at: float


class MemberProblem(msgspec.Struct, frozen=True):
    """Why a repository could not be built the last time. What was published of it before stays.

    `attempt` stands for what was tried, if a sync is not to try it again for a day; otherwise it is ''.
    """

    groups: list[str]
    origin: str
    message: str
    at: float
    attempt: str = ""


class FleetManifest(msgspec.Struct, frozen=True):
    """The state of a fleet. `tables` has the version of each group's table, `table_files` the digest of its files."""

    number: int
    published_at: float
    repositories: dict[str, PublishedShard]
    problems: dict[str, MemberProblem]
    tables: dict[Group, int]
    table_files: dict[Group, str] = {}
    format: int = FORMAT

    def of_group(self, group: str) -> dict[str, str]:
        """Name → key of each repository of a group."""
        return {name: one.built.key for name, one in self.repositories.items() if group in one.groups}


EMPTY = FleetManifest(0, 0.0, {}, {}, {})


def shard_path(digest: str) -> str:
    """Where a shard is. `digest` is that of the file: two files may hold equal shards, packed by different zlibs."""
    return f"shards/{digest}.shard"


def source_path(digest: str) -> str:
    """Where the pack of a commit is."""
    return f"sources/{digest}.pack"


def rows_path(digest: str) -> str:
    """Where the rows for the tables are."""
    return f"rows/{digest}.arrow"


def read_latest(place: Place) -> FleetManifest:
    """The published state; an empty one if nothing is published. Raises FleetError."""
    for number in reversed(manifest_numbers(place)):
        value = place.read(_manifest_path(number))
        if value is not None:
            return _decoded(value, FleetManifest, f"manifest {number}")
    return EMPTY


def manifest_numbers(place: Place) -> list[int]:
    """The numbers of all manifests, in order."""
    return sorted(int(found[1]) for one in place.listed(_MANIFESTS) if (found := _NAME.fullmatch(one.path)))


def read_manifest(place: Place, number: int) -> FleetManifest | None:
    """One manifest, or None if it is gone."""
    value = place.read(_manifest_path(number))
    return None if value is None else _decoded(value, FleetManifest, f"manifest {number}")


def publish(place: Place, manifest: FleetManifest) -> bool:
    """Publish a manifest under its number. Returns False if another writer has published that number."""
    return place.create(_manifest_path(manifest.number), msgspec.json.encode(manifest))


def drop_manifests(place: Place, numbers: list[int]) -> None:
    """Remove old manifests."""
    place.delete([_manifest_path(number) for number in numbers])


def find_built(place: Place, key: str) -> BuiltShard | None:
    """What was built under a key, if anything."""
    value = place.read(built_path(key))
    return None if value is None else _decoded(value, BuiltShard, f"record {key[:12]}")


def record_built(place: Place, built: BuiltShard) -> None:
    """Remember what was built, so that nobody builds it again."""
    place.write(built_path(built.key), msgspec.json.encode(built))


def built_path(key: str) -> str:
    """Where the record of a key is."""
    return f"{_BUILT}/{key}.json"


def now() -> float:
    """Seconds since the epoch."""
    return round(time.time(), 3)


def _manifest_path(number: int) -> str:
    return f"{_MANIFESTS}/{number:010d}.json"


def _decoded(value: bytes, kind: type[T], what: str) -> T:
    try:
        found = msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise FleetError(f"{what} cannot be read: {error}") from None
    if getattr(found, "format", FORMAT) != FORMAT:
        raise FleetError(f"{what} is of another version of Trackdown: use that version, or another place")
    return found
