"""Parsing within limits: whatever the content, a syntax tree comes soon or the source is refused, on every machine."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.units.extraction import extract
from trackdown.units.languages import LANGUAGES
from trackdown.units.parsing import DEEPEST_NESTING, ParseLimitError, syntax_tree
from trackdown.units.repetition import LONGEST_PERIOD, LONGEST_REPETITION, without_repetitions


@given(
    st.binary(min_size=1, max_size=LONGEST_PERIOD),
    st.integers(0, 3000),
    st.binary(max_size=300),
    st.binary(max_size=300),
)
def test_only_the_middle_of_a_long_repetition_is_blanked(piece: bytes, length: int, head: bytes, tail: bytes) -> None:
    run = (piece * length)[:length]
    source = head + run + tail
    plain = without_repetitions(source)
    assert len(plain) == len(source)
    assert [place for place, byte in enumerate(plain) if byte == 0x0A] == [
        place for place, byte in enumerate(source) if byte == 0x0A
    ]
    changed = [place for place in range(len(source)) if plain[place] != source[place]]
    if length <= LONGEST_REPETITION - 700:
        assert not changed
    if changed:
        assert len(head) - 700 <= changed[0] and changed[-1] < len(head) + length + 700
        assert all(plain[place] == 0x20 for place in changed)
    if length > 2 * LONGEST_REPETITION and not piece.isspace():
        middle = plain[len(head) + LONGEST_REPETITION : len(head) + length - LONGEST_REPETITION]
        assert not middle.strip(b" \r\n")


def test_ordinary_code_is_left_as_it_is() -> None:
    source = "".join(f"def f{number}(x):\n    return x + {number}\n\n" for number in range(2000)).encode()
    assert without_repetitions(source) is source


def test_a_repetition_hides_nothing_around_it() -> None:
    table = b"table = [" + b"0, " * 200_000 + b"]\n\n"
    facts = extract(b"def before():\n    pass\n\n" + table + b"def after():\n    pass\n", "python")
    functions = [(unit.symbol, unit.start_line) for unit in facts.units if unit.kind == "function"]
    assert functions == [("before", 1), ("after", 6)] and not facts.as_text


@pytest.mark.parametrize(
    ("language", "quote", "head", "tail"),
    [
        ("javascript", "`", "const table = [\n", "];\nfunction after() { return `a`; }\n"),
        ("ruby", '"', "TABLE = [\n", ']\ndef after\n  "a"\nend\n'),
        ("python", '"""', "table = [\n", "]\ndef after():\n    pass\n"),
    ],
)
def test_a_repetition_leaves_quotes_in_pairs(language: str, quote: str, head: str, tail: str) -> None:
    for length, indent in product(range(16), (2, 4, 8)):
        row = f"{' ' * indent}{quote}{'x' * length}{quote},\n"
        facts = extract((head + row * 150 + tail).encode(), language)
        assert "after" in [unit.symbol for unit in facts.units], (length, indent)


def test_what_nests_too_deeply_is_text() -> None:
    fine = "".join(f"f{level}(" for level in range(DEEPEST_NESTING)).encode()
    assert syntax_tree(fine, "python") is not None
    deeper = b"x = 1\n" + "".join(f"f{level}(" for level in range(DEEPEST_NESTING + 1)).encode()
    with pytest.raises(ParseLimitError, match="its brackets nest too deeply"):
        syntax_tree(deeper, "python")
    facts = extract(deeper, "python")
    assert facts.as_text == "its brackets nest too deeply"
    assert {unit.kind for unit in facts.units} == {"window"} and {"x", "f1000"} <= set(facts.vocabulary)
    definitions = "".join(f"{' ' * level}def f{level}():\n" for level in range(200)) + " " * 200 + "pass\n"
    assert extract(definitions.encode(), "python").as_text == "its definitions nest too deeply"


def test_what_its_lexer_reads_again_and_again_is_text() -> None:
    source = " ".join(f"{number}" for number in range(20_000)).encode()  # one line: its lexer asks for columns
    assert extract(source, "scala").as_text == "the parser would read it over and over"
    assert not extract(source.replace(b" ", b"\n"), "scala").as_text


@pytest.mark.slow
@pytest.mark.parametrize("language", [language.name for language in LANGUAGES])
def test_a_megabyte_of_brackets_is_done_in_seconds(language: str) -> None:
    source = b"(" * 1_000_000 + b" needle"
    started = time.process_time()
    facts = extract(source, language, forced=True)
    assert time.process_time() - started < 8
    assert "needle" in facts.vocabulary
