"""Plots: round ticks, names that fit, labels that do not cover each other."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from tests.lab.report.made_runs import MODES, REPOSITORIES, make_rows, write_run
from trackdown.lab.report.axes import (
    Scale,
    magnitude_ticks,
    round_ticks,
    shortened,
    spread_out,
    text_width,
    thinned,
    tick_text,
)
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.report.plots import bars, groups_plot, latency_plot, recall_plot, scores_plot
from trackdown.lab.report.summary import Summary, summarize

TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)"(?: class="([^"]*)")?(?: text-anchor="(\w+)")?[^>]*>([^<]*)<')


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 0.57, [0, 0.2, 0.4, 0.6]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 0.02, [0, 0.005, 0.01, 0.015, 0.02]),
        (0.31, 0.44, [0.3, 0.35, 0.4, 0.45]),
    ],
)
def test_round_ticks(low: float, high: float, wanted: list[float]) -> None:
    assert round_ticks(low, high) == pytest.approx(wanted)


def test_ticks_of_magnitude_enclose_the_values() -> None:
    assert magnitude_ticks(3, 80) == pytest.approx([2, 5, 10, 20, 50, 100])
    assert magnitude_ticks(5, 5) == pytest.approx([5, 10])
    assert thinned(magnitude_ticks(1.5, 40_000)) == pytest.approx([1, 10, 100, 1_000, 10_000])
    assert magnitude_ticks(1e-9, 1e15)[0] > 0


def test_tick_texts() -> None:
    assert [tick_text(value, 0.25) for value in (0, 0.25, 1)] == ["0.00", "0.25", "1.00"]
    assert [tick_text(value, 0.5) for value in (-1, 0.5)] == ["−1.0", "0.5"]
    assert [tick_text(value) for value in (0.5, 5, 2000)] == ["0.5", "5", "2,000"]


def test_long_names_lose_their_middle() -> None:
    name = "an-organisation-with-a-long-name/and-its-repository"
    cut = shortened(name, 150)
    assert text_width(cut) <= 150 and cut.startswith("an-org") and cut.endswith("tory") and "…" in cut
    assert shortened("short", 150) == "short"
    assert len(shortened(name, 1)) == 2


def test_labels_spread_out_and_keep_their_order() -> None:
    wanted = [100.0, 101, 50, 102, 52, 300, 299]
    placed = spread_out(wanted, 14, 0, 300)
    assert all(abs(a - b) >= 13.999 for a, b in combinations(placed, 2))
    assert all(0 <= position <= 300 for position in placed)
    assert sorted(range(7), key=placed.__getitem__) == sorted(range(7), key=wanted.__getitem__)
    assert spread_out([10.0, 200], 14, 0, 300) == [10, 200]
    crowded = spread_out([5.0] * 50, 14, 0, 300)
    assert min(crowded) >= 0 and max(crowded) <= 300.001


def test_bars_stand_where_values_are() -> None:
    up = Scale(-1, 1, 200, 0)
    assert bars([1.0, 0.5], 0, 20, up) == "M0.0 100.0V0.0H9.0V100.0zM10.0 100.0V50.0H19.0V100.0z"
    assert bars([0.0, -1.0], 0, 20, up) == "M10.0 100.0V200.0H19.0V100.0z"
    assert bars([1.0] * 100, 0, 20, up) == "M0.0 100.0V0.0H20.0V100.0z"
    assert bars([], 0, 20, up) == ""


def summary_of(tmp_path: Path, modes: int, repositories: int) -> Summary:
    rows = make_rows(modes=MODES[:modes], repositories=REPOSITORIES[:repositories], cases=90, depth=100)
    return summarize(read_contenders([write_run(tmp_path / "run.jsonl", rows)]))


@pytest.mark.parametrize("width", [350.0, 540.0, 1080.0])
@pytest.mark.parametrize(("modes", "repositories"), [(2, 1), (3, 4), (8, 15)])
def test_no_text_covers_another_or_leaves_the_picture(
    tmp_path: Path, modes: int, repositories: int, width: float
) -> None:
    summary = summary_of(tmp_path, modes, repositories)
    for svg in (
        scores_plot(summary, width),
        recall_plot(summary, width),
        latency_plot(summary, width),
        groups_plot(summary, summary.repositories, "repository", width),
    ):
        boxes = [text_box(*found) for found in TEXT.findall(svg)]
        assert len(boxes) > modes
        for left, _, right, _, text in boxes:
            assert left >= -1 and right <= width + 1, text
        for one, other in combinations(boxes, 2):
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)


def text_box(x: str, y: str, kind: str, anchor: str, text: str) -> tuple[float, float, float, float, str]:
    """Where a text stands, by an estimate of its width that is somewhat less than the one that plots use."""
    width = 0.85 * text_width(text)
    left = float(x) - {"": 0.0, "middle": width / 2, "end": width}[anchor]
    return left, float(y) - 9, left + width, float(y) + 2, text
