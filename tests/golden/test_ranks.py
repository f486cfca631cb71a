"""The ranks of known answers, exactly as recorded: in an app that is built here, and in flask where it is given."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import trackdown
from tests.golden.lendery import build_lendery
from tests.golden.pinned import DEEPEST, FILE, MODES, Pinned, ask, places, rank_of, read_pinned
from trackdown.settings import load_settings

FLASK = Path(__file__).parents[2] / "benchmarks" / "golden" / "flask.json"
FLASK_RANKS = Path(__file__).with_name("flask_ranks.json")
CLONE = os.environ.get("TRACKDOWN_TEST_FLASK", "")


@pytest.fixture(scope="module")
def lendery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trackdown.Repository]:
    """The app, indexed, with the packaged models."""
    folder = tmp_path_factory.mktemp("golden")
    settings = load_settings({"HOME": str(folder)}, store=folder / "store", models="packaged")
    with trackdown.open(build_lendery(folder / "lendery").root, settings=settings) as opened:
        yield opened


@pytest.mark.parametrize("mode", MODES)
def test_every_answer_has_the_rank_it_had(lendery: trackdown.Repository, mode: str) -> None:
    moved = [line for pinned in read_pinned() if (line := moved_line(pinned, mode, ask(lendery, pinned, mode)))]
    assert not moved, "\n".join([f"{mode}:", *moved, f"If that is wanted: python -m tests.golden.pinned ({FILE.name})"])


def moved_line(pinned: Pinned, mode: str, found: list[str]) -> str:
    """How an answer moved, for a person; empty where it did not."""
    was, now = pinned.ranks[mode], rank_of(pinned.target, found)
    if was == now:
        return ""
    above = found[: (now or 4) - 1][:3]
    return f"  {was} → {now}  {pinned.query!r} → {pinned.target}; above it: {', '.join(above) or 'nothing'}"


def test_the_questions_are_worth_asking() -> None:
    pinned = read_pinned()
    assert len(pinned) >= 15 and len({one.target for one in pinned}) >= 10
    assert all(set(one.ranks) == set(MODES) for one in pinned)
    assert any(one.ranks["fast"] != 1 for one in pinned), "questions that are all answered at once show no gain"


def test_a_move_is_told_with_what_stands_above() -> None:
    pinned = Pinned("late fee", "fees.py:late_fee", "function", {"fast": 1})
    assert moved_line(pinned, "fast", ["fees.py:late_fee"]) == ""
    told = moved_line(pinned, "fast", ["loans.py:renew", "fees.py:late_fee"])
    assert told == "  1 → 2  'late fee' → fees.py:late_fee; above it: loans.py:renew"
    assert "1 → None" in moved_line(pinned, "fast", ["loans.py:renew"])


@pytest.mark.skipif(not CLONE, reason="needs a clone of flask: TRACKDOWN_TEST_FLASK=path")
def test_flask_answers_as_recorded(tmp_path: Path) -> None:
    golden, recorded = json.loads(FLASK.read_text("utf-8")), json.loads(FLASK_RANKS.read_text("utf-8"))
    settings = load_settings({"HOME": str(tmp_path)}, store=tmp_path / "store", models="packaged")
    ranks: dict[str, int | None] = {}
    with trackdown.open(CLONE, settings=settings) as opened:
        for question in golden["questions"]:
            options = {"level": question["level"], "at": golden["commit"], "effort": "fast"}
            found = places(opened.search(question["query"], k=DEEPEST, **options))
            ranked = [rank for rank in (rank_of(answer, found) for answer in question["answers"]) if rank]
            ranks[question["query"]] = min(ranked, default=None)
    assert ranks == recorded
