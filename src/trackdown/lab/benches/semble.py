"""semble's benchmark: questions about 63 repositories at pinned revisions, with the files that answer them.

github.com/MinishLab/semble, `benchmarks/`. Its protocol: all targets, primary and secondary alike, count the same;
those that do not exist in what is searched do not count; a query's score is binary nDCG@10 over the first ten results.
The headline is the mean over repositories of each repository's mean, so that a repository with many questions weighs no
more than one with few.

Two things differ here, since whole files are ranked. A target with a span of lines is its file, and several spans of a
file are one target. And a file takes one of the ten places, where several of semble's chunks may be of one file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackdown.errors import TrackdownError, UnknownRevision, UsageError
from trackdown.lab import Bench, CodeLocation, Task, find_repository
from trackdown.lab.benches.records import Record, Refusals, read_items
from trackdown.repository import commit_snapshot, open_source

METRICS = ("nDCG@10", "nDCG@5", "Hit@1", "Hit@5", "Hit@10", "R@10", "MRR")
_REPOS = "repos.json"
_NO_FILES = frozenset({"submodule", "symlink"})


def read_semble(annotations: Path, repos: Path, layout: str, *, strict: bool) -> Bench:
    """The questions of a folder of NAME.json files as tasks, whose category is `language/category`.

    `repos.json` is in the folder or in its parent; clones are found below `repos` by `layout`. Ids are NAME/number,
    with the number of the item in its file. What cannot be asked is left out, with its reason, or raises UsageError
    when `strict`. Raises UsageError as well when there is no repos.json or no annotation.
    """
    folder, listing = _locate(annotations)
    reader = _AnnotationReader(repos, layout, Refusals(folder, strict=strict))
    reader.read_specifications(listing)
    files = sorted(path for path in folder.glob("*.json") if path.name != _REPOS)
    if not files:
        raise UsageError(f"{folder} has no annotations: name the folder with a NAME.json for each repository")
    for path in files:
        reader.read_annotations(path)
    remarks = {text: count for text, count in sorted(reader.remarks.items()) if count}
    return Bench("semble", "file", tuple(reader.tasks), tuple(reader.refusals.skipped), METRICS, remarks)


def infer_category(query: str) -> str:
    """The category of a question that names none."""
    if " " not in query.strip():
        return "symbol"
    return "architecture" if query.lower().startswith("how ") else "semantic"


def resolve_target(target: str, paths: Iterable[str]) -> tuple[str, bool]:
    """(the path that a target means, whether others would do as well); the path is '' when there is none.

    Paths match when they are equal or one ends with the other at a slash. The longest common end decides, then the path
    nearest to the root.
    """
    target = target.replace("\\", "/").strip("/")
    known = paths if isinstance(paths, set | frozenset | dict) else set(paths)
    if target in known:
        return target, False
    above = target.partition("/")[2]
    while above:
        if above in known:
            return above, False
        above = above.partition("/")[2]
    below = sorted((path for path in known if path.endswith(f"/{target}")), key=lambda path: (path.count("/"), path))
    return (below[0], len(below) > 1) if below and target else ("", False)


@dataclass(frozen=True, slots=True)
class _Searched:
    """A repository at its revision: which files of it are searched."""

    name: str
    language: str
    place: str
    commit: str
    folder: str
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Refused:
    """A repository whose questions cannot be asked."""

    reason: str
    detail: str


class _AnnotationReader:
    """Collects tasks, file by file. A repository is opened once."""

    def __init__(self, repos: Path, layout: str, refusals: Refusals) -> None:
        self.tasks: list[Task] = []
        self.remarks: Counter[str] = Counter()
        self.refusals = refusals
        self._repos = repos
        self._layout = layout
        self._specifications: dict[str, Record | _Refused] = {}
        self._opened: dict[str, _Searched | _Refused] = {}

    def read_specifications(self, path: Path) -> None:
        """Read repos.json."""
        for number, item in read_items(path):
            if isinstance(item, str):
                self.refusals.skip(f"{_REPOS} item {number}", "malformed file", f"{path}, item {number}: {item}")
                continue
            name = item.get("name")
            if not isinstance(name, str) or not name:
                self.refusals.skip(f"{_REPOS} item {number}", "malformed file", f"{path}, item {number}: no name")
                continue
            wrong = _wrong_fields(item)
            if name in self._specifications:
                wrong = "a second entry of this name"
            self._specifications[name] = (
                _Refused("malformed file", f"{path}, item {number}: {wrong}") if wrong else item
            )

    def read_annotations(self, path: Path) -> None:
        """Read one NAME.json."""
        try:
            items = list(read_items(path))
        except UsageError as error:
            self.refusals.skip(path.stem, "malformed file", str(error), path.stem)
            return
        for number, item in items:
            id_, where = f"{path.stem}/{number}", f"{path.name}, item {number}"
            if isinstance(item, str):
                self.refusals.skip(id_, "malformed item", f"{where}: {item}", path.stem)
                continue
            name = item.get("repo", path.stem)
            searched = (
                self._searched(name) if isinstance(name, str) else _Refused("malformed item", "'repo' is not a string")
            )
            if isinstance(searched, _Refused):
                self.refusals.skip(id_, searched.reason, f"{where}: {searched.detail}", str(name))
                continue
            self._read_item(id_, where, item, searched)

    def _read_item(self, id_: str, where: str, item: Record, searched: _Searched) -> None:
        query = item.get("query")
        if not isinstance(query, str) or not query.strip():
            self.refusals.skip(id_, "malformed item", f"{where}: no 'query'", searched.name)
            return
        try:
            targets = [path for field in ("relevant", "secondary") for path in _targets(item, field)]
        except ValueError as error:
            self.refusals.skip(id_, "malformed item", f"{where}: {error}", searched.name)
            return
        gold: dict[CodeLocation, None] = {}
        for target in targets:
            path, ambiguous = resolve_target(target, searched.paths)
            self.remarks["targets that do not exist"] += not path
            self.remarks["targets that several files match"] += ambiguous
            if path:
                gold[CodeLocation(path)] = None
        if not gold:
            detail = f"{where}: {', '.join(targets) or 'no target'}"
            self.refusals.skip(id_, "no existing target", detail, searched.name)
            return
        given = item.get("category")
        category = given if isinstance(given, str) and given else infer_category(query)
        self.tasks.append(
            Task(
                id_,
                query,
                tuple(gold),
                searched.place,
                searched.name,
                "file",
                at=searched.commit,
                folder=searched.folder,
                category=f"{searched.language}/{category}",
            )
        )

    def _searched(self, name: str) -> _Searched | _Refused:
        if name not in self._opened:
            specification = self._specifications.get(name)
            if specification is None:
                self._opened[name] = _Refused("unknown repository", f"{_REPOS} has no entry {name!r}")
            elif isinstance(specification, _Refused):
                self._opened[name] = specification
            else:
                self._opened[name] = self._open(specification)
        return self._opened[name]

    def _open(self, item: Record) -> _Searched | _Refused:
        """The files of a repository's revision below the folder that is searched."""
        place = next(filter(None, map(self._find, _clone_names(item))), None)
        if place is None:
            return _Refused("unknown repository", f"no clone of {item['url']}")
        try:
            source = open_source(place)
            commit = source.resolve(item["revision"])
            snapshot = commit_snapshot(source, commit)
        except UnknownRevision as error:
            return _Refused("commit not in the clone", str(error))
        except TrackdownError as error:
            return _Refused("clone cannot be read", str(error))
        folder = (item.get("benchmark_root") or "").strip("/")
        folder = "" if folder == "." else folder.removeprefix("./")
        # What our own rules leave out counts as missed: it is there to be found.
        there = [file.path for file in snapshot.files]
        there += [excluded.path for excluded in snapshot.excluded if excluded.reason not in _NO_FILES]
        inside = frozenset(path for path in there if not folder or path == folder or path.startswith(f"{folder}/"))
        language = item.get("language") or "unknown"
        return _Searched(item["name"], language, str(place), commit, folder, inside)

    def _find(self, name: str) -> Path | None:
        return find_repository(self._repos, self._layout, name)


def _locate(annotations: Path) -> tuple[Path, Path]:
    """(the folder of the annotations, repos.json)."""
    if not annotations.is_dir():
        raise UsageError(f"{annotations} is not a folder: name the one that holds semble's annotations")
    folder = annotations / "annotations" if (annotations / "annotations").is_dir() else annotations
    for listing in (folder / _REPOS, folder.resolve().parent / _REPOS):
        if listing.is_file():
            return folder, listing
    raise UsageError(f"there is no {_REPOS} in {folder} or its parent: it names each repository's revision")


def _wrong_fields(item: Record) -> str:
    """What is wrong with an entry of repos.json, or an empty text."""
    missing = [name for name in ("url", "revision") if not isinstance(item.get(name), str) or not item[name]]
    if missing:
        return f"no {' and no '.join(missing)}"
    wrong = [name for name in ("language", "benchmark_root") if not isinstance(item.get(name) or "", str)]
    return f"{wrong[0]!r} is not a string" if wrong else ""


def _clone_names(item: Record) -> Iterator[str]:
    """How a clone may be called: by the repository's address, or by semble's own name for it."""
    parts = item["url"].removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    owner = parts[-2] if len(parts) > 1 else ""
    yield f"{owner}/{parts[-1]}"
    yield f"{owner}/{item['name']}"


def _targets(item: Record, field: str) -> Iterator[str]:
    """The paths of the targets in a field. Raises ValueError."""
    found: Any = item.get(field) or []
    if not isinstance(found, list):
        raise ValueError(f"{field!r} is not a list")
    for target in found:
        path = target.get("path") if isinstance(target, dict) else target
        if not isinstance(path, str) or not path:
            raise ValueError(f"a target of {field!r} has no path: {json.dumps(target)[:80]}")
        yield path
