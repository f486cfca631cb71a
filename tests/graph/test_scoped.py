"""Rust, C, C++, C#, Ruby, PHP and Kotlin: how well their edges agree with checked ones, and how sure they are."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, read_program, shown
from tests.growth import calls_of
from trackdown.graph.program import Definition
from trackdown.graph.scoped import ScopedResolver

FIXTURES = Path(__file__).parent / "fixtures"
LANGUAGES = ("rust", "c", "cpp", "csharp", "ruby", "php", "kotlin")


def edges(texts: Mapping[str, str]) -> dict[str, str]:
    """The edges of a program, with how each was resolved."""
    return {shown(edge): edge.how for edge in all_edges(MemoryProgram(texts))}


@pytest.mark.parametrize(
    ("language", "least_recall"),
    [("rust", 0.95), ("c", 0.95), ("cpp", 0.95), ("csharp", 0.95), ("ruby", 0.92), ("php", 0.95), ("kotlin", 0.95)],
)
def test_agreement_with_checked_edges(language: str, least_recall: float) -> None:
    found = agreement(FIXTURES / language)
    assert found.right >= 40
    assert found.precision >= 0.97, found.wrong
    assert found.recall >= least_recall, found.missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_depends_on_which_file_is_asked_first(language: str) -> None:
    program = read_program(FIXTURES / language / "repo")
    files = list(program.files.values())
    resolver = ScopedResolver(program)
    first = {file: set(resolver.links(file)) for file in files}
    for seed in range(3):
        random.Random(seed).shuffle(files)
        other = ScopedResolver(program)
        assert {file: set(other.links(file)) for file in files} == first


# How sure


def test_one_definition_along_includes_is_exact_and_several_are_scoped() -> None:
    texts = {
        "a.h": "int once(void);\nint twice(void);\n",
        "a.c": '#include "a.h"\nint once(void) { return 1; }\n',
        "x/b.c": '#include "a.h"\nint twice(void) { return 1; }\n',
        "y/c.c": '#include "a.h"\nint twice(void) { return 2; }\n',
        "x/main.c": '#include "../a.h"\nint main(void) { return once() + twice(); }\n',
    }
    found = edges(texts)
    assert found["invokes x/main.c:main -> a.c:once"] == "exact"
    assert [how for edge, how in found.items() if edge.startswith("invokes x/main.c:main -> ") and "twice" in edge] == [
        "scoped"
    ]


def test_static_functions_are_seen_in_their_file_only() -> None:
    texts = {
        "a.c": "static int helper(void) { return 1; }\nint use(void) { return helper(); }\n",
        "b.c": "int other(void) { return helper(); }\n",
    }
    assert edges(texts) == {"invokes a.c:use -> a.c:helper": "exact"}


def test_a_name_alone_links_only_what_is_rare() -> None:
    def texts(count: int, name: str) -> dict[str, str]:
        classes = "".join(f"class C{number}\n  def {name}\n  end\nend\n" for number in range(count))
        return {"a.rb": classes, "b.rb": f"def go(x)\n  x.{name}(1)\nend\n"}

    assert set(edges(texts(3, "transmogrify")).values()) == {"name"}
    assert len(edges(texts(3, "transmogrify"))) == 3
    assert edges(texts(4, "transmogrify")) == {}
    assert edges(texts(1, "get")) == {}


def test_methods_of_types_from_elsewhere_are_not_guessed() -> None:
    texts = {
        "a.kt": "package a\n\nclass Box {\n    fun unusual() {\n    }\n}\n",
        "b.kt": "package a\n\nimport java.io.File\n\nfun go(x: File) {\n    x.unusual()\n}\n",
    }
    assert edges(texts) == {}


def test_calls_through_pointers_of_a_struct_are_not_guessed() -> None:
    assert edges({"a.c": "void run(void) {}\nvoid go(struct ops *o) { o->run(); }\n"}) == {}


# Languages


def test_rust_follows_reexports_globs_and_renames() -> None:
    texts = {
        "src/lib.rs": "mod a;\nmod b;\npub use a::*;\npub use b::deep as shallow;\n",
        "src/a.rs": "pub fn shown() {}\n",
        "src/b.rs": "pub fn deep() {}\n",
        "src/main.rs": "fn main() {\n    demo::shown();\n    demo::shallow();\n}\n",
        "Cargo.toml": '[package]\nname = "demo"\n',
    }
    found = edges(texts)
    assert found["invokes src/main.rs:main -> src/a.rs:shown"] == "exact"
    assert found["invokes src/main.rs:main -> src/b.rs:deep"] == "exact"


def test_rust_macros_and_functions_of_one_name_are_told_apart() -> None:
    text = "macro_rules! join {\n    () => {};\n}\nfn go() {\n    join!();\n}\n"
    found = edges({"src/lib.rs": text, "src/join.rs": "pub fn join() {}\n"})
    assert found == {"invokes src/lib.rs:go -> src/lib.rs:join": "exact"}


def test_overloads_are_told_apart_by_the_number_of_arguments() -> None:
    text = "class A {\n  void f(int a) {}\n  void f(int a, int b) {}\n  void g() { f(1); }\n};\n"
    program = MemoryProgram({"a.cc": text})
    (link,) = ScopedResolver(program).links(0)
    assert isinstance(link.target, Definition)
    assert (link.target.start_line, link.how) == (2, "exact")


def test_kotlin_extensions_need_their_package() -> None:
    texts = {
        "a.kt": "package a\n\nfun String.shorten(): String = this\n",
        "b.kt": 'package b\n\nimport a.shorten\n\nfun go() = "x".shorten()\n',
        "c.kt": 'package c\n\nfun go() = "x".shorten()\n',
    }
    found = edges(texts)
    assert found["invokes b.kt:go -> a.kt:String.shorten"] == "scoped"
    assert not any(edge.startswith("invokes c.kt") for edge in found)


def test_php_namespaces_keep_equal_names_apart() -> None:
    texts = {
        "a.php": "<?php\nnamespace A;\nclass X { function m() {} }\n",
        "b.php": "<?php\nnamespace B;\nclass X { function m() {} }\n",
        "c.php": "<?php\nnamespace C;\nuse A\\X;\nfunction go(X $x) { $x->m(); \\B\\X::m(); }\n",
    }
    found = edges(texts)
    assert found["invokes c.php:go -> a.php:X.m"] == "exact"
    assert found["invokes c.php:go -> b.php:X.m"] == "exact"


def test_ruby_classes_are_found_in_all_their_parts() -> None:
    texts = {
        "a.rb": "module M\n  class A < B\n    def one\n      two\n    end\n  end\nend\n",
        "b.rb": "module M\n  class A\n    def two\n      three\n    end\n  end\nend\n",
        "c.rb": "module M\n  class B\n    def three\n    end\n  end\nend\n",
    }
    found = edges(texts)
    assert found["invokes a.rb:M.A.one -> b.rb:M.A.two"] == "exact"
    assert found["invokes b.rb:M.A.two -> c.rb:M.B.three"] == "exact"


# Nothing raises, nothing loops


CIRCLES = {
    "src/lib.rs": "pub mod a;\npub mod b;\npub use a::x;\nfn f() { x(); y::z(); }\ntype P = Q;\ntype Q = P;\n",
    "src/a.rs": "pub use crate::b::*;\npub use crate::b::x;\nuse self::y::y;\nfn g() { let v = v; v.w(); }\n",
    "src/b.rs": "pub use crate::a::*;\npub use crate::a::x;\nfn h(a: P) {\n    a.m();\n}\n",
    "a.h": '#include "b.h"\n#define one two\n#define two one\nint f(void) { return one(); }\n',
    "b.h": '#include "a.h"\nclass A : public B { void m() { n(); } };\nclass B : public A { A* a; };\n',
    "a.cs": "class A : B { A X; B Y() => X.Y().X.Z(); }\nclass B : A { }\n",
    "a.rb": "class A < B\n  def m\n    @x = @y\n    @y = @x\n    @x.n\n  end\nend\nclass B < A\nend\n",
    "a.php": "<?php\nclass A extends A { function m(): self { return $this->m()->m()->n(); } }\n",
    "a.kt": "class A : B() {\n    fun m() = n()\n    fun n() = m().n()\n}\n\nopen class B : A()\n",
    "b.kt": "typealias X = Y\ntypealias Y = X\n\nfun f(x: X) = x.g()\n",
}


def test_circles_end() -> None:
    program = MemoryProgram(CIRCLES)
    resolver = ScopedResolver(program)
    for file in program.files.values():
        resolver.links(file)


def test_long_lines_of_bases_and_results_end() -> None:
    def resolve(count: int) -> None:
        program = MemoryProgram(long_lines(count))
        resolver = ScopedResolver(program)
        for file in program.files.values():
            resolver.links(file)

    assert calls_of(lambda: resolve(120)) < 6 * calls_of(lambda: resolve(60))
    resolve(400)


def long_lines(count: int) -> dict[str, str]:
    """Classes that each inherit from the next, and functions that each call the next."""
    bases = "".join(f"class C{n} < C{n + 1}\n  def m{n}\n    m{n + 1}\n  end\nend\n" for n in range(count))
    fields = "".join(f"class D{n} {{ D{n + 1} d; D{n + 1} M() => d.M().M(); }}\n" for n in range(count))
    functions = "".join(f"fun f{n}() = f{n + 1}().g()\n" for n in range(count))
    return {"a.rb": bases, "a.cs": fields, "a.kt": functions}


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
        folder = data.draw(st.sampled_from(("", "src/", "src/a/")))
        texts[f"{folder}f{number}{suffix}"] = source[:start] + source[end:]
    program = MemoryProgram(texts)
    resolver = ScopedResolver(program)
    for file in program.files.values():
        for link in resolver.links(file):
            assert link.source is None or link.source.file == file
