"""Java's edges agree with what people have checked; how they were found is told; nothing raises or hangs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, shown
from tests.growth import calls_of
from trackdown.graph.java import JavaResolver
from trackdown.units.references import BlobReferences

FOLDER = Path(__file__).parent / "fixtures" / "java"
SOURCES = {
    path.relative_to(FOLDER / "repo").as_posix(): path.read_text("utf-8") for path in sorted(FOLDER.rglob("*.java"))
}


def edges(**texts: str) -> list[str]:
    """The edges of a program, as `how type source -> target`: by symbols, a file's own by its name."""
    program = MemoryProgram({f"{name}.java": text for name, text in texts.items()})

    def end(text: str) -> str:
        return text.rpartition(":")[2]

    found = []
    for edge in all_edges(program):
        type_, source, _, target = shown(edge).split()
        found.append(f"{edge.how} {type_} {end(source)} -> {end(target)}")
    return found


def test_agrees_with_checked_edges() -> None:
    found = agreement(FOLDER)
    assert found.right + len(found.missed) >= 70
    assert found.precision >= 0.95, found.wrong
    assert found.recall >= 0.85, found.missed


def test_overloads_are_told_apart_by_their_arity() -> None:
    code = "class A { void f() { g(1); } void g(int x) {} void g(int x, int y) {} void g(long x, int... y) {} }"
    program = MemoryProgram({"A.java": code.replace(" void", "\n void")})
    targets = [(edge.target.start_line, edge.how) for edge in all_edges(program) if edge.type == "invokes"]
    assert targets == [(3, "scoped"), (5, "scoped")]


def test_one_overload_that_fits_is_exact() -> None:
    found = edges(A="class A {\n void f() { g(1, 2); }\n void g(int x) {}\n void g(int x, int y) {}\n}")
    assert found == ["exact invokes A.f -> A.g"]


def test_nothing_is_called_with_a_wrong_number_of_arguments() -> None:
    assert edges(A="class A {\n void f() { g(1, 2); }\n void g(int x) {}\n}") == []


def test_a_package_hides_what_is_imported_on_demand() -> None:
    one, other = "package p;\npublic class C {}", "package q;\npublic class C {}"
    user = "package q;\nimport p.*;\nclass User {\n C make() { return new C(); }\n}"
    program = MemoryProgram({"p/C.java": one, "q/C.java": other, "q/User.java": user})
    assert [shown(edge) for edge in all_edges(program)] == ["invokes q/User.java:User.make -> q/C.java:C"]


def test_a_single_import_of_what_lies_outside_hides_the_package() -> None:
    user = "package q;\nimport java.util.List;\nclass User {\n void f(List xs) { xs.frobnicate(); }\n}"
    assert edges(User=user, List="package q;\nclass List {\n void frobnicate() {}\n}") == []


def test_of_two_classes_of_one_name_the_nearer_is_meant() -> None:
    one = "package p;\nclass C {}"
    user = "package p;\nclass User {\n C make() { return new C(); }\n}"
    program = MemoryProgram({"a/p/C.java": one, "b/p/C.java": one, "b/p/User.java": user})
    found = [(shown(edge), edge.how) for edge in all_edges(program)]
    assert found == [("invokes b/p/User.java:User.make -> b/p/C.java:C", "exact")]


def test_a_rare_name_is_enough_where_nothing_else_is_known() -> None:
    code = "class A {\n void f() { g(x -> x.%s()); }\n}\nclass B {\n void %s() {}\n}"
    assert edges(A=code % ("frobnicate", "frobnicate")) == ["name invokes A.f -> B.frobnicate"]
    assert edges(A=code % ("get", "get")) == []


def test_a_name_of_many_methods_says_nothing() -> None:
    others = {f"B{number}": f"class B{number} {{\n void frobnicate() {{}}\n}}" for number in range(4)}
    assert edges(A="class A {\n void f() { g(x -> x.frobnicate()); }\n}", **others) == []


def test_what_lies_outside_has_no_methods_of_ours() -> None:
    code = "class A {\n void f(String s, Outer o) { s.frobnicate(); o.frobnicate(); Other.frobnicate(); }\n}"
    assert edges(A=code, B="class B {\n void frobnicate() {}\n}") == []


def test_parameters_hide_fields() -> None:
    code = "class A {\n B x;\n void f(C x) { x.run(); this.x.run(); }\n}\n"
    code += "class B {\n void run() {}\n}\nclass C {\n void run() {}\n}"
    assert edges(A=code) == ["exact invokes A.f -> C.run", "exact invokes A.f -> B.run"]


def test_a_field_that_nobody_knows_hides_a_class() -> None:
    code = "class A extends Outside {\n void f() { B.run(); }\n}\nclass B {\n static void run() {}\n}"
    assert edges(A=code) == ["exact invokes A.f -> B.run"]
    assert edges(A=code.replace("void f()", "Object B;\n void f()")) == []


def test_enums_know_their_values() -> None:
    code = 'enum E {\n A, B;\n void run() {}\n static void all() { valueOf("A").run(); E.valueOf("B").run(); }\n'
    code += " void each() { for (var e : E.values()) { e.run(); } E.A.run(); }\n}"
    assert edges(E=code) == ["exact invokes E.all -> E.run", "exact invokes E.each -> E.run"]


@pytest.mark.parametrize(
    "code",
    [
        "class A extends B {\n void f() { g(); }\n}\nclass B extends A {}",
        "class A extends A {\n void f() { g(); x.y(); }\n}",
        "class A {\n void f() { var a = b; var b = a; a.g(); b.c.d(); }\n}",
        "class A {\n A x = y; A y = x;\n Object f() { return f().f().g(); }\n}",
        "interface A extends B, C {}\ninterface B extends A, C {}\ninterface C extends A, B {}",
    ],
)
def test_cycles_end(code: str) -> None:
    edges(A=code)


def test_deep_nesting_and_long_lineages_end() -> None:
    def resolve(count: int) -> None:
        heads = "".join(f"class A{number} extends B{number} {{\n" for number in range(count))
        lineage = "".join(f"class C{number} extends C{number + 1} {{}}\n" for number in range(count))
        code = lineage + f"class U {{\n void f(C0 c) {{ c.g(); }}\n}}\nclass C{count} {{\n void g() {{}}\n}}"
        edges(A=heads + "void f() { g(); }" + "}" * count, C=code)

    assert calls_of(lambda: resolve(300)) < 6 * calls_of(lambda: resolve(150))


def test_every_call_of_a_file_costs_the_same() -> None:
    def resolve(count: int) -> None:
        calls = "".join(f"  x.g{number}(y.h({number})).i();\n" for number in range(count))
        edges(
            A=f"class A {{\n B x; C y;\n void f() {{\n{calls}  }}\n}}\n"
            "class B {\n C g1() { return null; }\n}\nclass C {}"
        )

    assert calls_of(lambda: resolve(1000)) < 3 * calls_of(lambda: resolve(500))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(SOURCES)), st.integers(0, 3000), st.integers(0, 200)), max_size=6))
def test_no_broken_program_raises(damage: list[tuple[str, int, int]]) -> None:
    texts = dict(SOURCES)
    for path, start, length in damage:
        texts[path] = texts[path][:start] + texts[path][start + length :]
    all_edges(MemoryProgram(texts))


class _Counting(MemoryProgram):
    """Counts how often references are asked for that nobody has announced."""

    surprises = 0

    def references(self, file: int) -> BlobReferences:
        self.surprises += file not in self._references
        return super().references(file)

    def expect(self, files: Iterable[int]) -> None:
        for file in files:
            super().references(file)


def test_what_a_file_imports_and_uses_of_its_package_is_read_together() -> None:
    texts = {f"src/a/b/C{number}.java": f"package a.b;\nclass C{number} {{}}\n" for number in range(30)}
    texts |= {f"src/a/x/D{number}.java": f"package a.x;\nclass D{number} {{}}\n" for number in range(30)}
    imports = "".join(f"import a.x.D{number};\n" for number in range(30))
    made = "".join(f"    new C{number}(); new D{number}();\n" for number in range(30))
    texts["src/a/b/Main.java"] = f"package a.b;\n{imports}class Main {{\n  void run() {{\n{made}  }}\n}}\n"
    program = _Counting(texts)
    links = JavaResolver(program).links(program.files["src/a/b/Main.java"])
    assert len([link for link in links if link.type == "invokes"]) == 60
    assert program.surprises <= 1
