"""What the reader of Rust finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import Reading, read_text
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import Export, Import


def method(body: str) -> Reading:
    """A method `S::m` of a struct `S`."""
    return read_text(f"struct S;\n\nimpl S {{\n    fn m(&self) {{\n        {body}\n    }}\n}}\n", "rust")


def test_use_trees_are_spread_out() -> None:
    found = read_text("use a::{b, c as d, e::{self, f}, *};\npub use x::y::*;\nuse z as w;\nuse t::T as _;\n", "rust")
    assert found.imports == [
        Import(-1, 1, "a", "b", "b"),
        Import(-1, 1, "a", "c", "d"),
        Import(-1, 1, "a", "e", "e"),
        Import(-1, 1, "a::e", "f", "f"),
        Import(-1, 1, "a", "*", ""),
        Import(-1, 2, "x::y", "*", ""),
        Import(-1, 3, "z", "", "w"),
        Import(-1, 4, "t", "T", ""),
    ]


def test_modules_are_files_or_part_of_this_one() -> None:
    text = '#[path = "q.rs"]\nmod x;\nmod y;\nmod tests {\n    use super::*;\n    use super::super::z;\n}\n'
    found = extract_references(text.encode(), "rust")
    assert found.imports == [
        Import(-1, 2, "./q.rs", "", "x"),
        Import(-1, 3, "self", "y", "y"),
        Import(-1, 5, "self", "*", ""),
        Import(-1, 6, "super", "z", "z"),
    ]
    assert found.exports == [Export("tests", "", "self")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1, 2);", "call run/2"),
        ("self.run();", "call self.run/0"),
        ("Self::make();", "call Self.make/0"),
        ("self.a.b.run(x);", "call self.a.b.run/1"),
        ("a::b::run();", "call a.b.run/0"),
        ("crate::run();", "call crate.run/0"),
        ("super::run();", "call super.run/0"),
        ("self::run();", "call mod.run/0"),
        ("Vec::<u8>::of();", "call u8[].of/0"),
        ("get::<T>(1);", "call get/1"),
        ("make().await?.run();", "call make().run/0"),
        ("xs[0].run();", "call xs[].run/0"),
        ("(x as Foo).run();", "call Foo().run/0"),
        ('"x".len();', "call String().len/0"),
        ("let s = Point { x: 1 };", "new Point/-1"),
        ("Shape::Square { side: 1 };", "new Shape.Square/-1"),
        ("say!(1);", "call say/-1"),
        ("check!(self.a(b.c(1, 2)));", "call b.c/2"),
        ("check!(self.a(1));", "call self.a/1"),
        ("check!(x::y(1).z());", "call x.y().z/0"),
        ("(self.callback)(1);", "call self.callback/1"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in method(code).references["S.m"]


@pytest.mark.parametrize("code", ["Some(1);", "Ok(());", "f()();", "match x { Shape::A(y) => 1 };"])
def test_what_is_no_use(code: str) -> None:
    assert set(method(code).references.get("S.m", ())) <= {"call f/0"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("let x: Foo = make();", "x: Foo"),
        ("let x = Foo::new();", "x: Foo.new()"),
        ("let x = Foo { a: 1 };", "x: Foo()"),
        ("let mut x: &mut Box<dyn Foo> = y;", "x: Foo"),
        ("let x: Vec<Arc<Foo>> = y;", "x: Foo[]"),
        ("let (x, y) = pair();", "x: "),
        ("if let Some(x) = self.find() {}", "x: self.find()"),
        ("for x in self.items.iter() {}", "x: self.items.iter()[]"),
        ("let f = go(|x, y: Foo| x.run());", "x: "),
        ("let f = go(|x, y: Foo| x.run());", "y: Foo"),
        ("match z { Ok(x) => x, _ => 1 };", "x: "),
    ],
)
def test_bindings(code: str, expected: str) -> None:
    assert expected in method(code).bindings["S.m"]


def test_signatures_bind_parameters_bounds_and_results() -> None:
    text = "fn f<T: Foo>(a: &Bar, b: T, c: impl Baz) -> Result<Qux, E>\nwhere\n    T: Other,\n{\n}\n"
    found = read_text(text, "rust").bindings["f"]
    assert {"T: Foo", "T: Other", "a: Bar", "b: T", "c: Baz", "->: Qux"} == set(found)


def test_structs_and_impls_bind_fields_and_associated_types() -> None:
    text = "struct P<T> {\n    x: Arc<T>,\n}\nstruct Q(A, B);\nimpl<T: Area> Shape for P<T> {\n    type Out = R;\n}\n"
    found = read_text(text, "rust")
    assert found.bindings == {"P": ["self.x: T", "T: Area", "self.Out: R"], "Q": ["self.0: A", "self.1: B"]}
    assert found.references == {"P": ["implements Shape/-1"]}


def test_traits_inherit_and_foreign_types_implement_for_the_file() -> None:
    found = read_text("trait A: B + c::D {\n}\nimpl A for Vec<u8> {\n}\n", "rust")
    assert found.references == {"A": ["base B/-1", "base c.D/-1"], "": ["implements A/-1"]}


def test_attributes_hold_no_calls() -> None:
    found = read_text(
        "#[cfg_attr(docsrs, doc(cfg(x)))]\nfn f() {}\nmacro_rules! m { () => { #[doc(y)] g(1) } }\n", "rust"
    )
    assert found.references == {"m": ["call g/1"]}
