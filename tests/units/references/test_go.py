"""What the reader of Go finds in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import calls_of
from tests.units.references.reading import Reading, read_text
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import Import, decode_references, encode_references

SOURCES = [path.read_text("utf-8") for path in sorted((Path(__file__).parents[2] / "graph/fixtures/go").rglob("*.go"))]
TOKENS = [
    "package",
    "p",
    "func",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "x",
    "y",
    ":=",
    "=",
    "T",
    "*",
    "&",
    ".",
    ",",
    ";",
    "var",
    "type",
    "struct",
    "interface",
    "map",
    "chan",
    "<-",
    "range",
    "for",
    "switch",
    "case",
    "default",
    ":",
    "return",
    "\n",
    "go",
    "defer",
    "new",
    "append",
    "make",
    "import",
    '"a/b"',
    '"',
    "`",
    "//",
    "é",
    "\u2028",
    "if",
    "select",
    "1",
]


def function(body: str, parameters: str = "") -> Reading:
    """A function `f` in a package `p`."""
    return read_text(f"package p\n\nfunc f({parameters}) {{\n{body}\n}}\n", "go")


def test_imports_are_told_apart() -> None:
    found = read_text('package p\nimport (\n"a/b"\nc "a/d"\n. "a/e"\n_ "a/f"\n"gopkg.in/yaml.v2"\n"a/g/v3"\n)\n', "go")
    assert found.package == "p"
    assert found.imports == [
        Import(-1, 3, "a/b", "", "b"),
        Import(-1, 4, "a/d", "", "c"),
        Import(-1, 5, "a/e", "*", ""),
        Import(-1, 6, "a/f", "", ""),
        Import(-1, 7, "gopkg.in/yaml.v2", "", "yaml"),
        Import(-1, 8, "a/g/v3", "", "g"),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1, 2)", "call run/2"),
        ("pkg.Run()", "call pkg.Run/0"),
        ("x.y.run()", "call x.y.run/0"),
        ("a().b()", "call a().b/0"),
        ("go run(1)", "call run/1"),
        ("defer x.Close()", "call x.Close/0"),
        ("xs[0].run()", "call xs[].run/0"),
        ("x.(*T).run()", "call T().run/0"),
        ("(&T{}).run()", "call T().run/0"),
        ("(*T).run(x)", "call T.run/1"),
        ("new(T).run()", "call T().run/0"),
        ("pkg.F[int](x, y)", "call pkg.F/2"),
        ("F[int](x)", "call F/1"),
        ("T(x)", "call T/1"),
        ("_ = T{}", "new T/-1"),
        ("_ = &pkg.T{1}", "new pkg.T/-1"),
        ("_ = G[int]{1}", "new G/-1"),
        ("_ = []T{{1}}", "new T/-1"),
        ('_ = map[string]*T{"a": {1}}', "new T/-1"),
        ("_ = new(pkg.T)", "new pkg.T/0"),
    ],
)
def test_calls_have_chains_and_arities(code: str, expected: str) -> None:
    assert expected in function(code).references["f"]


@pytest.mark.parametrize("code", ["len(x)", "panic(1)", "_ = string(x)", "_ = []T{}", "_ = (*T)(nil)", "_ = []byte(x)"])
def test_what_makes_and_calls_nothing_of_ours(code: str) -> None:
    assert function(code).references == {}


def test_what_a_type_embeds() -> None:
    found = read_text(
        "package p\ntype A struct {\n B\n *C\n pkg.D\n G[int]\n x, y *E\n}\n"
        "type I interface {\n J\n io.Reader\n M(a int) (R, error)\n ~int | string\n}\n",
        "go",
    )
    assert found.references == {
        "A": ["base B/-1", "base C/-1", "base pkg.D/-1", "base G/-1"],
        "I": ["base J/-1", "base io.Reader/-1"],
    }
    assert found.bindings["A"] == ["self.B: B", "self.C: C", "self.D: pkg.D", "self.G: G", "self.x: E", "self.y: E"]
    assert found.bindings["I.M"] == ["->: R", "a: int"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x := T{}", "x: T"),
        ("x := &T{}", "x: T"),
        ("x := NewT()", "x: NewT()"),
        ("x, err := NewT()", "x: NewT()"),
        ("x, y := NewT()", "y: NewT(2)"),
        ("x, y := a, b.c", "y: b.c"),
        ("var x T", "x: T"),
        ("var x, y *pkg.T", "y: pkg.T"),
        ("var x = T{}", "x: T"),
        ("x := []T{}", "x: []T"),
        ("x := make(map[string][]*T)", "x: [][]T"),
        ("x := append(xs, 1)", "x: xs"),
        ("x := xs[0]", "x: xs[]"),
        ("x := xs[1:2]", "x: xs"),
        ("x := <-c", "x: c[]"),
        ("x := *y", "x: y"),
        ("x := y.(*T)", "x: T"),
        ("x := new(T)", "x: T()"),
        ("x := 1", "x: "),
        ("const x T = 1", "x: T"),
        ("for _, x := range xs.ys {}", "x@1: xs.ys[]"),
        ("for x := range c {}", "x@1: c[]"),
        ("if x := get(); x != nil {}", "x@1: get()"),
        ("select {\ncase x := <-c:\n_ = x\n}", "x@1: c[]"),
        ("go func(x T) {}(y)", "x@1: T"),
    ],
)
def test_variables_have_types(code: str, expected: str) -> None:
    assert expected in function(code).bindings["f"]


def test_a_switch_on_types_binds_case_by_case() -> None:
    found = function("switch x := y.(type) {\ncase *T:\nx.a()\ncase U, V:\nx.b()\ndefault:\nx.c()\n}")
    types = dict(one.split(": ") for one in found.bindings["f"])
    called = {chain.split(".")[1]: types[chain.split()[1].split(".")[0]] for chain in found.references["f"]}
    assert called == {"a/0": "T", "b/0": "y", "c/0": "y"}


def test_receivers_parameters_and_results() -> None:
    found = read_text("package p\nfunc (r *T) m(a, b *A, more ...B) (out *O, err error, rest Q) { return }\n", "go")
    assert found.bindings["T.m"] == [
        "->: O",
        "->3: Q",
        "r: T",
        "a: A",
        "b: A",
        "more: []B",
        "out: O",
        "err: error",
        "rest: Q",
    ]


def test_type_parameters_are_their_constraints_inside() -> None:
    found = read_text(
        "package p\ntype S[T Shape, U any] struct { t T; u U }\nfunc (s *S[A, B]) m(a A, b B) A { return a }\n", "go"
    )
    assert found.bindings["S"] == ["self.t: Shape", "self.u: "]
    assert found.bindings["S.m"] == ["->: ", "s: S", "a: Shape", "b: "]


def test_what_stands_at_the_top_has_no_unit() -> None:
    found = read_text(
        "package p\nvar x = NewT()\nvar a, b T\ntype H func(int)\ntype L []T\ntype Al = pkg.Q\n"
        "const (\n One Kind = iota\n Two\n Three = 3\n)\n",
        "go",
    )
    assert found.bindings == {
        "": ["x: NewT()", "a: T", "b: T", "H: ", "L: []T", "Al: pkg.Q", "One: Kind", "Two: Kind"],
    }
    assert found.references == {"": ["call NewT/0"]}


def test_functions_with_a_name_are_units() -> None:
    found = function("g := func(x T) U { return x.y() }\ng(z)")
    assert found.bindings == {"f.g": ["->: U", "x: T"]}
    assert found.references == {"f.g": ["call x.y/0"], "f": ["call g/1"]}


def test_variables_of_blocks_are_told_apart() -> None:
    found = function("r.a()\ng(func(r *U) { r.b() })\nfor _, r := range rs { r.c() }\nr.d()", "r *T")
    assert found.bindings["f"] == ["r: T", "r@1: U", "r@2: rs[]"]
    assert [one.split()[1] for one in found.references["f"]] == ["r.a/0", "g/1", "r@1.b/0", "r@2.c/0", "r.d/0"]


def test_a_variable_may_be_called_like_what_it_comes_from() -> None:
    found = function("url := url.Parse(x)\nurl.Query()\nif c := c.Copy(); c.ok() {}", "c *C")
    assert found.bindings["f"] == ["c: C", "url@1: url.Parse()", "c@1: c.Copy()"]
    assert found.references["f"] == ["call url.Parse/1", "call url@1.Query/0", "call c.Copy/0", "call c@1.ok/0"]


def test_declared_again_it_stays_what_it_was() -> None:
    assert function("x, err := a()\ny, err := b()").bindings["f"] == ["x: a()", "err: a(2)", "y: b()"]


def test_long_functions_cost_little() -> None:
    def long(count: int) -> bytes:
        lines = "".join(f"x{number} := a.b(x{number - 1})\n" for number in range(1, count))
        return f"package p\nfunc f() {{\n{lines}}}\n".encode()

    def reading(count: int) -> int:
        return calls_of(lambda: extract_references(long(count), "go", forced=True))

    assert reading(2_000) < 3 * reading(1_000)
    assert len(extract_references(long(5_000), "go", forced=True).bindings) == 4_999


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_no_content_raises(tokens: list[str]) -> None:
    found = extract_references(" ".join(tokens).encode(), "go", forced=True)
    assert decode_references(encode_references(found)) == found


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SOURCES), st.integers(0, 2000), st.integers(0, 300), st.text(max_size=5))
def test_no_broken_file_raises(source: str, start: int, length: int, text: str) -> None:
    broken = source[:start] + text + source[start + length :]
    extract_references(broken.encode("utf-8", "replace"), "go", forced=True)
