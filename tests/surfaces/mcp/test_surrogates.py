"""Half characters in JSON are replaced, and everything else stays as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.surfaces.mcp.surrogates import without_lone_surrogates

SIGNS = st.text(st.one_of(st.characters(), st.sampled_from('\ud83d\ude00\udcff\\u"d8')))


@given(SIGNS)
def test_only_lone_surrogates_change(text: str) -> None:
    message = json.dumps({"query": text}).encode()
    mended = without_lone_surrogates(message)
    whole = json.loads(message)["query"]  # joins halves that meet
    assert len(mended) == len(message)
    assert json.loads(mended)["query"] == "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in whole)


@pytest.mark.parametrize(
    "message", [rb'"\\ud800"', rb'"\ud83d\ude00"', rb'"\uD83D\uDE00"', b'"\\', b"", b"\\u", "é".encode()]
)
def test_what_is_whole_stays(message: bytes) -> None:
    assert without_lone_surrogates(message) == message
