"""A few cases of every class of the campaign, and how it keeps its books. `make campaign` runs thousands."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.campaign import leftover_processes
from tests.campaign.classes import CLASSES
from tests.campaign.judge import Verdict
from tests.campaign.outcomes import Outcome, is_dirty, keep, read_journal, state_of_code
from tests.campaign.report import table
from tests.campaign.runner import end_scene, planned, run_case
from tests.campaign.scene import Ground, Scene, build_scene
from tests.conftest import Repo
from tests.surfaces.program import Program

SEEDS = {"kills": 1, "damage": 1, "io": 1, "side by side": 1, "hostile": 1, "grammar": 1, "http": 1, "mcp": 1}
"""A case of each class whose fault fires on any machine; the first of the others."""


@pytest.mark.slow
def test_a_case_of_every_class_survives(tmp_path: Path) -> None:
    scene = build_scene(tmp_path)
    try:
        outcomes = [run_case(kind, SEEDS.get(kind, 1), scene) for kind in CLASSES]
    finally:
        ended = end_scene(scene)
    assert not ended and not [one for one in outcomes if one.problems or not one.what or not one.fired]


def test_a_case_that_breaks_the_rule_fails(tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftover_processes, "_LEAVING_SECONDS", 0.1)

    def misbehaves(ground: Ground) -> None:
        repo.write("new.py", "x = 1\n")
        subprocess.Popen(["sleep", "60"])
        raise TimeoutError

    scene = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root))
    outcome = run_case("broken", 1, scene, misbehaves)
    slow, left, changed = outcome.problems
    assert outcome.verdict is Verdict.FAILED and not outcome.fired
    assert (slow, left.strip(), changed) == (
        "no answer in 30 seconds",
        "left running: sleep 60",
        "the repository was changed",
    )


def test_an_orphan_is_no_less_left_running(tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftover_processes, "_LEAVING_SECONDS", 0.1)

    def leaves_an_orphan(ground: Ground) -> None:
        subprocess.run(["sh", "-c", "sleep 61 & exit 0"], check=True, start_new_session=True)

    scene = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root))
    (left,) = run_case("broken", 1, scene, leaves_an_orphan).problems
    assert left.strip() == "left running: sleep 61"
    assert run_case("broken", 2, scene, lambda ground: None).problems == ()


def test_what_cases_share_is_judged_at_the_end(tmp_path: Path, repo: Repo) -> None:
    scene = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root))
    scene.at_end += [("http", lambda judge: judge.fail("it said too much")), ("mcp", lambda judge: None)]
    (outcome,) = end_scene(scene, "abc")
    assert (outcome.kind, outcome.problems, outcome.code) == ("http", ("it said too much",), "abc")
    text, values = table([outcome])
    assert "FAILED http at the end (the end): it said too much" in text
    assert (values["http"]["cases"], values["http"]["failed"]) == (0, 1) and not scene.at_end


def test_cases_are_shared_out_and_repeatable() -> None:
    wanted = list(planned(3000, CLASSES))
    assert wanted == list(planned(3000, CLASSES)) and len(set(wanted)) == len(wanted)
    assert 2990 <= len(wanted) <= 3010 and Counter(kind for kind, _ in wanted).keys() == CLASSES.keys()
    assert {kind for kind, _ in wanted[:60]} == set(CLASSES), "a run that is cut has a bit of everything"


def test_a_run_that_was_cut_goes_on_with_the_same_code(tmp_path: Path) -> None:
    done = Outcome("damage", 7, "flip", Verdict.EQUAL, (), 0.1, True, "abc")
    failed = Outcome("kills", 3, "index", Verdict.FAILED, ("left running: git",), 0.1, True, "abc")
    journal = tmp_path / "journal"
    for one in (done, failed, replace(done, seed=8, code="abc+12345678"), replace(done, seed=9, code="")):
        keep(one, journal)
    older = {key: value for key, value in asdict(done).items() if key not in ("code", "fired")}
    with journal.open("a") as stream:
        stream.write(json.dumps({**older, "seed": 10}) + '\n{"kind": "dam')
    assert read_journal(journal, "abc") == {("damage", 7): done, ("kills", 3): failed}
    assert list(read_journal(journal, "abc+12345678")) == [("damage", 8)]
    assert read_journal(tmp_path / "none", "abc") == {}


def test_the_state_of_the_code_is_the_commit_and_what_differs_from_it(repo: Repo, tmp_path: Path) -> None:
    head = repo.commit("Begin", {"src/a.py": "a = 1\n", "notes.txt": "x\n"})
    clean = state_of_code(repo.root)
    assert head.startswith(clean) and not is_dirty(clean)
    repo.write("notes.txt", "y\n")
    assert state_of_code(repo.root) == clean, "notes are no code"
    repo.write("src/a.py", "a = 2\n")
    edited = state_of_code(repo.root)
    repo.write("tests/b.py", "b = 1\n")
    added = state_of_code(repo.root)
    repo.write("tests/b.py", "b = 2\n")
    assert len({clean, edited, added, state_of_code(repo.root)}) == 4
    assert is_dirty(edited) and is_dirty(added) and edited.startswith(clean)
    assert state_of_code(tmp_path) == "unknown"


def test_only_faults_that_fired_count_as_survived() -> None:
    fired = Outcome("kills", 1, "index", Verdict.EQUAL, (), 0.1, True)
    idle = Outcome("kills", 2, "index", Verdict.EQUAL, (), 0.1, False)
    failed = Outcome("kills", 3, "index", Verdict.FAILED, ("left running: git",), 0.1, True)
    text, values = table([fired, idle, failed])
    kills = values["kills"]
    assert (kills["cases"], kills["fired"], kills["survived"], kills["seeds"]) == (3, 2, 1, [3])
    assert (values["all"]["cases"], values["all"]["fired"], values["all"]["seeds"]) == (3, 2, [])
    assert text.splitlines()[0].split()[:4] == ["class", "cases", "fired", "survived"]
    assert text.splitlines()[1].split()[:4] == ["kills", "3", "2", "1"]
    assert "FAILED kills 3 (index): left running: git" in text
