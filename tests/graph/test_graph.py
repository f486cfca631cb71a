"""The graph itself: the tree, edges in both directions, and walks that end."""

from __future__ import annotations

from tests.graph.programs import MemoryProgram
from trackdown.graph.deadline import Deadline
from trackdown.graph.edges import Node
from trackdown.graph.graph import ROOT, Graph, enclosing
from trackdown.graph.walks import walk

CART = """import app.page


class Cart:
    def add(self):
        return helper()


def helper():
    return 1
"""
TEXTS = {
    "app/cart.py": CART,
    "app/page.py": "from app.cart import Cart, helper\n\n\ndef show():\n    return helper()\n",
    "README.md": "# Shop\n",
}


def graph() -> Graph:
    return Graph(MemoryProgram(TEXTS))


def node(found: Graph, path: str, symbol: str) -> Node:
    definitions = found.program.definitions(found.program.files[path])
    return found.node(next(one for one in definitions if one.symbol == symbol))


def test_the_tree_leads_up_and_down() -> None:
    found = graph()
    add = node(found, "app/cart.py", "Cart.add")
    way = [add]
    while (parent := found.parent(way[-1])) is not None:
        assert way[-1] in found.children(parent)
        way.append(parent)
    assert [one.id for one in way] == [add.id, node(found, "app/cart.py", "Cart").id, "app/cart.py", "app/", "/"]
    assert way[-1] == ROOT


def test_the_root_holds_folders_and_files() -> None:
    assert {one.path for one in graph().children(ROOT)} == {"app/", "README.md"}


def test_edges_out_are_edges_in_from_the_other_end() -> None:
    found = graph()
    helper = node(found, "app/cart.py", "helper")
    into = found.edges(helper, ("invokes",), "in")
    assert {edge.source.symbol for edge in into} == {"Cart.add", "show"}
    for edge in into:
        assert edge in found.edges(edge.source, ("invokes",), "out")


def test_an_import_cycle_does_not_keep_a_walk_from_ending() -> None:
    found = graph()
    seen = walk(found, [Node("file", "app/cart.py")], 50)
    assert not seen.cut
    assert {one.path for one, _ in seen.nodes} >= {"app/cart.py", "app/page.py", "/", "README.md"}


def test_a_walk_stops_at_its_bound_and_says_so() -> None:
    seen = walk(graph(), [ROOT], 10, most=3)
    assert seen.cut and len(seen.nodes) == 3


def test_a_walk_stops_at_its_deadline() -> None:
    late, early = Deadline(0.0), Deadline(600.0)
    assert {depth for _, depth in walk(graph(), [ROOT], 10, deadline=late).nodes} == {0, 1} and late.missed
    whole = walk(graph(), [ROOT], 10, deadline=early)
    assert set(whole.edges) == set(walk(graph(), [ROOT], 10).edges) and not early.missed


def test_only_what_was_asked_for() -> None:
    found = graph()
    page = Node("file", "app/page.py")
    assert {edge.type for edge in found.edges(page)} == {"contains", "imports"}
    assert all(edge.how == "exact" for edge in found.edges(page, hows=("exact",)))
    assert found.edges(Node("file", "gone.py"), ("imports", "invokes")) == []


def test_a_definition_that_is_gone_has_no_edges() -> None:
    assert graph().edges(Node("function", "app/cart.py", "gone", 1, 2), ("invokes",)) == []


def test_enclosing_symbols() -> None:
    assert enclosing("A.b.c", {"A", "A.b.c"}) == "A"
    assert enclosing("A.b", set()) == ""


def test_who_imports_something_of_a_file_imports_the_file() -> None:
    found = graph()
    into = found.edges(Node("file", "app/cart.py"), ("imports",), "in")
    assert {edge.source.path for edge in into} == {"app/page.py"}


def test_only_the_one_of_several_of_a_name_that_holds_it_contains_it() -> None:
    stubs = "def make(x): ...\n\n\ndef make(x):\n    def inner():\n        return 1\n\n    return inner\n"
    found = Graph(MemoryProgram({"a.py": stubs}))
    first, second = (found.node(one) for one in found.program.definitions(0) if one.symbol == "make")
    assert found.children(first) == [] and [one.symbol for one in found.children(second)] == ["make.inner"]


def test_an_object_that_is_called_is_found_by_its_class() -> None:
    texts = {
        "a.py": "class Adder:\n    def __call__(self, x):\n        return x\n",
        "b.py": "from a import Adder\n\n\ndef use():\n    add = Adder()\n    return add(1)\n",
    }
    found = Graph(MemoryProgram(texts))
    call = node(found, "a.py", "Adder.__call__")
    assert {edge.source.symbol for edge in found.edges(call, ("invokes",), "in")} == {"use"}


# Deadlines


def test_after_a_deadline_only_the_nearest_files_were_looked_at() -> None:
    texts = {"a/target.py": "def poll():\n    pass\n"}
    texts |= {f"z/far{number}.py": "from a.target import poll\n\n\ndef f():\n    poll()\n" for number in range(100)}
    texts |= {"a/near.py": "from a.target import poll\n\n\ndef near():\n    poll()\n"}
    program = MemoryProgram(texts)
    graph = Graph(program)
    target = graph.node(program.definitions(program.files["a/target.py"])[0])
    late, early = Deadline(0.0), Deadline(3600.0)
    some = graph.edges(target, ("invokes",), "in", deadline=late)
    assert late.missed and 0 < len(some) < 100 and some[0].source.path == "a/near.py"
    every = graph.edges(target, ("invokes",), "in", deadline=early)
    assert not early.missed and set(every) == set(graph.edges(target, ("invokes",), "in")) and len(every) == 101
