"""Scala, Swift, Lua, shell scripts and Elixir: how well edges by name agree with checked ones, and that they end."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, read_program, shown
from tests.growth import calls_of
from trackdown.graph.graph import BY_NAME
from trackdown.graph.named import NamedResolver

FIXTURES = Path(__file__).parent / "fixtures"
LANGUAGES = ("scala", "swift", "lua", "bash", "elixir")


def edges(texts: Mapping[str, str]) -> set[str]:
    return {shown(edge) for edge in all_edges(MemoryProgram(texts))}


def links(texts: Mapping[str, str]) -> None:
    program = MemoryProgram(texts)
    resolver = NamedResolver(program)
    for file in program.files.values():
        resolver.links(file)


@pytest.mark.parametrize("language", LANGUAGES)
def test_agreement_with_checked_edges(language: str) -> None:
    found = agreement(FIXTURES / language, hows=("name",))
    assert found.right >= 12
    assert found.precision >= 0.9, found.wrong
    assert found.recall >= 0.95, found.missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edge_says_that_only_the_name_matches(language: str) -> None:
    assert language in BY_NAME
    assert {edge.how for edge in all_edges(read_program(FIXTURES / language / "repo"))} == {"name"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_depends_on_which_file_is_asked_first(language: str) -> None:
    program = read_program(FIXTURES / language / "repo")
    files = list(program.files.values())
    resolver = NamedResolver(program)
    first = {file: set(resolver.links(file)) for file in files}
    random.Random(1).shuffle(files)
    other = NamedResolver(program)
    assert {file: set(other.links(file)) for file in files} == first


def test_the_nearest_definition_is_meant() -> None:
    texts = {
        "a.scala": "class A {\n  def go() = helper()\n  def helper() = 1\n}\n",
        "b.scala": "class B {\n  def helper() = 2\n}\n",
    }
    assert edges(texts) == {"invokes a.scala:A.go -> a.scala:A.helper"}


def test_what_another_class_is_asked_for_is_not_guessed() -> None:
    texts = {
        "a.ex": "defmodule A do\n  def go(x), do: Enum.transmogrify(x)\nend\n",
        "b.ex": "defmodule B do\n  def transmogrify(x), do: x\nend\n",
    }
    assert edges(texts) == set()


def test_a_name_alone_links_only_what_is_rare() -> None:
    def texts(count: int, name: str) -> dict[str, str]:
        classes = "".join(f"class C{number} {{\n  func {name}() {{}}\n}}\n" for number in range(count))
        return {"a.swift": classes, "b.swift": f"func start(x: Thing) {{\n  x.{name}()\n}}\n"}

    assert len(edges(texts(3, "transmogrify"))) == 3
    assert edges(texts(4, "transmogrify")) == edges(texts(1, "get")) == set()


def test_languages_are_kept_apart() -> None:
    assert edges({"a.lua": "function go()\n  transmogrify()\nend\n", "b.sh": "transmogrify() {\n  :\n}\n"}) == set()


HOSTILE: dict[str, Callable[[int], str]] = {
    "scala": lambda n: "class A extends A {\n" + "def f() = f()\ndef g() = x.f\n" * n + "}\n" + "import a.f\n" * n,
    "swift": lambda n: f"class A: {'B, ' * n}B {{\n" + "func f() { f(); super.f() }\n" * n + "}\n",
    "lua": lambda n: "local a = require('a')\n" * n + "function a.f()\n  a.f()\n  f()\nend\n" * n,
    "bash": lambda n: ". a.sh\n" * n + "f() {\n  f\n  g\n}\n" * n,
    "elixir": lambda n: (
        "defmodule A do\n" + "import A\nalias A\ndef f(x), do: A.f(x)\ndef g(x), do: f(x)\n" * n + "end\n"
    ),
}
ENDINGS = {"scala": "scala", "swift": "swift", "lua": "lua", "bash": "sh", "elixir": "ex"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_namesakes_imports_and_bases_end(language: str) -> None:
    def resolve(count: int) -> None:
        texts = {f"{name}.{ENDINGS[language]}": HOSTILE[language](count) for name in "ab"}
        links(texts)

    assert calls_of(lambda: resolve(400)) < 3 * calls_of(lambda: resolve(200))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.scala", "object A { def f() = " + "f(" * 3000 + ")" * 3000 + " }"),
        ("a.scala", "import a.{" * 2000),
        ("a.swift", "class A { func f() { " + "f { " * 2000 + "}" * 2000 + " } }"),
        ("a.lua", "function f() return " + "f(" * 3000 + ")" * 3000 + " end"),
        ("a.lua", "x" + ".y" * 50_000 + "()"),
        ("a.sh", "f() { " + "$(f " * 2000 + ")" * 2000 + "; }"),
        ("a.sh", '. "' + "$(" * 5000 + '"\n'),
        ("a.ex", "defmodule A do\n@spec f() :: " + "list(" * 3000 + ")" * 3000 + "\nend\n"),
        ("a.ex", "alias A.{" * 2000),
    ],
)
def test_deep_nesting_and_long_chains_end(name: str, text: str) -> None:
    links({name: text})


ALL_SOURCES = [
    (path.suffix, path.read_text("utf-8"))
    for language in LANGUAGES
    for path in sorted((FIXTURES / language / "repo").rglob("*"))
    if path.is_file()
]


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_files_can_be_resolved(data: st.DataObject) -> None:
    texts = {}
    for number in range(data.draw(st.integers(1, 5))):
        suffix, source = data.draw(st.sampled_from(ALL_SOURCES))
        start, end = sorted((data.draw(st.integers(0, len(source))), data.draw(st.integers(0, len(source)))))
        texts[f"f{number}{suffix}"] = source[:start] + source[end:]
    program = MemoryProgram(texts)
    resolver = NamedResolver(program)
    for file in program.files.values():
        for link in resolver.links(file):
            assert (link.source is None or link.source.file == file) and link.how == "name"
