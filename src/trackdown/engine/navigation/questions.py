"""Questions about a place in a repository: related code, the graph around it, its source."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trackdown.engine.navigation.neighbourhoods import Neighbourhood, Reach, neighbourhood
from trackdown.engine.navigation.related import Related, RelatedTarget, related_places
from trackdown.engine.navigation.resolve_target import TargetResolver
from trackdown.engine.navigation.unit_source import UnitQuery, read_unit
from trackdown.engine.searching.filters import PathFilter, lies_below
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import RepositoryError, UsageError
from trackdown.graph import resolution_notes
from trackdown.request import check_count
from trackdown.types import Progress, UnitSource

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.graph import Direction, EdgeType, How
    from trackdown.index import Corpus


def find_related(
    repository: Repository, target: str, k: int, at: str | None, exclude: Sequence[str], progress: Progress
) -> Related:
    """See `Repository.related`."""
    check_count(k)
    corpus = repository.present_or(at, progress)
    graph, code = corpus.graph(), corpus.code
    wanted, notes = _related_target(repository, corpus, target)
    shown = PathFilter(repository.within, (*repository.settings_at(at).exclude, *exclude))
    with SourceReader(corpus.snapshot) as reader:
        found = related_places(code, corpus.history, graph, wanted, k, reader, repository.source.name, shown)
    language = code.language(code.files_by_path[wanted.path])
    notes = (*repository.notes_of(corpus), *notes, *found.notes, *resolution_notes([language]))
    partial = corpus.partial or found.partial
    return replace(found, snapshots=(corpus.snapshot.info,), notes=notes, partial=partial)


def _related_target(repository: Repository, corpus: Corpus, target: str) -> tuple[RelatedTarget, tuple[str, ...]]:
    """What a target means, and a note if it could mean several places. Raises UsageError."""
    path, _, line = target.rpartition(":")
    known = path_from_root(repository, path) if path and "\0" not in path else ""
    there = known in corpus.code.files_by_path and lies_below(known, repository.within)
    if there and re.fullmatch(r"0*[1-9][0-9]{0,8}", line):
        return RelatedTarget(known, int(line)), ()
    nodes = target_resolver(repository, corpus).find(target).nodes
    node = nodes[0]
    if node.kind == "directory":
        raise UsageError(f"{target} is a folder: give a FILE, FILE:LINE or a SYMBOL")
    first, *others = (f"{one.path}:{one.start_line}" if one.symbol else one.path for one in nodes)
    note = f"{target} matches {len(nodes)} places; this is the first, {first}. Others: {', '.join(others[:3])}"
    return RelatedTarget(node.path, 0, node), (note,) if others else ()


def target_resolver(repository: Repository, corpus: Corpus) -> TargetResolver:
    """What finds the files, classes and functions that somebody names."""
    source = repository.source
    return TargetResolver(
        corpus.graph(),
        corpus.code,
        source.name,
        lambda path: path_from_root(repository, path),
        source.subfolder,
        confined=repository.confined,
        lacks=_lacks(corpus),
    )


def _lacks(corpus: Corpus) -> str:
    """What a partial corpus says is missing from it; '' for a whole one."""
    return "; ".join(corpus.notes) if corpus.partial else ""


def walk_graph(
    repository: Repository,
    target: str,
    depth: int,
    edges: Sequence[EdgeType],
    direction: Direction,
    hows: Sequence[How],
    at: str | None,
    seconds: float | None,
    progress: Progress,
) -> Neighbourhood:
    """See `Repository.graph`."""
    reach = Reach(depth, edges, direction, hows)
    corpus = repository.present_or(at, progress)
    starts = target_resolver(repository, corpus).find(target)
    found = neighbourhood(corpus.graph(), target, starts, reach, within=repository.within, seconds=seconds)
    notes = (*repository.notes_of(corpus), *found.notes)
    return replace(found, snapshots=(corpus.snapshot.info,), notes=notes, partial=corpus.partial or found.partial)


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
            found = read_unit(corpus.code, reader, wanted, repository.source.name, repository.within, _lacks(corpus))
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
