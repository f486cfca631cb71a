"""Language models from the command line: what they cost is told, keys are not, and a search never fails for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.models.llm.loopback import echoes, fails, hangs, says, serving
from tests.surfaces.program import Run

InProcess = Callable[..., Run]
KEY = "sk-not-to-be-seen"
MODE = ("--mode", "bm25+llm-rerank")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Names an endpoint's URL in the environment, with a key."""

    def name(url: str) -> None:
        monkeypatch.setenv("TRACKDOWN_LLM", url)
        monkeypatch.setenv("TRACKDOWN_LLM_MODEL", "small")
        monkeypatch.setenv("TRACKDOWN_LLM_KEY", KEY)

    return name


def test_what_was_asked_stands_behind_the_answer_and_the_second_time_is_free(
    in_process: InProcess, shop: Repo, model: Callable[[str], None]
) -> None:
    with serving(says("2 > 1", (120, 6))) as server:
        model(server.url)
        first = in_process("search", "session cookie", shop.root, *MODE)
        asked = len(server.seen)
        assert first.code == 0 and asked >= 1
        assert "small@127.0.0.1" in first.err and "was asked:" in first.err
        again = in_process("search", "session cookie", shop.root, *MODE, "--format", "json").json()
        assert len(server.seen) == asked
    assert [row["stage"] for row in again["llm"]["stages"]] == ["rerank"]
    assert again["llm"]["total"]["calls"] == 0 and again["llm"]["total"]["cached"] == asked
    assert again["llm"]["model"].startswith("small@")


def test_a_search_without_such_a_stage_asks_nothing_and_says_nothing(
    in_process: InProcess, shop: Repo, model: Callable[[str], None]
) -> None:
    with serving(echoes) as server:
        model(server.url)
        run = in_process("search", "session cookie", shop.root, "--format", "json")
        assert server.seen == [] and "llm" not in run.json()


def test_a_dry_run_says_what_it_would_take(in_process: InProcess, shop: Repo) -> None:
    with serving(echoes) as server:
        place = ("--llm", server.url, "--llm-model", "small", "--estimate-cost")
        run = in_process("search", "session cookie", shop.root, *MODE, *place)
        assert server.seen == [] and run.code == 0
        assert "would be asked" in run.err
        table = in_process("search", "session cookie", shop.root, *MODE, *place, "--format", "json").json()["llm"]
    assert table["dry_run"] and table["total"]["calls"] >= 1 and table["total"]["tokens_in"] > 50


def test_a_model_that_refuses_or_hangs_costs_a_note_and_no_result(
    in_process: InProcess, shop: Repo, model: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = in_process("search", "session cookie", shop.root, "--mode", "bm25", "--format", "json").json()
    refuses = (fails(401, f"unknown key {KEY}"), "the key was refused", "30")
    for reply, said, seconds in (refuses, (hangs, "did not answer within 0.5 seconds", "0.5")):
        monkeypatch.setenv("TRACKDOWN_LLM_TIMEOUT_S", seconds)
        with serving(reply) as server:
            model(server.url)
            run = in_process("search", "session cookie", shop.root, *MODE, "--format", "json")
        answer = run.json()
        assert run.code == 0 and any(said in note for note in answer["notes"])
        assert [item["symbol"] for item in answer["results"]] == [item["symbol"] for item in plain["results"]]
        assert KEY not in run.out + run.err


def test_the_key_is_written_nowhere(
    in_process: InProcess, shop: Repo, model: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "answers.jsonl"
    monkeypatch.setenv("TRACKDOWN_LLM_RECORD", str(record))
    with serving(says("2 > 1")) as server:
        model(server.url)
        runs = [
            in_process("search", "session cookie", shop.root, *MODE, "--explain"),
            in_process("eval", shop.root, "--modes", MODE[1], "--run-file", tmp_path / "run.jsonl"),
            in_process("modes"),
        ]
        assert {seen.headers["Authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert [run.code for run in runs] == [0, 0, 0] and record.exists() and (tmp_path / "run.jsonl").exists()
    assert not any(KEY in run.out + run.err for run in runs)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3 and not any(KEY.encode() in path.read_bytes() for path in files)


def test_the_model_is_listed(in_process: InProcess) -> None:
    place = ("--llm", "https://llm.example.org/v1", "--llm-model", "small")
    listed = in_process("modes", *place, "--format", "json").json()
    assert [item["name"] for item in listed if item["kind"] == "llm"] == ["small@llm.example.org/v1"]
    wrong = in_process("modes", "--llm", "nonsense").out
    assert "is not a language model" in wrong


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("--llm", "nonsense"), "is not a language model"),
        (("--llm", "https://llm.example.org/v1"), "--llm-model"),
        (("--llm", "/nowhere.gguf"), "cannot read the language model /nowhere.gguf"),
    ],
)
def test_what_cannot_work_is_one_line(in_process: InProcess, shop: Repo, place: tuple[str, ...], said: str) -> None:
    run = in_process("search", "session cookie", shop.root, *MODE, *place)
    assert run.code in (1, 2) and said in run.err and len(run.err.strip().splitlines()) == 1
