"""Answers about a place: related code, the graph around it, its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trackdown.engine import EDGE_TYPES, Edge, Neighbourhood, Node, Related, Relative
from trackdown.surfaces.cli import one_line, sanitize
from trackdown.surfaces.drawing import ARROWS, name_of, place_of
from trackdown.surfaces.mcp.fitting import cut, cut_value, fit, room, text_size, value_size
from trackdown.surfaces.mcp.tool_answer import ListItem, ToolAnswer, fitting_notes, list_answer
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level, Result, UnitSource

_LONGEST_REASON = 160
_FEW_STARTS = 3


def nearby(answer: Related, max_tokens: int, level: Level | None) -> ToolAnswer:
    """Code related to a location."""
    location, symbol = one_line(answer.location), one_line(answer.symbol)
    items = list(_relations(answer, level))
    head = f"Near {location}" + (f" ({symbol})" if symbol else "") + (":" if items else ": nothing found.")
    fields = {
        "partial": answer.partial,
        "location": cut_value(location, room(max_tokens) // 4),
        "symbol": cut_value(symbol, room(max_tokens) // 8),
    }
    return list_answer(head, fields, "related", answer.notes, items, max_tokens)


def around(answer: Neighbourhood, max_tokens: int) -> ToolAnswer:
    """The edges around a place, nearest first. An edge further away says where it begins."""
    starts = ", ".join(f"{name_of(node)} ({place_of(node)})" for node in answer.starts[:_FEW_STARTS])
    items = [_edge(edge, answer.starts) for edge in _by_distance(answer)]
    head = f"Around {starts}" + (":" if items else ": no edges.")
    fields = {
        "partial": answer.partial,
        "starts": [cut_value(one_line(node.id), room(max_tokens) // 8) for node in answer.starts[:2]],
    }
    return list_answer(head, fields, "edges", answer.notes, items, max_tokens)


def _by_distance(answer: Neighbourhood) -> list[tuple[Edge, bool]]:
    """Every edge once, and whether it leads outward, in the order of the nearer of its ends."""
    order = {node: position for position, node in enumerate(answer.nodes)}
    outward = [(edge, order[edge.source] <= order[edge.target]) for edge in answer.edges]
    return sorted(
        outward, key=lambda one: (order[one[0].source if one[1] else one[0].target], EDGE_TYPES.index(one[0].type))
    )


def _edge(found: tuple[Edge, bool], starts: Sequence[Node]) -> ListItem:
    edge, outward = found
    near, far = (edge.source, edge.target) if outward else (edge.target, edge.source)
    origin = "" if len(starts) == 1 and near == starts[0] else f"{name_of(near)} "
    sure = "" if edge.how == "exact" else f" (by {edge.how})"
    name = f"{name_of(far)}  " if far.symbol else ""
    text = f"{origin}{ARROWS['out' if outward else 'in']} {edge.type}{sure}  {name}{place_of(far)}"
    return ListItem(
        (text,),
        ({"source": one_line(edge.source.id), "target": one_line(edge.target.id), "type": edge.type, "how": edge.how},),
    )


def source(answer: UnitSource, max_tokens: int) -> ToolAnswer:
    """Source with line numbers; if it is too long, its beginning."""
    lines = [sanitize(line) for line in answer.text.split("\n")]
    width = len(str(answer.end_line))
    numbered = [f"{answer.start_line + offset:>{width}}  {line}".rstrip() for offset, line in enumerate(lines)]
    path, symbol = one_line(answer.path), one_line(answer.symbol)
    where = f"{path}:{answer.start_line}-{answer.end_line} of {answer.total_lines}"
    head = f"{where}  {symbol} [{answer.kind}]" if symbol else where
    bytes_left = room(max_tokens)
    notes = fitting_notes(answer.notes, bytes_left // 6)
    top = [cut(head, bytes_left // 4), *(f"note: {note}" for note in notes)]
    more = "… lines {first}-{last} left out: ask for them with `lines`, or raise max_tokens"
    rest = bytes_left - sum(map(text_size, top))
    body = fit([(line,) for line in numbered], rest, text_size)
    if len(body) < len(numbered):
        longest = more.format(first=answer.end_line, last=answer.end_line)
        body = fit([(line,) for line in numbered], rest - text_size(longest), text_size)
        body.append(more.format(first=answer.start_line + len(body), last=answer.end_line))
    fields: dict[str, Any] = {
        "repository": cut_value(one_line(answer.repository), 60),
        "path": cut_value(path, bytes_left // 4),
        "symbol": cut_value(symbol, bytes_left // 8),
        "kind": answer.kind,
        "language": answer.language,
        "start_line": answer.start_line,
        "end_line": answer.end_line,
        "total_lines": answer.total_lines,
        "text": "",
        "notes": notes,
        "left_out": len(lines),
    }
    # A line in JSON is its own size and that of the line end before it, without quotes and comma.
    shown = fit([(line,) for line in lines], bytes_left - value_size(fields), lambda line: value_size(line) - 1)
    fields |= {
        "text": "\n".join(shown),
        "end_line": max(answer.start_line, answer.start_line + len(shown) - 1),
        "left_out": len(lines) - len(shown),
    }
    return ToolAnswer("\n".join([*top, *body]), fields)


def _relations(answer: Related, level: Level | None) -> Iterator[ListItem]:
    """All related code; the first of each kind has a title above it."""
    sorts: tuple[tuple[str, str, Sequence[Relative]], ...] = (
        ("caller", "Called by", answer.callers),
        ("callee", "Calls", answer.callees),
        ("base", "Base classes", answer.bases),
        ("subclass", "Subclasses", answer.subclasses),
        ("importer", "Imported by", answer.importers),
        ("import", "Imports", answer.imports),
        ("sibling", "In the same class or file", answer.siblings),
    )
    for relation, title, relatives in sorts:
        yield from _titled(title, [_relative(relation, one) for one in relatives])
    kinds = {"function": FUNCTION_KINDS, "class": CLASS_KINDS}.get(level or "", FUNCTION_KINDS | CLASS_KINDS)
    yield from _titled("Similar code", [_alike(one) for one in answer.similar if one.kind in kinds])
    together = [_near("changes_together", one.path, "", "", 0, 0, one.how_often) for one in answer.changes_together]
    yield from _titled("Changes together", together)


def _relative(relation: str, one: Relative) -> ListItem:
    sure = "" if one.how == "exact" else f"by {one.how}" + (f" through {one.through}" if one.through else "")
    return _near(relation, one.path, one.symbol, one.kind, one.start_line, one.end_line, sure)


def _alike(one: Result) -> ListItem:
    return _near("similar", one.path, one.symbol, one.kind, one.start_line, one.end_line, one.reason)


def _near(relation: str, path: str, symbol: str, kind: str, first: int, last: int, detail: str) -> ListItem:
    path, symbol, detail = one_line(path), one_line(symbol), cut(one_line(detail), _LONGEST_REASON)
    lines = f":{first}-{last}" if last else ""
    text = f"  {path}{lines}  {symbol}".rstrip()
    value: dict[str, Any] = {"relation": relation, "path": path}
    value |= {"symbol": symbol, "kind": kind} if symbol else {}
    value |= {"start_line": first, "end_line": last} if last else {}
    if not detail:
        return ListItem((text,), (value,))
    return ListItem((text, f"{text}  ({detail})"), (value, {**value, "detail": detail}))


def _titled(title: str, items: Sequence[ListItem]) -> Iterator[ListItem]:
    for position, item in enumerate(items):
        yield item if position else ListItem(tuple(f"{title}:\n{text}" for text in item.texts), item.values)
