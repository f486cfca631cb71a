"""Confidence is fitted to issues and to questions without an answer, and each repository is judged by the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.lab.benches.issues import Clones
from trackdown.confidence import ANSWER_FEATURES, RESULT_FEATURES
from trackdown.confidence.calibration import calibration_of
from trackdown.errors import UsageError
from trackdown.lab import CodeLocation, Task
from trackdown.lab.report import reliability_diagram
from trackdown.lab.train import collect_answers, fit_confidence, judge_confidence, read_questions
from trackdown.lab.train.assessed_answers import AssessedAnswer
from trackdown.lab.train.unanswerable import ELSEWHERE, KINDS, NONSENSE, OFF_TOPIC, unanswerable
from trackdown.settings import Settings


def made_answers(count: int, seed: int = 3) -> list[AssessedAnswer]:
    """Answers that are right the more often, the more of the query the first result covers."""
    chance = np.random.default_rng(seed)
    found = []
    for number in range(count):
        without = number % 4 == 0
        covered = float(chance.uniform(0.0, 0.3 if without else 1.0))
        right = [bool(not without and chance.uniform() < covered / (1 + rank)) for rank in range(10)]
        features = [covered if name == "covered_by_first" else float(chance.normal()) for name in ANSWER_FEATURES]
        rows = np.stack([np.log(np.arange(1, 11)), *chance.normal(size=(len(RESULT_FEATURES) - 2, 10))], axis=1)
        kind = KINDS[number // 4 % 3] if without else "issue"
        where = (f"owner/name{number % 5}", "function", "balanced" if number % 2 or number % 8 == 0 else "fast")
        found.append(AssessedAnswer(f"{number}", kind, *where, features, rows.tolist(), right))
    return found


def test_probabilities_come_true_on_answers_that_no_fit_saw(tmp_path: Path) -> None:
    report = fit_confidence(made_answers(1500), tmp_path / "weights.json")
    assert report.scores["default"].ece < 0.08 and report.scores["default"].auroc > 0.75
    assert report.weak["without an answer"] > 0.75 and report.weak["right first answers"] < 0.2
    fresh = judge_confidence(made_answers(1500, seed=4), report.calibration)
    assert fresh.scores["default"].ece < 0.08 and fresh.results.ece < 0.05
    assert reliability_diagram(fresh.scores).startswith("<svg")


def test_what_is_written_is_what_was_fitted(tmp_path: Path) -> None:
    import json

    report = fit_confidence(made_answers(400), tmp_path / "weights.json")
    assert calibration_of(json.loads((tmp_path / "weights.json").read_text())) == report.calibration


def test_one_repository_is_not_enough() -> None:
    with pytest.raises(UsageError, match="two repositories"):
        fit_confidence([replace(answer, repository="a/b") for answer in made_answers(100)])


def test_questions_without_an_answer_are_drawn_alike_each_time() -> None:
    def task(number: int, repository: str, path: str) -> Task:
        return Task(f"{number}", f"issue {number}", (CodeLocation(path, "f"),), "/", repository, "function")

    tasks = [task(0, "a/a", "a.py"), task(1, "a/a", "b.py"), task(2, "b/b", "c.py"), task(3, "c/c", "d.go")]
    made = unanswerable(tasks, {NONSENSE: 5, OFF_TOPIC: 5, ELSEWHERE: 6})
    assert made == unanswerable(tasks, {NONSENSE: 5, OFF_TOPIC: 5, ELSEWHERE: 6})
    assert [one.category for one in made] == [NONSENSE] * 5 + [OFF_TOPIC] * 5 + [ELSEWHERE] * len(made[10:])
    assert not any(one.gold for one in made) and len({one.id for one in made}) == len(made)
    others = {(one.repository, one.query) for one in made[10:]}
    assert others and others <= {("a/a", "issue 2"), ("b/b", "issue 0"), ("b/b", "issue 1")}


def test_answers_are_collected_once(tmp_path: Path, settings: Settings) -> None:
    clones = Clones(tmp_path)
    rows = []
    for name in ("one/one", "two/two"):
        repo = clones.repo(name)
        repo.commit("Begin", {"a.py": "def sign_cookie(value):\n    return value\n\n\ndef greet():\n    pass\n"})
        fixed = {"a.py": "def sign_cookie(value):\n    return value + value\n\n\ndef greet():\n    pass\n"}
        rows.append(clones.fix(repo, f"{repo.root.name}-1", "sign_cookie loses a half of the value", fixed))
    data = clones.write(*rows)
    tasks = read_questions([data], clones.folder, "{owner}/{name}", {NONSENSE: 1, ELSEWHERE: 1})
    assert len(tasks) == 8, "two issues and two questions at two levels"
    found = collect_answers(tasks, tmp_path / "answers", settings, jobs=1)
    issues = [answer for answer in found if answer.kind == "issue"]
    assert len(found) == 16 and len(issues) == 8 and all(answer.right[0] for answer in issues)
    assert not any(any(answer.right) for answer in found if answer.kind != "issue")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "answers").iterdir()}
    assert collect_answers(tasks, tmp_path / "answers", settings, jobs=1) == found
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "answers").iterdir()} == before
    cut = tmp_path / "answers" / "one+one.jsonl"
    cut.write_bytes(cut.read_bytes()[:-20])
    assert collect_answers(tasks, tmp_path / "answers", settings, jobs=1) == found, "an interrupted run continues"
