"""The notation of chains, parsed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.units.references.chain import Chain, ChainPart, bare_name, instance_of, last_name, many_of, parse_chain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run", Chain(0, (ChainPart("run"),))),
        ("self.save", Chain(0, (ChainPart("self"), ChainPart("save")))),
        ("get().items[]", Chain(0, (ChainPart("get", ("()",)), ChainPart("items", ("[]",))))),
        ("open(2).x()[][]", Chain(0, (ChainPart("open", ("(2)",)), ChainPart("x", ("()", "[]", "[]"))))),
        ("[][]Cart", Chain(2, (ChainPart("Cart"),))),
        (".a", Chain(0, (ChainPart(""), ChainPart("a")))),
        ("", Chain(0, (ChainPart(""),))),
    ],
)
def test_parse_chain(text: str, expected: Chain) -> None:
    assert parse_chain(text) == expected


@given(st.text(alphabet="ab.()[]2?", max_size=20))
def test_any_text_has_a_part(text: str) -> None:
    assert parse_chain(text).parts


def test_names_and_types() -> None:
    assert bare_name("get()[]") == "get"
    assert last_name("a.b.c") == "c"
    assert (many_of("Cart"), many_of("?"), many_of("")) == ("Cart[]", "?", "?")
    assert (instance_of("Cart"), instance_of("Cart[]"), instance_of("?.x")) == ("Cart()", "Cart[]", "?.x")
    assert parse_chain("f()").parts[0].is_called
    assert not parse_chain("f[]").parts[0].is_called
