"""Endpoints that send too much, too slowly, compressed or nonsense: asking them costs little memory and little time."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc

import pytest

from tests.models.llm.clients import QUESTION, endpoint
from tests.models.llm.loopback import (
    Handler,
    Reply,
    completion,
    drips,
    fails,
    floods,
    floods_headers,
    hangs,
    says,
    sends,
    serving,
)
from trackdown.errors import LlmError, NoAnswer
from trackdown.models.llm.chat import TryAgain

KEY = "sk-not-to-be-seen"
SLOW_BODY = drips(first=b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", then=b" ")
SLOW_HEAD = drips(first=b"HTTP/1.1 200 OK\r\nX-Header: ", then=b"x")
CONTINUES = drips(first=b"", then=b"HTTP/1.1 100 Continue\r\n\r\n")


def compressed(content: bytes) -> Reply:
    """Sends gzip, whatever the client accepts."""
    return lambda handler: handler.send(200, gzip.compress(content), {"Content-Encoding": "gzip"})


def asked(reply: Reply, on_models: Reply | None = None, **settings: object) -> tuple[LlmError, float]:
    """What asking once raises, and after how many seconds."""
    with serving(reply, on_models=on_models) as server:
        model = endpoint(server.url, key=KEY, **settings)
        started = time.monotonic()
        with pytest.raises(LlmError) as caught:
            model.answer(QUESTION)
        seconds = time.monotonic() - started
    assert "\n" not in str(caught.value) and KEY not in str(caught.value)
    return caught.value, seconds


@pytest.mark.parametrize("reply", [SLOW_BODY, SLOW_HEAD, CONTINUES, hangs], ids=["body", "head", "continue", "hangs"])
def test_an_answer_that_drips_is_cut_in_time(reply: Reply) -> None:
    error, seconds = asked(reply, timeout_s=0.4)
    assert isinstance(error, NoAnswer) and "did not answer within 0.4 seconds" in str(error)
    assert seconds < 2


@pytest.mark.parametrize("reply", [SLOW_BODY, SLOW_HEAD, CONTINUES, hangs], ids=["body", "head", "continue", "hangs"])
def test_a_list_of_models_that_drips_is_cut_in_time(reply: Reply) -> None:
    error, seconds = asked(fails(404), reply, timeout_s=0.4)
    assert "answered 404" in str(error) and "check the URL" in str(error)
    assert seconds < 2


def test_a_list_of_models_without_end_is_left_after_some_megabytes() -> None:
    with serving(fails(404), on_models=floods) as server:
        model = endpoint(server.url)
        tracemalloc.start()
        try:
            with pytest.raises(LlmError, match="check the URL"):
                model.answer(QUESTION)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert 1 << 20 < server.bytes_sent < 40 << 20
    assert most < 20 << 20


def test_a_head_without_end_is_left() -> None:
    error, seconds = asked(floods_headers)
    assert isinstance(error, TryAgain) and "broke" in str(error) and seconds < 3


def test_compressed_answers_are_not_unpacked() -> None:
    error, _ = asked(compressed(completion("four")))
    assert isinstance(error, NoAnswer) and "compresses its answers" in str(error)
    error, _ = asked(fails(404), compressed(json.dumps({"data": [{"id": "other"}]}).encode()))
    assert "check the URL" in str(error)
    with serving(says("four")) as server:
        endpoint(server.url).answer(QUESTION)
        assert server.seen[0].headers["Accept-Encoding"] == "identity"


def test_a_list_of_models_elsewhere_is_not_fetched() -> None:
    seen: list[str] = []

    def elsewhere(handler: Handler) -> None:
        seen.append(handler.headers["Authorization"])
        handler.send(200, b'{"data": [{"id": "other"}]}')

    with serving(says("four"), on_models=elsewhere) as other:
        moved: Reply = lambda handler: handler.send(302, b"", {"Location": f"{other.url}/models"})  # noqa: E731
        error, _ = asked(fails(404), moved)
    assert "check the URL" in str(error) and not seen


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not JSON",
        b"[" * 100_000,
        b'{"data": ' + b"[" * 100_000,
        b'{"data": 7}',
        b'{"data": [7, null, {}, {"id": 7}, {"id": ["x"]}]}',
        b'{"data": [{"id": ' + b"9" * 10_000 + b"}]}",
        b"[]",
        b"\xff\xfe",
    ],
)
def test_a_nonsensical_list_of_models_is_none(body: bytes) -> None:
    error, _ = asked(fails(404), sends(body))
    assert "check the URL" in str(error)


@pytest.mark.parametrize("message", [b"[" * 900 + b"]" * 900, b'{"a": ' * 900 + b"1" + b"}" * 900, b"1e999", b"true"])
def test_an_error_of_another_type_is_one_line(message: bytes) -> None:
    for body in (b'{"error": {"message": %s, "code": 7}}' % message, b'{"error": %s}' % message):
        error, _ = asked(lambda handler: handler.send(400, body))  # noqa: B023
        assert "rejected the question (400" in str(error) and len(str(error)) < 300


@pytest.mark.parametrize("count", [b"1e999", b"-5", b"9" * 400, b'"7"', b"[]", b"NaN"])
def test_nonsensical_counts_are_replaced_by_our_own(count: bytes) -> None:
    body = b'{"choices": [{"message": {"content": "four"}}], "usage": {"prompt_tokens": %s, "completion_tokens": %s}}'
    with serving(sends(body % (count, count))) as server:
        answer = endpoint(server.url).answer(QUESTION)
    assert answer.text == "four" and 5 < answer.tokens_in < 60 and 0 < answer.tokens_out < 30


def test_a_connection_is_used_again_and_replaced_after_a_failure() -> None:
    with serving(says("one"), says("two"), SLOW_BODY, says("four")) as server:
        model = endpoint(server.url, timeout_s=0.3)
        assert [model.answer(QUESTION).text for _ in range(2)] == ["one", "two"]
        assert server.connected == 1
        with pytest.raises(NoAnswer):
            model.answer(QUESTION)
        assert model.answer(QUESTION).text == "four"
        assert server.connected == 2
