"""What all readers that share a walk have in common: nothing makes them raise, and no nesting makes them slow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import calls_of
from trackdown.units.extraction import extract
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import BlobReferences, decode_references, encode_references

FIXTURES = Path(__file__).parents[2] / "graph/fixtures"
LANGUAGES = {"rust": "rs", "c": "c", "cpp": "cc", "csharp": "cs", "ruby": "rb", "php": "php", "kotlin": "kt"}
SOURCES = {
    name: [path.read_bytes() for path in sorted((FIXTURES / name).rglob(f"*.{extension}"))]
    for name, extension in LANGUAGES.items()
}
TOKENS = (
    "class fn fun def struct impl trait use using import namespace mod new super self this $x . :: -> ( ) { } [ ] < > "
    ", ; : = | & * ! ? x y T Foo 1 \" ' ` # // /* \n é \u2028 macro_rules! #include #define <?php end do => @a "
    "static void"
).split(" ")


def check(data: bytes, language: str) -> BlobReferences:
    """Read, and see that all that was read has its place."""
    facts = extract(data, language)
    found = extract_references(data, language)
    assert decode_references(encode_references(found)) == found
    units = [one.unit for part in (found.imports, found.references, found.bindings) for one in part]
    assert all(-1 <= unit < len(facts.units) and (unit < 0 or facts.units[unit].kind != "window") for unit in units)
    assert all(1 <= one.line <= facts.lines + 1 and one.chain and one.arity >= -1 for one in found.references)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fixture_can_be_read(language: str) -> None:
    assert len(SOURCES[language]) > 3
    for data in SOURCES[language]:
        found = check(data, language)
        assert found.references or found.imports or found.bindings or found.exports or language in ("rust", "php")


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_torn_files_are_read_as_far_as_possible(language: str, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES[language]))
    start, end = sorted((data.draw(st.integers(0, len(source))), data.draw(st.integers(0, len(source)))))
    middle = data.draw(st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join))
    check(source[:start] + middle.encode() + source[end:], language)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(tokens=st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_tokens_are_read(language: str, tokens: list[str]) -> None:
    check(" ".join(tokens).encode(), language)


DEEP = {
    "rust": ("fn f() { let x: {} = 1; }", "Vec<", "u8", ">"),
    "c": ("int f(void) { return {}; }", "g(", "1", ")"),
    "cpp": ("void f() { std::{} x; }", "vector<std::", "set<int>", ">"),
    "csharp": ("class C { List<{}> x; }", "List<", "int", ">"),
    "ruby": ("def f\n  {}\nend", "a(", "1", ")"),
    "php": ("<?php function f() { return {}; }", "g(", "1", ")"),
    "kotlin": ("fun f() {\n  {}\n}\n", "g(", "1", ")"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_deep_nesting_and_long_chains_end(language: str) -> None:
    frame, left, inner, right = DEEP[language]

    def nested(count: int) -> int:
        source = frame.replace("{}", left * count + inner + right * count, 1).encode()
        return calls_of(lambda: check(source, language))

    assert nested(1500) < 3 * nested(750)
    dot = "->" if language == "php" else "."
    head = "$x" if language == "php" else "x"
    chain = head + f"{dot}run()" * 1500
    found = check(frame.replace("{}", chain, 1).encode(), language)
    assert all(len(one.chain) < 1000 for one in found.references)
