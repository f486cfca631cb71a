"""The ways of edges between boxes: between rows where boxes are in the way, and never two types on one line.

Ways are found in two axes that hold for both shapes of a drawing: along the flow (from column to column) and across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from trackdown.engine import EDGE_TYPES, EdgeType

_PORT = 6.0
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slot:
    """What a way needs to know about a box: where it begins and ends along the flow; across it, where edges meet the
    box and where there is room for them before and behind its row. `column` and `fold` say which stack it is in.
    """

    begin: float
    end: float
    port: float
    before: float
    behind: float
    column: int
    fold: int


class Router:
    """Finds ways. `extents` are the begin and end of every column; `gap` is the room between folds, `lane` between
    types that share a way."""

    def __init__(self, extents: dict[int, Point], gap: float, lane: float, *, tall: bool) -> None:
        self._extents = extents
        self._turn = gap / 2
        self._lane = lane
        self._tall = tall

    def path(self, source: Slot, target: Slot, type_: EdgeType) -> str:
        """The way from one box to another, as an SVG path."""
        number = EDGE_TYPES.index(type_) - (len(EDGE_TYPES) - 1) / 2
        start, end = source.port + number * _PORT, target.port + number * _PORT
        if (source.column, source.fold) == (target.column, target.fold):
            bow = source.begin - min(2 * self._turn - 8, 14 + abs(start - end) / 12)
            return self._written([(source.begin, start), (bow, start), (bow, end), (target.begin, end)], "C")
        points = self._points(source, target, start, end, number * self._lane)
        first, *_ = points
        return self._written([first]) + "".join(self._step(one, two) for one, two in pairwise(points))

    def _points(self, source: Slot, target: Slot, start: float, end: float, lane: float) -> list[Point]:
        """Where an edge leaves, where it enters and leaves the room between two rows, and where it arrives."""
        forward = target.begin > source.begin
        leaving, arriving = (source.end, target.begin) if forward else (source.begin, target.end)
        turn = self._turn if forward else -self._turn
        points = [(leaving, start)]
        if source.column == target.column:
            if abs(source.fold - target.fold) > 1:
                points += [(leaving + turn, target.before + lane), (arriving - turn, target.before + lane)]
            return [*points, (arriving, end)]
        near, far = (1, 0) if forward else (0, 1)
        out, into = self._extents[source.column][near], self._extents[target.column][far]
        if leaving != out:
            points += [(leaving + turn, source.behind + lane), (out, source.behind + lane)]
        if abs(source.column - target.column) > 1:  # rows are aligned everywhere: between two there is room all the way
            points += [(out + 2 * turn, target.before + lane)]
        elif arriving != into:
            points += [(into, target.before + lane)]
        if points[-1][1] == target.before + lane:
            points += [(arriving - turn, target.before + lane)]
        return [*points, (arriving, end)]

    def _step(self, one: Point, two: Point) -> str:
        """On to the next point: straight along a row, in a soft S between rows."""
        if abs(one[1] - two[1]) < 0.05:
            return f"{'V' if self._tall else 'H'}{_short(two[0])}"
        half = (one[0] + two[0]) / 2
        return self._written([(half, one[1]), (half, two[1]), two], "C")

    def _written(self, points: list[Point], command: str = "") -> str:
        """Points as an SVG path has them. With a command, all but the first of four belong to it."""
        texts = [f"{_short(b)} {_short(a)}" if self._tall else f"{_short(a)} {_short(b)}" for a, b in points]
        if not command:
            return f"M{texts[0]}"
        return f"C{' '.join(texts)}" if len(texts) == 3 else f"M{texts[0]}C{' '.join(texts[1:])}"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
