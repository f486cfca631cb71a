"""The gate: gains pass, a loss on one repository blocks, and no case vanishes unsaid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from trackdown.errors import UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.gate_verdict import verdict_lines
from trackdown.lab.gating import SMALL_REPOSITORIES, gate
from trackdown.lab.runs import Row

GOLD = CodeLocation("gold.py")


def run(repository: str, ranks: Iterable[int], mode: str = "new") -> list[Row]:
    """Rows whose one relevant file stands at these ranks, 0 for not found."""
    return [
        Row(
            f"{repository}-{number}",
            mode,
            ranked=tuple(GOLD if place == rank else CodeLocation(f"other{place}.py") for place in range(1, 11)),
            scores=tuple(float(-place) for place in range(10)),
            gold=(GOLD,),
            bench="git",
            level="file",
            repository=repository,
        )
        for number, rank in enumerate(ranks)
    ]


def old(repository: str, ranks: Iterable[int]) -> list[Row]:
    """The same for the present default."""
    return run(repository, ranks, "old")


def reasons(verdict_reasons: Sequence[str]) -> str:
    return "\n".join(verdict_reasons)


def test_a_real_improvement_passes() -> None:
    verdict = gate(
        old("one", [2, 4] * 15) + old("two", [5] * 25),
        run("one", [1, 4] * 15) + run("two", [5] * 24 + [1]),
    )
    assert verdict.passed
    assert verdict.metric == "MRR" and verdict.cases == 55 and verdict.repositories == 2
    one, two = verdict.groups
    assert (one.name, one.cases, one.mean_a, one.mean_b) == ("one", 30, 0.375, 0.625)
    assert one.difference == 0.25
    assert one.better_permutation < 0.001
    assert one.worse_permutation > 0.99
    assert two.difference == pytest.approx(0.8 / 25)
    assert two.better_permutation == 0.5
    assert verdict.mean_a == pytest.approx((0.375 + 0.2) / 2)
    assert verdict.difference == pytest.approx((0.25 + 0.8 / 25) / 2)
    assert verdict.headline == "B (new) may become a default in place of A (old)."
    assert "is better: 0.2875 → 0.4285 (+0.1410)" in verdict.reasons[0]
    assert verdict.reasons[1:] == ("No group loses significantly (permutation test, p < 0.05).",)


def test_a_loss_on_one_repository_blocks_a_better_average() -> None:
    verdict = gate(
        old("wins", [5] * 30) + old("loses", [1] * 30), run("wins", [1] * 30) + run("loses", [2] * 10 + [1] * 20)
    )
    assert verdict.difference > 0.3
    assert not verdict.passed
    assert [group.name for group in verdict.losses] == ["loses"]
    assert "may not become" in verdict.headline
    assert "loses loses significantly on 30 cases: 1.0000 → 0.8333" in reasons(verdict.reasons)


def test_a_loss_that_chance_explains_does_not_block() -> None:
    verdict = gate(
        old("wins", [5] * 30) + old("wobbles", [1] * 30), run("wins", [1] * 30) + run("wobbles", [2] * 4 + [1] * 26)
    )
    assert verdict.groups[1].difference < 0
    assert verdict.groups[1].worse_permutation == 1 / 16
    assert verdict.passed


def test_equal_runs_do_not_pass() -> None:
    verdict = gate(old("one", [1, 2, 0] * 10), run("one", [1, 2, 0] * 10))
    assert not verdict.passed and not verdict.losses
    (group,) = verdict.groups
    assert {group.worse_permutation, group.better_permutation} == {1.0}
    assert "is no better: 0.5000 → 0.5000 (+0.0000)" in verdict.reasons[0]


def test_gains_that_cancel_out_up_to_rounding_do_not_pass() -> None:
    verdict = gate(
        old("one", [3, 7, 10] * 7) + old("two", [10, 3, 7] * 7), run("one", [7, 10, 3] * 7) + run("two", [3, 7, 10] * 7)
    )
    assert not verdict.is_better and not verdict.passed


def test_a_worse_average_does_not_pass_even_without_a_significant_loss() -> None:
    verdict = gate(old("one", [1] * 30), run("one", [2] + [1] * 29))
    assert not verdict.losses and not verdict.passed
    assert "is worse" in verdict.reasons[0]


def test_small_repositories_are_tested_together_and_averaged_apart() -> None:
    """None of three could lose significantly alone: each has 3 cases that differ."""
    small = ("a", "b", "c")
    before = [row for name in small for row in old(name, [1] * 5)] + old("large", [5] * 20)
    after = [row for name in small for row in run(name, [2] * 3 + [1] * 2)] + run("large", [1] * 20)
    verdict = gate(before, after)
    assert [group.name for group in verdict.groups] == ["large", SMALL_REPOSITORIES]
    pooled = verdict.groups[1]
    assert (pooled.cases, pooled.repositories, pooled.worse_permutation) == (15, 3, 1 / 512)
    assert [one.name for one in verdict.small] == ["a", "b", "c"]
    assert all(one.worse_permutation == 1 / 8 for one in verdict.small)
    assert verdict.repositories == 4 and verdict.cases == 35
    assert verdict.mean_b == pytest.approx((0.7 * 3 + 1.0) / 4)
    assert not verdict.passed


def test_20_cases_are_enough_to_stand_alone() -> None:
    verdict = gate(old("x19", [2] * 19) + old("x20", [2] * 20), run("x19", [1] * 19) + run("x20", [1] * 20))
    assert [(group.name, group.cases) for group in verdict.groups] == [("x20", 20), (SMALL_REPOSITORIES, 19)]


def test_the_macro_average_is_over_repositories_not_cases() -> None:
    """Over all cases B is worse, over repositories better."""
    verdict = gate(old("large", [1] * 200) + old("tiny", [0]), run("large", [1] * 197 + [2] * 3) + run("tiny", [1]))
    assert verdict.difference == pytest.approx((1 - 1.5 / 200) / 2)
    assert verdict.passed


def test_unpaired_cases_are_counted_and_named() -> None:
    before, after = old("one", [2] * 30), run("one", [1] * 30)
    after[3] = replace(after[3], skipped="too large", ranked=(), scores=())
    both_skip = "no gold"
    before[4], after[4] = (replace(rows[4], skipped=both_skip, ranked=(), scores=()) for rows in (before, after))
    verdict = gate(before[:20], after[:3] + after[3:25])
    assert [(case.id, case.reason) for case in verdict.only_a] == [("one-3", "too large")]
    assert [case.id for case in verdict.only_b] == ["one-20", "one-21", "one-22", "one-23", "one-24"]
    assert verdict.only_b[0].reason == "not in the run"
    assert verdict.unscored == 1
    assert verdict.cases == 18 and verdict.mean_a == 0.5 and verdict.mean_b == 1.0
    text = reasons(verdict.reasons)
    assert "1 case was scored in A only and not compared: one:one-3 (too large)." in text
    assert "5 cases were scored in B only" in text
    assert "1 case was scored in neither run." in text


def test_a_long_list_of_unpaired_cases_is_cut_in_words_only() -> None:
    verdict = gate(old("one", [2] * 30), run("one", [1] * 22))
    assert len(verdict.only_a) == 8
    assert "and 3 more." in reasons(verdict.reasons)


def test_cases_are_paired_whatever_their_order() -> None:
    before, after = old("one", range(1, 31)), run("one", range(1, 31))
    assert gate(before, after[::-1]) == gate(before, after)
    assert gate(before, after).groups[0].worse_permutation == 1.0


def test_the_same_id_in_two_repositories_is_two_cases() -> None:
    before = [replace(row, id="1") for name in ("a", "b") for row in old(name, [2])]
    after = [replace(row, id="1") for name in ("b", "a") for row in run(name, [1])]
    assert gate(before, after).cases == 2


def test_another_metric_may_say_otherwise() -> None:
    before, after = old("one", [1, 9] * 15), run("one", [2, 5] * 15)
    assert not gate(before, after, "MRR").passed
    assert gate(before, after, "Hit@5").passed


def test_as_json() -> None:
    verdict = gate(old("one", [2] * 30) + old("two", [1] * 3), run("one", [1] * 30) + run("two", [1] * 2))
    read = json.loads(json.dumps(verdict.as_dict()))
    assert read["passed"] is False and read["reasons"] == list(verdict.reasons)  # B did not score all that A did
    assert read["chance"] < 0.01
    assert read["groups"][0]["name"] == "one" and read["groups"][0]["difference"] == 0.5
    assert read["groups"][0]["worse_permutation"] == 1.0 and read["groups"][0]["better_permutation"] < 0.01
    assert read["only_a"] == [{"repository": "two", "id": "two-2", "reason": "not in the run"}]
    assert (read["bench"], read["level"], read["mode_a"], read["mode_b"]) == ("git", "file", "old", "new")


def test_as_text() -> None:
    lines = verdict_lines(gate(old("one", [2] * 30) + old("two", [1] * 3), run("one", [1] * 30) + run("two", [1] * 3)))
    assert lines[0] == "B (new) may become a default in place of A (old)."
    assert "MRR, git, file level; A is old, B is new" in lines
    table = lines[lines.index("MRR, git, file level; A is old, B is new") + 1 :]
    assert table[1].split() == ["one", "30", "0.5000", "1.0000", "+0.5000", "1.0000", "0.0001"]
    assert [line.split("  ")[0] or line.split()[0] for line in table[2:]] == [
        SMALL_REPOSITORIES,
        "two",
        "macro average (2)",
    ]
    assert table[-1].split()[-4:] == ["33", "0.7500", "1.0000", "+0.2500"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], run("one", [1]), "run A has no rows"),
        (old("one", [1]), [], "run B has no rows"),
        (old("one", [1]), [replace(row, level="function") for row in run("one", [1])], "level of run A is 'file'"),
        (old("one", [1]), [replace(row, bench="swe") for row in run("one", [1])], "bench of run A is 'git'"),
        (old("one", [1]), run("one", [1]) + old("one", [1]), "run B holds several modes"),
        (old("one", [1]) + [replace(row, level="class") for row in old("two", [1])], run("one", [1]), "several levels"),
        (old("one", [1]) * 2, run("one", [1]), "run A holds case 'one-0' of one twice"),
        (old("one", [1]), run("two", [1]), "no case was scored in both runs"),
        (
            old("one", [1]),
            [replace(row, gold=(CodeLocation("x.py"),)) for row in run("one", [1])],
            "by different truths",
        ),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_what_cannot_be_compared_is_refused(a: list[Row], b: list[Row], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gate(a, b)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="no metric is called 'F1'"):
        gate(old("one", [1]), run("one", [1]), "F1")


def test_a_gain_that_may_be_chance_says_so() -> None:
    before, after = old("one", [2] * 30), run("one", [2] * 29 + [1])
    assert gate(before, after).passed
    assert "may well be chance" in gate(before, after).reasons[0]
    assert "chance" not in gate(before, run("one", [1] * 30)).reasons[0]
