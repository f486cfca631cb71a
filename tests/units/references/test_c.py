"""What the reader of C and C++ finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import Export, Import


def function(body: str) -> Reading:
    """A method `S::m` outside its class."""
    return read_text(f"void S::m() {{\n  {body}\n}}\n", "cpp")


def test_includes_and_usings() -> None:
    text = '#include "a/b.h"\n#include <c.h>\nusing namespace x::y;\nusing x::z;\nnamespace w = x::y;\n'
    assert read_text(text, "cpp").imports == [
        Import(-1, 1, "a/b.h", "", ""),
        Import(-1, 2, "<c.h>", "", ""),
        Import(-1, 3, "x.y", "*", ""),
        Import(-1, 4, "x", "z", "z"),
        Import(-1, 5, "x.y", "", "w"),
    ]


def exports(text: str, language: str) -> list[Export]:
    return extract_references(text.encode(), language).exports


def test_c_exports_what_can_be_linked() -> None:
    text = "static int hidden(void) { return 0; }\nint open(void) { return 0; }\nint declared(int a, ...);\n"
    assert exports(text, "c") == [Export("open", "", ""), Export("declared", "", "")]
    assert exports("int (bracketed)(int x);\nAPI void (behind)(int x);\nint (*pointer)(int);\n", "c") == [
        Export("bracketed", "", ""),
        Export("behind", "", ""),
    ]


def test_names_that_stand_for_others_are_exported() -> None:
    text = 'typedef struct node node;\ntypedef struct node item;\n#define old fresh\n#define LOG(x) log_line("%s", x)\n'
    assert exports(text, "c") == [Export("item", "node", ""), Export("old", "fresh", ""), Export("LOG", "log_line", "")]
    assert exports("using A = b::C<int>;\nnamespace {\nvoid hidden() {}\n}\n", "cpp") == [Export("A", "b.C", "")]


def test_the_first_namespaces_are_the_package() -> None:
    assert read_text("namespace a {\nnamespace b {\nint f();\n}\n}\nnamespace c {\n}\n", "cpp").package == "a.b"
    assert read_text("namespace a::b {\nnamespace {\n}\n}\n", "cpp").package == "a.b"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1, 2);", "call run/2"),
        ("this->run();", "call self.run/0"),
        ("a.b->run(1);", "call a.b.run/1"),
        ("(*p).run();", "call p.run/0"),
        ("p[0].run();", "call p[].run/0"),
        ("Base::run();", "call Base.run/0"),
        ("a::b::run<int>(1);", "call a.b.run/1"),
        ("::run();", "call .run/0"),
        ("get(1)->run();", "call get().run/0"),
        ("static_cast<Foo*>(x)->run();", "call Foo().run/0"),
        ("auto x = std::make_unique<Foo>(1, 2);", "new Foo/2"),
        ("Foo* x = new a::Foo(1);", "new a.Foo/1"),
        ("Foo x(1, 2);", "new Foo/2"),
        ("Foo x{1};", "new Foo/1"),
        ("Foo x(y);", "new Foo/1"),
        ("Foo x(make());", "call make/0"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in function(code).references["S.m"]


@pytest.mark.parametrize("code", ["struct point p = {0};", "Foo x;", "static_cast<int>(y);"])
def test_what_is_no_use(code: str) -> None:
    assert function(code).references == {}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Foo* x = make();", "x: Foo"),
        ("const a::Foo& x = y;", "x: a.Foo"),
        ("std::unique_ptr<Foo> x;", "x: Foo"),
        ("std::vector<Foo*> x;", "x: Foo[]"),
        ("auto x = make();", "x: make()"),
        ("auto* x = new Foo(1);", "x: Foo()"),
        ("for (auto& x : items) {}", "x: items[]"),
        ("for (Foo& x : items) {}", "x: Foo"),
        ("if (auto* x = get()) {}", "x: get()"),
        ("try {} catch (const Err& x) {}", "x: Err"),
        ("go([&](Foo* x) { x->run(); });", "x: Foo"),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in function(code).bindings["S.m"]


def test_classes_bind_fields_and_declared_methods() -> None:
    text = "class D : public B, private n::C<int> {\n  D(int n = 1) : B(n), x_(n) {}\n  Foo m();\n  Bar* x_;\n};\n"
    found = read_text(text, "cpp")
    assert found.references == {"D": ["base B/-1", "base n.C/-1"], "D.D": ["new B/1"]}
    assert found.bindings == {"D": ["self.m: Foo", "self.x_: Bar"], "D.D": ["(): 0-1"]}


def test_parameters_are_counted() -> None:
    found = read_text("Foo f(Bar* a, int b, ...) {\n}\nint g(void) {\n}\n", "cpp").bindings
    assert found == {"f": ["->: Foo", "a: Bar", "(): 2-"], "g": ["->: int", "(): 0"]}
