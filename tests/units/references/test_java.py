"""What the reader of Java finds in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import calls_of
from tests.units.references.reading import Reading, read_text
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import Import, decode_references, encode_references

SOURCES = [
    path.read_text("utf-8") for path in sorted((Path(__file__).parents[2] / "graph/fixtures/java").rglob("*.java"))
]
TOKENS = [
    "class",
    "A",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    "::",
    "->",
    ".",
    ";",
    ",",
    "=",
    "new",
    "this",
    "super",
    "var",
    "x",
    "y",
    "int",
    "import",
    "static",
    "*",
    "@",
    "enum",
    "record",
    "interface",
    "extends",
    "implements",
    "case",
    "\n",
    "instanceof",
    "try",
    "catch",
    "for",
    ":",
    "?",
    "return",
    '"',
    "'",
    "/*",
    "//",
    "é",
    "\u2028",
    "default",
    "switch",
]


def method(body: str, parameters: str = "") -> Reading:
    """A method `m` of a class `A`."""
    return read_text(f"class A {{\n  void m({parameters}) {{\n{body}\n  }}\n}}\n", "java")


def test_imports_are_told_apart() -> None:
    found = read_text(
        "package a.b;\nimport a.b.C;\nimport a.b.*;\nimport static a.b.C.of;\nimport static a.b.C.*;\nclass A {}\n",
        "java",
    )
    assert found.package == "a.b"
    assert found.imports == [
        Import(-1, 2, "a.b.C", "", "C"),
        Import(-1, 3, "a.b", "*", ""),
        Import(-1, 4, "a.b.C", "of", "of"),
        Import(-1, 5, "a.b.C", "*", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1, 2);", "call run/2"),
        ("this.x.run();", "call this.x.run/0"),
        ("super.run(1);", "call super.run/1"),
        ("Outer.Inner.run();", "call Outer.Inner.run/0"),
        ("a().b();", "call a().b/0"),
        ("new C(1, /* two */ 2);", "new C/2"),
        ("new a.b.C<X>();", "new a.b.C/0"),
        ("new C().run();", "call C().run/0"),
        ("((Foo<Bar>) x).run();", "call Foo().run/0"),
        ("xs[0].run();", "call xs[].run/0"),
        ("((Foo[]) x)[0].run();", "call []Foo()[].run/0"),
        ("Outer.this.run();", "call Outer.this.run/0"),
        ("I.super.run();", "call I.super.run/0"),
        ("outer.new Inner();", "new outer.Inner/0"),
        ('"text".length();', "call String().length/0"),
        ("(really ? first : second).run();", "call first.run/0"),
        ("(really ? null : second).run();", "call second.run/0"),
        ("go(C::make);", "call C.make/-1"),
        ("go(this::make);", "call this.make/-1"),
        ("go(C::new);", "new C/-1"),
        ("go(List<String>::size);", "call List.size/-1"),
        ("this.<T>run();", "call this.run/0"),
    ],
)
def test_calls_have_chains_and_arities(code: str, expected: str) -> None:
    assert expected in method(code).references["A.m"]


def test_arrays_are_made_without_a_class() -> None:
    assert "A.m" not in method("Object x = new C[3]; Object y = int[]::new;").references


def test_constructors_call_others() -> None:
    found = read_text("class A {\n  A(int x) { this(x, 1); }\n  A() { super(2); }\n}\n", "java")
    assert found.references == {"A.A": ["new this/2", "new super/1"]}


def test_what_a_class_inherits() -> None:
    found = read_text("class A<T> extends p.B<T> implements I<T>, J {}\ninterface K extends L, M<X> {}\n", "java")
    assert found.references == {
        "A": ["base p.B/-1", "implements I/-1", "implements J/-1"],
        "K": ["base L/-1", "base M/-1"],
    }


def test_annotations_are_decorators() -> None:
    found = read_text('@A("x")\nclass C {\n  @B void m(@D int x) {}\n}\n', "java")
    assert found.references == {"C": ["decorator A/-1"], "C.m": ["decorator B/-1", "decorator D/-1"]}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Foo x = null;", "x: Foo"),
        ("List<Foo> x = null;", "x: List"),
        ("final @Nullable Map.Entry<A, B> x = null;", "x: Map.Entry"),
        ("Foo[] x = null;", "x: []Foo"),
        ("Foo x[] = null;", "x: []Foo"),
        ("var x = new C<>();", "x: C"),
        ("var x = (C) y;", "x: C"),
        ("var x = a.b();", "x: a.b()"),
        ("var x = other;", "x: other"),
        ("var x = 1;", "x: "),
        ("for (Foo x : xs) {}", "x@1: Foo"),
        ("for (var x : xs) {}", "x@1: xs[]"),
        ("try (Res x = open()) {} finally {}", "x@1: Res"),
        ("try {} catch (E1 | E2 x) {}", "x@1: E2"),
        ("if (y instanceof Foo x) {}", "x: Foo"),
        ("switch (y) { case Foo x -> x.run(); default -> {} }", "x@1: Foo"),
        ("switch (y) { case P(Foo x, var z) -> x.run(); default -> {} }", "x@1: Foo"),
        ("go(x -> x.run());", "x@1: "),
        ("go((x, y) -> 1);", "y@1: "),
        ("go((Foo x) -> 1);", "x@1: Foo"),
    ],
)
def test_locals_have_types(code: str, expected: str) -> None:
    assert expected in method(code).bindings["A.m"]


def test_parameters_fields_and_results() -> None:
    found = read_text(
        "class A<T extends Base, U> {\n  private Foo a, b[];\n  List<T> m(T one, U two, int... rest) { }\n}\n",
        "java",
    )
    assert found.bindings == {
        "A": ["self.a: Foo", "self.b: []Foo"],
        "A.m": ["->: List", "(): 2+", "one: Base", "two: ", "rest: []int"],
    }


def test_records_enums_and_annotation_types() -> None:
    found = read_text(
        "record R(Foo a) {}\nenum E { RED { int f() { return g(); } }, BLUE }\n@interface N { String value(); }\n",
        "java",
    )
    assert "self.a: Foo" in found.bindings["R"]
    assert found.bindings["E"] == ["self.RED: E", "self.BLUE: E"]
    assert "self: E" in found.bindings["E.RED.f"]
    assert found.references["E.RED.f"] == ["call g/0"]
    assert found.bindings["N"] == ["self.value: String"]


def test_an_anonymous_class_is_known_by_what_it_extends() -> None:
    found = method("run(new Task<X>(1) {\n  Foo x;\n  void go() { x.y(); }\n});")
    assert "self: Task" in found.bindings["A.m.go"]
    assert "x: Foo" in found.bindings["A.m"]
    assert found.references["A.m.go"] == ["call x.y/0"]


def test_variables_of_blocks_are_told_apart() -> None:
    found = method("x.a();\nfor (Foo x : xs) { x.b(); }\nfor (Bar x : xs) { x.c(); go(y -> x.d()); }\nx.e();", "Old x")
    assert "x: Old" in found.bindings["A.m"]
    assert {"x@1: Foo", "x@2: Bar"} <= set(found.bindings["A.m"])
    calls = [one.split()[1] for one in found.references["A.m"]]
    assert calls == ["x.a/0", "x@1.b/0", "x@2.c/0", "go/1", "x@2.d/0", "x.e/0"]


def test_definitions_on_one_line_are_told_apart() -> None:
    found = read_text("interface I { Foo a(); Bar b(int x); Baz b(); }\n", "java")
    assert found.bindings == {"I.a": ["->: Foo", "(): 0"], "I.b": ["->: Bar", "(): 1", "x: int", "->: Baz", "(): 0"]}


def test_long_chains_are_cut_and_cost_little() -> None:
    def chained(count: int) -> bytes:
        return ("class A { Object m() { return b" + ".x(1)" * count + "; } }").encode()

    def reading(count: int) -> int:
        return calls_of(lambda: extract_references(chained(count), "java", forced=True))

    assert reading(2_000) < 3 * reading(1_000)
    found = extract_references(chained(5_000), "java", forced=True)
    assert all(len(one.chain.split(".")) <= 25 for one in found.references)


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_no_content_raises(tokens: list[str]) -> None:
    found = extract_references(" ".join(tokens).encode(), "java", forced=True)
    assert decode_references(encode_references(found)) == found


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SOURCES), st.integers(0, 4000), st.integers(0, 300), st.text(max_size=5))
def test_no_broken_file_raises(source: str, start: int, length: int, text: str) -> None:
    broken = source[:start] + text + source[start + length :]
    extract_references(broken.encode("utf-8", "replace"), "java", forced=True)
