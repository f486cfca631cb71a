"""A store that another process clears or collects during a search: the answer is whole, or says that it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from tests.surfaces.conftest import build_shop
from trackdown.engine.indexing.housekeeping import collect, drop_manifests, held
from trackdown.index import BLOBS, COMMITS
from trackdown.settings import Settings
from trackdown.store.clearing import clear_stores
from trackdown.store.store import Store
from trackdown.types import SearchResults

QUERY = "autograph the biscuit of a session, or dissect the headline"
Vanish = Callable[[Path], None]


def cleared(top: Path) -> None:
    clear_stores(top)


def collected(top: Path) -> None:
    store = Store(top)
    drop_manifests(store, held(store))
    collect(store)
    store.close()


def without_arrays(top: Path) -> None:
    store = Store(top)
    for name in store.array_names():
        store.delete_arrays(name)
    store.close()


def without_facts_and_vectors(top: Path) -> None:
    store = Store(top)
    for kind in (BLOBS, COMMITS):
        store.database.delete_facts(kind, store.database.fact_keys(kind))
    for name in store.array_names():
        if name.startswith("vectors-"):
            store.delete_arrays(name)
    store.close()


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    return build_shop(tmp_path / "shop")


@pytest.fixture
def tiny(settings: Settings, tmp_path: Path) -> Settings:
    """Settings with models that find code without a common word."""
    return replace(settings, models=str(make_models(tmp_path / "models")))


def told(answer: SearchResults) -> Any:
    return [(result.path, result.symbol, result.score, result.why, result.snippet) for result in answer]


class At:
    """Does something when a search asks for the n-th time whether it is cancelled; it never is."""

    def __init__(self, number: int, what: Callable[[], None]) -> None:
        self.number = number
        self.what = what

    def __call__(self) -> bool:
        self.number -= 1
        if self.number == 0:
            self.what()
        return False


@pytest.mark.parametrize("vanish", [cleared, collected, without_arrays, without_facts_and_vectors])
def test_a_search_beside_a_store_that_vanishes_loses_no_signal(shop: Repo, tiny: Settings, vanish: Vanish) -> None:
    def search(at: int) -> tuple[SearchResults, bool]:
        """The answer of a search during which the store vanishes, and whether it still ran then."""
        with trackdown.open(shop.root, settings=tiny) as opened:
            opened.index()
            opened.indexes.forget()
            hook = At(at, lambda: vanish(tiny.store))
            with trackdown.open(shop.root, settings=tiny) as other:
                return other.search(QUERY, effort="thorough", cancelled=hook), hook.number <= 0

    clean, _ = search(1 << 30)
    signals = {why.signal for result in clean for why in result.why}
    assert {"dense", "encoder", "commits"} <= signals and not clean.partial
    number, running = 1, True
    while running:
        answer, running = search(number)
        assert told(answer) == told(clean) and not answer.partial and answer.notes == ()
        number += 1
    assert number > 5, "the store vanished at several moments of the search"


def test_vectors_are_made_from_the_files_if_their_facts_are_gone(shop: Repo, tiny: Settings) -> None:
    with trackdown.open(shop.root, settings=tiny) as opened:
        wanted = [segment.rows.tolist() for segment in opened.corpus().vectors().segments]  # type: ignore[union-attr]
        assert any(map(any, wanted[0]))
    with trackdown.open(shop.root, settings=tiny) as opened:
        corpus = opened.corpus()
        clear_stores(tiny.store)
        assert [segment.rows.tolist() for segment in corpus.vectors().segments] == wanted  # type: ignore[union-attr]


def test_files_that_change_while_their_facts_are_gone_are_searched_as_they_are(shop: Repo, tiny: Settings) -> None:
    def change() -> None:
        clear_stores(tiny.store)
        shop.write("web/session.py", "def sign_cookie(header):\n    return header\n")

    trackdown.open(shop.root, settings=tiny).index()
    with trackdown.open(shop.root, settings=tiny) as opened:
        answer = opened.search(QUERY, effort="fast", cancelled=At(1, change))
    with trackdown.open(shop.root, settings=tiny) as fresh:
        assert told(answer) == told(fresh.search(QUERY, effort="fast")) and not answer.partial
        assert "dense" in {why.signal for result in answer for why in result.why}


def test_whole_messages_are_judged_even_if_their_facts_are_gone(shop: Repo, tiny: Settings) -> None:
    shop.commit("Begin something\n\nIt signs the cookie of the session.")
    with trackdown.open(shop.root, settings=tiny) as opened:
        corpus = opened.corpus()
        assert corpus.history is not None and corpus.messages is not None
        every = range(len(corpus.history[0].times))
        wanted = corpus.messages(every)
        clear_stores(tiny.store)
        assert corpus.messages(every) == wanted and any("\n" in message for message in wanted)


def test_an_update_of_the_history_survives_that_the_store_is_cleared_before_it(shop: Repo, settings: Settings) -> None:
    with trackdown.open(shop.root, settings=settings) as opened:
        opened.search("session")
        shop.commit("Sign another cookie", {"web/other.py": "def sign_other_cookie():\n    pass\n"})

        def progress(step: str, done: int, total: int | None) -> None:
            if step == "parse":
                clear_stores(settings.store)

        found = opened.search("sign another cookie", progress=progress)
        assert "commits" in {why.signal for result in found for why in result.why} and not found.partial
