"""Code related to a place: callers and callees, similar units, files that changed in the same commits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackdown.engine.navigation.relations import Relative, RelativeFinder
from trackdown.engine.past.co_changes import CoChange, changed_together
from trackdown.engine.searching.filters import PathFilter
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UsageError
from trackdown.excerpts import Sought, SoughtTerms
from trackdown.graph import Graph, Node
from trackdown.index import CodeIndex, CommitIndex, Mask
from trackdown.pipeline import Ranked
from trackdown.retrieve import SIGNAL, Lexical
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Result, SnapshotInfo, Why
from trackdown.units import oid_of_key, term_counts

_TERMS = 60
_CUT = (
    "callers, subclasses and importers are incomplete: too many files mention the name to read them all at once. Ask "
    "again to see more, since what was read is kept, or `trackdown graph --seconds 0` to see all"
)


@dataclass(frozen=True, slots=True)
class RelatedTarget:
    """What related code is wanted for: a line of a file, a class or function, or without either the whole file."""

    path: str
    line: int = 0
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """Code related to a place. See `Relations` for callers and other relatives."""

    location: str
    symbol: str
    similar: tuple[Result, ...]
    changes_together: tuple[CoChange, ...]
    callers: tuple[Relative, ...] = ()
    callees: tuple[Relative, ...] = ()
    siblings: tuple[Relative, ...] = ()
    subclasses: tuple[Relative, ...] = ()
    bases: tuple[Relative, ...] = ()
    imports: tuple[Relative, ...] = ()
    importers: tuple[Relative, ...] = ()
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False


def related_places(
    code: CodeIndex,
    history: tuple[CommitIndex, str] | None,
    graph: Graph,
    target: RelatedTarget,
    k: int,
    snippets: SourceReader,
    repository: str,
    shown: PathFilter,
) -> Related:
    """Find related code in the files that are `shown`. Raises UsageError if the file does not have the line."""
    path, file = target.path, code.files_by_path[target.path]
    lines = snippets.lines(path, oid_of_key(code.fact_key(file))) or []
    if target.line > max(len(lines), 1):
        raise UsageError(f"{path} has only {len(lines)} lines, not {target.line}")
    finder = RelativeFinder(graph, code, k, shown)
    node = target.node or (finder.node_at(file, target.line) if target.line else graph.file_node(file))
    line = target.line or node.start_line
    unit = _unit_of(code, file, node, line)
    symbol = code.symbol(unit) if unit >= 0 else ""
    first, last = (int(code.unit_start[unit]), int(code.unit_end[unit])) if unit >= 0 else (1, len(lines))
    similar = _similar(code, unit, "\n".join([*([symbol] * 3), *lines[first - 1 : last]]), k, shown, path)
    results = [snippets.result(code, item, rank, repository) for rank, item in enumerate(similar, 1)]
    relations = finder.around(node, line)
    return Related(
        f"{path}:{line}" if line else path,
        symbol,
        tuple(result for result in results if result is not None),
        changed_together(code, history, [path], k, shown) if history is not None else (),
        relations.callers,
        relations.callees,
        relations.siblings,
        relations.subclasses,
        relations.bases,
        relations.imports,
        relations.importers,
        notes=(_CUT,) if finder.cut else (),
        partial=finder.cut,
    )


def _unit_of(code: CodeIndex, file: int, node: Node, line: int) -> int:
    """The unit of a class or function, or else the innermost one around a line; -1 for a whole file."""
    around = [row for row in code.units_of(file) if code.unit_start[row] <= line <= code.unit_end[row]]
    named = [row for row in around if node.symbol and code.symbol(row) == node.symbol]
    return min(named or around, key=lambda row: int(code.unit_end[row] - code.unit_start[row]), default=-1)


def _similar(code: CodeIndex, unit: int, text: str, k: int, shown: PathFilter, path: str) -> list[Ranked]:
    """Units with the highest lexical score for the words of this one; for those of a whole file, outside it."""
    counts = dict(term_counts(text).most_common(_TERMS * 3))
    if not counts:
        return []
    lexical = Lexical(code, {term: float(1 + np.log(count)) for term, count in counts.items()})
    scores = lexical.units * code.is_kind(FUNCTION_KINDS | CLASS_KINDS)
    best = lexical.units[unit] if unit >= 0 else scores.max(initial=1.0)
    scores *= shown.files(code)[code.unit_file]
    scores[_overlaps(code, unit) if unit >= 0 else code.unit_file == code.files_by_path[path]] = 0.0
    nearest = [row for row in np.argsort(-scores, kind="stable")[:k].tolist() if scores[row] > 0]
    sought = Sought(SoughtTerms(lexical.sought()))
    found = []
    for row, match in zip(nearest, lexical.matches(nearest), strict=True):
        value = float(scores[row] / best)
        why = (Why(SIGNAL, value, match.text),)
        found.append(Ranked(row, int(code.unit_file[row]), row, value, why, match.text, sought))
    return found


def _overlaps(code: CodeIndex, unit: int) -> Mask:
    """Units with lines in common: the unit itself, enclosing and enclosed units."""
    same = code.unit_file == code.unit_file[unit]
    overlapping: Mask = same & (code.unit_start <= code.unit_end[unit]) & (code.unit_end >= code.unit_start[unit])
    return overlapping
