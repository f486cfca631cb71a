"""Texts that say the same have the same likeness, others have not."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.messages import Once, likeness_of_code, likeness_of_query


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
    assert likeness_of_query(one) == likeness_of_query(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Open the socket again", "Close the socket again"), ("Return the user's name", "Return the group's name")],
)
def test_queries_apart(one: str, other: str) -> None:
    assert likeness_of_query(one) != likeness_of_query(other)


def test_code_is_its_words_in_their_order() -> None:
    code = "def add(a, b):\n    return 'sum', a + b\n"
    assert likeness_of_code(code) == likeness_of_code('def add(\n  a, b,\n):\n\treturn "sum", a - b')
    assert likeness_of_code(code) != likeness_of_code(code.replace("a, b", "b, a"))
    assert likeness_of_code("\udcff x") == likeness_of_code("x")


def test_once() -> None:
    once = Once()
    assert [once.is_new(b"a"), once.is_new(b"b"), once.is_new(b"a")] == [True, True, False]
    assert b"a" in once and b"c" not in once
