"""Queries that a language model rewrites, from the command line: cases of `eval --build` and examples of `mine`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.conftest import Repo
from tests.models.llm.answers import write_answers
from tests.models.llm.made_llm import MadeLlm
from tests.surfaces.program import Run
from tests.surfaces.test_eval import CASES, build_zoo
from trackdown.lab.mine.dataset import build_from_git
from trackdown.lab.mine.harvest import HarvestLimits
from trackdown.lab.mine.issue_writer import IssueWriter
from trackdown.lab.mine.training import MiningJob, MiningPlan, mine
from trackdown.lab.repositories import MinedRepository
from trackdown.models.llm.prompt import Prompt

pytestmark = pytest.mark.slow

InProcess = Callable[..., Run]


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return build_zoo(tmp_path_factory.mktemp("queries") / "zoo")


def issue(number: int) -> str:
    return f"Page number {number} shows an empty screen when visitors without cookies arrive."


@pytest.fixture
def answers(zoo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a model answers for every commit, and the setting that names the file."""
    asked: list[Prompt] = []

    def says(prompt: Prompt) -> str:
        asked.append(prompt)
        return issue(len(asked))

    build_from_git(zoo.root, query_from="rewritten", writer=IssueWriter(MadeLlm(says)))
    mine(
        MiningJob(MinedRepository(zoo.root, "", "zoo"), MiningPlan(tmp_path / "away", limits=HarvestLimits())),
        writer=IssueWriter(MadeLlm(says)),
    )
    told = [("issue", prompt, issue(number)) for number, prompt in enumerate(asked)]
    path = write_answers(tmp_path / "answers.jsonl", told)
    monkeypatch.setenv("TRACKDOWN_LLM_REPLAY", str(path))
    return path


@pytest.mark.usefixtures("answers")
def test_cases_get_rewritten_queries(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    dataset = tmp_path / "cases.jsonl"
    command: list[str | Path] = ["eval", zoo.root, "--build", "--query-from", "rewritten", "--dataset", dataset]
    run = in_process(*command)
    assert run.code == 0, run.err
    assert run.out.startswith(f"{CASES} cases from {CASES + 1} commits") and f"rewritten {CASES} of {CASES}" in run.out
    assert "of the names that a commit brings in, subjects held" in run.out
    cases = [json.loads(line) for line in dataset.read_text().splitlines()]
    assert all(case["query"].startswith("Page number") and case["source"] == "rewritten" for case in cases)
    assert "issue" in run.err and "cached" in run.err, "the cost table stands on standard error"
    answer = in_process(*command, "--format", "json").json()
    assert answer["rewriting"]["rewritten"] == CASES and answer["llm"]["stages"][0]["stage"] == "issue"
    measured = in_process("eval", zoo.root, "--dataset", dataset, "--modes", "bm25", "--format", "json").json()
    assert measured["cases"] == CASES


@pytest.mark.usefixtures("answers")
def test_a_dry_run_writes_nothing(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    dataset = tmp_path / "cases.jsonl"
    run = in_process("eval", zoo.root, "--build", "--query-from", "rewritten", "--dataset", dataset, "--estimate-cost")
    assert run.code == 0 and not dataset.exists() and "nothing was written" in run.out and "would be asked" in run.err


@pytest.mark.usefixtures("answers")
def test_examples_get_rewritten_queries(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    command: list[str | Path] = [
        "mine",
        "pairs",
        zoo.root,
        "--out",
        tmp_path / "out",
        "--rewrite-queries",
        "--format",
        "json",
    ]
    dry = in_process(*command, "--estimate-cost").json()
    assert not (tmp_path / "out").exists() and dry["llm"]["dry_run"] is True
    answer = in_process(*command).json()
    assert answer["rewriting"]["rewritten"] == CASES and answer["repositories"][0]["unanswered"] == 0
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "zoo.examples.parquet").to_pylist()
    assert {row["rewritten"].startswith("Page number") for row in rows if row["kind"] == "commit"} == {True}
    assert len(in_process(*command).json()["repositories"][0]["passed_over"]) == 2


def test_without_a_model_it_says_what_to_do(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    for command in (
        ["eval", zoo.root, "--build", "--query-from", "rewritten", "--dataset", tmp_path / "cases.jsonl"],
        ["mine", "pairs", zoo.root, "--out", tmp_path / "out", "--rewrite-queries"],
    ):
        in_process(*command).refused(2, "language model", "--llm")
    assert not (tmp_path / "cases.jsonl").exists()


def test_a_model_that_gives_out_writes_no_half_data_set(
    in_process: InProcess, zoo: Repo, answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_bytes(b"".join(answers.read_bytes().splitlines(keepends=True)[:4]))
    monkeypatch.setenv("TRACKDOWN_LLM_REPLAY", str(few))
    dataset, out = tmp_path / "cases.jsonl", tmp_path / "out"
    command: list[str | Path] = ["eval", zoo.root, "--build", "--query-from", "rewritten", "--dataset", dataset]
    in_process(*command).refused(1, "in a row without an answer", "kept")
    assert not dataset.exists()
    run = in_process("mine", "pairs", zoo.root, "--out", out, "--rewrite-queries", "--format", "json")
    assert run.code == 1 and json.loads(run.out)["repositories"][0]["unanswered"] == 4
    monkeypatch.setenv("TRACKDOWN_LLM_REPLAY", str(answers))
    again = in_process("mine", "pairs", zoo.root, "--out", out, "--rewrite-queries", "--format", "json").json()
    assert again["repositories"][0]["unanswered"] == 0 and again["repositories"][0]["passed_over"] == []
    assert in_process(*command).code == 0 and len(dataset.read_text().splitlines()) == CASES


def test_what_does_not_go_together(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    out = ["--out", tmp_path / "out"]
    in_process("mine", "pairs", zoo.root, *out, "--estimate-cost").refused(2, "--rewrite-queries")
    in_process("mine", "records", zoo.root, *out, "--rewrite-queries").refused(2, "--rewrite-queries")
    in_process("eval", zoo.root, "--modes", "bm25+llm-rerank").refused(2, "bm25+llm-rerank", "--llm")


@pytest.mark.usefixtures("answers")
def test_a_bench_says_what_it_would_ask(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    command: list[str | Path] = ["eval", zoo.root, "--level", "symbol", "--modes", "bm25+llm-rerank", "--estimate-cost"]
    answer = in_process(*command, "--run-file", tmp_path / "run.jsonl", "--format", "json").json()
    assert answer["cases"] == CASES and answer["llm"]["dry_run"] is True and not (tmp_path / "run.jsonl").exists()
    assert answer["llm"]["stages"][0]["calls"] == CASES
    text = in_process(*command)
    assert text.out == f"{CASES} cases: nothing was measured\n" and "per query, mean of 8" in text.err
