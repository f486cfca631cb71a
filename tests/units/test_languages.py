"""What the query of each language finds: kinds, symbols and lines of the units of the files in `sources/`."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from trackdown.units.extraction import extract
from trackdown.units.facts import Unit
from trackdown.units.languages import LANGUAGES, language_of

SOURCES = {path.stem: path for path in (Path(__file__).parent / "sources").iterdir()}
NAMES = [language.name for language in LANGUAGES]
QUERIES = Path(extract.__code__.co_filename).parent / "queries"

EXPECTED = {
    "python": """
        function add 7-16
        function add.inner 9-10
        class add.Local 12-14
        method add.Local.method 13-14
        function run 19-26
        class Shape 29-47
        method Shape.__init__ 30-33
        method Shape.width 35-37
        method Shape.width 39-41
        method Shape.parse 43-44
        class Shape.Meta 46-47
        class Point 50-52
        function windows 57-58
    """,
    "javascript": """
        function greet 1-7
        function greet.inner 3-5
        function walk 9-11
        function increment 13-14
        function first 16-16
        function second 17-19
        function chosen 21-23
        method router.find 27-30
        method router.size 31-33
        method router.add 34-36
        method router.hooks.before 38-38
        method router.on-error 40-40
        class Queue 43-75
        method Queue.onFull 47-50
        method Queue.constructor 52-54
        method Queue.from 56-58
        method Queue.length 60-62
        method Queue.length 64-66
        method Queue.#shift 68-70
        method Queue.[Symbol.asyncIterator] 72-74
        function Widget 77-82
        function Widget.hide 79-81
        method Widget.show 84-89
        method Widget.create 90-90
        method Widget.toggle 92-94
        method Widget.blink 97-99
        function parse 102-104
        function print 105-105
        function stop 108-108
        function main 110-112
        function Card 114-114
        function Input 115-117
        function Both 118-118
        function onClick 119-121
        class Shape 124-128
        method Shape.area 125-127
        method Counter.next 132-134
        function later 141-141
        class Base 142-142
        function withLog 144-146
        class withLog.Logged 144-146
        method withLog.Logged.log 145-145
        function default 148-151
    """,
    "typescript": """
        interface Drawable 5-10
        method Drawable.draw 8-8
        enum Direction 12-15
        class Shape 17-48
        method Shape.onDone 23-25
        method Shape.constructor 27-29
        method Shape.area 31-31
        method Shape.draw 33-38
        method Shape.parse 40-40
        method Shape.parse 41-43
        method Shape.width 45-47
        function overloaded 50-50
        function overloaded 51-51
        function overloaded 52-54
        function external 56-56
        function hidden 59-59
        interface Options 60-62
        function distance 66-67
        class Point 68-70
        function identity 73-73
        function checked 74-74
        method settled.run 76-76
        method useStore.actions.load 81-83
        class Service 87-94
        method Service.click 91-93
        class default 96-101
        method default.run 97-97
        method default.stop 98-100
    """,
    "tsx": """
        interface Props 3-6
        enum Mode 8-11
        function Panel 13-32
        function Panel.handle 15-20
        function Button 34-39
        function Plain 41-41
        class Boundary 43-51
        method Boundary.getDerivedStateFromError 46-46
        method Boundary.render 48-50
        function App 53-55
    """,
    "java": """
        class Shape 5-59
        method Shape.Shape 18-20
        method Shape.area 22-23
        method Shape.compareTo 25-36
        method Shape.compareTo.byArea.compare 29-32
        method Shape.first 38-38
        enum Shape.Color 40-52
        method Shape.Color.RED.code 42-45
        method Shape.Color.code 49-51
        class Shape.Builder 54-58
        method Shape.Builder.add 55-57
        interface Drawable 61-67
        method Drawable.draw 62-62
        method Drawable.erase 64-66
        class Point 69-77
        method Point.Point 70-72
        method Point.length 74-76
        interface Named 79-81
    """,
    "go": """
        interface Shape 6-10
        method Shape.Area 8-8
        struct Point 13-16
        struct List 18-21
        function New 27-31
        method List.Add 33-40
        function List.Add.grow 36-38
        method Point.String 42-42
        method Celsius.Warm 44-46
        method Point.Origin 48-48
        function handler 52-54
        function helper 58-58
        function external 61-62
        function main 64-71
        struct main.local 65-67
    """,
    "rust": """
        struct Point 4-9
        struct Unit 11-11
        struct Pair 12-12
        struct Bits 14-18
        trait Area 20-28
        method Area.area 23-24
        method Area.double 25-27
        enum Shape 30-34
        method Point.new 37-43
        function Point.new.check 40-40
        method Shape.area 48-54
        method Point.fmt 58-60
        method Wrapper.from 64-66
        function double 69-72
        function list 74-78
        function hidden 85-85
        function doubles 92-95
    """,
    "c": """
        struct point 7-10
        struct Circle 12-15
        struct node 17-19
        enum Color 21-21
        enum mode 23-23
        struct bits 25-28
        function add 32-36
        function find 38-42
        function names 44-44
        function chooser 46-48
        function old_style 50-55
        function die 57-59
        function trace 62-64
        function trace 66-67
        function make 70-73
        struct make.local 71-71
        function hashKey 76-78
        function main 80-82
    """,
    "cpp": """
        class Shape 8-28
        method Shape.Shape 11-11
        method Shape.~Shape 13-13
        method Shape.size 15-16
        method Shape.operator== 17-17
        method Shape.operatorbool 18-18
        method Shape.self 20-20
        struct Shape.Point 22-24
        class List 30-40
        method List.add 33-35
        method Shape.Shape 42-48
        function Shape.Shape.grow 44-46
        method List.convert 50-54
        enum Color 56-56
        struct Bits 57-60
        function operator<< 62-64
        function greater 66-70
        function greater 72-73
        function hidden 76-76
        method Shape.Point.length 81-83
        method Shape.operator!= 87-89
        struct Plain 91-93
        function square 95-95
        function trailing 100-102
        function exported 105-105
        method ShapeTest.HasArea 108-110
    """,
    "csharp": """
        class Shape 5-64
        method Shape.Shape 13-16
        method Shape.~Shape 18-21
        method Shape.Area 23-23
        method Shape.Size 25-30
        method Shape.Double 32-32
        method Shape.RunAsync 34-44
        function Shape.RunAsync.Local 38-41
        method Shape.operator+ 46-46
        method Shape.operatorint 48-48
        method Shape.this 50-53
        method Shape.Draw 55-57
        class Shape.Nested 61-63
        interface IDrawable 66-70
        method IDrawable.Draw 68-68
        struct Point 72-76
        method Point.Length 75-75
        class Person 78-81
        method Person.Full 80-80
        class Pair 83-83
        enum Color 85-89
        class Extensions 91-98
        method Extensions.Shout 94-97
    """,
    "ruby": """
        module Shapes 3-69
        class Shapes.Shape 7-58
        method Shapes.Shape.initialize 12-14
        method Shapes.Shape.area 16-17
        method Shapes.Shape.<=> 19-21
        method Shapes.Shape.size= 23-25
        method Shapes.Shape.empty? 27-32
        method Shapes.Shape.parse 34-36
        method Shapes.Shape.build 39-42
        method Shapes.Shape.secret 47-47
        method Shapes.Shape.hidden 49-51
        method Shapes.Shape.dynamic 53-55
        class Shapes.Shape.Error 57-57
        class Shapes.Geometry.Circle 60-64
        method Shapes.Geometry.Circle.area 61-63
        method Shapes.helper 66-68
        function top_level 71-73
        class Point 75-79
        method Point.distance 76-78
    """,
    "php": """
        interface Drawable 7-13
        method Drawable.draw 12-12
        trait Logs 15-22
        method Logs.log 18-21
        class Shape 24-52
        method Shape.__construct 32-35
        method Shape.area 37-38
        method Shape.count 40-51
        function Shape.count.double 46-48
        function Shape.count.triple 49-49
        class Circle 54-57
        method Circle.area 56-56
        enum Color 59-67
        method Color.first 63-66
        function add 69-74
        function add.inner 72-72
        function later 77-81
        function later.area 79-79
    """,
    "kotlin": """
        class Shape 5-53
        method Shape.constructor 10-12
        method Shape.area 18-20
        method Shape.width 22-23
        method Shape.height 25-31
        method Shape.toString 35-35
        method Shape.create 40-42
        class Shape.Part 45-52
        method Shape.Part.use 46-51
        function Shape.Part.use.local 47-49
        class Point 55-55
        class Registry 57-59
        method Registry.find 58-58
        interface Drawable 61-66
        method Drawable.draw 62-62
        method Drawable.erase 63-65
        enum Color 68-75
        method Color.RED.label 70-70
        method Color.label 74-74
        method String.shout 77-78
        method List.second 80-80
        function fetch 82-84
        function handler 86-88
        function returns nothing when empty 90-92
        interface Action 94-96
        method Action.run 95-95
    """,
    "scala": """
        class Shape 5-29
        method Shape.this 10-12
        method Shape.area 14-15
        method Shape.loop 17-21
        function Shape.loop.inner 19-19
        method Shape.+ 23-23
        method Shape.double 25-25
        class Shape 31-39
        method Shape.apply 32-34
        function Shape.apply.area 33-33
        class Shape.Rich 36-38
        method Shape.Rich.shout 37-37
        trait Drawable 41-44
        method Drawable.draw 43-43
        class Point 46-46
        class Origin 47-49
        method Origin.draw 48-48
        enum Color 51-56
        method Color.label 55-55
        class ordering 58-60
        method ordering.compare 59-59
        class Conversion 62-62
        method String.twice 65-65
        class helpers 68-70
        method helpers.help 69-69
        function topLevel 72-73
    """,
    "swift": """
        class Shape 3-54
        method Shape.init 8-10
        method Shape.init 12-14
        method Shape.deinit 16-18
        method Shape.area 20-30
        function Shape.area.inner 23-25
        method Shape.width 32-34
        method Shape.height 36-39
        method Shape.observed 41-43
        method Shape.== 45-47
        method Shape.subscript 49-51
        method Shape.make 53-53
        struct Point 56-60
        method Point.move 58-58
        struct Point.Inner 59-59
        interface Drawable 62-66
        method Drawable.draw 65-65
        enum Color 68-73
        method Color.label 72-72
        method Shape.description 76-77
        method Shape.describe 79-79
        method Array.Index.next 83-83
        class Bank 86-88
        method Bank.pay 87-87
        function topLevel 90-93
        function handler 95-97
    """,
    "bash": """
        function greet 6-11
        function stop 13-15
        function both 17-22
        function both.helper 18-20
        function in_subshell 24-26
        function one_line 28-28
        function my-command.run 30-35
        function conditional 38-40
    """,
    "lua": """
        method M.add 4-11
        function M.add.inner 7-9
        method M.reset 13-16
        method M.deep.path.run 18-20
        function helper 22-24
        function global_one 26-26
        method M.assigned 28-30
        function callback 32-34
        function global_two 36-36
        method Class.method 40-42
        method Class.nested.leaf 44-44
        method M.table.entry 49-49
        method M.last 56-58
    """,
    "julia": """
        module Shapes 1-84
        interface Shapes.Shape 6-11
        struct Shapes.Circle 13-20
        method Shapes.Circle.Circle 16-16
        method Shapes.Circle.Circle 17-19
        struct Shapes.Counter 22-24
        method Shapes.area 26-33
        function Shapes.area.helper 28-28
        method Shapes.area 35-35
        method Shapes.fast 37-39
        method Shapes.quick 41-41
        method Shapes.generic 43-45
        method Shapes.short 47-47
        method Shapes.Base.show 49-49
        method Shapes.Base.:+ 51-53
        method Shapes.Base.:- 55-55
        method Shapes.+ 57-57
        method Shapes.twice 59-67
        struct Shapes.Word 69-69
        method Shapes.square 71-71
        method Shapes.stub 73-73
        method Shapes.Counter 75-75
        module Shapes.Inner 80-82
        method Shapes.Inner.inside 81-81
    """,
    "haskell": """
        class Shape 6-10
        class Name 12-12
        trait HasArea 16-23
        method HasArea.area 18-20
        method HasArea.double 22-23
        method Shape.area 26-27
        method Maybe.area 30-31
        function add 33-43
        function add.go 41-43
        function <+> 46-47
        function constant 49-50
        class Expr 52-53
        function main 58-61
        function main.local 60-60
    """,
    "elixir": """
        module Shapes.Circle 1-54
        method Shapes.Circle.area 12-20
        method Shapes.Circle.compare 22-28
        method Shapes.Circle.hidden 30-32
        method Shapes.Circle.no_arguments 34-34
        method Shapes.Circle.twice 36-41
        method Shapes.Circle.is_small 43-43
        method Shapes.Circle.size 45-45
        method Shapes.Circle.+ 47-49
        module Shapes.Circle.Inner 51-53
        method Shapes.Circle.Inner.inside 52-52
        interface Drawable 56-59
        method Drawable.draw 57-58
        module Drawable.Shapes.Circle 61-63
        method Drawable.Shapes.Circle.draw 62-62
        module ShapesTest 65-69
    """,
    "zig": """
        struct Point 3-23
        method Point.init 10-13
        method Point.length 15-17
        enum Point.Inner 19-22
        enum Color 25-25
        struct Value 27-34
        method Value.isInt 31-33
        struct Packed 36-38
        function add 40-43
        function List 47-56
        function List.push 51-54
        function quick 60-60
        function main 66-71
        struct main.local 67-69
        method main.local.run 68-68
    """,
}


def units_of(text: str | bytes, language: str) -> list[Unit]:
    """The units that are not windows, in document order."""
    data = text.encode() if isinstance(text, str) else text
    return [unit for unit in extract(data, language).units if unit.kind != "window"]


def lines_of(text: str, language: str) -> dict[str, tuple[int, int]]:
    return {unit.symbol: (unit.start_line, unit.end_line) for unit in units_of(text, language)}


def symbols_of(text: str, language: str) -> list[tuple[str, str]]:
    return [(unit.kind, unit.symbol) for unit in units_of(text, language)]


@pytest.mark.parametrize("language", NAMES)
def test_every_language_has_a_source_and_a_query(language: str) -> None:
    row = next(row for row in LANGUAGES if row.name == language)
    assert language in SOURCES
    assert language in EXPECTED
    assert language_of(SOURCES[language].name) == language
    assert (QUERIES / f"{row.query_name}.scm").is_file()


def test_every_query_belongs_to_a_language() -> None:
    assert {path.stem for path in QUERIES.glob("*.scm")} == {language.query_name for language in LANGUAGES}


def test_no_query_uses_the_predicate_that_does_nothing() -> None:
    for path in QUERIES.glob("*.scm"):
        assert "#not-any-of?" not in path.read_text(), "the binding takes no notice of it"


@pytest.mark.parametrize("language", NAMES)
def test_units_of_source(language: str) -> None:
    found = [
        f"{unit.kind} {unit.symbol} {unit.start_line}-{unit.end_line}"
        for unit in units_of(SOURCES[language].read_bytes(), language)
    ]
    assert found == [line.strip() for line in EXPECTED[language].strip().splitlines()]


@pytest.mark.parametrize("language", NAMES)
def test_units_lie_within_their_parents_and_beside_their_siblings(language: str) -> None:
    units = extract(SOURCES[language].read_bytes(), language).units
    for unit in units:
        if unit.parent >= 0:
            parent = units[unit.parent]
            assert parent.start_line <= unit.start_line <= unit.end_line <= parent.end_line
            assert unit.symbol.startswith(f"{parent.symbol}.")
    for one, other in combinations([unit for unit in units if unit.kind != "window"], 2):
        if one.parent == other.parent and one.start_line != other.start_line:
            assert one.end_line < other.start_line


@pytest.mark.parametrize("language", NAMES)
def test_truncated_source(language: str) -> None:
    data = SOURCES[language].read_bytes()
    names = {unit.symbol.rpartition(".")[2] for unit in units_of(data, language)}
    for part in range(1, 24):
        cut = data[: len(data) * part // 24]
        facts = extract(cut, language)
        assert all(1 <= unit.start_line <= unit.end_line <= facts.lines for unit in facts.units)
        if part >= 12:
            recovered = {unit.symbol.rpartition(".")[2] for unit in facts.units} & names
            assert recovered, f"nothing recovered from {part}/24"


@pytest.mark.parametrize("language", NAMES)
def test_broken_source(language: str) -> None:
    data = SOURCES[language].read_bytes()
    for damage in (b"}" * 5, b"((((", b"\xff\xfe<<<<<<< HEAD", b"'''", b"\r\r"):
        middle = len(data) // 2
        assert extract(data[:middle] + damage + data[middle:], language).units


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "# About f.\n@one\n@two(\n    3\n)\ndef f(): pass\n"),
        ("javascript", "/**\n * About f.\n */\nexport const f = () => {\n  return 1;\n};\n"),
        ("typescript", "// About f.\n@one\n@two({\n  a: 3,\n})\nexport class f {}\n"),
        ("java", "/** About f. */\n@One\n@Two(3)\npublic\nclass f {\n}\n"),
        ("go", "// About f.\n// More.\n//go:noinline\nfunc f() {\n\n}\n"),
        ("rust", "/// About f.\n#[inline]\n#[must_use]\npub fn f() -> u8 {\n    1\n}\n"),
        ("c", "/* About f.\n */\nstatic\nint f(void)\n{\n}\n"),
        ("cpp", "// About f.\ntemplate <typename T>\ntemplate <typename U>\nT f(U u)\n{\n}\n"),
        ("csharp", "/// About f.\n[One]\n[Two(3)]\nclass f\n{\n}\n"),
        ("ruby", "# About f.\n# More.\nprivate def f\n  1\n\nend\n"),
        ("php", "<?php /* */\n/** About f. */\n#[One]\n#[Two]\nfunction f() {\n}\n"),
        ("kotlin", "/** About f. */\n@One\n@Two(3)\nfun f() {\n\n}\n"),
        ("scala", "/** About f. */\n@one\n@two\ndef f() = {\n\n}\n"),
        ("swift", "/// About f.\n@one\n@two\nfunc f() {\n\n}\n"),
        ("bash", "# About f.\n# More.\nf() {\n  echo\n\n}\n"),
        ("lua", "--- About f.\n-- More.\nlocal f = function()\n\n\nend\n"),
        ("julia", '"""\nAbout f.\n"""\n@inline function f()\n\nend\n'),
        ("haskell", "-- | About f.\n-- More.\nf :: Int -> Int\n{-# INLINE f #-}\nf 0 = 1\nf x = x\n"),
        ("elixir", '@doc """\nAbout f.\n"""\n@spec f() :: 1\ndef f() do\nend\n'),
        ("zig", "/// About f.\n/// More.\npub fn f() void {\n\n\n}\n"),
    ],
)
def test_what_stands_above_belongs_to_the_unit(language: str, source: str) -> None:
    first = 2 if language == "php" else 1
    assert lines_of(source, language) == {"f": (first, 6)}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "# Apart.\n\ndef f():\n    pass\n"),
        ("go", "package a // Trailing.\nfunc f() {}\n"),
        ("javascript", "let a = 1; // Trailing.\nfunction f() {}\n"),
        ("c", "/* Apart. */\n\nint f(void) { return 1; }\n"),
    ],
)
def test_other_comments_do_not(language: str, source: str) -> None:
    (start, _) = lines_of(source, language)["f"]
    assert "f()" in source.splitlines()[start - 1] or "f(void)" in source.splitlines()[start - 1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("function a() {}", [("function", "a")]),
        ("export default function () {}", [("function", "default")]),
        ("export default async () => {}", [("function", "default")]),
        ("export default class {}", [("class", "default")]),
        ("export default memo(function A() {})", [("function", "A")]),
        ("export default {methods: {a() {}}}", [("method", "methods.a")]),
        ("const a = async () => 1", [("function", "a")]),
        ("const a = async function b() {}", [("function", "a")]),
        ("const a = class B { c() {} }", [("class", "a"), ("method", "a.c")]),
        ("const A = memo(() => 1)", [("function", "A")]),
        ("const A = React.memo(forwardRef((p, r) => 1))", [("function", "A")]),
        ("const A = memo(() => 1, {b() {}})", [("function", "A"), ("function", "A.b")]),
        ("const a = useCallback(() => {}, [])", [("function", "a")]),
        ("const a = list.map((x) => x)", []),
        ("run(() => {}, function () {})", []),
        ("const a = {b() {}, c: () => 1, d: {e: function () {}}}", [("method", f"a.{m}") for m in ("b", "c", "d.e")]),
        ("const a = new Vue({b() {}})", [("method", "a.b")]),
        ("var A = (function () { function b() {} return b; })()", [("method", "A.b")]),
        (
            "class A { b = () => 1; #c() {} static d() {} get e() {} }",
            [("class", "A")] + [("method", f"A.{m}") for m in ("b", "#c", "d", "e")],
        ),
        ("A.prototype.b = function () {}", [("method", "A.b")]),
        ("A.prototype = {b() {}}", [("method", "A.b")]),
        ("Object.assign(A.prototype, {b() {}})", [("method", "A.b")]),
        ("a.b.c = function () {}", [("method", "a.b.c")]),
        ("exports.a = () => 1", [("function", "a")]),
        ("module.exports.a = function b() {}", [("function", "a")]),
        ("module.exports = {a() {}, b: () => 1}", [("function", "a"), ("function", "b")]),
        ("module.exports = function a() {}", [("function", "a")]),
        ("module.exports = class A {}", [("class", "A")]),
        ("exports.A = class { b() {} }", [("class", "A"), ("method", "A.b")]),
        ("function A() { this.b = () => 1; }", [("function", "A"), ("function", "A.b")]),
        ("const a = (B) => class C { d() {} }", [("function", "a"), ("class", "a.C"), ("method", "a.C.d")]),
    ],
)
def test_styles_of_javascript(source: str, expected: list[tuple[str, str]]) -> None:
    assert symbols_of(source, "javascript") == expected
    assert symbols_of(source, "tsx") == expected


def test_types_of_flow_do_not_hide_functions() -> None:
    source = "\n".join(
        [
            "// @flow strict",
            "import type {Fiber} from './types';",
            "export type Update<State> = {| +lane: Lane, payload: ?State |};",
            "export function create<T>(fiber: Fiber | null, mode: ?TypeOfMode): Fiber {",
            "  const inner = (value: mixed): boolean %checks => !!value;",
            "  return ((fiber: any): Fiber);",
            "}",
            "export function finish(root: FiberRoot, ...rest: Array<mixed>): void {}",
        ]
    )
    found = lines_of(source, "javascript")
    assert found["create"] == (4, 7)
    assert found["finish"] == (8, 8)


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("javascript", "const a = () => 1,\n  b = () => {\n  };\n", {"a": (1, 1), "b": (2, 3)}),
        ("typescript", "export let a = () => 1,\n  b = class {\n  };\n", {"a": (1, 1), "b": (2, 3)}),
        ("go", "type (\n\tA struct{}\n\t// B is.\n\tB struct {\n\t}\n)\n", {"A": (2, 2), "B": (3, 5)}),
        ("go", "var (\n\ta = func() {}\n\tb = func() {\n\t}\n)\n", {"a": (2, 2), "b": (3, 4)}),
        ("cpp", "auto a = [] { return 1; },\n     b = [] {\n     };\n", {"a": (1, 1), "b": (2, 3)}),
        ("c", "struct a { int x; } one,\n  two;\nstruct b { int y; };\n", {"a": (1, 2), "b": (3, 3)}),
    ],
)
def test_neighbours_in_one_statement_do_not_cover_each_other(
    language: str, source: str, expected: dict[str, tuple[int, int]]
) -> None:
    assert lines_of(source, language) == expected


@pytest.mark.parametrize(
    ("language", "source", "symbol"),
    [
        ("python", "def a():\n    def b():\n        def c():\n            pass\n", "a.b.c"),
        ("javascript", "function a() {\n  const b = () => {\n    function c() {}\n  };\n}\n", "a.b.c"),
        ("rust", "fn a() {\n    fn b() {\n        fn c() {}\n    }\n}\n", "a.b.c"),
        ("csharp", "class a {\n  void b() {\n    void c() { }\n  }\n}\n", "a.b.c"),
        ("kotlin", "class a {\n  fun b() {\n    fun c() { }\n  }\n}\n", "a.b.c"),
        ("swift", "struct a {\n  func b() {\n    func c() { }\n  }\n}\n", "a.b.c"),
        ("scala", "object a {\n  def b = {\n    def c = 1\n    c\n  }\n}\n", "a.b.c"),
        ("lua", "function a()\n  local function b()\n    local c = function() end\n  end\nend\n", "a.b.c"),
        ("haskell", "a x = b x\n  where\n    b y = c y\n      where c z = z\n", "a.b.c"),
        ("cpp", "struct a {\n  void b() {\n    auto c = [] { return 1; };\n  }\n};\n", "a.b.c"),
    ],
)
def test_nested_functions(language: str, source: str, symbol: str) -> None:
    kinds = {unit.symbol: unit.kind for unit in units_of(source, language)}
    assert list(kinds) == ["a", "a.b", "a.b.c"]
    assert kinds[symbol] == "function"


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("rust", "impl<T> fmt::Display for &'a list::Node<T> { fn fmt(&self) {} }", [("method", "Node.fmt")]),
        ("go", "package a\nfunc (l *List[K, V]) Add(k K) {}", [("method", "List.Add")]),
        ("cpp", "int *A<T>::b() { return 0; }", [("method", "A.b")]),
        ("cpp", "void ns::A::b() {}", [("method", "A.b")]),
        ("cpp", "void A::B::c() {}", [("method", "A.B.c")]),
        ("cpp", "void a::b::C::D::e() {}", [("method", "C.D.e")]),
        ("cpp", "namespace n { class A; int f(); void g() {} }", [("function", "g")]),
        ("cpp", "class API A : public B { void c() {} };", [("class", "A"), ("method", "A.c")]),
        ("c", "namespace n { class A { void b() {} }; }", [("class", "A"), ("method", "A.b")]),
        ("kotlin", "fun String?.a() = 1\nval <T> List<T>.b get() = 1", [("method", "String.a"), ("method", "List.b")]),
        ("swift", "extension A.B { func c() {} }", [("method", "A.B.c")]),
        ("ruby", "def A.b; end\nclass A::B; end", [("method", "A.b"), ("class", "A.B")]),
        ("csharp", "namespace N;\nclass A { int B => 1; int C { get; set; } }", [("class", "A"), ("method", "A.B")]),
        ("php", "<?php namespace N { class A { function b() {} } }", [("class", "A"), ("method", "A.b")]),
        ("typescript", "namespace N { export const a = () => 1; }", [("function", "a")]),
        ("elixir", "defimpl P, for: A do\n  def f(_), do: 1\nend", [("module", "P.A"), ("method", "P.A.f")]),
        ("haskell", "a 0 = 1\n  where b x = x\na n = n", [("function", "a"), ("function", "a.b")]),
    ],
)
def test_owners_and_namespaces(language: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert symbols_of(source, language) == expected


def test_clauses_keep_their_local_functions() -> None:
    units = units_of("a 0 = 1\n  where b x = x\na n = c n\n  where c x = x\n", "haskell")
    assert [(unit.symbol, unit.parent, unit.end_line) for unit in units] == [("a", -1, 4), ("a.b", 0, 2), ("a.c", 0, 4)]


def test_signature_belongs_to_its_own_function() -> None:
    source = "class A a where\n  b :: a\n  c :: a\n  c = d\n"
    assert lines_of(source, "haskell") == {"A": (1, 4), "A.b": (2, 2), "A.c": (3, 4)}


def test_signature_of_annotated_function() -> None:
    (unit,) = units_of("@Test\nfun works(x: Int): Int {\n    return x\n}\n", "kotlin")
    assert unit.signature == "fun works(x: Int): Int"
