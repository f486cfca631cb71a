"""The endpoint against a real server on this machine: what it sends, and what it makes of every way to fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.models.llm.clients import QUESTION, endpoint
from tests.models.llm.loopback import (
    Reply,
    cuts,
    drops,
    fails,
    hangs,
    says,
    sends,
    serving,
    trickles,
    waits,
)
from trackdown.errors import LlmError, NoAnswer, UsageError
from trackdown.models.llm.chat import PromptTooLong, TryAgain
from trackdown.models.llm.endpoint import Endpoint
from trackdown.models.llm.prompt import Prompt

KEY = "sk-not-to-be-seen"


def failure(reply: Reply, **settings: object) -> LlmError:
    """What asking once raises when the server replies so."""
    with serving(reply) as server:
        model = endpoint(server.url, **settings)
        with pytest.raises(LlmError) as caught:
            model.answer(QUESTION)
    assert "\n" not in str(caught.value) and KEY not in str(caught.value)
    return caught.value


def test_a_question_goes_out_as_a_conversation_and_the_answer_comes_back_with_its_cost() -> None:
    asked = Prompt("You write code.", "sort a list", (("add", "a + b"),), max_tokens=77, temperature=0.5)
    with serving(says("sorted(x)", (31, 4))) as server:
        answer = endpoint(server.url, key=KEY).answer(asked)
        (seen,) = server.seen
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.complete) == ("sorted(x)", 31, 4, True)
    assert 0 < answer.seconds < 5
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.question == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You write code."},
            {"role": "user", "content": "add"},
            {"role": "assistant", "content": "a + b"},
            {"role": "user", "content": "sort a list"},
        ],
        "max_tokens": 77,
        "temperature": 0.5,
        "stream": False,
    }


def test_without_a_key_none_is_sent() -> None:
    with serving(says("yes")) as server:
        endpoint(server.url).answer(QUESTION)
        assert "Authorization" not in server.seen[0].headers


def test_the_url_may_end_in_a_slash_or_name_the_whole_path() -> None:
    with serving(says("yes")) as server:
        for end in ("", "/", "/chat/completions"):
            endpoint(server.url + end).answer(QUESTION)
        assert {seen.path for seen in server.seen} == {"/v1/chat/completions"}


def test_an_answer_without_counts_is_counted_by_us() -> None:
    with serving(says("x" * 350, None)) as server:
        answer = endpoint(server.url).answer(QUESTION)
    assert 5 < answer.tokens_in < 60 and 100 <= answer.tokens_out < 150


def test_an_answer_that_was_cut_off_is_not_whole() -> None:
    with serving(says("and then", finish="length")) as server:
        assert not endpoint(server.url).answer(QUESTION).complete


def test_half_a_character_in_a_prompt_is_sent_all_the_same() -> None:
    with serving(says("yes")) as server:
        endpoint(server.url).answer(Prompt("", "caf\udce9"))
        assert server.seen[0].question["messages"] == [{"role": "user", "content": "caf\udce9"}]


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_failing_server_may_be_asked_again(status: int) -> None:
    error = failure(fails(status, "overloaded"))
    assert isinstance(error, TryAgain) and f"failed with {status}: overloaded" in str(error) and not error.charged


def test_429_says_how_long_to_wait() -> None:
    error = failure(fails(429, "slow down", headers={"Retry-After": "7"}))
    assert isinstance(error, TryAgain) and error.wait_s == 7.0
    assert isinstance(failed := failure(fails(429)), TryAgain) and failed.wait_s is None
    dated = failure(fails(429, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}))
    assert isinstance(dated, TryAgain) and dated.wait_s is None


def test_429_for_an_hour_or_without_quota_is_the_end() -> None:
    for reply in (fails(429, headers={"Retry-After": "3600"}), fails(429, "no money", "insufficient_quota")):
        assert not isinstance(failure(reply), NoAnswer)


@pytest.mark.parametrize("reply", [cuts, drops])
def test_a_cut_connection_may_be_asked_again_and_is_likely_to_be_paid(reply: Reply) -> None:
    error = failure(reply)
    assert isinstance(error, TryAgain) and error.charged and "broke" in str(error)


@pytest.mark.parametrize(("reply", "seconds"), [(hangs, 0.4), (waits(100_000, says("late")), 0.4), (trickles, 1.5)])
def test_a_server_that_takes_too_long_is_left(reply: Reply, seconds: float) -> None:
    error = failure(reply, timeout_s=seconds)
    assert isinstance(error, NoAnswer) and not isinstance(error, TryAgain)
    assert f"did not answer within {seconds} seconds" in str(error) and "llm_timeout_s" in str(error)


def test_a_slow_server_is_waited_for() -> None:
    with serving(waits(0.3, says("late"))) as server:
        answer = endpoint(server.url).answer(QUESTION)
    assert answer.text == "late" and answer.seconds >= 0.3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>It works!</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"text": "the old protocol"}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_nonsense_is_no_answer(body: bytes) -> None:
    error = failure(sends(body))
    assert isinstance(error, NoAnswer) and error.charged


def test_an_error_inside_a_200_may_be_asked_again() -> None:
    error = failure(sends(b'{"error": {"message": "the upstream is busy"}}'))
    assert isinstance(error, TryAgain) and "the upstream is busy" in str(error)


def test_a_filtered_answer_is_none() -> None:
    assert "content filter" in str(failure(says("", finish="content_filter")))


def test_an_endless_answer_is_cut() -> None:
    with serving(says("la " * 3000, finish="stop")) as server:
        answer = endpoint(server.url).answer(QUESTION)
    assert len(answer.text) == 50 * 16 and not answer.complete


def test_an_answer_of_megabytes_is_refused_before_it_is_read() -> None:
    error = failure(says("la " * 1_000_000))
    assert isinstance(error, NoAnswer) and "sent more than" in str(error)


def test_a_wrong_model_is_named_beside_those_there_are() -> None:
    error = failure(fails(404, "model not found", "model_not_found"), model="huge")
    assert str(error).endswith("it has no model 'huge'; it has small, large") and not isinstance(error, NoAnswer)


def test_a_wrong_path_says_to_check_the_url() -> None:
    with serving(fails(404, "no such page"), models=[]) as server, pytest.raises(LlmError) as caught:
        endpoint(server.url).answer(QUESTION)
    assert "check the URL" in str(caught.value) and not isinstance(caught.value, NoAnswer)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_shown_even_if_the_server_repeats_it(status: int) -> None:
    assert "the key was refused: set TRACKDOWN_LLM_KEY" in str(failure(fails(status, f"bad key {KEY}"), key=KEY))
    assert "it needs a key: set TRACKDOWN_LLM_KEY" in str(failure(fails(status)))


def test_a_server_that_repeats_the_key_elsewhere_does_not_print_it() -> None:
    assert "failed with 500: got …" in str(failure(fails(500, f"got {KEY}"), key=KEY))


def test_a_redirect_is_not_followed() -> None:
    with serving(says("stolen")) as other:
        error = failure(fails(307, headers={"Location": other.url}), key=KEY)
        assert other.seen == [] and "redirects" in str(error)


def test_a_prompt_that_the_server_finds_too_long_is_told_from_other_refusals() -> None:
    said = "This model's maximum context length is 8192 tokens"
    assert isinstance(failure(fails(400, said)), PromptTooLong)
    assert type(failure(fails(400, "bad"))) is NoAnswer


def test_newer_arguments_are_used_where_the_server_asks_for_them() -> None:
    refusals = (
        fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        fails(400, "Unsupported value: 'temperature' does not support 0."),
    )
    with serving(*refusals, says("yes")) as server:
        model = endpoint(server.url)
        for _ in refusals:
            with pytest.raises(TryAgain):
                model.answer(QUESTION)
        assert model.answer(QUESTION).text == "yes"
        assert set(server.seen[-1].question) == {"model", "messages", "stream", "max_completion_tokens"}


def test_nobody_there_is_the_end_at_once() -> None:
    with serving(says("yes")) as server:
        url = server.url
    with pytest.raises(LlmError) as caught:
        endpoint(url).answer(QUESTION)
    assert f"cannot reach {url}" in str(caught.value) and not isinstance(caught.value, NoAnswer)


def test_a_host_that_does_not_exist_is_the_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(LlmError, match=r"cannot reach https://llm\.invalid/v1") as caught:
        endpoint("https://llm.invalid/v1").answer(QUESTION)
    assert not isinstance(caught.value, NoAnswer)


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "\udcff"])
def test_a_host_that_cannot_be_a_name_is_the_end_at_once(host: str) -> None:
    with pytest.raises(LlmError, match="cannot reach"):
        endpoint(f"http://{host}/v1").answer(QUESTION)


def test_a_proxy_of_the_environment_does_not_stand_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serving(says("yes")) as server:
        assert endpoint(server.url).answer(QUESTION).text == "yes"


@pytest.mark.parametrize("url", ["http://", "https:///v1", "ftp://host/v1", "http://[::1", "http://host:port/v1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is not the URL of a language model"):
        Endpoint(url, "small")


def test_secrets_do_not_belong_into_the_url() -> None:
    for url in (f"https://me:{KEY}@host/v1", f"https://host/v1?key={KEY}"):
        with pytest.raises(UsageError, match="put the key into TRACKDOWN_LLM_KEY") as caught:
            Endpoint(url, "small")
        assert KEY not in str(caught.value)


def test_a_key_never_travels_in_the_open_unless_the_user_says_so() -> None:
    with pytest.raises(UsageError, match="is not encrypted"):
        Endpoint("http://llm.example.org/v1", "small", KEY)
    for allowed in ("https://llm.example.org/v1", "http://localhost:8080/v1", "http://127.0.0.2/v1", "http://[::1]/v1"):
        Endpoint(allowed, "small", KEY)
    Endpoint("http://llm.example.org/v1", "small", KEY, insecure=True)
    Endpoint("http://llm.example.org/v1", "small")


def test_a_model_must_be_named_and_a_key_look_like_one() -> None:
    with pytest.raises(UsageError, match="--llm-model"):
        Endpoint("http://localhost/v1", "")
    with pytest.raises(UsageError, match="invalid characters") as caught:
        Endpoint("http://localhost/v1", "small", f"{KEY}\n")
    assert KEY not in str(caught.value)


def test_no_time_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="llm_timeout_s is 0"):
        Endpoint("http://localhost/v1", "small", timeout_s=0)


def test_the_id_names_model_host_and_path() -> None:
    assert Endpoint("https://llm.example.org/v1/", "small").name == "small@llm.example.org/v1"
    assert Endpoint("http://localhost:8080/v1/chat/completions", "small").name == "small@localhost:8080/v1"
    assert Endpoint("http://localhost:8080/other/v1", "small").name == "small@localhost:8080/other/v1"


def test_who_waits_for_a_connection_is_not_out_of_time() -> None:
    with serving(waits(0.7, says("four"))) as server:
        model = endpoint(server.url, concurrency=1, timeout_s=1.0)
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(model.answer, [QUESTION] * 3))
        assert server.most_at_once == 1
    assert [answer.text for answer in answers] == ["four"] * 3 and all(answer.seconds < 1.4 for answer in answers)
