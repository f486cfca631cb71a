"""What the reader of Kotlin finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.facts import Import


def method(body: str) -> Reading:
    """A method `C.m` of a class `C`."""
    return read_text(f"class C {{\n    fun m(p: P) {{\n        {body}\n    }}\n}}\n", "kotlin")


def test_package_and_imports() -> None:
    found = read_text("package a.b\n\nimport c.D\nimport c.E as F\nimport c.g.*\n", "kotlin")
    assert found.package == "a.b"
    assert found.imports == [
        Import(-1, 3, "c", "D", "D"),
        Import(-1, 4, "c", "E", "F"),
        Import(-1, 5, "c.g", "*", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1)", "call run/1"),
        ("this.run()", "call self.run/0"),
        ("super.run()", "call super.run/0"),
        ("super<B>.run()", "call super.run/0"),
        ("this@Outer.run()", "call Outer.run/0"),
        ("p.a.run(1, 2)", "call p.a.run/2"),
        ("p?.run()", "call p.run/0"),
        ("p!!.run()", "call p.run/0"),
        ("p[0].run()", "call p[].run/0"),
        ("Foo(1).run()", "call Foo().run/0"),
        ("(p as Foo).run()", "call Foo().run/0"),
        ("with(p) { run(1) }", "call run/1"),
        ("with(p) { run(1) }", "call with/2"),
        ("p.each { it.run() }", "call p.each/1"),
        ("run<Foo>()", "call run/0"),
        ("run<Foo>(1)", "call run/1"),
        ("p plus 2", "call p.plus/1"),
        ("val o = object : Foo {}", "new Foo/-1"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in method(code).references["C.m"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("val x: Foo? = null", "x: Foo"),
        ("val x = Foo(1)", "x: Foo()"),
        ("val x = p.make()", "x: p.make()"),
        ("val x = p ?: return", "x: p"),
        ("val x: List<Foo> = p", "x: Foo[]"),
        ("val x by lazy { Foo() }", "x: Foo()"),
        ("val (x, y) = p", "x: "),
        ("for (x in p) {}", "x: p[]"),
        ("for (x: Foo in p) {}", "x: Foo"),
        ("p.each { x: Foo -> x.run() }", "x: Foo"),
        ("try {} catch (x: Err) {}", "x: Err"),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in method(code).bindings["C.m"]


def test_classes_bind_properties_and_functions_their_results() -> None:
    text = """
class C<T : K>(val a: Foo, b: Bar) : B<T>(a), I, J by a {
    private val c = Baz()
    val d: Int
        get() = count()

    fun e(x: Foo, y: Int = 1) = Foo(x)

    companion object : F() {
        fun g(vararg x: Foo): Bar? = null
    }
}

fun Foo.h(): Bar = this.i()
"""
    found = read_text(text, "kotlin")
    assert found.references == {
        "C": ["base B/-1", "base I/-1", "base J/-1", "call Baz/0", "base F/-1"],
        "C.d": ["call count/0"],
        "C.e": ["call Foo/1"],
        "Foo.h": ["call self.i/0"],
    }
    assert found.bindings["C"] == ["T: K", "a: Foo", "self.a: Foo", "b: Bar", "self.c: Baz()", "self.d: Int"]
    assert found.bindings["C.e"] == ["x: Foo", "y: Int", "(): 1-2", "->: Foo()"]
    assert found.bindings["C.g"] == ["x: Foo", "(): 0-", "->: Bar"]
