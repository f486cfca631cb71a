"""The index as the graph sees it: references are facts, made once, and never trusted when they are damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine.indexing.housekeeping import collect
from trackdown.index.program import REFERENCES, IndexedProgram
from trackdown.settings import Settings
from trackdown.store.store import Store

Open = Callable[[Path | str], trackdown.Repository]
CART = "from app.money import total\n\n\ndef checkout(cart):\n    return total(cart)\n"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(
        "Shop",
        {
            "app/cart.py": CART,
            "app/money.py": "def total(items):\n    return 1\n",
            "tsconfig.json": "{}\n",
            "app/copy.py": CART,
        },
    )
    return repo


def program_of(repository: trackdown.Repository, at: str | None = None) -> IndexedProgram:
    found = repository.corpus(at).graph().program
    assert isinstance(found, IndexedProgram)
    return found


def kept(settings: Settings) -> dict[str, bytes]:
    store = Store(settings.store)
    try:
        return store.database.read_facts(REFERENCES, store.database.fact_keys(REFERENCES))
    finally:
        store.close()


def test_definitions_and_names(shop: Repo, open_repo: Open) -> None:
    program = program_of(open_repo(shop.root))
    (checkout,) = program.definitions(program.files["app/cart.py"])
    assert (checkout.symbol, checkout.kind, checkout.start_line, checkout.end_line) == ("checkout", "function", 4, 5)
    assert {program.path(one.file) for one in program.named("checkout")} == {"app/cart.py", "app/copy.py"}
    assert list(program.named("gone")) == []


def test_files_that_mention_a_name(shop: Repo, open_repo: Open) -> None:
    program = program_of(open_repo(shop.root))
    assert {program.path(file) for file in program.mentioning("total")} == {
        "app/cart.py",
        "app/copy.py",
        "app/money.py",
    }
    assert list(program.mentioning("no_such_name")) == []


def test_references_are_kept_once_for_equal_contents(shop: Repo, open_repo: Open, settings: Settings) -> None:
    program = program_of(open_repo(shop.root))
    program.expect(program.files.values())
    assert program.references(program.files["app/cart.py"]).imports[0].module == "app.money"
    assert len(kept(settings)) == 3  # two equal files share one fact
    again = program_of(open_repo(shop.root))
    assert again.references(again.files["app/copy.py"]) == program.references(program.files["app/cart.py"])


def test_damaged_references_are_read_anew(shop: Repo, open_repo: Open, settings: Settings) -> None:
    program_of(open_repo(shop.root)).expect([0, 1, 2, 3])
    (database,) = settings.store.rglob("facts.sqlite3")
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE facts SET value=? WHERE kind=?", (b"\xc1nonsense", REFERENCES))
    program = program_of(open_repo(shop.root))
    assert program.references(program.files["app/cart.py"]).imports[0].name == "total"


def test_what_lives_is_kept_when_garbage_is_collected(shop: Repo, open_repo: Open, settings: Settings) -> None:
    program_of(open_repo(shop.root)).expect([0, 1, 2, 3])
    before = kept(settings)
    store = Store(settings.store)
    collect(store)
    assert kept(settings) == before
    open_repo(shop.root).clear()
    assert kept(settings) == {}
    store.close()


def test_an_edit_is_seen_and_the_past_stays(shop: Repo, open_repo: Open) -> None:
    repository = open_repo(shop.root)
    shop.write("app/cart.py", "def other():\n    return 2\n")
    now, past = program_of(repository), program_of(repository, "HEAD")
    assert [one.symbol for one in now.definitions(now.files["app/cart.py"])] == ["other"]
    assert not now.references(now.files["app/cart.py"]).imports
    assert past.references(past.files["app/cart.py"]).imports


@pytest.mark.parametrize("at", [None, "HEAD"])
def test_texts_of_files_that_are_no_code(shop: Repo, open_repo: Open, at: str | None) -> None:
    program = program_of(open_repo(shop.root), at)
    assert program.text("tsconfig.json") == "{}\n"
    assert program.text("../outside") is None
    assert program.text("gone.json") is None
