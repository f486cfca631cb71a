"""Which repositories are mined, under which names, and which must not be.

A repository is known as `owner/name` from the manifest, from where it lies (a layout like '{owner}+{name}/repo') or
from the URLs of its remotes. What is used to judge a model must not be learned from: a list of such repositories is
held against every name that one is known by, before anything is mined.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import GitError, UsageError
from trackdown.lab.benches.layout import find_repository
from trackdown.lab.manifest import read_manifest
from trackdown.repository.source import Source, open_source

_NAME = re.compile(r"(?!\.{1,2}/)([\w.-]+)/(?!\.{1,2}$)([\w.-]+)", re.ASCII)
_URL = re.compile(r"(?:(?:https?|ssh|git)://[^/]+/|[\w.-]+@[\w.-]+:)(?:.*/)?([^/]+)/([^/]+?)(?:\.git)?/*", re.I)
_FEW = 5


@dataclass(frozen=True, slots=True)
class Place:
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


def find_places(paths: Sequence[str], manifest: Path | None = None, layout: str = "") -> list[Place]:
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
    seen: dict[str, Place] = {}
    for place in places:
        other = seen.setdefault(place.stem.casefold(), place)
        if other is not place:
            told = f"{other.path} and {place.path}"
            raise UsageError(f"{told} are both {place}: a --layout or a --manifest may tell them apart")
    return places


def _place(path: Path, name: str, layout: str) -> Place:
    source = open_source(path)
    if source.git is None:
        raise UsageError(f"{path} is a plain folder: what is mined is the history of a git repository")
    spots = dict.fromkeys([path.absolute(), source.root])
    names = [_as_name(name), *(name_by_layout(spot, layout) for spot in spots if layout), *_remote_names(source)]
    known = tuple(dict.fromkeys(filter(None, names)))
    if known:
        owner, _, own = known[0].partition("/")
        return Place(path, owner, own, known)
    return Place(path, "", re.sub(r"[^\w.-]+", "-", name or source.name).strip(".-") or "repository")


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


def check_allowed(places: Sequence[Place], excluded: Collection[str], allowed: Iterable[str] = ()) -> None:
    """Raise UsageError when a repository is excluded and not allowed, or when nobody can tell whether it is."""
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


__all__ = ["Place", "check_allowed", "find_places", "name_by_layout", "read_names"]
