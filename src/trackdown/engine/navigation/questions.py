"""Questions about a place in a repository: related code, the graph around it, its source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trackdown.engine.navigation.neighbourhoods import Neighbourhood, Reach, neighbourhood
from trackdown.engine.navigation.related import Related, related_places
from trackdown.engine.navigation.resolve_target import TargetResolver
from trackdown.engine.navigation.unit_source import UnitQuery, read_unit
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import RepositoryError, UsageError
from trackdown.request import check_count
from trackdown.types import Progress, UnitSource

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.graph import Direction, EdgeType, How


def find_related(
    repository: Repository, location: str, k: int, at: str | None, exclude: Sequence[str], progress: Progress
) -> Related:
    """See `Repository.related`."""
    check_count(k)
    path, colon, line = location.rpartition(":")
    if not colon or not path or "\0" in path:
        raise UsageError(f"{location!r} is not a location: use FILE:LINE")
    place = f"{path_from_root(repository, path)}:{line}"
    corpus = repository.present_or(at, progress)
    with SourceReader(corpus.snapshot) as reader:
        found = related_places(
            corpus.code,
            corpus.history,
            corpus.graph(),
            place,
            k,
            reader,
            repository.source.name,
            repository.within,
            exclude,
        )
    return replace(found, snapshots=(corpus.snapshot.info,), notes=repository.notes_of(corpus), partial=corpus.partial)


def walk_graph(
    repository: Repository,
    target: str,
    depth: int,
    edges: Sequence[EdgeType],
    direction: Direction,
    hows: Sequence[How],
    at: str | None,
    progress: Progress,
) -> Neighbourhood:
    """See `Repository.graph`."""
    reach = Reach(depth, edges, direction, hows)
    corpus = repository.present_or(at, progress)
    graph, source = corpus.graph(), repository.source
    resolver = TargetResolver(
        graph,
        corpus.code,
        source.name,
        lambda path: path_from_root(repository, path),
        source.subfolder,
        confined=repository.confined,
    )
    found = neighbourhood(graph, target, resolver.find(target), reach, within=repository.within)
    notes = (*repository.notes_of(corpus), *found.notes)
    return replace(found, snapshots=(corpus.snapshot.info,), notes=notes, partial=corpus.partial)


def find_source(
    repository: Repository,
    path: str,
    symbol: str | None,
    lines: tuple[int, int] | None,
    at: str | None,
    progress: Progress,
) -> UnitSource:
    """See `Repository.unit`."""
    wanted = UnitQuery(path, symbol, lines)
    for _ in range(2):
        corpus = repository.present_or(at, progress)
        with SourceReader(corpus.snapshot) as reader:
            found = read_unit(corpus.code, reader, wanted, repository.source.name, repository.within)
        if found is not None:
            notes = (*repository.notes_of(corpus), *found.notes)
            return replace(found, snapshots=(corpus.snapshot.info,), notes=notes)
    raise RepositoryError(f"{path} changed while it was being read: try again")


def path_from_root(repository: Repository, path: str) -> str:
    """A path relative to the root (`.` is the root itself), whichever folder it was relative to."""
    if repository.from_root:
        return os.path.normpath(path)
    source = repository.source
    full, root = os.path.realpath(path), str(source.root)
    inside = source.kind != "bare" and os.path.exists(full) and f"{full}/".startswith(f"{root}/")
    return os.path.relpath(full, root) if inside else os.path.normpath(path)
