"""A few cases of every class of the campaign, and how it keeps its books. `make campaign` runs thousands."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.campaign import judge
from tests.campaign.classes import CLASSES
from tests.campaign.judge import Judge, Verdict
from tests.campaign.runner import Outcome, planned, read_journal, run_case, table
from tests.campaign.scene import Ground, Scene, build_scene
from tests.conftest import Repo
from tests.surfaces.program import Program, Run


@pytest.mark.slow
def test_a_case_of_every_class_survives(tmp_path: Path) -> None:
    scene = build_scene(tmp_path)
    try:
        outcomes = [run_case(kind, 1, scene) for kind in CLASSES]
    finally:
        for end in scene.at_end:
            end()
    assert not [one for one in outcomes if one.problems or not one.what]


def test_a_case_that_breaks_the_rule_fails(tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "_LEAVING_SECONDS", 0.1)

    def misbehaves(ground: Ground) -> None:
        repo.write("new.py", "x = 1\n")
        subprocess.Popen(["sleep", "60"])
        raise TimeoutError

    scene = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root))
    outcome = run_case("broken", 1, scene, misbehaves)
    slow, left, changed = outcome.problems
    assert outcome.verdict is Verdict.FAILED
    assert (slow, left.strip(), changed) == (
        "no answer in 30 seconds",
        "left running: sleep 60",
        "the repository was changed",
    )


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (Run(0, '{"a": 1, "timings_ms": 3}', ""), Verdict.EQUAL),
        (Run(0, '{"a": 2, "partial": true}', ""), Verdict.PARTIAL),
        (Run(1, "", "Indexing shop: …\ntrackdown: the store is full\n"), Verdict.REFUSED),
        (Run(0, '{"a": 2}', ""), Verdict.FAILED),
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
    seen.judge("a command", run, {"a": 1})
    assert seen.verdict is verdict


def test_cases_are_shared_out_and_repeatable() -> None:
    wanted = list(planned(3000, CLASSES))
    assert wanted == list(planned(3000, CLASSES)) and len(set(wanted)) == len(wanted)
    assert 2990 <= len(wanted) <= 3010 and Counter(kind for kind, _ in wanted).keys() == CLASSES.keys()
    assert {kind for kind, _ in wanted[:60]} == set(CLASSES), "a run that is cut has a bit of everything"


def test_a_run_that_was_cut_goes_on(tmp_path: Path) -> None:
    done = Outcome("damage", 7, "flip", Verdict.EQUAL, (), 0.1)
    failed = Outcome("kills", 3, "index", Verdict.FAILED, ("left running: git",), 0.1)
    journal = tmp_path / "journal"
    journal.write_text("".join(json.dumps(asdict(one)) + "\n" for one in (done, failed)) + '{"kind": "dam')
    assert read_journal(journal) == {("damage", 7): done, ("kills", 3): failed}
    text, values = table([done, failed])
    assert "FAILED kills 3 (index): left running: git" in text
    assert values["all"]["cases"] == 2 and values["kills"]["seeds"] == [3]
