"""What the reader of JavaScript and TypeScript finds in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Parser

from tests.growth import calls_of
from tests.units.references.reading import read_text
from trackdown.units import extract, syntax_tree
from trackdown.units.parsing import grammar_of
from trackdown.units.references.ecmascript import read
from trackdown.units.references.ecmascript.reader import _READERS
from trackdown.units.references.ecmascript.walk import EcmascriptWalk
from trackdown.units.references.extract import UnitFinder, extract_references
from trackdown.units.references.facts import decode_references, encode_references

FIXTURES = Path(__file__).parents[2] / "graph" / "fixtures"
SOURCES = [
    (path.read_text("utf-8"), language)
    for pattern, language in (("*.js", "javascript"), ("*.jsx", "javascript"), ("*.ts", "typescript"), ("*.tsx", "tsx"))
    for path in sorted(FIXTURES.rglob(pattern))
]


def references(text: str, language: str = "typescript") -> dict[str, list[str]]:
    return read_text(dedent(text), language).references


def bindings(text: str, language: str = "typescript") -> dict[str, list[str]]:
    return read_text(dedent(text), language).bindings


def imports(text: str, language: str = "typescript") -> list[str]:
    found = extract_references(dedent(text).encode(), language).imports
    return [f"{one.alias or '-'} = {one.name or 'all'} of {one.module}" for one in found]


def exports(text: str, language: str = "typescript") -> list[str]:
    found = extract_references(dedent(text).encode(), language).exports
    return [f"{one.name} = {one.local}" + (f" of {one.module}" if one.module else "") for one in found]


# Imports


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a from './x'", ["a = default of ./x"]),
        ("import a, {b as c, d} from './x'", ["a = default of ./x", "c = b of ./x", "d = d of ./x"]),
        ("import * as ns from './x'", ["ns = all of ./x"]),
        ("import './x'", ["- = all of ./x"]),
        ("import type {T} from './x'", ["T = T of ./x"]),
        ("import {type T, default as d} from './x'", ["T = T of ./x", "d = default of ./x"]),
        ("import x = require('./x')", ["x = all of ./x"]),
        ("import {} from './x'", ["- = all of ./x"]),
        ("const x = require('./x')", ["x = all of ./x"]),
        ("const {a: b, c, d = 1} = require('./x')", ["b = a of ./x", "c = c of ./x", "d = d of ./x"]),
        ("const y = require('./x').y", ["y = y of ./x"]),
        ("require('./x')", ["- = all of ./x"]),
        ("require('./x').y()", ["import~1 = all of ./x"]),
        ("let x; x = require('./x')", ["x = all of ./x"]),
        ("import('./x')", ["- = all of ./x"]),
        ("const {a} = await import('./x')", ["a = a of ./x"]),
        ("const x = jest.requireActual('./x')", ["x = all of ./x"]),
        ("const x = require(name), y = require(`./${name}`)", []),
        ("let x: import('./x').Name; x.go()", ["import~1 = all of ./x"]),
    ],
)
def test_imports(text: str, expected: list[str]) -> None:
    assert imports(text) == expected


def test_an_import_within_a_function_belongs_to_it() -> None:
    (found,) = extract_references(b"function f() {\n  const x = require('./x');\n}\n", "javascript").imports
    assert (found.unit, found.line) == (0, 2)


# Exports


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export function f() {}", ["f = f"]),
        ("export class C {}", ["C = C"]),
        ("export const a = 1, {b, c: [d]} = x", ["a = a", "b = b", "d = d"]),
        ("export interface I {}\nexport type T = I; export enum E {}", ["I = I", "T = T", "E = E"]),
        ("export default function f() {}", ["default = f"]),
        ("export default function () {}", ["default = #0"]),
        ("export default class extends B {}", ["default = #0"]),
        ("export default abstract class C {}", ["default = C"]),
        ("const a = 1; export default a", ["default = a"]),
        ("const B = () => 1; export default memo(B)", ["default = ~1"]),
        ("export default memo(() => 1)", ["default = #0"]),
        ("export default 5", ["default = "]),
        ("const a = 1; export {a as b, a as default}", ["b = a", "default = a"]),
        ("export {a as b} from './x'", ["b = a of ./x"]),
        ("export * from './x'", ["* = * of ./x"]),
        ("export * as ns from './x'", ["ns =  of ./x"]),
        ("class C {}; export = C", ["= = C"]),
        ("function f() {}; module.exports = f", ["= = f"]),
        ("module.exports = function () {}", ["= = #0"]),
        ("module.exports = {a, b: c.d, e() {}, f: () => 1}", ["a = a", "b = c.d", "e = #0", "f = #1"]),
        ("exports.a = function () {}; module.exports.b = a", ["a = #0", "b = a"]),
        ("exports = module.exports = f", ["= = f"]),
        ("var app = exports = module.exports = {}", ["= = app"]),
        ("exports.x = require('./x')", ["x = import~1"]),
        ("module.exports = {...require('./x'), a}", ["= = import~1", "a = a"]),
        ("exports.a = new A()", ["a = ~1"]),
        ("function f(exports) { exports.a = 1 }", []),
        ("declare module 'other' { export function f(): void }", []),
    ],
)
def test_exports(text: str, expected: list[str]) -> None:
    assert exports(text) == expected


# References


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(1, 2)", ["call f/2"]),
        ("f(...xs)", ["call f/-1"]),
        ("a.b.c()", ["call a.b.c/0"]),
        ("a?.b?.()", ["call a.b/0"]),
        ("a!.b()", ["call a.b/0"]),
        ("a['b'](); a[i].c()", ["call a.b/0", "call a[].c/0"]),
        ("a.b().c()", ["call a.b().c/0", "call a.b/0"]),
        ("new C(1)", ["new C/1"]),
        ("new ns.C().m()", ["call ns.C().m/0", "new ns.C/0"]),
        ("(await load()).run()", ["call load().run/0", "call load/0"]),
        ("(0, mod.f)()", ["call mod.f/0"]),
        ("f.call(x, 1); a.b.apply(x)", ["call f/-1", "call a.b/-1"]),
        ("this.a.b()", ["call ?.a.b/0"]),
        ("sql`select ${id()}`", ["call sql/-1", "call id/0"]),
        ("''.trim(); [1].map(f); ({}).x()", []),
        ("(x as Cart).add()", ["call ~1.add/0"]),
        ("(() => 1)()", []),
        ("import.meta.hot.accept()", ["call ?.hot.accept/0"]),
        ("f(); f();", ["call f/0"]),
    ],
)
def test_uses(text: str, expected: list[str]) -> None:
    assert references(text).get("", []) == expected


def test_elements_are_calls_of_components_only() -> None:
    text = "const x = <Shop.Cart a={f()}><Item/><div/><>{g()}</></Shop.Cart>"
    assert references(text, "tsx")[""] == ["call Shop.Cart/-1", "call f/0", "call Item/-1", "call g/0"]


def test_classes_and_what_they_inherit() -> None:
    text = """
        @Injectable({})
        class A<T> extends ns.B<T> implements I, J<K> {
          @Input() x = make();
          @on('click') m() { super.m(); }
          constructor() { super(1); }
        }
        interface X extends Y, Z<W> {}
        const C = class extends mixed(Base) {};
        return new (class extends Unnamed {})();
    """
    found = references(text)
    assert found["A"] == [
        "base ns.B/-1",
        "implements I/-1",
        "implements J/-1",
        "decorator Injectable/1",
        "decorator Input/0",
        "call make/0",
    ]
    assert found["A.m"] == ["decorator on/1", "call super.m/0"]
    assert found["A.constructor"] == ["call super/1"]
    assert found["X"] == ["base Y/-1", "base Z/-1"]
    assert found["C"] == ["base mixed()/-1", "base Base/-1", "call mixed/1"]
    assert "" not in found


def test_functions_inherit_as_of_old() -> None:
    text = """
        function A() { B.call(this); }
        function B() {}
        function C() {}
        util.inherits(A, B);
        B.prototype = Object.create(C.prototype);
        Object.setPrototypeOf(C.prototype, D.prototype);
    """
    found = references(text, "javascript")
    assert found["A"] == ["call B/-1", "base B/-1"]
    assert found["B"] == ["base C/-1"]
    assert found["C"] == ["base D/-1"]


def test_units_on_one_line_are_told_apart() -> None:
    text = "const o = { a() { f(); }, b: () => g(), c: function () { h(); } }; k({ d: () => l() }); m();"
    found = references(text, "javascript")
    assert found == {
        "o.a": ["call f/0"],
        "o.b": ["call g/0"],
        "o.c": ["call h/0"],
        "d": ["call l/0"],
        "": ["call k/1", "call m/0"],
    }


def test_this_is_unknown_where_it_is_another_one() -> None:
    text = """
        class A {
          m() {
            each(() => this.arrow());
            each(function () { this.plain(); });
            each(function () { this.bound(); }.bind(this));
            each(function () { this.given(); }, this);
          }
        }
    """
    found = [one for one in references(text, "javascript")["A.m"] if "each" not in one and "bind" not in one]
    assert found == ["call this.arrow/0", "call ?.plain/0", "call this.bound/0", "call this.given/0"]


# Bindings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f(x: Cart) { x.go(); }", ["x: Cart"]),
        ("function f(x) { x.go(); }", ["x: "]),
        ("function f(x = new Cart()) { x.go(); }", ["x: Cart()"]),
        ("function f({a, b: {c}}) { a.go(); c.go(); }", ["c: ", "a: "]),
        ("function f(...xs) { xs.go(); }", ["xs: "]),
        ("function f() { const x: shop.Cart = y; x.go(); }", ["x: shop.Cart"]),
        ("function f() { const x = new Cart(); x.go(); }", ["x: Cart()"]),
        ("function f() { const x = other; x.go(); }", ["x: typeof other"]),
        ("function f() { const x = a.b; x.go(); }", ["x: typeof a.b"]),
        ("function f() { const x = make().b; x.go(); }", ["x: typeof make().b"]),
        ("function f() { const {a} = make(); a(); }", ["a: typeof make().a"]),
        ("function f() { let x; x = new Cart(); x.go(); }", ["x: Cart()"]),
        ("function f() { const x = a || new B(); x.go(); }", ["x: typeof a", "x: B()"]),
        ("function f() { const x = <Cart>y; x.go(); }", ["x: Cart"]),
        ("function f() { const x: Cart | null = y; x.go(); }", ["x: Cart"]),
        ("function f() { const x: A | B = y; x.go(); }", ["x: A", "x: B"]),
        ("function f(xs: Cart[]) { for (const x of xs) x.go(); }", ["x: typeof xs[]", "xs: Cart[]"]),
        ("function f(xs: Set<Cart>) { xs.forEach((x) => x.go()); }", ["xs: Cart[]", "x: typeof xs[]"]),
        ("function f(x: Promise<Cart>) { x.then((y) => y.go()); }", ["x: Cart", "y: typeof x"]),
        ("function f() { const x = new Map<string, Cart>(); x.get(1).go(); }", ["x: Cart[]"]),
        ("function f(x: ReturnType<typeof make>) { x.go(); }", ["x: make()"]),
        ("function f(x: typeof other) { x.go(); }", ["x: typeof other"]),
        ("function f<T extends Cart>(x: T) { x.go(); }", ["x: T", "T: Cart"]),
        ("function f({cart}: {cart: Cart}) { cart.go(); }", ["cart: typeof ~1.cart", "~1: ", "~1.cart: Cart"]),
        ("function f(): Promise<Cart> {}", ["->: Cart"]),
        ("function f() { return new Cart(); }", ["->: Cart()"]),
        ("const f = () => other.made();", ["->: other.made()"]),
        ("function f() { return { a, b: c.d }; }", ["->.a: typeof a", "->.b: typeof c.d"]),
        ("function f() { return { a() {} }; }", ["->: {f}"]),
        ("function f() { unused(); const x = new Cart(); }", []),
    ],
)
def test_bindings_of_a_function(text: str, expected: list[str]) -> None:
    found = bindings(text).get("f", [])
    assert sorted(found) == sorted(expected)


def test_fields_and_parameter_properties() -> None:
    text = """
        class A {
          repo: Repo;
          made = new Made();
          #secret?: Secret;
          constructor(private readonly store: Store, plain: Plain) {
            this.late = new Late();
            this.plain = plain;
          }
          get view(): View { return this.x; }
          run = () => { this.set = this.repo; };
        }
    """
    found = bindings(text)
    assert found["A"] == ["self.repo: Repo", "self.made: Made()", "self.#secret: Secret"]
    assert found["A.constructor"] == [
        "self.store: Store",
        "self.late: Late()",
        "self.plain: typeof plain",
        "plain: Plain",
    ]
    assert found["A.view"] == ["->: View", "self.view: View"]
    assert found["A.run"] == ["self.set: typeof this.repo"]


def test_attributes_of_names_and_objects() -> None:
    text = """
        const api = { users: { list: listUsers }, get, make() {} };
        api.late = other;
        app.use = function () {};
        const app = create();
        api.get(); app.use();
    """
    assert sorted(bindings(text, "javascript")[""]) == [
        "api.get: typeof get",
        "api.late: typeof other",
        "api.users.list: typeof listUsers",
        "api: {api}",
        "app.use: #1",
        "app: create()",
    ]


def test_namespaces_give_their_exports_to_their_name() -> None:
    text = "namespace A.B { export function f() {} function g() {} f(); }\nA.B.f();"
    found = bindings(text)[""]
    assert "A.B.f: typeof f" in found
    assert "f: #0" in found


def test_an_inner_block_has_names_of_its_own() -> None:
    text = """
        import { item, run } from './x';
        each((item) => item.go());
        {
          const run = new Runner();
          run.go();
        }
        function f() { item.go(); run.go(); }
    """
    found = references(text)
    assert found[""] == ["call each/1", "call ?.go/0", "new Runner/0", "call run~2.go/0"]
    assert found["f"] == ["call item.go/0", "call run.go/0"]
    assert bindings(text)[""] == ["run~2: Runner()"]


def test_var_belongs_to_the_function_and_let_to_the_block() -> None:
    text = "function f() { if (a) { var x = new A(); let y = new B(); } x.go(); y.go(); }"
    assert "x: A()" in bindings(text)["f"]
    assert references(text)["f"][-2:] == ["call x.go/0", "call y.go/0"]


def test_overloads_are_one_function() -> None:
    text = "function f(a: string): A;\nfunction f(a: number): B;\nfunction f(a: any) {}\nf(1);"
    assert bindings(text)[""] == ["f: #2"]


# Any content


@pytest.mark.parametrize(("text", "language"), SOURCES)
def test_every_unit_is_found_in_the_tree(text: str, language: str) -> None:
    facts = extract(text.encode(), language)
    walk = EcmascriptWalk(UnitFinder(facts.units))
    walk.over(syntax_tree(text.encode(), language), _READERS)
    assert [index for free in walk.claims._free.values() for index in free] == []


TOKENS = [
    "class ",
    "A",
    "extends ",
    "B",
    "{",
    "}",
    "(",
    ")",
    "=>",
    "function ",
    "f",
    "x",
    "y",
    ".",
    ",",
    ";",
    "=",
    "new ",
    "this",
    "super",
    "const ",
    "var ",
    "let ",
    "return ",
    "import ",
    "export ",
    "default ",
    "from ",
    "'./x'",
    "*",
    " as ",
    "require('./x')",
    "module.exports",
    "exports",
    "prototype",
    "<",
    ">",
    "/>",
    ":",
    "?",
    "!",
    "[",
    "]",
    "`",
    "${",
    "async ",
    "await ",
    "for (",
    " of ",
    "...",
    "@",
    "#p",
    "interface ",
    "type ",
    "namespace ",
    "enum ",
    "static ",
    "get ",
    "private ",
    "declare ",
    "abstract ",
    "\n",
    " ",
    "0",
    "'",
    "//",
    "/*",
    "*/",
    "typeof ",
    "|",
    "&",
    "catch ",
    "try ",
    "switch (",
    "case ",
]


# The same examples every time: on a few inputs the TSX grammar's own parser never ends (`t[<n t'}:(r}c@s e;`).
@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(TOKENS), max_size=60), st.sampled_from(["javascript", "typescript", "tsx"]))
def test_never_raises(tokens: list[str], language: str) -> None:
    found = extract_references("".join(tokens).encode(), language)
    assert decode_references(encode_references(found)) == found


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_never_raises_on_damaged_sources(data: st.DataObject) -> None:
    text, language = data.draw(st.sampled_from(SOURCES))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 80)))
    damaged = text[:start] + data.draw(st.sampled_from(["", *TOKENS])) + text[end:]
    units = extract(damaged.encode(), language).units
    found = extract_references(damaged.encode(), language)
    places = [one.unit for one in found.references]
    places += [one.unit for one in found.bindings] + [one.unit for one in found.imports]
    assert all(-1 <= place < len(units) for place in places)


@pytest.mark.parametrize(
    "text",
    [
        lambda n: "{" * n,
        lambda n: "(" * n + "a" + ")" * n,
        lambda n: "f(" * n + ")" * n,
        lambda n: "a" + ".b()" * n,
        lambda n: "x = " * n + "1",
        lambda n: "const x: " + "{a: " * n + "B" + "}" * n,
        lambda n: "const x = " + "{a: " * n + "b" + "}" * n + "; x.a()",
        lambda n: "const " + "{a: " * n + "b" + "}" * n + " = c; b()",
        lambda n: "function f() {" * (n // 5) + "g()" + "}" * (n // 5),
        lambda n: "".join(f"{{ const x{number} = y{number}; x{number}.go();" for number in range(n // 2)),
        lambda n: "let x: " + "A | " * n + "B; x.go()",
    ],
    ids=lambda text: text(5)[:12],
)
def test_no_depth_is_too_deep(text: Callable[[int], str]) -> None:
    def reading(count: int) -> int:
        source = text(count).encode()
        root, units = Parser(grammar_of("typescript")).parse(source).root_node, UnitFinder([])
        return calls_of(lambda: read(root, units))

    assert reading(6000) < 3 * reading(3000)
