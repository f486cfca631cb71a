"""Garbage collection: what a manifest names stays, the rest goes, and no answer ever changes by it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.index.edits import Editor, answers, fresh_answers
from trackdown.engine.indexing.housekeeping import collect, collect_beyond_limit, forget, held
from trackdown.index.blob_facts import BLOBS
from trackdown.index.code_update import CODE_MANIFESTS
from trackdown.index.commit_update import COMMIT_MANIFESTS, COMMITS
from trackdown.index.identity import repository_id
from trackdown.settings import Settings
from trackdown.store.garbage_collection import StoredManifest, beyond_limit, drop_manifests, sweep_unused
from trackdown.store.store import Store

Opener = Callable[[Path | str], trackdown.Repository]


@pytest.fixture
def store(settings: Settings) -> Store:
    return Store(settings.store)


def manifest(name: str, used: float, *arrays: str, kind: str = "code") -> StoredManifest:
    return StoredManifest(kind, name, "history-1", used, arrays)


def test_array_files_that_no_manifest_names_go(store: Store) -> None:
    for name in ("base", "delta", "old", "other"):
        store.write_arrays(name, {"x": np.arange(10)}, {})
    sweep_unused(store, [manifest("a", 1.0, "base", "delta"), manifest("b", 2.0, "base", "other")], lambda kind: None)
    assert store.array_names() == ["base", "delta", "other"]


def test_facts_that_are_not_live_go_and_kinds_without_a_word_stay(store: Store) -> None:
    store.database.write_facts("blob", [("live", b"1"), ("dead", b"2")])
    store.database.write_facts("commit", [("any", b"3")])
    sweep_unused(store, [], lambda kind: {"live", "never"} if kind == "blob" else None)
    assert store.database.fact_keys("blob") == ["live"]
    assert store.database.fact_keys("commit") == ["any"]


def test_the_least_recently_used_go_until_the_rest_fits_in_half_the_limit(store: Store) -> None:
    size = 0
    for name in ("base", "d1", "d2", "d3"):
        size = store.write_arrays(name, {"x": np.arange(10_000)}, {})
    manifests = [manifest(f"m{number}", float(number), "base", f"d{number}") for number in (2, 1, 3)]

    def going(limit: int) -> list[str]:
        return [item.key for item in beyond_limit(store, manifests, limit)]

    assert going(8 * size) == []  # base and three deltas
    assert going(8 * size - 1) == ["m1"]
    assert going(6 * size - 1) == ["m2", "m1"]
    assert going(0) == ["m2", "m1"]  # the latest is in use


def test_the_latest_of_each_kind_stays_whatever_its_size(store: Store) -> None:
    for name in ("code", "commits"):
        store.write_arrays(name, {"x": np.arange(10_000)}, {})
    manifests = [manifest("a", 5.0, "code"), manifest("b", 1.0, "commits", kind="commits"), manifest("c", 0.0, "code")]
    assert [item.key for item in beyond_limit(store, manifests, 0)] == ["c"]


def test_dropped_manifests_are_gone_and_others_stay(store: Store) -> None:
    store.database.write_record("code", "a", b"1")
    store.database.write_record("code", "b", b"2")
    drop_manifests(store, [manifest("a", 0.0)])
    assert [key for key, _, _ in store.database.records("code")] == ["b"]


def edited(repo: Repo, open_repo: Opener, seed: int = 1) -> trackdown.Repository:
    """A repository whose store holds a base, deltas and a commit index."""
    editor = Editor(repo, seed)
    for _ in range(3):
        with open_repo(repo.root) as opened:
            answers(opened, ["parse the session cookie"])
        editor.modify()
        editor.commit()
    return open_repo(repo.root)


def test_collecting_keeps_what_is_live_and_the_answers(repo: Repo, open_repo: Opener, store: Store) -> None:
    opened = edited(repo, open_repo)
    before = answers(opened)
    arrays, blobs, commits = store.array_names(), store.database.fact_keys(BLOBS), store.database.fact_keys(COMMITS)
    collect(store)
    named = {name for item in held(store) for name in item.arrays}
    assert set(store.array_names()) == named <= set(arrays)
    assert store.database.fact_keys(BLOBS) == blobs and store.database.fact_keys(COMMITS) == commits
    assert answers(opened) == before
    with open_repo(repo.root) as again:
        assert answers(again) == before


def test_what_no_manifest_holds_on_to_is_collected(repo: Repo, open_repo: Opener, store: Store) -> None:
    opened = edited(repo, open_repo)
    before = answers(opened)
    code = [item for item in held(store) if item.kind == CODE_MANIFESTS]
    assert len(code) >= 4
    store.write_arrays("code-orphan", {"x": np.arange(5)}, {})
    store.database.write_facts(BLOBS, [("f" * 40 + ":python:1", b"x")])
    store.database.write_facts(COMMITS, [("f" * 40 + ":1", b"x")])
    blobs = len(store.database.fact_keys(BLOBS))
    drop_manifests(store, code[1:])
    collect(store)
    assert "code-orphan" not in store.array_names()
    assert not any(key.startswith("f" * 40) for kind in (BLOBS, COMMITS) for key in store.database.fact_keys(kind))
    assert len(store.database.fact_keys(BLOBS)) < blobs
    with open_repo(repo.root) as again:
        assert answers(again) == before


def test_a_store_below_its_limit_is_left_alone(repo: Repo, open_repo: Opener, store: Store) -> None:
    edited(repo, open_repo)
    store.write_arrays("code-orphan", {"x": np.arange(5)}, {})
    assert not collect_beyond_limit(store, store.index_size() + 1)
    assert "code-orphan" in store.array_names()


def test_beyond_the_limit_the_snapshots_used_last_stay(repo: Repo, open_repo: Opener, store: Store) -> None:
    opened = edited(repo, open_repo)
    before = answers(opened)
    with sqlite3.connect(store.database.path) as connection:  # all but the one just searched were used an hour ago
        latest = max(held(store), key=lambda item: (item.kind == CODE_MANIFESTS, item.used)).key
        connection.execute("UPDATE records SET used = used - 3600 WHERE kind='code' AND key<>?", (latest,))
    size = store.index_size()
    assert collect_beyond_limit(store, 1)
    kinds = [item.kind for item in held(store)]
    assert sorted(kinds) == [CODE_MANIFESTS, COMMIT_MANIFESTS]
    assert latest in [item.key for item in held(store)]
    assert store.index_size() < size
    with open_repo(repo.root) as again:
        assert answers(again) == before


def test_an_old_snapshot_that_was_collected_is_searched_again_with_the_same_answer(
    repo: Repo, open_repo: Opener, store: Store
) -> None:
    opened = edited(repo, open_repo)
    old = repo.git("rev-parse", "HEAD~2")

    def asked(source: trackdown.Repository) -> list[tuple[str, str, float]]:
        found = source.search("parse the session cookie", k=50, at=old)
        return [(result.path, result.symbol, result.score) for result in found]

    before = asked(opened)
    opened.search("parse")
    drop_manifests(store, [item for item in held(store) if item.kind == CODE_MANIFESTS][1:])
    collect(store)
    with open_repo(repo.root) as again:
        assert asked(again) == before and before


def test_forgetting_a_repository_leaves_the_others(
    make_repo: Callable[[str], Repo], open_repo: Opener, store: Store
) -> None:
    first, second = make_repo("first"), make_repo("second")
    first.commit("begin one", {"src/a.py": "def parse_one(): pass\n", "src/both.py": "def shared(): pass\n"})
    second.commit("begin two", {"src/b.py": "def parse_two(): pass\n", "src/both.py": "def shared(): pass\n"})
    one, two = open_repo(first.root), open_repo(second.root)
    one.search("parse")
    before = answers(two, ["parse shared"])
    forget(store, one.source, repository_id(store, one.source, first.git("rev-parse", "HEAD")))
    assert len({item.repository for item in held(store)}) == 1
    assert len(store.database.fact_keys(BLOBS)) == 2 and len(store.database.fact_keys(COMMITS)) == 1
    with open_repo(second.root) as again:
        assert answers(again, ["parse shared"]) == before
    with open_repo(first.root) as again:
        assert [result.symbol for result in again.search("parse_one")] == ["parse_one"]


def test_a_reader_goes_on_with_what_it_has_open_when_it_is_collected(
    repo: Repo, open_repo: Opener, store: Store
) -> None:
    opened = edited(repo, open_repo)
    before = answers(opened)
    drop_manifests(store, held(store))
    collect(store)
    assert store.array_names() == [] and store.database.fact_keys(BLOBS) == []
    assert answers(opened) == before


def test_a_limit_that_nothing_fits_in_costs_time_and_no_answer(repo: Repo, settings: Settings, tmp_path: Path) -> None:
    tight = replace(settings, store_limit_mb=0)
    editor = Editor(repo, 3)
    for step in range(4):
        editor.step()
        with trackdown.open(repo.root, settings=tight) as opened:
            assert answers(opened) == fresh_answers(repo.root, settings, tmp_path / f"fresh{step}")
