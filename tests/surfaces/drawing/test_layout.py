"""The layout: boxes never overlap, labels fit, and edges keep out of boxes that are not theirs."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.surfaces.drawing.neighbourhoods import function, grown, made
from trackdown.surfaces.drawing.labels import columns
from trackdown.surfaces.drawing.layout import HEIGHT, LEFT, NAME_SIZE, PLACE_SIZE, Box, drawing

SHAPES = pytest.mark.parametrize("tall", [False, True], ids=["wide", "tall"])
_POINT = re.compile(r"-?[\d.]+")


def overlap(one: Box, two: Box) -> bool:
    return one.x < two.x + two.width and two.x < one.x + one.width and one.y < two.y + HEIGHT and two.y < one.y + HEIGHT


@SHAPES
@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 60, 61, 200])
@pytest.mark.parametrize("seed", range(3))
def test_no_two_boxes_overlap_and_all_are_within(size: int, seed: int, tall: bool) -> None:
    drawn = drawing(grown(size, seed, starts=min(size, 1 + seed)), tall=tall)
    assert len(drawn.boxes) == size
    for number, box in enumerate(drawn.boxes):
        assert box.x >= 0 and box.x + box.width <= drawn.width and box.y >= 0 and box.y + HEIGHT <= drawn.height
        assert not any(overlap(box, other) for other in drawn.boxes[number + 1 :])


@SHAPES
def test_labels_fit_into_their_boxes(tall: bool) -> None:
    for box in drawing(grown(80), tall=tall).boxes:
        widest = max(columns(box.name) * NAME_SIZE, columns(box.place) * PLACE_SIZE) * 0.61
        assert LEFT + widest < box.width, box


@SHAPES
def test_what_points_at_a_start_stands_before_it_and_what_it_points_at_behind(tall: bool) -> None:
    start, caller, callee, far = (function(name) for name in ("start", "caller", "callee", "far"))
    drawn = drawing(
        made(
            [start],
            [
                (caller, "invokes", "exact", start),
                (start, "invokes", "exact", callee),
                (callee, "invokes", "exact", far),
            ],
        ),
        tall=tall,
    )
    place = {box.node: box.y if tall else box.x for box in drawn.boxes}
    assert place[caller] < place[start] < place[callee] < place[far]


def test_a_long_column_is_folded_so_that_it_can_be_read() -> None:
    start = function("start")
    drawn = drawing(made([start], [(start, "invokes", "exact", function(f"f{n}", line=n)) for n in range(59)]))
    assert drawn.width / drawn.height < 3 and drawn.height < 1100
    assert min(1100 / drawn.width, 640 / drawn.height) > 0.6


def test_the_starts_stand_amid_their_column() -> None:
    start, parent = function("start"), function("parent")
    links = [(parent, "invokes", "exact", function(f"f{n}", line=n)) for n in range(10)]
    drawn = drawing(made([start], [(parent, "invokes", "exact", start), *links]))  # type: ignore[list-item]
    column = sorted(box.y for box in drawn.boxes if box.column == 0 and box.fold == 0)
    place = column.index(next(box.y for box in drawn.boxes if box.node == start))
    assert 0 < place < len(column) - 1


def test_edges_begin_and_end_at_their_boxes_and_straight_parts_cross_none() -> None:
    answer = grown(60, seed=5)
    drawn = drawing(answer)
    box_of = {box.node: box for box in drawn.boxes}
    for edge, path in zip(answer.edges, drawn.paths, strict=True):
        source, target = box_of[edge.source], box_of[edge.target]
        points = stations(path)
        for (x, y), box in ((points[0], source), (points[-1], target)):
            assert x in (pytest.approx(box.x, abs=0.1), pytest.approx(box.x + box.width, abs=0.1))
            assert box.y < y < box.y + HEIGHT
        for (x1, y), (x2, y2) in pairwise(points):
            if y != y2:
                continue
            for box in drawn.boxes:
                inside = box.y < y < box.y + HEIGHT and min(x1, x2) < box.x + box.width and max(x1, x2) > box.x
                assert not inside or box in (source, target), (edge, path)


def stations(path: str) -> list[tuple[float, float]]:
    """Where a path begins, and where each of its parts ends."""
    found: list[tuple[float, float]] = []
    for command, text in re.findall(r"([MCH])([^MCH]*)", path):
        numbers = [float(one) for one in _POINT.findall(text)]
        found.append((numbers[0], found[-1][1]) if command == "H" else (numbers[-2], numbers[-1]))
    return found


def test_edges_of_two_types_between_two_places_are_both_seen() -> None:
    one, two = function("one"), function("two")
    drawn = drawing(made([one], [(one, "contains", "exact", two), (one, "invokes", "exact", two)]))
    assert len(set(drawn.paths)) == 2


def test_a_drawing_is_the_same_each_time() -> None:
    assert drawing(grown(50)) == drawing(grown(50))
