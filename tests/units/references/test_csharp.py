"""What the reader of C# finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.facts import Import


def method(body: str) -> Reading:
    """A method `C.M` of a class `C`."""
    return read_text(f"class C\n{{\n    void M()\n    {{\n        {body}\n    }}\n}}\n", "csharp")


def test_usings_and_the_namespace() -> None:
    text = "using A.B;\nusing static A.B.C;\nusing X = A.D<int>;\nnamespace N.M;\n"
    found = read_text(text, "csharp")
    assert found.package == "N.M"
    assert found.imports == [
        Import(-1, 1, "A.B", "*", ""),
        Import(-1, 2, "A.B.C", "*", "C"),
        Import(-1, 3, "A", "D", "X"),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Run(1);", "call Run/1"),
        ("this.Run();", "call self.Run/0"),
        ("base.Run();", "call super.Run/0"),
        ("a.B.Run<int>(1);", "call a.B.Run/1"),
        ("a?.B?.Run();", "call a.B.Run/0"),
        ("a!.Run();", "call a.Run/0"),
        ("a[0].Run();", "call a[].Run/0"),
        ("Make().Run();", "call Make().Run/0"),
        ("new Foo(1).Run();", "call Foo().Run/0"),
        ("((Foo)a).Run();", "call Foo().Run/0"),
        ("(a as Foo).Run();", "call Foo().Run/0"),
        ("global::A.B.Run();", "call .A.B.Run/0"),
        ("var x = await a.Run();", "call a.Run/0"),
        ("var x = new A.Foo<int>(1, 2);", "new A.Foo/2"),
        ("Foo x = new(1);", "new Foo/1"),
        ("throw new Err();", "new Err/0"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in method(code).references["C.M"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Foo x;", "x: Foo"),
        ("A.Foo? x = null;", "x: A.Foo"),
        ("var x = new Foo();", "x: Foo()"),
        ("var x = Make();", "x: Make()"),
        ("List<Foo> x;", "x: Foo[]"),
        ("Foo[] x;", "x: Foo[]"),
        ("Task<Foo> x;", "x: Foo"),
        ("foreach (var x in items) {}", "x: items[]"),
        ("foreach (Foo x in items) {}", "x: Foo"),
        ("if (o is Foo x) {}", "x: Foo"),
        ("Do(out Foo x);", "x: Foo"),
        ("try {} catch (Err x) {}", "x: Err"),
        ("Do(x => x.Run());", "x: "),
        ("Do((Foo x) => x.Run());", "x: Foo"),
        ("this.x = new Foo();", "self.x: Foo()"),
        ("var (x, y) = Pair();", "x: "),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in method(code).bindings["C.M"]


def test_members_bind_fields_results_and_what_is_extended() -> None:
    text = """
class C<T> : B<T>, I where T : K
{
    private readonly Foo _a = new Foo(1);
    public Bar B { get; set; }
    public List<Bar> All => Load();
    public C(Foo a, int n = 2) : base(a) { }
    public static Baz Extend(this Foo a, int n, params object[] more) => null;
}
record P(Foo A) : Q(A);
"""
    found = read_text(text, "csharp")
    assert found.references == {
        "C": ["base B/-1", "base I/-1", "new Foo/1"],
        "C.All": ["call Load/0"],
        "C.C": ["new super/1"],
        "P": ["base Q/-1"],
    }
    assert found.bindings["C"] == ["T: K", "self._a: Foo", "self.B: Bar", "self.All: Bar[]"]
    assert found.bindings["C.C"] == ["a: Foo", "n: int", "(): 1-2"]
    assert found.bindings["C.Extend"] == ["->: Baz", "a: Foo", "self: Foo", "n: int", "(): 1-"]
    assert "self.A: Foo" in found.bindings["P"]
