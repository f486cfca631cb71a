"""The client: what was asked once is never asked again, budgets hold, failures cost notes and nothing else."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec
import pytest

from tests.models.llm.clients import QUESTION, MemoryFacts, Slept, client, endpoint, questions
from tests.models.llm.loopback import Reply, cuts, echoes, fails, hangs, says, sends, serving, waits
from trackdown.errors import Cancelled
from trackdown.models.llm.budget import Budget, Prices
from trackdown.models.llm.cache import COMPLETIONS
from trackdown.models.llm.chat import most_tokens
from trackdown.models.llm.client import MAX_FAILURES, LlmClient, sleep
from trackdown.models.llm.ledger import PAUSE_SECONDS, StageCost, UsageLedger
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.models.llm.replay import Recorder, read_replay
from trackdown.types import Progress


def texts(answers: list[Completion | None]) -> list[str | None]:
    return [None if answer is None else answer.text for answer in answers]


def test_answers_come_in_the_order_of_their_prompts_from_several_threads() -> None:
    asked = questions(12)
    with serving(waits(0.05, echoes)) as server:
        answered = client(endpoint(server.url, concurrency=3)).ask("test", asked)
        assert server.most_at_once == 3
    assert texts(answered) == [prompt.user for prompt in asked]


def test_what_was_asked_once_is_free() -> None:
    facts = MemoryFacts()
    with serving(says("four", (20, 5))) as server:
        first = client(endpoint(server.url), facts)
        assert texts(first.ask("sums", [QUESTION, QUESTION])) == ["four", "four"]
        again = client(endpoint(server.url), facts)
        (kept,) = again.ask("sums", [QUESTION])
        assert len(server.seen) == 1
    assert kept is not None and (kept.text, kept.tokens_in, kept.tokens_out) == ("four", 20, 5)
    assert [(cost.calls, cost.cached, cost.tokens_in, cost.tokens_out) for cost in first.counts] == [(1, 0, 20, 5)]
    assert again.counts == (StageCost("sums", cached=1),)


def test_another_model_number_or_limit_is_another_question() -> None:
    with serving(echoes) as server:
        facts = MemoryFacts()
        client(endpoint(server.url), facts).ask("test", [QUESTION])
        client(endpoint(server.url, model="large"), facts).ask("test", [QUESTION])
        other = [Prompt("Be brief.", QUESTION.user, max_tokens=51), Prompt("Be brief.", QUESTION.user, (), 50, 0.0, 1)]
        client(endpoint(server.url), facts).ask("test", other)
        assert len(server.seen) == 4


@pytest.mark.parametrize("damage", [b"", b"\xc1", msgspec.msgpack.encode([0, "old", 1, 1, 0.1, True]), b"\x90"])
def test_what_another_version_kept_is_asked_again_once(damage: bytes) -> None:
    facts = MemoryFacts()
    with serving(says("new")) as server:
        model = endpoint(server.url)
        facts.rows[COMPLETIONS, QUESTION.digest(model.name)] = damage
        for _ in range(2):
            assert texts(client(model, facts).ask("test", [QUESTION])) == ["new"]
        assert len(server.seen) == 1


def test_progress_counts_what_is_asked_anew() -> None:
    told: list[tuple[str, int, int | None]] = []
    with serving(echoes) as server:
        asking = client(endpoint(server.url, concurrency=1))
        asking.ask("test", questions(1))
        asking.ask("test", questions(3), lambda *step: told.append(step))
        asking.ask("test", questions(3), lambda *step: told.append(step))
    assert told == [("ask", 0, 2), ("ask", 1, 2), ("ask", 2, 2)]


@pytest.mark.parametrize("failure", [fails(500, "oops"), fails(429), cuts, sends(b'{"error": "busy"}')])
def test_a_failure_that_passes_is_waited_out(failure: Reply) -> None:
    slept = Slept()
    with serving(failure, failure, says("at last")) as server:
        asking = client(endpoint(server.url), sleep=slept)
        assert texts(asking.ask("test", [QUESTION])) == ["at last"]
    assert slept == [0.5, 1.0] and asking.notes() == [] and asking.stopped is None


def test_a_server_that_says_how_long_to_wait_is_obeyed() -> None:
    slept = Slept()
    with serving(fails(429, headers={"Retry-After": "13"}), says("thanks")) as server:
        client(endpoint(server.url), sleep=slept).ask("test", [QUESTION])
    assert slept == [13.0]


def test_a_failure_that_stays_costs_a_note_and_later_questions_are_asked() -> None:
    with serving(*[fails(500, "oops")] * 5, echoes) as server:
        asking = client(endpoint(server.url, concurrency=1))
        assert texts(asking.ask("test", questions(2))) == [None, "question 1"]
        assert asking.notes() == [f"{server.url} failed with 500: oops"]
    assert asking.notes() == [] and asking.stopped is None
    assert [(cost.calls, cost.unanswered) for cost in asking.counts] == [(1, 1)]


def test_a_server_that_hangs_is_asked_a_few_times_and_no_more() -> None:
    with serving(hangs) as server:
        asking = client(endpoint(server.url, concurrency=1, timeout_s=0.1))
        assert texts(asking.ask("test", questions(20))) == [None] * 20
        assert texts(asking.ask("test", questions(2))) == [None] * 2
        assert len(server.seen) <= MAX_FAILURES  # a busy machine may run out of time before it has sent a question
    assert asking.stopped is not None and "did not answer within 0.1 seconds" in asking.stopped
    assert any(f"{MAX_FAILURES} times" in note for note in asking.notes())


def test_after_a_refused_key_nothing_is_asked_and_answers_so_far_are_kept() -> None:
    facts = MemoryFacts()
    with serving(echoes, fails(401)) as server:
        asking = client(endpoint(server.url, concurrency=1), facts)
        assert texts(asking.ask("test", questions(9))) == ["question 0", *[None] * 8]
        assert len(server.seen) == 2
        assert asking.notes() == [f"{server.url} answered 401, it needs a key: set TRACKDOWN_LLM_KEY"]
        assert texts(client(endpoint(server.url), facts).ask("test", questions(1))) == ["question 0"]


def test_a_model_that_failed_is_tried_again_after_a_while_but_a_budget_is_final() -> None:
    now = [0.0]
    for for_good in (False, True):
        ledger = UsageLedger(Budget(1, 1.0), clock=lambda: now[0])
        ledger.stop("it is gone", for_good=for_good)
        ledger.stop("a later reason")
        assert ledger.stopped == "it is gone" and ledger.ended == ("it is gone" if for_good else None)
        now[0] += PAUSE_SECONDS + 1
        assert ledger.stopped == ("it is gone" if for_good else None)


def test_a_token_budget_stops_before_it_is_passed() -> None:
    asked = questions(40)
    most = most_tokens(asked[0]) + 50
    with serving(says("x", (20, 50))) as server:
        asking = client(endpoint(server.url, concurrency=4), tokens=1000)
        answered = asking.ask("test", asked)
        sent = len(server.seen)
    used = sent * 70
    assert used <= 1000 < used + most + 3 * 70  # and not long before, either
    assert texts(answered).count(None) == 40 - sent
    assert asking.stopped is not None and "the language model budget of 1,000 tokens" in asking.stopped
    assert "raise llm_tokens" in asking.stopped


def test_a_budget_that_is_used_up_stays_so() -> None:
    now = [0.0]
    with serving(echoes) as server:
        asking = LlmClient(endpoint(server.url), MemoryFacts(), UsageLedger(Budget(10, 1.0), clock=lambda: now[0]))
        asking.ask("test", [QUESTION])
        now[0] += PAUSE_SECONDS + 1
        assert "the language model budget of 10 tokens" in str(asking.stopped) and server.seen == []


def test_failures_between_answers_do_not_add_up() -> None:
    with serving(*[sends(b"nonsense"), sends(b"nonsense"), echoes] * 4) as server:
        asking = client(endpoint(server.url, concurrency=1))
        answered = asking.ask("test", questions(12))
    assert texts(answered).count(None) == 8 and asking.stopped is None


def test_a_money_budget_stops_before_it_is_passed() -> None:
    with serving(says("x", (1000, 100))) as server:
        asking = client(endpoint(server.url, concurrency=1), money=0.01, prices=Prices(1.0, 10.0))  # 0.002 each
        asking.ask("test", questions(20))
        assert len(server.seen) == 5
    assert asking.stopped is not None and "raise llm_money" in asking.stopped
    assert asking.counts[0].money == pytest.approx(0.01)


def test_a_budget_of_nothing_still_gives_what_is_kept() -> None:
    facts = MemoryFacts()
    with serving(says("four")) as server:
        client(endpoint(server.url), facts).ask("test", [QUESTION])
        asking = client(endpoint(server.url), facts, tokens=0)
        assert texts(asking.ask("test", [QUESTION, *questions(1)])) == ["four", None]
        assert len(server.seen) == 1
    assert asking.notes() == [asking.stopped] and "the language model budget of 0 tokens" in str(asking.stopped)


def test_what_a_failed_try_is_likely_to_cost_counts() -> None:
    with serving(hangs) as server:
        asking = client(endpoint(server.url, timeout_s=0.1), tokens=100_000)
        asking.ask("test", [QUESTION])
    (cost,) = asking.counts
    assert (cost.calls, cost.unanswered, cost.tokens_out) == (0, 1, 50) and cost.tokens_in > 10


def test_a_prompt_beyond_the_context_is_not_sent_and_does_not_stop_others() -> None:
    long = [Prompt("", f"{number} " * 10_000) for number in range(5)]
    with serving(echoes) as server:
        asking = client(endpoint(server.url, context=2000, concurrency=1))
        assert texts(asking.ask("test", [*long, *questions(1)])) == [*[None] * 5, "question 0"]
        assert len(server.seen) == 1
    (note,) = asking.notes()
    assert note == f"a prompt is too long for {asking.name} (2,000 tokens with the answer) (5 times)"


def test_a_dry_run_counts_and_asks_nothing() -> None:
    facts = MemoryFacts()
    with serving(echoes) as server:
        client(endpoint(server.url), facts).ask("test", questions(1))
        before = len(facts.rows)
        asking = client(endpoint(server.url), facts, dry_run=True, prices=Prices(1.0, 10.0))
        assert texts(asking.ask("test", questions(4))) == ["question 0", None, None, None]
        assert len(server.seen) == 1 and len(facts.rows) == before
    (cost,) = asking.counts
    assert (cost.calls, cost.cached, cost.unanswered, cost.tokens_out, cost.seconds) == (3, 1, 0, 150, 0.0)
    assert 30 < cost.tokens_in < 150 and cost.money == pytest.approx((cost.tokens_in + 1500) / 1e6)
    table = asking.cost()
    assert table["dry_run"] and table["total"]["calls"] == 3 and asking.notes() == []


def test_clients_of_one_ledger_have_notes_and_costs_of_their_own() -> None:
    facts, ledger = MemoryFacts(), UsageLedger(Budget(1_000_000, 1.0))
    with serving(echoes, sends(b"nonsense"), echoes) as server:
        model = endpoint(server.url, concurrency=1)
        first, second = LlmClient(model, facts, ledger), LlmClient(model, facts, ledger)
        first.ask("first", questions(2))
        second.ask("first", questions(3))
        second.ask("second", questions(1))
    assert second.notes() == [] and len(first.notes()) == 1 and first.notes() == []
    table = second.cost()
    assert [(row["stage"], row["calls"], row["cached"]) for row in table["stages"]] == [
        ("first", 2, 1),
        ("second", 0, 1),
    ]
    assert table["total"]["calls"] == 2 and table["model"] == second.name
    assert [(cost.stage, cost.calls, cost.unanswered) for cost in ledger.costs()] == [("first", 3, 1), ("second", 0, 0)]
    assert LlmClient(model, facts, ledger).cost() == {}


def test_who_was_refused_nothing_hears_nothing_of_a_stop() -> None:
    facts, ledger = MemoryFacts(), UsageLedger(Budget(1_000_000, 1.0))
    with serving(echoes, fails(401)) as server:
        model = endpoint(server.url, concurrency=1)
        first, second, third = (LlmClient(model, facts, ledger) for _ in range(3))
        first.ask("test", questions(2))
        second.ask("test", questions(1))
        third.ask("test", questions(2))
    assert len(first.notes()) == len(third.notes()) == 1 and second.notes() == []


def test_a_question_too_large_for_the_rest_of_a_budget_is_refused_alone() -> None:
    large = [Prompt("", f"{number} " * 2000, max_tokens=50) for number in range(5)]
    with serving(echoes) as server:
        asking = client(endpoint(server.url, concurrency=1), tokens=2000)
        assert texts(asking.ask("test", [*large, *questions(1)])) == [*[None] * 5, "question 0"]
        assert len(server.seen) == 1 and asking.stopped is None
    (note,) = asking.notes()
    assert "larger than the rest of the language model budget of 2,000 tokens" in note and note.endswith("(5 times)")


def stops(after: int) -> Progress:
    """A progress that has heard enough after so many reports."""
    left = [after]

    def progress(step: str, done: int, total: int | None) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Cancelled("enough")

    return progress


@pytest.mark.parametrize("concurrency", [1, 3])
def test_who_waits_to_ask_again_can_be_stopped(concurrency: int) -> None:
    with serving(fails(429, headers={"Retry-After": "30"})) as server:
        asking = client(endpoint(server.url, concurrency=concurrency), sleep=sleep)
        with pytest.raises(Cancelled):
            asking.ask("test", questions(3), stops(3))
        seen = len(server.seen)
        time.sleep(0.5)
        assert len(server.seen) == seen <= concurrency


@pytest.mark.parametrize("count", [1, 8])
def test_who_waits_for_an_answer_can_be_stopped(count: int) -> None:
    with serving(hangs) as server:
        with pytest.raises(Cancelled):
            client(endpoint(server.url, concurrency=2, timeout_s=100_000.0)).ask("test", questions(count), stops(3))
        assert len(server.seen) <= 2


def test_a_recorded_run_is_replayed_without_its_server(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with serving(echoes) as server:
        model = endpoint(server.url)
        client(model, recorder=Recorder(path)).ask("test", questions(3))
        facts = MemoryFacts()
        client(model, facts, recorder=Recorder(path)).ask("test", questions(3))  # nothing twice
        client(model, facts, recorder=Recorder(tmp_path / "kept.jsonl")).ask("test", questions(3))  # nothing asked anew
    assert len(path.read_text().splitlines()) == 3
    assert read_replay(tmp_path / "kept.jsonl").answers.keys() == read_replay(path).answers.keys()
    replayed = client(model, facts := MemoryFacts(), replay=read_replay(path).answers)  # the server is gone
    assert texts(replayed.ask("test", questions(3))) == ["question 0", "question 1", "question 2"]
    assert replayed.counts == (StageCost("test", cached=3),)
    assert None not in client(model, facts).ask("test", questions(3))  # and so is the file


def test_an_interruption_keeps_what_was_answered_and_waits_for_nobody() -> None:
    facts = MemoryFacts()
    with serving(waits(0.1, echoes)) as server:
        model = endpoint(server.url, concurrency=2)

        def interrupted(step: str, done: int, total: int | None) -> None:
            if done == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            client(model, facts).ask("test", questions(50), interrupted)
        time.sleep(0.5)
        assert len(facts.rows) == 2 and len(server.seen) <= 5
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "trackdown-llm")


def test_an_answer_that_only_thought_is_empty() -> None:
    with serving(says("<think>let me see, four?"), says("<think>sure</think>\n\nfour")) as server:
        asking = client(endpoint(server.url, concurrency=1))
        assert texts(asking.ask("test", questions(2))) == ["", "four"]
