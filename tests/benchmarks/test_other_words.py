"""The check of the questions in other words: what it refuses, and what it lets pass."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Repo

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LENDING = """
# Fines grow by the day.
def penalty(loan, days):
    \"\"\"Charge for lateness.\"\"\"
    return rate * overdueDays(loan, days)
"""


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("other_words_check")


def asked(check: ModuleType, repo: Repo, question: str, symbol: str = "penalty", **more: Any) -> list[str]:
    """What the check says about one question, asked of a repository with one function."""
    commit = repo.commit("Charge fines", {"shelf/lending.py": LENDING})
    path = repo.root.parent / "questions.json"
    row = {
        "id": "q",
        "question": question,
        "answers": [{"path": "shelf/lending.py", "symbol": symbol}],
        "why": "It does.",
    }
    path.write_text(
        json.dumps({"repository": "a/b", "language": "Python", "commit": commit, "questions": [row | more]}), "utf-8"
    )
    faults: list[str] = check.faults(check.read_questions(path), repo.root)
    return faults


def test_a_question_in_other_words_passes(check: ModuleType, repo: Repo) -> None:
    assert asked(check, repo, "How much must somebody pay who brings a book back too slowly?") == []


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("penalties", id="symbol"),
        pytest.param("shelf", id="path"),
        pytest.param("charging", id="docstring"),
        pytest.param("overdue", id="part of an identifier"),
        pytest.param("growing", id="comment above"),
    ],
)
def test_a_word_of_the_code_is_refused_in_any_form(check: ModuleType, repo: Repo, word: str) -> None:
    found = asked(check, repo, f"How much must somebody pay in the end, what about {word} books?")
    assert [fault.split("'")[1] for fault in found] == [word]


def test_an_answer_that_is_not_there_is_refused(check: ModuleType, repo: Repo) -> None:
    found = asked(check, repo, "How much must somebody pay who brings a book back too slowly?", "Desk.penalty")
    assert found == ["q: shelf/lending.py has no function Desk.penalty"]


def test_few_questions_may_share_a_word_and_must_say_so(check: ModuleType, repo: Repo) -> None:
    found = asked(check, repo, "How much must somebody pay for the loan of a whole book?", shares=["loan", "book"])
    assert found == [
        "a/b: 1 of 1 questions share words with their answers",
        "q: 'book' is marked as shared, but isn't",
    ]


def test_the_frozen_questions_are_enough(check: ModuleType) -> None:
    sets = [check.read_questions(path) for path in sorted((BENCHMARKS / "other_words").glob("*.json"))]
    assert len({one.language for one in sets}) >= 4
    assert len(sets) >= 6
    assert all(len(one.questions) >= 18 for one in sets)
