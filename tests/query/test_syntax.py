"""The syntax of code hosts in a query: what is a filter, and above all what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.errors import QueryError
from trackdown.query.parse import understand
from trackdown.query.syntax import LONGEST_LINE, Filters, read_syntax


@pytest.mark.parametrize(
    ("text", "rest", "filters"),
    [
        ("cookie path:src/web", "cookie", Filters(paths=("src/web",))),
        ('path:"with space/a.py" cookie', "cookie", Filters(paths=("with space/a.py",))),
        ("path:src path:lib -path:tests x", "x", Filters(paths=("src", "lib"), without_paths=("tests",))),
        ("lang:c++ language:py x", "x", Filters(languages=("c++", "py"))),
        ("x -lang:go", "x", Filters(without_languages=("go",))),
        (
            "kind:class|enum x -kind:method,function",
            "x",
            Filters(kinds=("class", "enum"), without_kinds=("method", "function")),
        ),
        ("symbol:QuerySet::filter -symbol:A#b", "", Filters(symbols=("QuerySet.filter",), without_symbols=("A.b",))),
        ("  symbol:g\n", "", Filters(symbols=("g",))),
        ("path:a path:a x", "x", Filters(paths=("a",))),
    ],
)
def test_filters_in_a_line(text: str, rest: str, filters: Filters) -> None:
    found = read_syntax(text)
    assert (found.text, found.filters) == (rest, filters)


@pytest.mark.parametrize(
    "text",
    [
        "the option path: is ignored",  # prose: a space follows
        "error: cannot read file:a.py",  # not a prefix that we know
        "`path:src` is ignored",
        '"lang:python" is not a language',
        "xpath:foo and a-path:b",  # inside a word
        'path:"" lang:"  "',
        'path:"a"b',
        "Title\n\nSet path:src and lang:python, then it crashes.",
        "path:src lang:python\nas the first line of an issue",
        "path:src " + "word " * (LONGEST_LINE // 5),
    ],
)
def test_what_is_not_a_filter_stays_as_it_is(text: str) -> None:
    found = read_syntax(text)
    assert not found.filters and found.text == text


def test_filters_are_written_as_they_are_read() -> None:
    text = 'path:"a b" path:*.py lang:go kind:class symbol:A.b -path:tests -lang:c -kind:enum -symbol:g'
    assert str(read_syntax(text).filters) == text
    assert read_syntax(str(read_syntax(text).filters)).filters == read_syntax(text).filters


def test_a_phrase_is_kept_and_a_short_one_counts_in_a_line() -> None:
    query = understand('"no key" path:src')
    assert query.quoted == ("no key",) and query.exactly_quoted and set(query.weights) >= {"key"}
    assert not understand('why "no key"').exactly_quoted and understand('why "no key"').quoted == ("no key",)
    assert understand("why “no key”").quoted == ("no key",)
    assert understand('An issue\n\nIt says "no key".').quoted == ()  # as before: long ones only
    assert understand('An issue\n\nIt says "no secret key was set".').quoted == ("no secret key was set",)


def test_filters_alone_are_a_query_and_nothing_at_all_is_none() -> None:
    query = understand("path:src kind:class")
    assert query.filters == Filters(paths=("src",), kinds=("class",)) and not query.weights
    for text in ("", " ", "??", "path:src ??"):
        with pytest.raises(QueryError):
            understand(text)


SYNTAX = st.lists(
    st.sampled_from(
        ["path:", "lang:", "-kind:", "symbol:", '"', "`", "“", "”", " ", "\n", "a", "-", "|", "#12", "*", "é"]
    )
    | st.text(max_size=5),
    max_size=60,
).map("".join)


@given(SYNTAX | st.text())
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_and_loses_nothing_but_filters(text: str) -> None:
    found = read_syntax(text)
    if not found.filters:
        assert found.text == text
    assert all(phrase in text and phrase for phrase in found.phrases)
    assert "".join(found.text.split()) in "".join(text.split()) or found.filters
    again = read_syntax(found.text)
    assert not found.filters or (again.text, again.phrases) == (found.text, found.phrases) or again.filters


@pytest.mark.parametrize(
    "piece", ['path:"', "“", "`", "path:a ", "-" * 7, "a" * 50, '"x', "lang:|", "#1 ", "AB-1", "0a1b2c3"]
)
@pytest.mark.parametrize("end", ["", "\nx"])
def test_reading_takes_linear_time(piece: str, end: str) -> None:
    from trackdown.query.references import find_references

    text = piece * (100_000 // len(piece)) + end
    start = time.process_time()
    read_syntax(text)
    read_syntax(text[:LONGEST_LINE])
    find_references(text, typed=True)
    assert time.process_time() - start < 0.1
