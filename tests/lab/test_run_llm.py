"""Measuring modes that ask a language model, by recorded answers: what is missing is no ranking, and is tried again."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.lab.made_tasks import bench_of, grown_repository, task
from tests.models.llm.answers import write_answers
from tests.models.llm.loopback import fails, says, serving
from tests.models.llm.made_llm import MadeLlm
from trackdown.engine import default_plan, rank, with_mode
from trackdown.errors import UsageError
from trackdown.lab.run import run_bench
from trackdown.lab.run_plan import plan
from trackdown.lab.runs import Row, RunFile, without_answer
from trackdown.lab.tasks import Bench
from trackdown.models.llm.prompt import Prompt
from trackdown.settings import Settings

MODE = "bm25+llm-rerank@3"


@pytest.fixture
def bench(repo: Repo) -> Bench:
    commits = grown_repository(repo, 14)
    return bench_of(*(task(repo, number, commits[13], depth=5) for number in range(14)))


def prompts(bench: Bench, settings: Settings) -> list[Prompt]:
    """All that the mode asks."""
    asker = MadeLlm(lambda _: "1")
    with trackdown.open(bench.tasks[0].place, settings=settings) as opened:
        for one in bench.tasks:
            options = replace(with_mode(default_plan(settings), MODE), k=one.depth)
            rank(opened.corpus(one.at), one.query, options, llm=asker)
    return [prompt for _, prompt in asker.asked]


def run(bench: Bench, settings: Settings, path: Path, *modes: str) -> list[Row]:
    chosen = plan(bench, modes or (MODE,), settings)
    with RunFile(path, chosen.config) as file:
        return run_bench(bench, chosen, file, jobs=4)


def test_answers_order_every_row_in_one_process(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    answers = [("rerank", prompt, "2, 1") for prompt in prompts(bench, settings)]
    asking = replace(settings, llm_replay=write_answers(tmp_path / "answers.jsonl", answers))
    children = set(multiprocessing.active_children())
    rows = run(bench, asking, tmp_path / "run.jsonl", "bm25", MODE)
    assert set(multiprocessing.active_children()) == children
    plain = {row.id: row for row in rows if row.mode == "bm25"}
    for row in rows:
        if row.mode == MODE:
            first, second, *rest = plain[row.id].ranked
            assert row.ranked == (second, first, *rest) and not row.skipped
            assert list(row.scores) == sorted(row.scores, reverse=True)


def test_what_has_no_answer_is_skipped_and_tried_again(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    asked = prompts(bench, settings)
    half = [("rerank", prompt, "2, 1") for prompt in asked[::2]]
    asking = replace(settings, llm_replay=write_answers(tmp_path / "half.jsonl", half))
    rows = run(bench, asking, tmp_path / "run.jsonl")
    skipped = [row for row in rows if row.skipped]
    assert len(skipped) == 7 and all("no answer" in row.skipped for row in skipped)
    whole = [("rerank", prompt, "2, 1") for prompt in asked]
    asking = replace(settings, llm_replay=write_answers(tmp_path / "whole.jsonl", whole))
    assert not any(row.skipped for row in run(bench, asking, tmp_path / "run.jsonl"))


def test_a_dry_run_searches_on_and_asks_nothing(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    from trackdown.engine.llm.configured import llm_cost

    path = write_answers(tmp_path / "other.jsonl", [("rerank", Prompt("", "unrelated"), "1")])
    dry = replace(settings, llm_replay=path, llm_dry_run=True)
    rows = run(bench, dry, tmp_path / "run.jsonl")
    assert not any(row.skipped for row in rows)
    (stage,) = llm_cost(dry)["stages"]
    assert (stage["stage"], stage["calls"], stage["unanswered"]) == ("rerank", 14, 0) and stage["tokens_in"] > 14 * 100


def test_a_mode_that_needs_a_model_is_refused_without_one(bench: Bench, settings: Settings) -> None:
    for mode in (MODE, "hybrid+llm-top", "bm25+spider-llm"):
        with pytest.raises(UsageError, match=r"no language model is configured .*--llm"):
            plan(bench, (mode,), settings)
    plan(bench, ("hybrid+thorough",), settings)


def test_another_model_is_another_configuration(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    found = set()
    for model in ("one", "two"):
        path = write_answers(tmp_path / f"{model}.jsonl", [("rerank", Prompt("", "x"), "1")], model=model)
        asking = replace(settings, llm_replay=path)
        found |= {plan(bench, (mode,), asking).config for mode in (MODE, "hybrid+thorough")}
        assert plan(bench, ("bm25",), asking).config == plan(bench, ("bm25",), settings).config
    assert len(found) == 2


def test_a_model_that_refuses_costs_its_own_modes_alone(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    with serving(fails(401)) as server:
        asking = replace(settings, llm=server.url, llm_model="small")
        rows = run(bench, asking, tmp_path / "run.jsonl", "bm25", MODE)
        assert len(server.seen) == 1
    assert [bool(row.skipped) for row in rows] == [row.mode == MODE for row in rows]
    assert len(without_answer(rows)) == 14 and "answered 401" in without_answer(rows)[0]


def test_a_run_whose_budget_is_spent_ends_and_goes_on(bench: Bench, settings: Settings, tmp_path: Path) -> None:
    with serving(says("2, 1", (2000, 5))) as server:
        asking = replace(settings, llm=server.url, llm_model="small", llm_tokens=6100)
        rows = run(bench, asking, tmp_path / "run.jsonl", "bm25", MODE)
        assert len(server.seen) == 3
        found = [row.mode for row in rows if not row.skipped]
        assert (found.count("bm25"), found.count(MODE)) == (4, 3)
        assert set(without_answer(rows)) == {reason for reason in without_answer(rows) if "raise llm_tokens" in reason}
        more = replace(asking, llm_tokens=10**6)
        assert not any(row.skipped for row in run(bench, more, tmp_path / "run.jsonl", "bm25", MODE))
        assert len(server.seen) == 14
