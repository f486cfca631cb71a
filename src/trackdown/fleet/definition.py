"""`fleet.toml`: the place of a fleet, and its repositories with their groups and settings."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from trackdown.errors import UsageError
from trackdown.repository import without_credentials

DEFAULT_GROUP = "all"
"""The group of repositories that name none."""
LARGEST_FILE_KB = 1 << 20
"""The most that `max_file_kb` may be."""
KINDS = ("path", "url", "glob", "listing")
"""How an entry says where its repositories are."""
_GROUP = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_SCHEMES = ("file", "s3", "gs")
_KEYS = {"place", "endpoint", "region", "grace_hours", "repositories"}
_ENTRY_KEYS = {*KINDS, "name", "groups", "at", "deep", "max_file_kb"}


@dataclass(frozen=True, slots=True)
class PlaceAddress:
    """Where shards, tables and manifests are. Keys of an object store come from its usual variables."""

    url: str
    endpoint: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True)
class FleetEntry:
    """One entry of the file: one repository, or several by a glob or a listing."""

    kind: str
    where: str
    name: str = ""
    groups: tuple[str, ...] = (DEFAULT_GROUP,)
    at: str = "HEAD"
    deep: bool = False
    max_file_kb: int | None = None

    def to_show(self) -> FleetEntry:
        """The entry without a password that its URL may have."""
        return replace(self, where=without_credentials(self.where))


@dataclass(frozen=True, slots=True)
class Fleet:
    """A fleet as its file describes it. What no manifest of the last `grace_hours` names is removed from the place."""

    file: Path
    address: PlaceAddress
    entries: tuple[FleetEntry, ...]
    grace_hours: float = 24.0

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups of the entries."""
        return tuple(sorted({group for entry in self.entries for group in entry.groups}))


def read_fleet(file: Path) -> Fleet:
    """Read a fleet's file. Raises UsageError if it is missing or says something that it cannot mean."""
    try:
        value = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no {file}: `trackdown fleet init` writes one, --fleet names another") from None
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file} is not valid TOML: {error}") from None
    try:
        return _fleet(file, value)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None


def _fleet(file: Path, value: dict[str, Any]) -> Fleet:
    _check_keys(value, _KEYS)
    entries = value.get("repositories", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("repositories must be [[repositories]] tables")
    grace = value.get("grace_hours", 24.0)
    if isinstance(grace, bool) or not isinstance(grace, int | float) or not 0 <= grace <= 10_000:
        raise UsageError("grace_hours must be a number of hours")
    address = PlaceAddress(
        _place_url(file.parent, _text(value, "place")), _text(value, "endpoint", ""), _text(value, "region", "")
    )
    return Fleet(file, address, tuple(_entry(entry) for entry in entries), float(grace))


def _entry(value: dict[str, Any]) -> FleetEntry:
    _check_keys(value, _ENTRY_KEYS)
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        raise UsageError(f"an entry of repositories needs one of {', '.join(KINDS)}")
    kind = kinds[0]
    groups = value.get("groups", [DEFAULT_GROUP])
    if not isinstance(groups, list) or not groups or not all(isinstance(group, str) for group in groups):
        raise UsageError("groups must be a list of names")
    for group in groups:
        check_group(group)
    limit = value.get("max_file_kb")
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST_FILE_KB
    ):
        raise UsageError("max_file_kb must be a whole number of kilobytes")
    if not isinstance(value.get("deep", False), bool):
        raise UsageError("deep must be true or false")
    if "name" in value and kind in ("glob", "listing"):
        raise UsageError(f"a {kind} stands for several repositories and has no name")
    name = _text(value, "name", "")
    if name:
        check_name(name)
    at = _text(value, "at", "HEAD")
    return FleetEntry(kind, _text(value, kind), name, tuple(dict.fromkeys(groups)), at, value.get("deep", False), limit)


def check_group(group: str) -> None:
    """Raise UsageError for a name that cannot be a group's."""
    if not _GROUP.fullmatch(group):
        raise UsageError(f"{group!r} is not a group: use small letters, digits, - and _")


def check_name(name: str) -> None:
    """Raise UsageError for a name that cannot be a repository's."""
    if not name or len(name) > 200 or not name.isprintable() or name != name.strip():
        raise UsageError(f"{name[:80]!r} is not a name for a repository")


def _place_url(base: Path, place: str) -> str:
    """The place as a URL. A path is relative to the folder of the fleet's file."""
    scheme = urlsplit(place).scheme if "://" in place else ""
    if not scheme:
        return (base / Path(place).expanduser()).absolute().as_uri()
    if scheme not in _SCHEMES:
        raise UsageError(f"place is a folder or a URL with {', '.join(f'{one}://' for one in _SCHEMES)}, not {place!r}")
    parts = urlsplit(place)
    if parts.username or parts.password:
        raise UsageError("keep keys out of the place: they come from the variables of your object store")
    if scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise UsageError(f"{place!r} has no absolute path: write file:///srv/fleet")
    return place.rstrip("/")


def folder_of(address: PlaceAddress) -> Path | None:
    """The folder of a place on this machine; None for an object store."""
    parts = urlsplit(address.url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _text(value: dict[str, Any], key: str, default: str | None = None) -> str:
    found = value.get(key, default)
    if found is None:
        raise UsageError(f"{key} is missing")
    if not isinstance(found, str) or (default is None and not found.strip()):
        raise UsageError(f"{key} must be text")
    return found


def _check_keys(value: dict[str, Any], known: set[str]) -> None:
    for key in value:
        if key not in known:
            raise UsageError(f"there is no setting {key!r}; known are {', '.join(sorted(known))}")
