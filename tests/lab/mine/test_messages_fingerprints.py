"""Texts that say the same have the same likeness, others have not."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.messages import Once, code_fingerprint, query_fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixes parsing of HTTP dates", "fix: parse the HTTP date"),
        ("Return the user's name.", "Returns names of users"),
        ("close parseHeader sockets", "Closed sockets (parse header)"),
        ("", "fix the"),
    ],
)
def test_queries_alike(one: str, other: str) -> None:
    assert query_fingerprint(one) == query_fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Open the socket again", "Close the socket again"), ("Return the user's name", "Return the group's name")],
)
def test_queries_apart(one: str, other: str) -> None:
    assert query_fingerprint(one) != query_fingerprint(other)


def test_code_is_its_words_in_their_order() -> None:
    code = "def add(a, b):\n    return 'sum', a + b\n"
    assert code_fingerprint(code) == code_fingerprint('def add(\n  a, b,\n):\n\treturn "sum", a - b')
    assert code_fingerprint(code) != code_fingerprint(code.replace("a, b", "b, a"))
    assert code_fingerprint("\udcff x") == code_fingerprint("x")


def test_once() -> None:
    once = Once()
    assert [once.is_new(b"a"), once.is_new(b"b"), once.is_new(b"a")] == [True, True, False]
    assert b"a" in once and b"c" not in once
