"""The entries of a fleet's file → its repositories, each with a name of its own."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from trackdown.errors import UsageError
from trackdown.fleet.definition import Fleet, FleetEntry, check_name
from trackdown.repository import is_url, without_credentials

# GitHub's REST API has the repository in clone_url and its own address in url; `gh` has the repository in url.
_LISTED_URLS = ("clone_url", "http_url_to_repo", "html_url", "url", "sshUrl", "ssh_url_to_repo", "ssh_url")
_LISTED_NAMES = ("nameWithOwner", "path_with_namespace", "full_name")
_OWN = ("path", "url")
"""The kinds of entries that name one repository."""
_MOST_LISTED = 64 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """A repository of a fleet. `where` is a path or a URL, `at` what is published of it."""

    name: str
    where: str
    groups: tuple[str, ...]
    at: str = "HEAD"
    deep: bool = False
    max_file_kb: int | None = None

    @property
    def origin(self) -> str:
        """Where it is, as it may be shown."""
        return without_credentials(self.where)


@dataclass(frozen=True, slots=True)
class _Found:
    """A repository that an entry names. `name` is '' if it has to be made."""

    name: str
    where: str
    entry: FleetEntry


def find_members(fleet: Fleet) -> tuple[Member, ...]:
    """All repositories of a fleet, by name. One that has an entry of its own is nothing but what that entry says.

    Raises UsageError for a listing that cannot be read, for a glob or listing of nothing, for names that two
    repositories share, and for a repository to which two entries give different groups.
    """
    found: dict[str, list[_Found]] = {}
    for entry in fleet.entries:
        for name, where in _places(fleet.file.parent, entry):
            found.setdefault(_identity(where), []).append(_Found(name, where, entry))
    chosen = [one for alike in found.values() for one in _chosen(alike)]
    names = _names({(one.where, one.entry.at): one.name for one in chosen})
    members = [_member(names[one.where, one.entry.at], one) for one in chosen]
    return tuple(sorted(members, key=lambda member: member.name))


def _member(name: str, found: _Found) -> Member:
    entry = found.entry
    return Member(name, found.where, entry.groups, entry.at, entry.deep, entry.max_file_kb)


def _chosen(alike: Sequence[_Found]) -> list[_Found]:
    """What is published of a repository that several entries may name: one for each revision.

    Entries of its own win over globs and listings, which may only give it a name. Among equals the first one wins, if
    they agree on the groups. Raises UsageError if they don't: each would open the repository to somebody that the other
    one leaves out.
    """
    own = [one for one in alike if one.entry.kind in _OWN] or alike
    first: dict[str, _Found] = {}
    for one in own:
        known = first.setdefault(one.entry.at, one)
        if set(known.entry.groups) != set(one.entry.groups):
            groups = " and ".join(f"[{', '.join(entry.groups)}]" for entry in (known.entry, one.entry))
            raise UsageError(
                f"two entries give {without_credentials(one.where)} different groups, {groups}: "
                "give it an entry of its own, and only one, with its groups"
            )
    if len(first) > 1:
        return list(first.values())
    name = next((one.name for one in (*own, *alike) if one.name), "")
    return [replace(one, name=name) for one in first.values()]


def _identity(where: str) -> str:
    """What is equal for two ways to write where a repository is: with links, .git, another scheme or credentials."""
    if not is_url(where):
        return os.path.realpath(where).removesuffix("/.git")
    plain = without_credentials(where)
    if "://" not in plain:  # user@host:path
        plain = "ssh://" + plain.replace(":", "/", 1)
    scheme, _, rest = plain.partition("://")
    host, _, path = rest.partition("/")
    if scheme == "file":
        return os.path.realpath(f"/{unquote(path)}").removesuffix("/.git")
    host = host.rpartition("@")[2].lower()
    host = re.sub(r":\d+$" if scheme == "ssh" else r":(80|443)$", "", host)
    return f"{host}/{path.strip('/').removesuffix('.git')}"


def _places(base: Path, entry: FleetEntry) -> list[tuple[str, str]]:
    """The repositories of an entry: name, or '' to make one, and path or URL."""
    if entry.kind == "url":
        if not is_url(entry.where):
            raise UsageError(f"{entry.where!r} is not a URL that git can clone")
        return [(entry.name, entry.where)]
    where = os.path.abspath(base / Path(entry.where).expanduser())
    if entry.kind == "path":
        return [(entry.name, where)]
    if entry.kind == "listing":
        found = _listed(Path(where))
    else:
        found = [("", path) for path in sorted(glob(where)) if os.path.isdir(path)]
    if not found:  # a disk that is not mounted must not empty the fleet
        raise UsageError(f"the {entry.kind} {entry.where!r} has no repositories: is its disk there? Or remove it")
    return found


def _listed(file: Path) -> list[tuple[str, str]]:
    """The repositories of a listing: what `gh repo list --json nameWithOwner,url` or GitLab's API prints."""
    try:
        with file.open("rb") as stream:
            rows = json.loads(stream.read(_MOST_LISTED))
    except OSError as error:
        raise UsageError(f"cannot read the listing {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"the listing {file} is not JSON: {error}") from None
    if not isinstance(rows, list):
        raise UsageError(f"the listing {file} is not a list")
    found = []
    for number, row in enumerate(rows):
        url = _first(row, _LISTED_URLS)
        if not url or not is_url(url):
            raise UsageError(f"the listing {file} has no URL in row {number + 1}: it needs nameWithOwner and url")
        name = _first(row, _LISTED_NAMES)
        if name:
            check_name(name)
        found.append((name, url))
    return found


def _first(row: Any, keys: tuple[str, ...]) -> str:
    values = [row.get(key) for key in keys] if isinstance(row, dict) else []
    return next((value for value in values if isinstance(value, str) and value), "")


def _names(given: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """A name for each place: the one it was given, or as many of the last parts of its path as tell it apart.

    A place is a path or URL, and what is published of it.
    """
    plain = {place: without_credentials(place[0]).strip("/").removesuffix(".git").strip("/") for place in given}
    parts = {place: re.split(r"[/:]+", text) for place, text in plain.items()}
    names = {place: name or parts[place][-1] for place, name in given.items()}
    for length in range(2, 8):
        shared = {name for name, count in Counter(names.values()).items() if count > 1}
        if not shared:
            break
        for place, name in names.items():
            if name in shared and not given[place]:
                names[place] = "/".join(parts[place][-length:])
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    if shared:
        raise UsageError(f"two repositories are called {min(shared)!r}: give one of them another `name`")
    for name in names.values():
        check_name(name)
    return names
