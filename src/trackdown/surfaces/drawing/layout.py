"""Where nodes and edges go: nodes that point at a start are on its left, nodes it points at on its right.

Nodes are boxes in columns; a tall column is folded into several side by side. All rows are aligned, so that edges can
pass between them. Boxes never overlap. For narrow screens everything is turned: nodes that point at a start are above
it, nodes it points at below, and every box has its own line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trackdown.engine import EDGE_TYPES, Neighbourhood, Node
from trackdown.surfaces.drawing.labels import columns, cut_head, cut_middle, name_of, place_of
from trackdown.surfaces.drawing.routes import Router, Slot

HEIGHT, ROW = 36.0, 48.0
NAME_SIZE, PLACE_SIZE = 12.5, 10.5
LEFT, RIGHT = 30.0, 10.0
_ADVANCE = 0.612
"""The width of a sign of a monospaced font, as a share of its size; the widest of the usual fonts."""
_LONGEST_NAME, _LONGEST_PLACE = 30, 36
_FOLD_GAP, _COLUMN_GAP = 34.0, 110.0
_TALL_FOLD_GAP, _TALL_COLUMN_GAP = 22.0, 52.0
_TALL_PORT, _TALL_GUTTER = 15.0, 14.0
_WINDOW = (1100.0, 640.0)


@dataclass(frozen=True, slots=True)
class Box:
    """A node's place; x and y are its upper left corner. `column` 0 holds the starts, `fold` counts within a column."""

    node: Node
    name: str
    place: str
    x: float
    y: float
    width: float
    column: int
    fold: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes in the order of the neighbourhood's nodes, SVG paths in that of its edges, and the size of it all."""

    boxes: tuple[Box, ...]
    paths: tuple[str, ...]
    width: float
    height: float


def drawing(answer: Neighbourhood, *, tall: bool = False) -> Drawing:
    """Place everything; the first box of a row or column is at 0."""
    by_column = _columns(answer)
    placed = (_tall if tall else _wide)(by_column, len(answer.starts))
    boxes = {box.node: box for box in placed}
    slots = {node: _tall_slot(box) if tall else _wide_slot(box) for node, box in boxes.items()}
    extents = {
        column: (min(slots[node].begin for node in nodes), max(slots[node].end for node in nodes))
        for column, nodes in by_column.items()
    }
    gap, lane = (_TALL_FOLD_GAP, 4.0) if tall else (_FOLD_GAP, 2.0)
    router = Router(extents, gap, lane, tall=tall)
    paths = tuple(router.path(slots[edge.source], slots[edge.target], edge.type) for edge in answer.edges)
    width = max(box.x + box.width for box in boxes.values())
    height = max(box.y + HEIGHT for box in boxes.values())
    return Drawing(tuple(boxes[node] for node in answer.nodes), paths, width, height)


def _columns(answer: Neighbourhood) -> dict[int, list[Node]]:
    """Nodes by column, in the order in which a walk from the starts meets them."""
    around: dict[Node, list[tuple[int, str, int, int, Node]]] = {node: [] for node in answer.nodes}
    for edge in answer.edges:
        for node, other, step in ((edge.source, edge.target, 1), (edge.target, edge.source, -1)):
            around[node].append((EDGE_TYPES.index(edge.type), other.path, other.start_line, step, other))
    column = dict.fromkeys(answer.starts, 0)
    queue = list(column)
    for node in queue:
        for *_, step, other in sorted(around[node], key=lambda item: item[:4]):
            if other not in column:
                column[other] = column[node] + step
                queue.append(other)
    found: dict[int, list[Node]] = {}
    for node, number in sorted(column.items(), key=lambda item: item[1]):
        found.setdefault(number, []).append(node)
    return found


def _amid(nodes: Sequence[Node], starts: int, rows: int) -> list[Node]:
    """A column with the starts, which are its first nodes, in the middle of `rows` rows."""
    above = max(0, min(rows, len(nodes)) - starts) // 2
    return [*nodes[starts : starts + above], *nodes[:starts], *nodes[starts + above :]]


def _wide(by_column: dict[int, list[Node]], starts: int) -> Iterator[Box]:
    """Columns side by side, each in folds that are as even as can be and in the middle of all rows."""
    rows = _rows([len(nodes) for nodes in by_column.values()])
    x = 0.0
    for column, nodes in by_column.items():
        folds = -(-len(nodes) // rows)
        here = -(-len(nodes) // folds)
        top = (rows - here) // 2
        ordered = nodes if column else _amid(nodes, starts, here)
        for fold, first in enumerate(range(0, len(nodes), here)):
            inside = ordered[first : first + here]
            width = _width(inside)
            for row, node in enumerate(inside, top):
                yield Box(node, *_label(node), x, row * ROW, width, column, fold)
            x += width + _FOLD_GAP
        x += _COLUMN_GAP - _FOLD_GAP


def _tall(by_column: dict[int, list[Node]], starts: int) -> Iterator[Box]:
    """One box below the other, with more room between columns."""
    width = max(map(_width, by_column.values()))
    y = 0.0
    for column, nodes in by_column.items():
        for fold, node in enumerate(nodes if column else _amid(nodes, starts, len(nodes))):
            yield Box(node, *_label(node), 0.0, y, width, column, fold)
            y += HEIGHT + _TALL_FOLD_GAP
        y += _TALL_COLUMN_GAP - _TALL_FOLD_GAP


def _rows(sizes: Sequence[int]) -> int:
    """How many rows let the whole be shown largest in a window, at the usual width of a box."""

    def scale(rows: int) -> float:
        folds = sum(-(-size // rows) for size in sizes)
        width = folds * (240 + _FOLD_GAP) + len(sizes) * (_COLUMN_GAP - _FOLD_GAP)
        return min(_WINDOW[0] / width, _WINDOW[1] / (rows * ROW))

    return max(range(1, max(sizes) + 1), key=lambda rows: (round(scale(rows), 3), -rows))


def _wide_slot(box: Box) -> Slot:
    room = (ROW - HEIGHT) / 2
    before, behind = box.y - room, box.y + HEIGHT + room
    return Slot(box.x, box.x + box.width, box.y + HEIGHT / 2, before, behind, box.column, box.fold)


def _tall_slot(box: Box) -> Slot:
    aside = box.x - _TALL_GUTTER
    return Slot(box.y, box.y + HEIGHT, box.x + _TALL_PORT, aside, aside, box.column, box.fold)


def _label(node: Node) -> tuple[str, str]:
    return cut_middle(name_of(node), _LONGEST_NAME), cut_head(place_of(node), _LONGEST_PLACE)


def _width(nodes: Sequence[Node]) -> float:
    """As wide as the widest label."""
    labels = [_label(node) for node in nodes]
    widest = max(max(columns(name) * NAME_SIZE, columns(place) * PLACE_SIZE) for name, place in labels)
    return LEFT + RIGHT + max(widest, 8 * NAME_SIZE) * _ADVANCE
