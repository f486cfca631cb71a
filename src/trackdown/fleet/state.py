"""What is published of a fleet beside what its file says: the answer of `fleet status` and `fleet list`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trackdown.fleet.definition import Fleet
from trackdown.fleet.manifest import MemberProblem, PublishedShard, read_latest
from trackdown.fleet.members import Member, find_members
from trackdown.fleet.place import Place


@dataclass(frozen=True, slots=True)
class MemberState:
    """A repository: what the file says, and what is published of it. `state` is published, failed, new or removed."""

    name: str
    origin: str
    groups: tuple[str, ...]
    state: str
    commit: str | None = None
    files: int = 0
    units: int = 0
    commits: int = 0
    bytes: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    published_at: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FleetState:
    """A fleet. `number` and `published_at` are those of the latest manifest; 0 if nothing is published."""

    place: str
    number: int
    published_at: float
    repositories: tuple[MemberState, ...]
    tables: Mapping[str, int]
    units: int
    bytes: int


def fleet_state(fleet: Fleet) -> FleetState:
    """Describe a fleet. Raises FleetError and UsageError."""
    members = {member.name: member for member in find_members(fleet)}
    manifest = read_latest(Place(fleet.address))
    names = sorted(members.keys() | manifest.repositories.keys())
    states = tuple(
        _state(name, members.get(name), manifest.repositories.get(name), manifest.problems.get(name)) for name in names
    )
    units, size = sum(one.units for one in states), sum(one.bytes for one in states)
    return FleetState(fleet.address.url, manifest.number, manifest.published_at, states, manifest.tables, units, size)


def _state(
    name: str, member: Member | None, published: PublishedShard | None, problem: MemberProblem | None
) -> MemberState:
    origin = member.origin if member is not None else published.origin if published is not None else ""
    groups = tuple(member.groups if member is not None else published.groups if published is not None else ())
    if member is None:
        state = "removed"
    elif problem is not None:
        state = "failed"
    else:
        state = "new" if published is None else "published"
    message = problem.message if problem is not None and member is not None else ""
    if published is None:
        return MemberState(name, origin, groups, state, problem=message)
    built = published.built
    return MemberState(
        name,
        origin,
        groups,
        state,
        built.commit,
        built.files,
        built.units,
        built.commits,
        built.shard_bytes + built.source_bytes + built.rows_bytes,
        built.languages,
        published.published_at,
        message,
    )
