"""What the reader of Scala finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import read_text
from trackdown.units.references.facts import Import


def test_the_package_and_imports() -> None:
    text = "package a.b\npackage c\nimport x.Y\nimport x.{A, B => C, _}\nimport p.q._\nimport r.*\n"
    found = read_text(text, "scala")
    assert found.package == "a.b.c"
    assert found.imports == [
        Import(-1, 3, "x", "Y", "Y"),
        Import(-1, 4, "x", "A", "A"),
        Import(-1, 4, "x", "B", "C"),
        Import(-1, 4, "x", "*", ""),
        Import(-1, 5, "p.q", "*", ""),
        Import(-1, 6, "r", "*", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1)", "call run/1"),
        ("this.go()", "call self.go/0"),
        ("super.go()", "call super.go/0"),
        ("a.b.go[Int](1, 2)", "call a.b.go/2"),
        ("a.total", "call a.total/-1"),
        ("a add b", "call a.add/1"),
        ("make().go()", "call make().go/0"),
        ("new x.Cart[Int](1)", "new x.Cart/1"),
        ("Cart(1)", "call Cart/1"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in read_text(f"class C {{\n  def m() = {{\n    {code}\n  }}\n}}\n", "scala").references["C.m"]


def test_everything_that_is_extended_is_a_base() -> None:
    found = read_text("class A(x: Int) extends B[Int](x) with C with q.D {\n}\nobject O extends A(1)\n", "scala")
    assert found.references == {"A": ["base B/-1", "base C/-1", "base q.D/-1"], "O": ["base A/-1"]}


def test_operators_are_no_calls() -> None:
    assert read_text("class C {\n  def m() = 1 + 2\n}\n", "scala").references == {}
