"""Which repositories to work on, where their clones are, and which must not be mined.

A manifest is a JSON list of {"name", "path", "dataset"}; `dataset` is a case file, or is left out to mine one. Paths
are relative to the manifest. CodeRAG's `watched_dir` is read as `path`. A layout such as '{owner}+{name}/repo' maps
names to clones and back.

Data that judges a model must not train it. So a repository is compared with the list of excluded ones under every name
that it has: from the manifest, from its path by the layout, and from the URLs of its remotes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from trackdown.errors import GitError, UsageError
from trackdown.repository import Source, open_source


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One repository of a manifest."""

    name: str
    path: Path
    dataset: Path | None


def read_manifest(path: Path) -> list[ManifestEntry]:
    """The entries. Raises UsageError that names the entry and what is wrong with it."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the manifest {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the manifest {path} is not JSON: {error}") from None
    if not isinstance(value, list) or not value:
        raise UsageError(f'the manifest {path} must be a list of {{"name", "path", "dataset"}}')
    entries = [_entry(item, number, path) for number, item in enumerate(value, 1)]
    names = [entry.name for entry in entries]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{path}: the name {twice!r} appears twice")
    return entries


def _entry(item: object, number: int, manifest: Path) -> ManifestEntry:
    where = f"{manifest}, entry {number}"
    if not isinstance(item, dict):
        raise UsageError(f"{where}: not an object")
    place = item.get("path", item.get("watched_dir"))
    name, dataset = item.get("name"), item.get("dataset")
    if not isinstance(place, str) or not place:
        raise UsageError(f"{where}: 'path' is missing")
    if not all(isinstance(value, str | None) for value in (name, dataset)):
        raise UsageError(f"{where}: 'name' and 'dataset' must be strings")
    try:
        full = (manifest.parent / Path(place).expanduser()).resolve()
        return ManifestEntry(name or full.name, full, manifest.parent / Path(dataset).expanduser() if dataset else None)
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageError(f"{where}: {error}") from None


_PLACEHOLDERS = frozenset({"owner", "name"})


def find_repository(repos: Path, layout: str, name: str) -> Path | None:
    """The clone of `owner/name` below `repos`, by a layout: '{owner}/{name}', '{owner}+{name}/repo' or '{name}'.

    None where there is no such folder, and for a name that is not `owner/name` or would lead out of `repos`. Where the
    exact name is missing, one that differs in case only is taken, as GitHub does. Raises UsageError when the layout
    cannot be read or `repos` is no folder.
    """
    _check_layout(layout)
    if not os.path.isdir(repos):
        raise UsageError(f"{repos} is not a folder: name the one that holds the clones")
    owner, slash, own_name = name.partition("/")
    if not slash or not (_is_plain(owner) and _is_plain(own_name)):
        return None
    found = Path(repos)
    for part in layout.format(owner=owner, name=own_name).split("/"):
        below = _below(found, part)
        if below is None:
            return None
        found = below
    return found


def _check_layout(layout: str) -> None:
    asked = f"the layout {layout!r} of the clones"
    try:
        pieces = list(Formatter().parse(layout))
    except ValueError as error:
        raise UsageError(f"{asked} cannot be read: {error}") from None
    for _, field, specification, conversion in pieces:
        if field is not None and (field not in _PLACEHOLDERS or specification or conversion):
            raise UsageError(f"{asked} may hold {{owner}} and {{name}}, not {{{field}}}")
    if "name" not in {field for _, field, _, _ in pieces}:
        raise UsageError(f"{asked} must hold {{name}}")
    if layout.startswith("/") or "\0" in layout or ".." in layout.split("/"):
        raise UsageError(f"{asked} must stay below the folder of the clones")


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and not set(part) & {"/", "\\", "\0"}


def _below(folder: Path, part: str) -> Path | None:
    """The folder of this name in another, in any case where the exact one is missing."""
    exact = folder / part
    if os.path.isdir(exact):
        return exact
    try:
        alike = sorted(other for other in os.listdir(folder) if other.casefold() == part.casefold())
    except OSError:
        return None
    return next((folder / other for other in alike if os.path.isdir(folder / other)), None)


_NAME = re.compile(r"(?!\.{1,2}/)([\w.-]+)/(?!\.{1,2}$)([\w.-]+)", re.ASCII)
_URL = re.compile(r"(?:(?:https?|ssh|git)://[^/]+/|[\w.-]+@[\w.-]+:)(?:.*/)?([^/]+)/([^/]+?)(?:\.git)?/*", re.I)
_FEW = 5


@dataclass(frozen=True, slots=True)
class MinedRepository:
    """A repository to mine. `owner` is empty where it cannot be told; `known_as` are all names as `owner/name`."""

    path: Path
    owner: str
    name: str
    known_as: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """How the names of its files begin."""
        return f"{self.owner}+{self.name}" if self.owner else self.name

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}" if self.owner else self.name


def find_repositories(paths: Sequence[str], manifest: Path | None = None, layout: str = "") -> list[MinedRepository]:
    """The repositories of paths and of a manifest.

    Raises UsageError for a plain folder, a layout that cannot be read and two repositories of one name; NoSuchPath and
    GitError for what cannot be opened.
    """
    given = [(Path(path), "") for path in paths]
    if manifest is not None:
        given += [(entry.path, entry.name) for entry in read_manifest(manifest)]
    if not given:
        raise UsageError("name repositories, or a --manifest of them")
    places = [_place(path, name, layout) for path, name in given]
    seen: dict[str, MinedRepository] = {}
    for place in places:
        other = seen.setdefault(place.stem.casefold(), place)
        if other is not place:
            told = f"{other.path} and {place.path}"
            raise UsageError(f"{told} are both {place}: use --layout or --manifest to tell them apart")
    return places


def _place(path: Path, name: str, layout: str) -> MinedRepository:
    source = open_source(path)
    if source.git is None:
        raise UsageError(f"{path} is a plain folder: what is mined is the history of a git repository")
    spots = dict.fromkeys([path.absolute(), source.root])
    names = [_as_name(name), *(name_by_layout(spot, layout) for spot in spots if layout), *_remote_names(source)]
    known = tuple(dict.fromkeys(filter(None, names)))
    if known:
        owner, _, own = known[0].partition("/")
        return MinedRepository(path, owner, own, known)
    return MinedRepository(path, "", re.sub(r"[^\w.-]+", "-", name or source.name).strip(".-") or "repository")


def _as_name(text: str) -> str:
    found = _NAME.fullmatch(text.strip().removesuffix(".git"))
    return f"{found[1]}/{found[2]}" if found else ""


def name_by_layout(path: Path, layout: str) -> str:
    """The `owner/name` of a clone by where it lies, '' when it does not lie so. Raises UsageError for a bad layout."""
    find_repository(Path("/"), layout, "")  # raises for a layout that cannot be read
    depth = layout.count("/") + 1
    if "{owner}" not in layout:
        return ""
    pattern = re.escape(layout).replace(r"\{owner\}", "(?P<owner>[^/]+?)", 1).replace(r"\{name\}", "(?P<name>[^/]+)", 1)
    for part in ("owner", "name"):
        pattern = pattern.replace(rf"\{{{part}\}}", f"(?P={part})")
    found = re.fullmatch(pattern, "/".join(path.parts[-depth:]))
    return _as_name(f"{found['owner']}/{found['name']}") if found else ""


def _remote_names(source: Source) -> list[str]:
    """The names in the URLs of all remotes, `origin` first. Paths of other clones tell nothing."""
    assert source.git is not None
    try:
        lines = source.git.text("config", "--get-regexp", r"^remote\..*\.(push)?url$").splitlines()
    except GitError:
        return []
    lines.sort(key=lambda line: not line.startswith("remote.origin."))
    urls = (_URL.fullmatch(line.partition(" ")[2].strip()) for line in lines)
    return list(filter(None, (_as_name(f"{url[1]}/{url[2]}") for url in urls if url)))


def read_names(path: Path) -> frozenset[str]:
    """The `owner/name` lines of a file, in lower case; blank lines and lines that begin with `#` are passed over.

    Raises UsageError for any other line: a list that is misread would let through what it names.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8") from None
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            name = _as_name(line)
            if not name:
                raise UsageError(f"{path}, line {number}: {line.strip()[:60]!r} is not owner/name")
            found.add(name.casefold())
    if not found:
        raise UsageError(f"{path} names no repository")
    return frozenset(found)


def check_allowed(places: Sequence[MinedRepository], excluded: Collection[str], allowed: Iterable[str] = ()) -> None:
    """Raise UsageError when a repository is excluded and not allowed, or when its name is unknown."""
    admitted = {name.casefold() for name in allowed}
    unknown = [str(place.path) for place in places if not place.known_as]
    if unknown:
        raise UsageError(
            f"cannot tell whether {_few(unknown)} is excluded: neither a manifest nor --layout nor a remote's URL "
            "gives its owner/name"
        )
    barred = [
        name
        for place in places
        for name in place.known_as
        if name.casefold() in excluded and not {known.casefold() for known in place.known_as} & admitted
    ]
    if barred:
        raise UsageError(f"{_few(barred)} must not be mined: the list of excluded repositories names it")


def _few(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")
