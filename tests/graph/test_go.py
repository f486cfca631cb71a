"""Go's edges agree with what people have checked; how they were found is told; nothing raises or hangs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.programs import MemoryProgram, agreement, all_edges, shown
from tests.growth import calls_of

FOLDER = Path(__file__).parent / "fixtures" / "go"
SOURCES = {
    path.relative_to(FOLDER / "repo").as_posix(): path.read_text("utf-8")
    for path in sorted((FOLDER / "repo").rglob("*"))
    if path.is_file()
}
MODULE = "module example.com/m\n"


def edges(texts: dict[str, str]) -> list[str]:
    """The edges of a program, as `how type source -> target`."""
    return [f"{edge.how} {shown(edge)}" for edge in all_edges(MemoryProgram(texts))]


def body(code: str, rest: str = "") -> list[str]:
    """The edges of a file with a function `f`."""
    return edges({"a.go": f"package p\n\nfunc f() {{\n{code}\n}}\n{rest}\n"})


def test_agrees_with_checked_edges() -> None:
    found = agreement(FOLDER)
    assert found.right + len(found.missed) >= 70
    assert found.precision >= 0.95, found.wrong
    assert found.recall >= 0.85, found.missed


def test_the_longest_module_wins() -> None:
    use = 'package p\nimport "example.com/m/tools/x"\nfunc f() { x.Run() }\n'
    run = "package x\nfunc Run() {}\n"
    texts = {"go.mod": MODULE, "a.go": use, "tools/x/x.go": run, "other/x/x.go": run}
    assert "exact invokes a.go:f -> tools/x/x.go:Run" in edges(texts)
    texts["other/go.mod"] = "module example.com/m/tools\n"
    assert "exact invokes a.go:f -> other/x/x.go:Run" in edges(texts)


def test_without_modules_a_path_ends_with_its_folder() -> None:
    use = 'package p\nimport "github.com/owner/name/x"\nimport "json/x"\nfunc f() { x.Run() }\n'
    found = edges({"a.go": use.replace('import "json/x"\n', ""), "x/x.go": "package x\nfunc Run() {}\n"})
    assert "exact invokes a.go:f -> x/x.go:Run" in found


def test_copies_of_others_do_not_count() -> None:
    use = 'package p\nimport "example.com/other"\nfunc f() { other.Run() }\n'
    texts = {
        "go.mod": MODULE,
        "a.go": use,
        "vendor/example.com/other/o.go": "package other\nfunc Run() { Run2() }\nfunc Run2() {}\n",
    }
    assert edges(texts) == []


def test_an_import_leads_to_the_files_that_are_used() -> None:
    texts = {
        "go.mod": MODULE,
        "a.go": 'package p\nimport "example.com/m/x"\nfunc f() { x.One() }\n',
        "b.go": 'package p\nimport _ "example.com/m/x"\n',
        "x/one.go": "package x\nfunc One() {}\n",
        "x/two.go": "package x\nfunc Two() {}\n",
        "x/two_test.go": "package x\nfunc Three() {}\n",
    }
    assert [edge for edge in edges(texts) if " imports " in edge] == [
        "exact imports a.go -> x/one.go",
        "scoped imports b.go -> x/one.go",
        "scoped imports b.go -> x/two.go",
    ]


def test_tests_are_seen_by_tests_alone() -> None:
    texts = {
        "a.go": "package p\nfunc f() { helper() }\n",
        "a_test.go": "package p\nfunc TestF() { helper() }\nfunc helper() {}\n",
        "b_test.go": "package p_test\nfunc TestG() { helper() }\n",
    }
    assert edges(texts) == ["exact invokes a_test.go:TestF -> a_test.go:helper"]


def test_either_build_is_possible() -> None:
    texts = {
        "a.go": "package p\nfunc f() { run() }\n",
        "run_linux.go": "package p\nfunc run() {}\n",
        "run_windows.go": "package p\nfunc run() {}\n",
    }
    assert edges(texts) == ["scoped invokes a.go:f -> run_linux.go:run", "scoped invokes a.go:f -> run_windows.go:run"]


def test_the_nearest_embedded_method_is_meant() -> None:
    rest = "type A struct { B }\ntype B struct { C; D }\ntype C struct{}\ntype D struct{ E }\ntype E struct{}\n"
    rest += "func (C) run() {}\nfunc (E) run() {}\nfunc (E) deep() {}\n"
    found = body("var a A\na.run()\na.deep()\na.B.D.run()", rest)
    assert [edge for edge in found if "invokes" in edge] == [
        "exact invokes a.go:f -> a.go:C.run",
        "exact invokes a.go:f -> a.go:E.deep",
        "exact invokes a.go:f -> a.go:E.run",
    ]


def test_results_are_followed() -> None:
    rest = "type T struct{}\nfunc (T) run() T { return T{} }\nfunc two() (int, *T) { return 0, nil }\n"
    found = body("_, t := two()\nt.run().run()", rest)
    assert "exact invokes a.go:f -> a.go:T.run" in found


def test_a_variable_may_have_the_name_of_its_type() -> None:
    found = edges(
        {
            "a.go": "package p\nfunc f(node *node, x *node) { node.run(); x.run() }\n"
            "type node struct{}\nfunc (n *node) run() {}\n"
        }
    )
    assert found == ["exact invokes a.go:f -> a.go:node.run"]


def test_locals_hide_functions() -> None:
    assert body("run := get()\nrun()\n{ stop := 1; stop() }\nstop()", "func run() {}\nfunc stop() {}\n") == [
        "exact invokes a.go:f -> a.go:stop"
    ]


def test_a_rare_name_is_enough_where_nothing_else_is_known() -> None:
    rest = "type T struct{}\nfunc (T) frobnicate() {}\nfunc (T) Close() {}\n"
    assert body("x := struct{ y T }{}\nx.y.frobnicate()\nx.y.Close()", rest) == [
        "name invokes a.go:f -> a.go:T.frobnicate"
    ]


def test_what_lies_outside_has_no_methods_of_ours() -> None:
    use = (
        'package p\nimport "net/http"\nfunc f(r *http.Request) { r.frobnicate(); http.frobnicate(); e.frobnicate() }\n'
    )
    assert edges({"a.go": use, "b.go": "package p\ntype T struct{}\nfunc (T) frobnicate() {}\n"}) == []


@pytest.mark.parametrize(
    "code",
    [
        "type A struct { B }\ntype B struct { *A }\nfunc f(a A) { a.run(); a.x.y() }",
        "type A B\ntype B A\nfunc f(a A) { a.run(); a[0].run() }",
        "type A = A\nfunc f(a A) { a.run() }",
        "type I interface { I }\nfunc f(i I) { i.run() }",
        "var a = b\nvar b = a\nfunc f() { a.run(); x := x; x.run(); y, z := z, y; y.run() }",
        "func f() T { return f().f().g() }",
    ],
)
def test_cycles_end(code: str) -> None:
    edges({"a.go": f"package p\n{code}\n"})


def test_packages_that_import_each_other_end() -> None:
    one = 'package one\nimport "example.com/m/two"\nvar X = two.Y\nfunc F() { X.run() }\n'
    edges(
        {
            "go.mod": MODULE,
            "one/a.go": one,
            "two/a.go": one.replace("one", "1").replace("two", "one").replace("1", "two"),
        }
    )


def test_long_chains_of_variables_and_types_end() -> None:
    def resolve(count: int) -> None:
        variables = "".join(f"x{number} := x{number + 1}.y\n" for number in range(4 * count))
        types = "".join(f"type T{number} struct {{ T{number + 1} }}\n" for number in range(count))
        body(variables + "x0.run()\nvar t T0\nt.run()", types)

    assert calls_of(lambda: resolve(500)) < 4 * calls_of(lambda: resolve(250))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(SOURCES)), st.integers(0, 2000), st.integers(0, 200)), max_size=6))
def test_no_broken_program_raises(damage: list[tuple[str, int, int]]) -> None:
    texts = dict(SOURCES)
    for path, start, length in damage:
        texts[path] = texts[path][:start] + texts[path][start + length :]
    all_edges(MemoryProgram(texts))


def test_a_go_mod_of_empty_lines_takes_no_time() -> None:
    caller = 'package a\nimport "example.com/m/b"\nfunc F() { b.G() }\n'
    texts = {"go.mod": "\n" * 50_000 + MODULE, "a.go": caller, "b/b.go": "package b\nfunc G() {}\n"}
    started = time.process_time()
    assert any(edge.startswith("exact invokes") for edge in edges(texts))
    assert time.process_time() - started < 1
