"""What the models read: words, split as people would say them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.models import normalization as module
from trackdown.models.normalization import brief_unit, normalized


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("parseHTTPDate2(row_id)", "parse http date 2 row id"),
        ("the quick brown fox.", "the quick brown fox"),
        ("__init__", "init"),
        ("XMLHttpRequest", "xml http request"),
        ("getURL", "get url"),
        ("IOError", "io error"),
        ("utf8", "utf 8"),
        ("CONSTANT_NAME", "constant name"),
        ("größe Größe naïveBayes Straße", "größe größe naïve bayes straße"),
        ("ÉtatInitial2", "état initial 2"),
        ("日本語テキスト", "日本語テキスト"),
        ("Ω3", "ω 3"),
        ("", ""),
        (" \t\n--!?", ""),
        ("\x00\x01\ufffe", ""),
        ("half \ud800 pair \udfff", "half pair"),
    ],
)
def test_words_as_they_are_said(text: str, said: str) -> None:
    assert normalized(text) == said


@pytest.mark.parametrize(
    "name",
    ["AbstractAnnotationConfigDispatcherServletInitializer", "testCollectionJSModuleImportAggregationManifestStorage"],
)
def test_long_names_are_words(name: str) -> None:
    assert len(name) > 40
    assert normalized(name).replace(" ", "") == name.lower()


@pytest.mark.parametrize(
    "data",
    [
        "deadbeef" * 5 + "0",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz",
        "QWxhZGRpbjpvcGVuIHNlc2FtZSBhbmQgYWxsIHRoZSBmb3J0eSB0aGlldmVz",
        "a" * 41,
        "A" * 200,
    ],
)
def test_encoded_data_is_left_out(data: str) -> None:
    assert normalized(f"before {data} after") == "before after"


def test_the_memory_of_words_keeps_no_long_data() -> None:
    module._split.cache_clear()
    normalized("x" * 1_000_000)
    assert module._split.cache_info().currsize == 0


@given(st.text())
def test_any_text_becomes_lower_case_words(text: str) -> None:
    said = normalized(text)
    assert said == " ".join(said.split())
    assert said == said.lower()
    assert not set(said) & set("_-.:()[]{}\n\t")


def test_a_unit_is_its_path_its_symbol_and_its_code() -> None:
    assert (
        brief_unit("src/http/parseDate.py", "Date.parse", "return x") == "src http parse date : date parse : return x"
    )
    assert brief_unit("Makefile", "", "all:") == "makefile :  : all"


def test_no_word_of_the_code_stands_more_than_twice() -> None:
    code = "def getRow(row): row = rows.get(row); return row or get(1)"
    assert brief_unit("row.py", "row", code) == "row : row : def get row row rows get return or 1"
    many = brief_unit("a.py", "a", " ".join(f"x{number} y" for number in range(10_000)))
    assert many.split()[:9] == "a : a : x 0 y x 1".split() and len(many.split()) == 516, "no model reads more"
