"""What servers log: one line for each kind of error and minute."""

from __future__ import annotations

import logging

import pytest

from trackdown.surfaces.cli.server_setup import _OncePerMinute, _OneLine


def record(message: str, *arguments: object, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord("trackdown.http", level, __file__, 1, message, arguments, None)


def test_an_error_that_repeats_is_logged_once_a_minute_and_counted() -> None:
    now = 1000.0
    once = _OncePerMinute(clock=lambda: now)
    said = []
    for _ in range(3):
        for number in range(100):
            now += 0.2
            one = record("unexpected %s at %s: %s", "ValueError", "/v1/search", f"{number}\nof many")
            if once.filter(one):
                said.append(_OneLine().format(one))
        now += 45
    start = "trackdown: unexpected ValueError at /v1/search: 0�of many"
    assert said == [start, f"{start} (and 99 more like it)", f"{start} (and 99 more like it)"]


def test_errors_of_another_kind_are_logged_too() -> None:
    once = _OncePerMinute()
    kinds = [("unexpected %s: %s", "ValueError", "x"), ("unexpected %s: %s", "KeyError", "x"), ("full: %s", "x")]
    assert [once.filter(record(*kind)) for kind in kinds] == [True] * 3
    assert [once.filter(record(*kind)) for kind in kinds] == [False] * 3


def test_requests_are_all_logged() -> None:
    once = _OncePerMinute()
    assert all(once.filter(record("GET %s", "/", level=logging.INFO)) for _ in range(3))


def test_the_cause_of_an_error_is_in_its_line() -> None:
    one = record("Exception in ASGI application\n")
    with pytest.raises(ZeroDivisionError) as caught:
        1 / 0  # noqa: B018
    one.exc_info = (caught.type, caught.value, caught.tb)
    assert _OneLine().format(one) == "trackdown: Exception in ASGI application: ZeroDivisionError: division by zero"
