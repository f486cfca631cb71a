"""`trackdown train ranker` on small repositories: collect, judge, fit, and judge on issues that took no part."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.benches.issues import Clones, many_issues
from trackdown.errors import UsageError
from trackdown.lab.train import train_ranker
from trackdown.lab.train.ranker_fit import FitPlan
from trackdown.lab.train.ranker_training import HAND_SET, TREES, RankerReport
from trackdown.rank import load_ranker
from trackdown.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def trained(clones: Clones, settings: Settings, judged: tuple[str, ...]) -> RankerReport:
    """A ranker fitted to two repositories and judged on others."""
    rows = many_issues(clones, ("ada/shop", "ada/bank"), commits=8)
    cases = clones.write(*rows, name="cases.jsonl")
    rows += many_issues(clones, ("eve/blog",), commits=4)
    unseen = clones.write(*[row for row in rows if row["repo"] in judged], name="unseen.jsonl")
    return train_ranker(
        [cases],
        clones.folder,
        "{owner}/{name}",
        "function",
        clones.root / "features",
        settings,
        plan=FitPlan(rounds=5, fewest=2, depths=(5, 2)),
        judged_on=[unseen],
        out=clones.root / "ranker",
    )


def test_it_is_judged_on_what_it_has_not_seen_beside_the_sum(clones: Clones, settings: Settings) -> None:
    report = trained(clones, settings, ("eve/blog",))
    assert report.cases == 16 and report.repositories == 2
    (name,) = report.judged
    unseen = report.judged[name]
    assert name == "unseen" and unseen["cases"] == 4
    for side in (HAND_SET, TREES):
        assert 0 <= unseen[side]["Acc@5"] <= unseen[side]["Acc@10"] <= 1
    mean, low, high = unseen["difference"]["MRR"]
    assert low <= mean <= high
    assert mean == pytest.approx(unseen[TREES]["MRR"] - unseen[HAND_SET]["MRR"], abs=2e-4)
    assert load_ranker(clones.root / "ranker", "function") is not None


def test_a_repository_may_not_stand_on_both_sides(clones: Clones, settings: Settings) -> None:
    with pytest.raises(UsageError, match="cannot be judged on repositories that it is fitted to: ada/shop"):
        trained(clones, settings, ("ada/shop",))


def test_sets_that_a_report_could_not_tell_apart_or_that_are_empty_are_refused(
    clones: Clones, settings: Settings, tmp_path: Path
) -> None:
    rows = many_issues(clones, ("ada/shop",), commits=2)
    cases = clones.write(*rows, name="cases.jsonl")
    strays = clones.write(*[row | {"repo": "nobody/there"} for row in rows], name="strays.jsonl")

    def judge_by(*judged: Path) -> RankerReport:
        return train_ranker(
            [cases], clones.folder, "{owner}/{name}", "function", tmp_path / "features", settings, judged_on=judged
        )

    with pytest.raises(UsageError, match="two files of --judge have the same name"):
        judge_by(cases, cases)
    with pytest.raises(UsageError, match="none of the cases of strays can be searched"):
        judge_by(strays)
