"""The language model that settings name: opened late, shared, listed, and refused in one line where it cannot work."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.llm.clients import QUESTION, MemoryFacts, questions
from tests.models.llm.loopback import echoes, fails, serving
from trackdown.engine.llm.configured import has_llm, list_llms, llm_cost, llm_name, open_llm
from trackdown.errors import LlmError, UsageError
from trackdown.models.llm.budget import Budget
from trackdown.settings import Settings

KEY = "sk-not-to-be-seen"


def test_without_a_language_model_there_is_no_desk(settings: Settings) -> None:
    assert not has_llm(settings) and open_llm(settings, MemoryFacts()) is None
    assert llm_cost(settings) == {} and llm_name(settings) == "" and list_llms(settings) == []


def test_opening_asks_nobody_and_desks_of_the_same_settings_share_budget_and_counts(settings: Settings) -> None:
    with serving(echoes) as server:
        chosen = replace(settings, llm=server.url, llm_model="small", llm_tokens=200)
        desks = [open_llm(chosen, MemoryFacts()) for _ in range(2)]
        assert server.seen == [] and llm_cost(chosen) == {}
        answered = [desk.ask("test", questions(3)) for desk in desks if desk is not None]
        assert len(server.seen) == 5  # 25 tokens each, and 50 set aside for an answer
    assert answered[1].count(None) == 1
    table = llm_cost(chosen)
    assert table["model"] == llm_name(chosen) == f"small@127.0.0.1:{server.server_address[1]}/v1"
    assert (table["total"]["calls"], table["total"]["unanswered"], table["dry_run"]) == (5, 1, False)


def test_a_recorded_run_needs_no_model(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with serving(echoes) as server:
        recording = replace(settings, llm=server.url, llm_model="small", llm_context=3000, llm_record=path)
        desk = open_llm(recording, MemoryFacts())
        assert desk is not None
        desk.ask("test", questions(2))
    path.write_text(path.read_text() + "{damaged\n")
    replaying = replace(settings, llm_replay=path)
    replayed = open_llm(replaying, MemoryFacts())
    assert replayed is not None and (replayed.name, replayed.context) == (desk.name, 3000)
    answers = replayed.ask("test", questions(3))
    assert [answer and answer.text for answer in answers] == ["question 0", "question 1", None]
    notes = replayed.notes()
    assert "ignored line 3" in notes[0] and "has no answer" in notes[1]
    assert "question" not in llm_cost(replaying)["model"] and llm_cost(replaying)["total"]["cached"] == 2
    with pytest.raises(LlmError, match="has no answers of other; it has small@"):
        open_llm(replace(replaying, llm_model="other"), MemoryFacts())
    path.write_text("")
    with pytest.raises(UsageError, match="has no answers"):
        open_llm(replace(replaying, threads=1), MemoryFacts())


def test_a_dry_run_is_a_setting(settings: Settings) -> None:
    with serving(echoes) as server:
        chosen = replace(settings, llm=server.url, llm_model="small", llm_dry_run=True)
        desk = open_llm(chosen, MemoryFacts())
        assert desk is not None and desk.ask("test", [QUESTION]) == [None] and server.seen == []
    assert llm_cost(chosen)["dry_run"] and llm_cost(chosen)["total"]["calls"] == 1


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"llm": "gpt"}, "is not a language model"),
        ({"llm": "http://localhost:8000/v1"}, "--llm-model"),
        ({"llm": "/nowhere/model.gguf"}, "cannot read the language model /nowhere/model.gguf"),
        ({"llm_replay": Path("/nowhere/answers.jsonl")}, "cannot read the answers in /nowhere/answers.jsonl"),
        ({"llm": "http://host/v1", "llm_model": "small", "llm_key": KEY}, "is not encrypted"),
        ({"llm": "http://host/v1", "llm_model": "small", "llm_money": 5.0}, "set llm_price_in and llm_price_out"),
        ({"llm": f"http://me:{KEY}@host/v1", "llm_model": "small"}, "put the key into TRACKDOWN_LLM_KEY"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line_and_listed_so(
    settings: Settings, named: dict[str, str], said: str
) -> None:
    chosen = replace(settings, **named)  # type: ignore[arg-type]
    with pytest.raises((UsageError, LlmError)) as caught:
        open_llm(chosen, MemoryFacts())
    (listed,) = list_llms(chosen)
    for told in (str(caught.value), listed.what):
        assert said in told and "\n" not in told
    assert KEY not in f"{caught.value} {listed}"


def test_what_is_listed_says_what_a_run_may_use(settings: Settings) -> None:
    chosen = replace(settings, llm="https://llm.example.org/v1", llm_model="small", llm_price_in=1.0, llm_context=4000)
    (listed,) = list_llms(chosen)
    assert (listed.name, listed.kind) == ("small@llm.example.org/v1", "llm")
    assert listed.what == "4,000 tokens of context; a run may use 1,000,000 tokens and 1; https://llm.example.org/v1"


def test_a_key_is_in_no_text_of_the_settings_and_in_no_error(settings: Settings) -> None:
    chosen = replace(settings, llm_key=KEY)
    assert KEY not in repr(chosen) and KEY not in str(chosen)
    with serving(fails(403, f"{KEY} is unknown")) as server:
        desk = open_llm(replace(chosen, llm=server.url, llm_model="small"), facts := MemoryFacts())
        assert desk is not None and desk.ask("test", [QUESTION]) == [None]
        assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "the key was refused" in str(desk.stopped) and KEY not in str(desk.notes()) and not facts.rows


def test_who_opens_it_at_the_same_time_shares_one_budget(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def slow(chosen: Settings) -> Budget:
        made.append(1)
        time.sleep(0.1)
        return Budget(chosen.llm_tokens, chosen.llm_money)

    monkeypatch.setattr("trackdown.engine.llm.configured._budget", slow)
    chosen = replace(settings, llm="https://llm.example.org/v1", llm_model="small")
    with ThreadPoolExecutor(8) as pool:
        assert None not in list(pool.map(lambda _: open_llm(chosen, MemoryFacts()), range(8)))
    assert len(made) == 1
