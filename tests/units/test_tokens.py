"""Text → words → terms."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.growth import grows_at_most
from trackdown.units.tokens import letter_definitions, term_counts, terms, words

identifiers = st.from_regex(r"\A\w+\Z")
ascii_identifiers = st.from_regex(r"\A[A-Za-z0-9_]{1,70}\Z")


@given(st.one_of(st.text(), st.text(alphabet=st.characters(max_codepoint=127))))
@example("".join(map(chr, range(256))))
@example("\x1c\x1d\x1e\x1f\x85\u2028 a\x00b")
def test_words_are_what_the_pattern_finds(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text)


def test_the_fast_way_and_the_pattern_agree_on_every_sign() -> None:
    for code in range(128):
        text = f"a{chr(code)}b"
        assert words(text) == words(f"{text} é")[:-1] == re.findall(r"\w+", text)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parseHTTPDate2", ("parsehttpdate2", "parse", "http", "date", "2")),
        ("snake_case_name", ("snake_case_name", "snake", "case", "name")),
        ("CamelCase", ("camelcase", "camel", "case")),
        ("MAX_SIZE", ("max_size", "max", "size")),
        ("HTTPServer", ("httpserver", "http", "server")),
        ("utf8", ("utf8", "utf", "8")),
        ("word", ("word",)),
        ("Word", ("word",)),
        ("WORD", ("word",)),
        ("__init__", ("init",)),
        ("_private", ("private",)),
        ("a_b", ("a_b",)),
        ("x1", ("x1", "1")),
        ("x", ()),
        ("X", ()),
        ("_x", ()),
        ("x_", ()),
        ("7", ("7",)),
        ("2024", ("2024",)),
        ("_", ()),
        ("___", ()),
        ("größe_wert", ("größe_wert", "größe", "wert")),
        ("größe_x", ("größe_x", "größe")),
        ("工", ("工",)),
        ("É", ("é",)),
        ("f" * 64, ("f" * 64,)),
        ("f" * 65, ()),
    ],
)
def test_the_terms_of_a_word(word: str, expected: tuple[str, ...]) -> None:
    assert terms(word) == expected


@given(identifiers)
def test_terms_are_lower_case_without_repetition_and_the_whole_comes_first(word: str) -> None:
    found = terms(word)
    assert len(set(found)) == len(found)
    assert all(term == term.lower() and term for term in found)
    assert not [term for term in found if len(term) == 1 and term.isascii() and term.isalpha()]
    if found:
        assert found[0] == word.lower().strip("_")


@given(ascii_identifiers)
def test_the_parts_of_an_ascii_word_are_runs_of_its_letters_or_digits_and_none_is_lost(word: str) -> None:
    found = terms(word)
    if len(word) > 64:
        assert found == ()
        return
    whole, parts = word.lower(), found[1:]
    assert all(part in whole and re.fullmatch(r"[a-z]{2,}|[0-9]+", part) for part in parts)
    if parts:
        for run in re.findall(r"[0-9]+|(?<![a-zA-Z])[a-z]{2,}(?![a-zA-Z])", word):
            assert run in found


@given(identifiers)
def test_a_term_is_its_own_first_term_and_a_part_its_only_one(word: str) -> None:
    for place, term in enumerate(terms(word)):
        assert terms(term)[:1] == (term,)
        if place and term.isascii():
            assert terms(term) == (term,)


@given(st.lists(ascii_identifiers, max_size=20))
def test_counts_are_those_of_the_words(found: list[str]) -> None:
    counts = term_counts(" ".join(found))
    for term, count in counts.items():
        assert count == sum(term in terms(word) for word in found)
    assert counts.keys() == {term for word in found for term in terms(word)}


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("g: Proxy = LocalProxy(x)", ["g="]),
        ("g = 1", ["g="]),
        ("export const g = () => 1;", ["g="]),
        ("static const char *s = NULL;", []),
        ("static int n = 0;", ["n="]),
        ("#define N 12", ["N="]),
        ("    g = 1", []),
        ("g == 1", []),
        ("log = 1", []),
        ("f(g) = 1", []),
    ],
)
def test_names_of_one_letter_that_a_line_defines_get_a_mark(line: str, marks: list[str]) -> None:
    assert letter_definitions(f"import x\n{line}\n") == marks
    assert all(terms(mark) == (mark.lower(),) for mark in marks)


@pytest.mark.parametrize("shape", ["a ", "a", "g:", "g: a ", "#define ", "g "])
def test_marks_are_found_in_linear_time(shape: str) -> None:
    assert grows_at_most(8, letter_definitions, shape * 50_000, shape * 200_000)
