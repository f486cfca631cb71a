"""Who is near whom: along folders, files and classes, and along resolved edges, in a real repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import rank, with_mode
from trackdown.expand.neighbours import neighbour_finder
from trackdown.expand.spider import Expansion
from trackdown.index.corpus import Corpus
from trackdown.pipeline import SearchPlan
from trackdown.retrieve.candidate_pool import candidates
from trackdown.types import Level

CART = """from app.money import total


class Cart:
    def add(self, item):
        return self.sum()

    def sum(self):
        return total(self.items)


def checkout(cart):
    return cart
"""
PAGE = """from app.cart import Cart


class BigCart(Cart):
    pass


def show():
    return Cart()
"""
FILES = {"app/cart.py": CART, "app/money.py": "def total(items):\n    return len(items)\n", "web/page.py": PAGE}


@pytest.fixture
def prepared(repo: Repo, open_repo: Callable[[Path | str], trackdown.Repository]) -> Corpus:
    repo.commit("Shop", FILES)
    return open_repo(repo.root).corpus()


def near(prepared: Corpus, name: str, expansion: Expansion, level: Level = "function") -> dict[str, str]:
    """The neighbours of a candidate, with what is said of them."""
    code = prepared.code
    pool = candidates(code, level)
    names = {
        code.symbol(int(unit)) if unit >= 0 else code.path(int(file)): number
        for number, (unit, file) in enumerate(zip(pool.units, pool.files, strict=True))
    }
    find = neighbour_finder(code, prepared.graph, pool.units.tolist(), pool.files.tolist(), level, expansion)
    others = [number for number in names.values() if number != names[name]]
    by_number = {number: name for name, number in names.items()}
    return {by_number[one.candidate]: one.relation for one in find(names[name], others)}


def test_distance_along_contains(prepared: Corpus) -> None:
    assert near(prepared, "Cart.add", Expansion(depth=2)) == {"Cart.sum": "in Cart, too"}
    assert near(prepared, "Cart.add", Expansion(depth=3)) == {
        "Cart.sum": "in Cart, too",
        "checkout": "in app/cart.py, too",
    }
    assert set(near(prepared, "checkout", Expansion(depth=4))) == {"Cart.add", "Cart.sum", "total"}
    assert set(near(prepared, "checkout", Expansion(depth=6))) == {"Cart.add", "Cart.sum", "total", "show"}


def test_callers_and_callees(prepared: Corpus) -> None:
    out = Expansion(edges=("invokes",), direction="out")
    assert near(prepared, "Cart.add", out) == {"Cart.sum": "called by Cart.add"}
    into = Expansion(edges=("invokes",), direction="in")
    assert near(prepared, "total", into) == {"Cart.sum": "calls total"}
    both = Expansion(hops=2, edges=("invokes",))
    assert set(near(prepared, "total", both)) == {"Cart.sum", "Cart.add"}


def test_classes(prepared: Corpus) -> None:
    assert near(prepared, "Cart", Expansion(edges=("inherits",)), "class") == {"BigCart": "inherits from Cart"}


def test_files_along_imports(prepared: Corpus) -> None:
    found = near(prepared, "app/cart.py", Expansion(edges=("imports",)), "file")
    assert found == {"app/money.py": "imported by app/cart.py", "web/page.py": "imports app/cart.py"}


def test_a_search_with_a_graph_says_what_moved(repo: Repo, open_repo: Callable[..., trackdown.Repository]) -> None:
    body = "\n".join(f"def other_{n}(cart):\n    return cart\n" for n in range(30))
    unlike = CART + "\n\ndef unlike():\n    cart = 1\n"
    repo.commit("Shop", FILES | {"app/many.py": body, "app/cart.py": unlike})
    prepared = open_repo(repo.root).corpus()
    plain = [place.symbol for place in rank(prepared, "checkout of the cart", SearchPlan(k=20))]
    expanded = SearchPlan(k=20, expansion=Expansion(window=10, centres=1, depth=2, selector="none"))
    moved = [place.symbol for place in rank(prepared, "checkout of the cart", expanded)]
    assert plain[0] == moved[0] == "checkout"
    assert plain[1] != "unlike" and moved[1] == "unlike"


def test_the_modes_of_the_graph(prepared: Corpus) -> None:
    for name in ("spider", "spider@2", "callees", "callers", "graph"):
        options = with_mode(SearchPlan(), f"hybrid+{name}")
        assert options.expansion is not None
        assert rank(prepared, "sum of the cart", options)
