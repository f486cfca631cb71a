"""Blobs of any content become units, words and windows, or are left out with a reason. Never an exception."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import grows_at_most
from trackdown.repository.content_rules import REASONS
from trackdown.units.extraction import extract
from trackdown.units.facts import BlobFacts, decode, encode
from trackdown.units.languages import LANGUAGES, TEXT, UNCERTAIN
from trackdown.units.tokens import words

NAMES = [*(language.name for language in LANGUAGES), TEXT, UNCERTAIN, "no-such-language"]
SOURCES = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "sources").iterdir())}
CODE = '''import os


class Größe:
    """A size."""

    limit = 3

    def wert(self, x):
        return x + self.limit


def helper():
    return os.sep


TAIL = helper()
'''


def numbers(data: bytes) -> list[int]:
    values = array("I")
    values.frombytes(data)
    return values.tolist()


def counts_of(facts: BlobFacts) -> list[Counter[str]]:
    """The words of each unit."""
    pointers, ids, counts = numbers(facts.pointers), numbers(facts.word_ids), numbers(facts.counts)
    return [
        Counter({facts.vocabulary[ids[place]]: counts[place] for place in range(first, last)})
        for first, last in pairwise(pointers)
    ]


def shape(facts: BlobFacts) -> list[tuple[str, str, int, int]]:
    return [(unit.kind, unit.symbol, unit.start_line, unit.end_line) for unit in facts.units]


def check(facts: BlobFacts) -> None:
    """What holds for the facts of any blob."""
    assert facts.skip in {"", *REASONS}
    pointers, ids = numbers(facts.pointers), numbers(facts.word_ids)
    assert len(pointers) == len(facts.units) + 1
    assert pointers[0] == 0 and pointers == sorted(pointers)
    assert pointers[-1] == len(ids) == len(numbers(facts.counts))
    assert all(place < len(facts.vocabulary) for place in ids)
    assert all(count > 0 for count in numbers(facts.counts))
    assert len(set(facts.vocabulary)) == len(facts.vocabulary)
    for place, unit in enumerate(facts.units):
        assert 1 <= unit.start_line <= unit.end_line <= max(1, facts.lines)
        assert -1 <= unit.parent < place
        assert bool(unit.symbol) == (unit.kind != "window")
        assert "\n" not in unit.signature and "\n" not in unit.symbol
        if unit.parent >= 0:
            assert facts.units[unit.parent].kind != "window"
    assert decode(encode(facts)) == facts


@st.composite
def damaged_sources(draw: st.DrawFn) -> bytes:
    """A real file of some language, with pieces cut out, moved and written over."""
    data = bytearray(draw(st.sampled_from(list(SOURCES.values()))))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 60)))
        data[start:end] = draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"(", b"{", b'"', b"\n", b"/*", b"\r"]))
        )
    return bytes(data)


@pytest.mark.parametrize("language", NAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode), damaged_sources()))
def test_any_bytes_in_any_language(language: str, data: bytes) -> None:
    check(extract(data, language))
    check(extract(data, language, forced=True))


@pytest.mark.parametrize("language", NAMES)
def test_an_empty_file_has_no_units(language: str) -> None:
    for data in (b"", b"\n", b"  \n\n", b"\xef\xbb\xbf", b"\r\n"):
        facts = extract(data, language)
        check(facts)
        assert (facts.skip, facts.units) == ("", [])


@pytest.mark.parametrize("language", [language.name for language in LANGUAGES])
def test_deep_nesting_and_open_brackets_end(language: str) -> None:
    for data in (b"(" * 2000, b"{[(" * 500, b"(" * 1000 + b")" * 1000, b"\"'`" * 500, b"if x {\n" * 300, b"<" * 1000):
        facts = extract(data, language)
        check(facts)
        assert facts.skip == "" and facts.lines >= 1


def test_the_words_of_functions_classes_and_what_lies_outside() -> None:
    facts = extract(CODE.encode(), "python")
    check(facts)
    assert shape(facts) == [
        ("class", "Größe", 4, 10),
        ("method", "Größe.wert", 9, 10),
        ("function", "helper", 13, 14),
        ("window", "", 1, 17),
    ]
    inside, method, function, outside = counts_of(facts)
    assert inside == Counter(words('class Größe:\n    """A size."""\n\n    limit = 3\n'))
    assert method == Counter(words("def wert(self, x):\n        return x + self.limit"))
    assert function == Counter(words("def helper():\n    return os.sep"))
    assert outside == Counter(words("import os\nTAIL = helper()"))


def test_every_word_of_a_text_is_in_exactly_one_window() -> None:
    text = "".join(f"word{number} and more\n" for number in range(1000))
    facts = extract(text.encode(), TEXT)
    check(facts)
    assert len(facts.units) > 5 and {unit.kind for unit in facts.units} == {"window"}
    assert sum(counts_of(facts), Counter()) == Counter(words(text))


@pytest.mark.parametrize("name", SOURCES)
def test_line_ends_and_marks_make_no_difference(name: str) -> None:
    data = SOURCES[name]
    plain = extract(data, name)
    marked = extract(b"\xef\xbb\xbf" + data, name)
    assert (shape(marked), counts_of(marked)) == (shape(plain), counts_of(plain))
    wide = extract(data.decode().encode("utf-16"), name)
    assert (shape(wide), counts_of(wide)) == (shape(plain), counts_of(plain))
    windows = extract(data.replace(b"\n", b"\r\n"), name)
    check(windows)
    assert shape(windows) == shape(plain)
    assert [unit.signature for unit in windows.units] == [unit.signature for unit in plain.units]


def test_latin1_is_read_and_its_lines_stay() -> None:
    facts = extract(CODE.encode("latin-1"), "python")
    assert shape(facts) == shape(extract(CODE.encode(), "python"))
    assert "Größe" in facts.vocabulary


@pytest.mark.parametrize(
    ("language", "broken", "found"),
    [
        ("python", "def f(:\n    return 1\n\n\ndef g():\n    return 2\n", "g"),
        ("javascript", "function f( {\n\nfunction g() { return 2 }\n", "g"),
        ("java", "class A { int f( { return 1; }\n int g() { return 2; } }\n", "g"),
        ("go", "package a\nfunc f( {\n}\nfunc g() int {\n\treturn 2\n}\n", "g"),
        ("c", "int f(void) { return ( }\nint g(void) { return 2; }\n", "g"),
        ("rust", "fn f( {\n}\nfn g() -> i32 { 2 }\n", "g"),
    ],
)
def test_what_follows_a_mistake_is_found(language: str, broken: str, found: str) -> None:
    facts = extract(broken.encode(), language)
    check(facts)
    assert found in {unit.symbol.rpartition(".")[2] for unit in facts.units}
    assert "return" in facts.vocabulary or language == "rust"


def test_rules_on_content_leave_a_blob_out_unless_it_is_forced() -> None:
    large, generated = b"x = 1\n" * 1000, b"# @generated\n" + CODE.encode()
    assert extract(large, "python", max_bytes=100).skip == "large"
    assert extract(large, "python", max_bytes=100, forced=True).skip == ""
    assert extract(generated, "python").skip == "generated"
    assert len(extract(generated, "python", forced=True).units) == 4
    assert extract(b"\0" * 100, "python").skip == extract(b"\0" * 100, "python", forced=True).skip == "binary"
    assert extract(b"x\n" * 5000 + b"\0", "python").skip == "binary"


def test_the_first_line_or_the_content_decides_where_the_name_does_not() -> None:
    assert extract(b"#!/usr/bin/env python3\ndef f():\n    pass\n", UNCERTAIN).language == "python"
    assert extract(b"words\n", UNCERTAIN).language == TEXT
    header = b"class A {\n public:\n  int f() { return 1; }\n};\n"
    assert extract(header, "c").language == "cpp"
    assert extract(b"int f(void);\nstruct class_t { int x; };\n", "c").language == "c"


@pytest.mark.parametrize("language", ["python", "go", "c", "javascript"])
def test_a_long_file_costs_a_multiple_of_its_length(language: str) -> None:
    one = {
        "python": "# About {n}.\ndef f{n}(x):\n    return x + {n}\n\n",
        "go": "// About {n}.\nfunc f{n}(x int) int {{\n\treturn x + {n}\n}}\n",
        "c": "// About {n}.\nint f{n}(int x) {{\n  return x + {n};\n}}\n",
        "javascript": "// About {n}.\nfunction f{n}(x) {{\n  return x + {n};\n}}\n",
    }[language]
    short, data = ("".join(one.format(n=number) for number in range(count)).encode() for count in (1250, 5000))
    assert grows_at_most(9, lambda source: extract(source, language), short, data)
    facts = extract(data, language)
    check(facts)
    assert facts.lines == 20_000 and len(facts.units) >= 5000
    assert shape(facts)[4999][1] == "f4999"


def test_functions_nested_a_hundred_deep_cost_a_multiple_of_the_file_and_not_its_square() -> None:
    data = "".join(f"{' ' * depth}def f{depth}(a, b, c):\n" for depth in range(100)) + " " * 100 + "pass\n"
    facts = extract(data.encode(), "python")
    check(facts)
    assert len(facts.units) == 100
    assert facts.units[99].symbol == ".".join(f"f{depth}" for depth in range(100))
    assert len(numbers(facts.counts)) < 10 * len(words(data))
    assert all(f"f{depth}" in facts.vocabulary for depth in range(100))


def test_very_many_lines_of_comment_do_not_take_quadratic_time() -> None:
    few, many = (b"# a line of comment\n" * lines + b"def after():\n    return 1\n" for lines in (5_000, 20_000))
    assert grows_at_most(9, lambda source: extract(source, "python"), few, many)
    assert "after" in [unit.symbol for unit in extract(many, "python").units]
