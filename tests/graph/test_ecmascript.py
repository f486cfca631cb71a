"""Edges of JavaScript and TypeScript: two programs with all their edges, and hard cases one by one."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, read_program, shown
from tests.growth import calls_of
from trackdown.graph.ecmascript import EcmascriptResolver
from trackdown.graph.ecmascript.configuration import read_json
from trackdown.graph.ecmascript.modules import EcmascriptModules
from trackdown.graph.edges import Node
from trackdown.graph.graph import Graph
from trackdown.units.references.facts import Binding, BlobReferences, Export, Import, Reference

FIXTURES = Path(__file__).parent / "fixtures"


def edges(texts: dict[str, str]) -> dict[str, str]:
    """Edges of a program and how they were resolved."""
    program = MemoryProgram({path: dedent(text) for path, text in texts.items()})
    return {shown(edge): edge.how for edge in all_edges(program)}


def calls(texts: dict[str, str]) -> set[str]:
    """Who calls whom, of those that are sure."""
    return {edge.removeprefix("invokes ") for edge, how in edges(texts).items() if edge[:3] == "inv" and how != "name"}


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_agrees_with_edges_that_people_checked(language: str) -> None:
    found = agreement(FIXTURES / language)
    assert found.right + len(found.missed) >= 150
    assert found.precision >= 0.97, found.wrong
    assert found.recall >= 0.93, found.missed


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_answers_do_not_depend_on_the_order_of_questions(language: str) -> None:
    program = read_program(FIXTURES / language / "repo")
    forwards, backwards = EcmascriptResolver(program), EcmascriptResolver(program)
    files = [file for path, file in program.files.items() if not path.endswith(".json")]
    first = {file: forwards.links(file) for file in files}
    second = {file: backwards.links(file) for file in reversed(files)}
    assert first == second


# How sure


def test_one_definition_along_imports_is_exact() -> None:
    found = edges(
        {"a.js": "import {f as g} from './b';\ng();", "b.js": "export {f} from './c'", "c.js": "export function f() {}"}
    )
    assert found == {
        "imports a.js -> c.js:f": "exact",
        "invokes a.js -> c.js:f": "exact",
        "imports b.js -> c.js:f": "exact",
    }


def test_two_readings_are_scoped() -> None:
    found = edges({"a.ts": "class A { m() {} }\nclass B { m() {} }\nfunction f(x: A | B) { x.m(); }"})
    assert found == {"invokes a.ts:f -> a.ts:A.m": "scoped", "invokes a.ts:f -> a.ts:B.m": "scoped"}


def test_readings_that_agree_are_exact() -> None:
    text = """
        class R { m() {} }
        class A {
          r: R | null = null;
          constructor() { this.r = new R(); }
          f() { this.r.m(); }
        }
    """
    assert edges({"a.ts": text})["invokes a.ts:A.f -> a.ts:R.m"] == "exact"


def test_the_name_of_a_method_counts_where_nothing_else_is_known() -> None:
    texts = {"a.js": "function f(x) { x.settle(); x.get(); x.tidy(); }", "b.js": "class B { settle() {} get() {} }"}
    texts |= {f"c{number}.js": "class C { tidy() {} }" for number in range(4)}
    assert edges(texts) == {"invokes a.js:f -> b.js:B.settle": "name"}


@pytest.mark.parametrize(
    "text",
    [
        "import x from 'elsewhere';\nx.settle();",
        "import {X} from 'elsewhere';\nfunction f(x: X) { x.settle(); }",
        "window.settle();",
        "const x = document.body;\nx.settle();",
        "class A {}\nnew A().settle();",
        "import * as x from './b';\nx.settle();",
        "''.settle();",
    ],
)
def test_the_name_does_not_count_where_it_is_something_else(text: str) -> None:
    found = edges({"a.ts": text, "b.ts": "export class B { settle() {} }"})
    assert not [edge for edge in found if edge.startswith("invokes") and "settle" in edge]


def test_scripts_share_their_functions_by_name() -> None:
    texts = {"a.js": "function f() { draw(); }", "b.js": "function draw() {}", "c.js": "export function draw() {}"}
    assert edges(texts) == {"invokes a.js:f -> b.js:draw": "name"}


def test_declarations_of_foreign_code_are_not_found_by_name() -> None:
    assert (
        edges({"a.js": "function f(x) { x.settle(); }", "types/dom.d.ts": "declare class D { settle(): void }"}) == {}
    )


# Names


def test_shadowing() -> None:
    text = """
        import { f, g, h } from './b';
        function one(f) { f(); }
        function two() { const g = () => 1; g(); }
        function three() { try {} catch (h) { h(); } h(); }
        function four() { for (const f of []) f(); { let g; g(); } g(); }
        function five({ f, ...g }) { f(); g(); }
    """
    assert calls({"a.js": text, "b.js": "export function f() {}\nexport function g() {}\nexport function h() {}"}) == {
        "a.js:two -> a.js:two.g",
        "a.js:three -> b.js:h",
        "a.js:four -> b.js:g",
    }


def test_methods_are_no_names() -> None:
    text = "class A {\n m() { n(); }\n n() {}\n}\nconst o = {\n a() { b(); },\n b() {}\n};"
    assert calls({"a.js": text}) == set()


def test_functions_within_functions() -> None:
    text = """
        function outer() {
          function inner() { helper(); outer(); }
          const helper = () => inner();
          return inner;
        }
        function other() { outer().inner(); outer.inner(); inner(); }
    """
    assert calls({"a.js": text}) == {
        "a.js:outer.inner -> a.js:outer.helper",
        "a.js:outer.inner -> a.js:outer",
        "a.js:outer.helper -> a.js:outer.inner",
        "a.js:other -> a.js:outer",
    }


def test_what_a_function_returns() -> None:
    text = """
        function make() { return new A(); }
        function hook() { const run = () => 1; return { run, other: make }; }
        class A { m() { return this; } n() {} }
        function f() {
          make().m().n();
          const { run, other: renamed } = hook();
          run();
          renamed().n();
        }
    """
    assert calls({"a.js": text}) == {
        "a.js:make -> a.js:A",
        "a.js:f -> a.js:make",
        "a.js:f -> a.js:hook",
        "a.js:f -> a.js:A.m",
        "a.js:f -> a.js:A.n",
        "a.js:f -> a.js:hook.run",
    }


# Classes


def test_methods_along_bases_in_other_files() -> None:
    found = calls(
        {
            "a.ts": """
            import B from './b';
            export class A extends B {
              m() { super.m(); this.up(); this.own(); }
              own() {}
            }
        """,
            "b.ts": "import * as c from './c';\nexport default class B extends c.C { own() {} }",
            "c.ts": "export class C { m() {} up() { this.own(); } own() {} }",
        }
    )
    assert found == {
        "a.ts:A.m -> c.ts:C.m",
        "a.ts:A.m -> c.ts:C.up",
        "a.ts:A.m -> a.ts:A.own",
        "c.ts:C.up -> c.ts:C.own",
    }


def test_private_methods_accessors_and_statics() -> None:
    text = """
        class R { static of(): R { return new this(); } go() {} }
        class A {
          #r = new R();
          #hidden() {}
          get r() { return this.#r; }
          static shared = R.of();
          m() { this.#hidden(); this.r.go(); A.shared.go(); new this.constructor(); }
        }
    """
    assert calls({"a.ts": text}) == {
        "a.ts:R.of -> a.ts:R",
        "a.ts:A -> a.ts:R",
        "a.ts:A -> a.ts:R.of",
        "a.ts:A.m -> a.ts:A.#hidden",
        "a.ts:A.m -> a.ts:R.go",
        "a.ts:A.m -> a.ts:A",
    }


def test_collections() -> None:
    text = """
        class R { go() {} stop() {} }
        class A {
          list: R[] = [];
          named = new Map<string, R>();
          f() {
            for (const r of this.list) r.go();
            this.list.filter((r) => r.stop()).find(Boolean).go();
            this.named.get('a')?.stop();
          }
          g(more: ReadonlyArray<R>) { more[0].go(); more.forEach(({ stop }) => stop()); }
        }
    """
    assert calls({"a.ts": text}) == {
        "a.ts:A.f -> a.ts:R.go",
        "a.ts:A.f -> a.ts:R.stop",
        "a.ts:A.g -> a.ts:R.go",
        "a.ts:A.g -> a.ts:R.stop",
    }


def test_prototypes() -> None:
    text = """
        function Base() {}
        Base.prototype.up = function () {};
        function Queue() { this.items = new Base(); }
        util.inherits(Queue, Base);
        Queue.prototype.add = function () { this.up(); this.size(); this.items.up(); };
        Queue.prototype.size = function () {};
        Queue.create = function () { return new Queue(); };
        Object.assign(Queue.prototype, { mixed() { this.add(); } });
        function f() { Queue.create().add(); new Queue().mixed(); }
    """
    assert calls({"a.js": text}) == {
        "a.js:Queue -> a.js:Base",
        "a.js:Queue.add -> a.js:Base.up",
        "a.js:Queue.add -> a.js:Queue.size",
        "a.js:Queue.create -> a.js:Queue",
        "a.js:Queue.mixed -> a.js:Queue.add",
        "a.js:f -> a.js:Queue.create",
        "a.js:f -> a.js:Queue.add",
        "a.js:f -> a.js:Queue",
        "a.js:f -> a.js:Queue.mixed",
    }


def test_objects() -> None:
    found = calls(
        {
            "a.js": "import api, { users } from './api';\napi.get();\napi.list.all();\nusers.find();\napi.made.go();",
            "api.js": """
            import { all } from './all';
            class A { go() {} }
            const get = () => 1;
            export const users = { find() { this.all(); }, all() {} };
            export default { get, list: { all }, made: new A() };
        """,
            "all.js": "export function all() {}",
        }
    )
    assert found == {
        "a.js -> api.js:get",
        "a.js -> all.js:all",
        "a.js -> api.js:users.find",
        "a.js -> api.js:A.go",
        "api.js -> api.js:A",
        "api.js:users.find -> api.js:users.all",
    }


def test_inherits() -> None:
    text = """
        interface I extends J {}
        interface J {}
        class A implements I {}
        class B extends A {}
        const mixin = (base) => { return class Mixed extends base {}; };
        class C extends mixin(B) {}
        type Alias = A;
        interface K extends Alias {}
    """
    found = {edge for edge in edges({"a.ts": text}) if edge.startswith("inherits")}
    pairs = ["I -> a.ts:J", "A -> a.ts:I", "B -> a.ts:A", "C -> a.ts:mixin.Mixed", "C -> a.ts:B", "K -> a.ts:A"]
    assert found == {f"inherits a.ts:{pair}" for pair in pairs}


# Modules


@pytest.mark.parametrize(
    ("importing", "module", "target"),
    [
        ("src/a.ts", "./b", "src/b.ts"),
        ("src/a.ts", "./b.js", "src/b.ts"),
        ("src/a.ts", "./c", "src/c/index.tsx"),
        ("src/a.ts", ".", "src/index.js"),
        ("src/c/index.tsx", "..", "src/index.js"),
        ("src/a.ts", "./d.json", None),
        ("src/a.ts", "./style.css", None),
        ("src/a.ts", "../../outside", None),
        ("src/a.ts", "./both", "src/both.js"),
        ("src/a.ts", "./only", "src/only.d.ts"),
        ("src/a.ts", "./raw?raw", "src/raw.mjs"),
        ("src/a.ts", "@app/b", "src/b.ts"),
        ("src/a.ts", "exact", "src/c/index.tsx"),
        ("src/a.ts", "src/b", "src/b.ts"),
        ("src/a.ts", "@app/none", None),
        ("src/a.ts", "react", None),
        ("src/a.ts", "@scope/tool", "packages/tool/src/main.ts"),
        ("src/a.ts", "@scope/tool/deep", "packages/tool/src/deep.ts"),
        ("src/a.ts", "@scope/tool/features/x", "packages/tool/src/features/x.ts"),
        ("src/a.ts", "plain", "packages/plain/lib/start.js"),
        ("src/a.ts", "plain/lib/start", "packages/plain/lib/start.js"),
        ("src/a.ts", "bare", "packages/bare/src/index.ts"),
        ("packages/tool/src/main.ts", "#inner/deep", "packages/tool/src/deep.ts"),
        ("packages/plain/lib/start.js", "@/local", "packages/plain/src/local.js"),
        ("packages/plain/lib/start.js", "@app/b", "src/b.ts"),
    ],
)
def test_which_file_a_module_is(importing: str, module: str, target: str | None) -> None:
    sources = [
        "src/a.ts",
        "src/b.ts",
        "src/c/index.tsx",
        "src/index.js",
        "src/both.js",
        "src/both.d.ts",
        "src/only.d.ts",
        "src/raw.mjs",
        "src/style.css",
        "packages/tool/src/main.ts",
        "packages/tool/src/deep.ts",
        "packages/tool/src/features/x.ts",
        "packages/plain/lib/start.js",
        "packages/plain/src/local.js",
        "packages/bare/src/index.ts",
    ]
    texts = dict.fromkeys(sources, "") | {
        "src/d.json": "{}",
        "tsconfig.json": '{"extends": ["./base", "gone/tsconfig"], "compilerOptions": {"baseUrl": "."}}',
        "base.json": '{"compilerOptions": {"paths": {"@app/*": ["none/*", "src/*"], "exact": ["src/c"],}}} // the end',
        "packages/tool/package.json": """{"name": "@scope/tool", "exports": {
            ".": {"types": "./dist/main.d.ts", "default": "./dist/main.mjs"},
            "./deep": {"import": [{"default": "./dist/esm/deep.js"}]}, "./features/*": "./dist/features/*.js"},
            "imports": {"#inner/*": "./src/*.ts"}}""",
        "packages/plain/package.json": '{"name": "plain", "main": "./lib/start"}',
        "packages/bare/package.json": '{"name": "bare", "main": "./dist/index.js"}',
    }
    program = MemoryProgram(texts)
    found = EcmascriptModules(program).find(program.files[importing], module)
    assert (program.path(found) if found is not None else None) == target


@pytest.mark.parametrize("text", [None, "", "[]", "{", "5", '"x"', "[" * 100_000, '{"a": 1,,}', "\0"])
def test_a_broken_configuration_says_nothing(text: str | None) -> None:
    assert read_json(text) == {}


@pytest.mark.parametrize(
    "content",
    [
        '{"extends": "./tsconfig.json"}',
        '{"extends": {"a": 1}, "compilerOptions": []}',
        '{"compilerOptions": {"paths": {"*": "x", "a": [1, null]}, "baseUrl": 5}}',
        '{"references": [1, {"path": "./tsconfig.json"}]}',
    ],
)
def test_odd_configurations_do_no_harm(content: str) -> None:
    texts = {"tsconfig.json": content, "package.json": '{"name": 5, "exports": {"a": {"b": 1}}, "main": []}'}
    assert edges({"a.ts": "import x from './b'; import y from 'c';", "b.ts": "", **texts}) == {
        "imports a.ts -> b.ts": "exact"
    }


def test_re_exports_of_any_length() -> None:
    texts = {f"m{number}.ts": f"export * from './m{number + 1}';" for number in range(400)}
    texts |= {f"n{number}.ts": f"import {{x}} from './n{number + 1}'; export {{x}};" for number in range(400)}
    texts |= {"m400.ts": "export function f() {}", "n400.ts": "export function x() {}"}
    texts["a.ts"] = "import {f} from './m0'; import {x} from './n0';\nf(); x();"
    program = MemoryProgram(texts)
    found = EcmascriptResolver(program).links(program.files["a.ts"])
    assert {one.target.symbol for one in found if not isinstance(one.target, int)} == {"f", "x"}


def test_re_exports_in_a_circle() -> None:
    found = edges(
        {
            "a.ts": "import {f, gone} from './b';\nf(); gone();",
            "b.ts": "export * from './c'; export {f, gone} from './c';",
            "c.ts": "export * from './b'; export {gone} from './b'; export function f() {}",
        }
    )
    assert found["invokes a.ts -> c.ts:f"] == "exact"
    assert not [edge for edge in found if "gone" in edge]


def test_common_js() -> None:
    found = edges(
        {
            "a.js": "const F = require('./f');\nconst {g: h} = require('./f');\n"
            "new F().m(); h(); F.g(); require('./i')();",
            "f.js": "class F { m() {} }\nmodule.exports = F;\nmodule.exports.g = function () {};",
            "i.js": "module.exports = require('./j');",
            "j.js": "module.exports = function () {};",
            "b.mjs": "import F, {g} from './f.js';\nF.g(); g();",
        }
    )
    assert {edge for edge in found if "a.js ->" in edge or "b.mjs ->" in edge} == {
        "imports a.js -> f.js:F",
        "imports a.js -> f.js:g",
        "imports a.js -> j.js:exports",
        "invokes a.js -> f.js:F",
        "invokes a.js -> f.js:F.m",
        "invokes a.js -> f.js:g",
        "invokes a.js -> j.js:exports",
        "imports b.mjs -> f.js:F",
        "imports b.mjs -> f.js:g",
        "invokes b.mjs -> f.js:g",
    }


def test_an_import_of_a_value_leads_to_the_file_that_declares_it() -> None:
    found = edges(
        {
            "a.ts": "import {one, Options} from '.';",
            "index.ts": "export * from './one'; export type {Options} from './types';",
            "one.ts": "import {make} from './make'; export const one = make;",
            "types.ts": "export type Options = {};",
            "make.ts": "export function make() {}",
        }
    )
    assert {edge for edge in found if edge.startswith("imports a.ts")} == {
        "imports a.ts -> one.ts",
        "imports a.ts -> types.ts",
    }


# Any content


@pytest.mark.parametrize(
    "text",
    [
        "class A extends A.B { m() { super.m(); this.x(); } }",
        "class A extends B {}\nclass B extends A { m() { this.x(); } }",
        "class A { constructor() { this.a = this.b; this.b = this.a; } m() { this.a.go(); } }",
        "let a = b, b = c, c = a;\na.go();",
        "function f() { return g(); }\nfunction g() { return f(); }\nf().x();",
        "type A = B; type B = A;\nfunction f(x: A) { x.go(); }",
        "const a = a.b.c();\na.go();",
        "import {a} from './a'; export {a}; export * from './a';\na();",
        "module.exports = require('./a');\nmodule.exports();",
        "exports.a = exports.b; exports.b = exports.a;\nexports.a();",
        "function f(this: this) { this.x(); }",
    ],
)
def test_what_means_itself_means_nothing(text: str) -> None:
    edges({"a.ts": text})


def test_the_cost_of_a_file_grows_with_its_uses_and_no_faster() -> None:
    def resolve(count: int) -> int:
        program = MemoryProgram({"a.ts": tangle(count)})
        program.references(0)
        return calls_of(lambda: EcmascriptResolver(program).links(0))

    assert resolve(200) < 3 * resolve(100)


def tangle(count: int) -> str:
    """Variables that may each mean two others, so that every one leads to all."""
    lines = [f"let x{one} = cond ? x{(one * 7 + 1) % count}.a : x{(one * 11 + 3) % count}.b();" for one in range(count)]
    return "\n".join([*lines, *(f"x{one}.go{one}();" for one in range(count))])


_CHAINS = st.sampled_from(
    [
        "a",
        "b.c",
        "this.x",
        "super",
        "super.m",
        "?",
        "?.x",
        "A()",
        "A().m",
        "import~1.x",
        "a[]",
        "a[].b()",
        "",
        ".",
        "()",
        "~1",
    ]
)
_TYPES = st.one_of(
    _CHAINS, st.sampled_from(["typeof a", "typeof b.c", "#0", "#1", "#x", "#", "{A}", "{", "A[]", "A[][][][]", "[]"])
)
_NAMES = st.sampled_from(["a", "b", "A", "self.x", "->", "->.m", "this", "a.b", "~1", "default", "=", "*", ""])
_UNITS = st.integers(-2, 4)
_MODULES = st.sampled_from(["./a", "./b", "b", "", "."])
_REFERENCES = st.builds(
    BlobReferences,
    st.just(""),
    st.lists(st.builds(Import, _UNITS, st.just(1), _MODULES, _NAMES, _NAMES), max_size=4),
    st.lists(
        st.builds(Reference, _UNITS, st.just(1), st.sampled_from(["call", "new", "base"]), _CHAINS, st.just(0)),
        max_size=6,
    ),
    st.lists(st.builds(Binding, _UNITS, _NAMES, _TYPES), max_size=8),
    st.lists(st.builds(Export, _NAMES, _TYPES, st.sampled_from(["", "./a", "./b", "./c"])), max_size=4),
)


@settings(max_examples=300, deadline=None)
@given(_REFERENCES, _REFERENCES)
def test_never_raises_for_any_references(first: BlobReferences, second: BlobReferences) -> None:
    program = MemoryProgram({"a.ts": "class A { m() {} }\nfunction f() { function g() {} }", "b.ts": "class A {}"})
    program._references = {0: first, 1: second}
    resolver = EcmascriptResolver(program)
    for file in (0, 1):
        resolver.links(file)


def test_an_import_leads_to_the_module_and_not_to_where_its_value_came_from() -> None:
    texts = {
        "lib/app.js": "module.exports = { run() {} }\n",
        "lib/make.js": "var app = require('./app')\nmodule.exports = function make() { return app }\n",
        "example/index.js": "var make = require('../lib/make')\nvar app = module.exports = make()\n",
        "test/example.js": "var app = require('../example')\n",
    }
    graph = Graph(MemoryProgram(texts))
    edges = graph.edges(Node("file", "test/example.js"), ("imports",), "out")
    assert [edge.target.path for edge in edges] == ["example/index.js"]


def test_a_this_that_is_said_to_be_its_own_base_ends() -> None:
    texts = {"a.js": "class A {\n  run() { return this.go() }\n}\n"}
    program = MemoryProgram(texts)
    method = next(one for one in program.definitions(0) if one.symbol == "A.run")
    found = program.references(0)
    odd = Binding(method.index, "this", "super")
    program._references[0] = BlobReferences(found.package, found.imports, found.references, [odd], found.exports)
    assert EcmascriptResolver(program).links(0) == []


@pytest.mark.parametrize("unit", ["/* ", '"\\', ", ", "//", '"', "\\", "/*/"])
@pytest.mark.parametrize("end", ["", "\\", "}"])
def test_no_configuration_file_takes_long_to_read(unit: str, end: str) -> None:
    started = time.process_time()
    assert read_json("{" + unit * (300_000 // len(unit)) + end) == {}
    assert time.process_time() - started < 1
