"""Places for a page that draws itself: the same as in the drawing, and nothing that a repository should not show."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.drawing.neighbourhoods import function, grown, made
from trackdown.surfaces.drawing.coordinates import coordinates_of
from trackdown.surfaces.drawing.layout import drawing


@pytest.mark.parametrize("size", [1, 7, 60])
def test_every_node_and_edge_has_its_place_in_both_shapes(size: int) -> None:
    answer = grown(size, 1)
    placed = json.loads(json.dumps(coordinates_of(answer)))
    for shape, tall in (("wide", False), ("tall", True)):
        drawn = drawing(answer, tall=tall)
        assert placed[shape]["paths"] == list(drawn.paths) and len(drawn.paths) == len(answer.edges)
        assert placed[shape]["boxes"] == [
            [round(box.x, 1), round(box.y, 1), round(box.width, 1)] for box in drawn.boxes
        ]
        assert placed[shape]["width"] == round(drawn.width, 1)
    assert len(placed["labels"]) == len(placed["names"]) == size


def test_names_are_whole_and_labels_are_cut() -> None:
    node = function("f" * 200)
    placed = coordinates_of(made([node], []))
    assert placed["names"][0][0] == "f" * 200
    assert len(placed["labels"][0][0]) < 40


def test_names_are_cleaned() -> None:
    node = function("evil\u202e\x1b[31m\nname")
    text = json.dumps(coordinates_of(made([node], [])), ensure_ascii=False)
    assert "\u202e" not in text and "\\u001b" not in text and "\\n" not in text
