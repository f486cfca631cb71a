"""What the reader of Ruby finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.facts import Import


def method(body: str) -> Reading:
    """A method `C.m` of a class `C`."""
    return read_text(f"class C\n  def m(p)\n    {body}\n  end\nend\n", "ruby")


def test_requires() -> None:
    text = 'require "a/b"\nrequire_relative "c"\nautoload :D, "d/e"\nrequire "x#{y}"\nrequire z\n'
    assert read_text(text, "ruby").imports == [
        Import(-1, 1, "a/b", "", ""),
        Import(-1, 2, "./c", "", ""),
        Import(-1, 3, "d/e", "", "D"),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run 1, 2", "call run/2"),
        ("run(*all)", "call run/-1"),
        ("run", "call run/-1"),
        ("ok?", "call ok?/0"),
        ("self.run", "call self.run/0"),
        ("self.class.run", "call self.run/0"),
        ("p.run(1) { |x| x }", "call p.run/1"),
        ("p&.run", "call p.run/0"),
        ("@a.run", "call self.a.run/0"),
        ("a.b.run", "call a.b().run/0"),
        ("A::B.run", "call A.B.run/0"),
        ("::A.run", "call .A.run/0"),
        ("A.new(1).run", "call A().run/0"),
        ("A::B.new(1)", "new A.B/1"),
        ("new(1)", "new self/1"),
        ("self.class.new", "new self/0"),
        ("raise Err, 'x'", "new Err/-1"),
        ("super", "call super.m/-1"),
        ("super(1)", "call super.m/1"),
        ("self.size = 3", "call self.size=/1"),
        ('"#{run(1)}"', "call run/1"),
        ("[1].run", "call Array().run/0"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in method(code).references["C.m"]


@pytest.mark.parametrize("code", ["p", "x = 1; x", "each do |x| x end", "puts 1", "foo(x: 1)", "private"])
def test_names_that_are_no_calls(code: str) -> None:
    assert set(method(code).references.get("C.m", ())) <= {"call each/0", "call foo/1"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = A.new", "x: A()"),
        ("x = A::B.make(1)", "x: A.B.make()"),
        ("x = p", "x: p"),
        ("x, y = p", "x: "),
        ("@x = A.new", "self.x: A()"),
        ("@x ||= A.new", "self.x: A()"),
        ("begin; rescue Err => x; end", "x: Err"),
        ("p.each { |x| 1 }", "x: "),
        ("for x in p do end", "x: "),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in method(code).bindings["C.m"]


def test_classes_inherit_and_mix_in() -> None:
    found = read_text("module A\n  class B < C::D\n    include E, F::G\n    extend H\n  end\nend\n", "ruby")
    assert found.references == {"A.B": ["base C.D/-1", "implements E/-1", "implements F.G/-1", "implements H/-1"]}
