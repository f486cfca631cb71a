"""The rule of the campaign, and that a judge who should fail a case does."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.campaign import hostile_repositories
from tests.campaign.hostile_traits import HARMLESS, TRAITS
from tests.campaign.judge import Judge, Verdict
from tests.campaign.known_places import KnownPlaces
from tests.campaign.mcp_messages import judge_call, judge_message
from tests.campaign.scene import Ground, Scene
from tests.conftest import Repo
from tests.surfaces.program import Program, Run

KNOWN = KnownPlaces({"a.py": ("class A:\n    def sign(self):\n        pass\n", "")})
HIT = {"path": "a.py", "symbol": "A.sign", "start_line": 2, "end_line": 3}


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (Run(0, '{"a": 1, "timings_ms": 3}', ""), Verdict.EQUAL),
        (Run(0, '{"a": 2, "partial": true}', ""), Verdict.FAILED),
        (Run(1, "", "Indexing shop: …\ntrackdown: the store is full\n"), Verdict.REFUSED),
        (Run(0, '{"a": 2}', ""), Verdict.FAILED),
        (Run(0, '{"a": 3}', ""), Verdict.EQUAL),
        (Run(0, "", ""), Verdict.FAILED),
        (Run(1, "", ""), Verdict.FAILED),
        (Run(1, "{}", "trackdown: late\n"), Verdict.FAILED),
        (Run(1, "", "one line\ntrackdown: another\n"), Verdict.FAILED),
        (Run(1, "", "trackdown: unexpected X: y (run `trackdown --debug` and report it)\n"), Verdict.FAILED),
        (Run(1, "", "Traceback (most recent call last)\ntrackdown: x\n"), Verdict.FAILED),
        (Run(-9, "", ""), Verdict.FAILED),
    ],
)
def test_the_rule(run: Run, verdict: Verdict) -> None:
    seen = Judge()
    seen.judge("a command", run, {"a": 1}, or_else=[{"a": 3}])
    assert seen.verdict is verdict


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        ([], ""),
        ([HIT], ""),
        ([{**HIT, "symbol": ""}], ""),
        ([{**HIT, "path": "b.py"}], "there never was a file 'b.py'"),
        ([{**HIT, "path": 5}], "there never was a file 5"),
        ([{**HIT, "symbol": "A.forge"}], "a.py never had 'A.forge'"),
        ([{**HIT, "end_line": 900}], "a.py never had the lines 2 to 900"),
        ([{**HIT, "start_line": 3, "end_line": 2}], "a.py never had the lines 3 to 2"),
    ],
)
def test_a_partial_answer_names_only_what_was_there(results: list[dict[str, Any]], problem: str) -> None:
    seen = Judge(KNOWN)
    answer = {"partial": True, "results": results}
    seen.judge("search", Run(0, json.dumps(answer), ""), {"partial": False, "results": [HIT]})
    assert seen.problems == ([f"search: partial, but {problem}"] if problem else [])
    assert seen.verdict is (Verdict.FAILED if problem else Verdict.PARTIAL)


def test_a_partial_answer_has_the_shape_of_a_whole_one() -> None:
    seen = Judge(KNOWN)
    seen.judge("search", Run(0, '{"partial": true}', ""), {"partial": False, "results": []})
    assert "of another shape" in seen.problems[0]


def test_places_are_those_of_all_commits(repo: Repo) -> None:
    repo.commit("Begin", {"old.py": "def old():\n    pass\n"})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Rename", {"new.py": "def new():\n    pass\n\n\n"})
    known = KnownPlaces.of(repo)
    assert set(known.texts) == {"old.py", "new.py"}
    assert not known.problem([{"of": {"path": "old.py", "symbol": "old"}}, {"path": "new.py", "symbol": "new"}])
    assert known.problem({"results": [{"path": "old.py", "symbol": "new"}]})


def test_recovery_is_the_whole_answer(tmp_path: Path, repo: Repo) -> None:
    scene = Scene(tmp_path, repo, Program(tmp_path, repo.root), answers={"search": {"results": [HIT]}}, known=KNOWN)
    for out, survives in ((json.dumps({"results": [HIT]}), True), ('{"results": [], "partial": true}', False)):
        ground = Ground(1, random.Random(1), tmp_path, scene, Judge(KNOWN))
        ground.judge_recovery(Run(0, out, ""))
        assert (not ground.judge.problems) is survives
    ground.judge_recovery(Run(1, "", "trackdown: no\n"))
    assert "search afterwards: refused: trackdown: no" in ground.judge.problems


@pytest.mark.parametrize(
    ("answer", "fails"),
    [
        ({"partial": False, "results": [HIT], "notes": ["x"]}, False),
        ({"partial": True, "results": []}, False),
        (None, True),
        ({"partial": False, "results": []}, True),
        ({"partial": True, "results": [{**HIT, "path": "index"}]}, True),
        ({"partial": True, "why": "still indexing"}, True),
    ],
)
def test_a_call_of_a_tool_is_compared_with_a_real_answer(answer: Any, fails: bool) -> None:
    seen = Judge(KNOWN)
    judge_call(seen, answer, {"partial": False, "results": [HIT]})
    assert bool(seen.problems) is fails


def test_surprises_among_messages_are_seen() -> None:
    surprises: list[Any] = [[], {}, {"jsonrpc": "2.0", "result": "something went wrong: see the server's log"}]
    for message in surprises:
        seen = Judge()
        judge_message(seen, message)
        assert seen.problems


def test_two_refusals_of_a_harmless_repository_are_no_answer(tmp_path: Path, repo: Repo) -> None:
    """With settings that make every command fail, each search says the same, and yet the case has to fail."""
    seed = next(seed for seed in range(1, 500) if _is_harmless(seed))
    clean = Program(tmp_path / "clean", repo.root, {"TRACKDOWN_WEIGHT_DENSE": "much"})
    ground = Ground(seed, random.Random(f"hostile {seed}"), tmp_path, Scene(tmp_path, repo, clean), Judge())
    hostile_repositories.run(ground)
    assert any("harmless, and yet" in problem for problem in ground.judge.problems)


def _is_harmless(seed: int) -> bool:
    dice = random.Random(f"hostile {seed}")
    return dice.random() < 0.95 and set(dice.sample(TRAITS, dice.choice((1, 1, 2, 3)))) <= set(HARMLESS)
