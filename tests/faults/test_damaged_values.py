"""Single bits of stored values flip, rows change places: every command answers as ever, and says what it rebuilt."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.faults.holdings import arrays_of, database_of
from tests.rerank.tiny_models import make_models
from tests.rewrite.scribe import Scribe
from tests.surfaces.conftest import build_shop
from trackdown.engine.llm.rewrite_units import rewrite_snapshot
from trackdown.settings import Settings, load_settings

pytestmark = pytest.mark.slow
QUERY = "autograph the biscuit of a session, or dissect the headline"
KINDS = [
    ("facts", "blob"),
    ("facts", "commit"),
    ("facts", "references"),
    ("facts", "vector"),
    ("facts", "relevance"),
    ("facts", "rewrite"),
    ("facts", "unit-texts"),
    ("facts", "llm"),
    ("records", "code"),
    ("records", "commits"),
    ("records", "repository"),
    ("records", "rewriter"),
    ("records", "worktree"),
]
NOT_MADE_AGAIN = {"rewrite": ("reco", "rewrites"), "rewriter": ("rewrites",)}
"""Kinds whose values only a language model can make again, and what of the answers may differ without them."""


@dataclass(frozen=True)
class Kept:
    """A repository, settings with a store that holds every kind of value, and what the commands answer."""

    shop: Repo
    settings: Settings
    answers: Any

    def copied(self, top: Path) -> Settings:
        """Settings with a copy of the store, to be damaged."""
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(self.settings.store, top)
        return replace(self.settings, store=top)


def asked(settings: Settings, place: Path) -> tuple[dict[str, Any], list[str]]:
    """What the commands answer, each in a process of its own as it were, and all their notes."""
    answers: dict[str, Any] = {}
    notes: list[str] = []
    for name in ("search", "reco", "status", "history", "related", "graph"):
        with trackdown.open(place, settings=settings) as opened:
            if name == "search":
                found: Any = opened.search(QUERY, effort="thorough")
                answers[name] = [(r.path, r.symbol, r.score, r.snippet, r.why) for r in found]
            elif name == "reco":
                found = opened.search("quagga of the session", reco=True, rerank=False)
                answers[name] = [(r.path, r.symbol, r.score, r.snippet, r.why) for r in found]
            elif name == "status":
                found = opened.index()
                answers[name] = (found.ready, found.files, found.units, found.languages, found.commits)
            elif name == "history":
                found = opened.history("sign the cookie")
                answers[name] = found.commits
            elif name == "related":
                found = opened.related("web/session.py:8")
                answers[name] = replace(found, notes=())
            else:
                found = opened.graph("Session")
                answers[name] = replace(found, notes=())
            if name == "reco":
                answers["rewrites"] = [note for note in found.notes if "rewrite" in note]
            notes += [note for note in found.notes if "rewrite" not in note]
    return answers, notes


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("kept")
    shop = build_shop(folder / "shop")
    settings = load_settings({"HOME": str(folder)}, store=folder / "store", models=str(make_models(folder / "models")))
    with trackdown.open(shop.root, settings=settings) as opened:
        rewrite_snapshot(opened.corpus(), Scribe().client(opened.store), times=1, limit=None)
    answers, notes = asked(settings, shop.root)
    assert notes == [] and answers["reco"]
    with closing(sqlite3.connect(database_of(settings.store))) as database:
        for table, kind in KINDS:
            assert database.execute(f"SELECT count(*) FROM {table} WHERE kind=?", (kind,)).fetchone()[0], kind
    return Kept(shop, settings, answers)


def holds_up(kept: Kept, settings: Settings, kind: str) -> None:
    """Assert that all commands answer as ever, with notes if something had to be built again, and then without."""
    answers, notes = asked(settings, kept.shop.root)
    assert all("damaged" in note or "rebuilding it" in note for note in notes)
    for name in NOT_MADE_AGAIN.get(kind, ()):
        if answers[name] != kept.answers[name]:
            assert answers["rewrites"] != kept.answers["rewrites"], "the answer says which units have a rewrite"
            answers[name] = kept.answers[name]
    assert answers == kept.answers
    if kind not in NOT_MADE_AGAIN:
        assert asked(settings, kept.shop.root) == (kept.answers, [])


def forget_indexes(settings: Settings) -> None:
    """Leave only the facts: all indexes are gathered from them again."""
    with closing(sqlite3.connect(database_of(settings.store))) as database, database:
        database.execute("DELETE FROM records WHERE kind IN ('code', 'commits')")
    for path in arrays_of(settings.store):
        path.unlink()


def flipped(value: Any, chance: random.Random) -> bytes:
    data = bytearray(value.encode() if isinstance(value, str) else value)
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("column", ["kind", "key", "value", "checksum"])
@pytest.mark.parametrize(("table", "kind"), KINDS)
def test_a_flipped_bit_changes_no_answer(kept: Kept, tmp_path: Path, table: str, kind: str, column: str) -> None:
    chance = random.Random(f"{kind} {column}")
    for from_facts in (False, True):
        settings = kept.copied(tmp_path / "store")
        with closing(sqlite3.connect(database_of(settings.store))) as database, database:
            rows = database.execute(f"SELECT rowid, {column} FROM {table} WHERE kind=?", (kind,)).fetchall()
            for row, value in rows[:: max(1, len(rows) // 3)]:
                as_text = "CAST(? AS TEXT)" if isinstance(value, str) else "?"
                bits = flipped(value, chance)
                database.execute(f"UPDATE OR REPLACE {table} SET {column}={as_text} WHERE rowid=?", (bits, row))
        if from_facts:
            forget_indexes(settings)
        holds_up(kept, settings, kind)


@pytest.mark.parametrize(("table", "kind"), [*KINDS[:8], ("records", "code"), ("records", "worktree")])
def test_rows_that_changed_places_change_no_answer(kept: Kept, tmp_path: Path, table: str, kind: str) -> None:
    settings = kept.copied(tmp_path / "store")
    with closing(sqlite3.connect(database_of(settings.store))) as database, database:
        others = database.execute(f"SELECT rowid, value, checksum FROM {table} WHERE kind=?", (kind,)).fetchall()
        if len(others) == 1:  # another kind's value then
            others += database.execute(f"SELECT rowid, value, checksum FROM {table} WHERE kind='commits'").fetchall()
        (one, *first), (two, *second) = others[0], others[-1]
        database.execute(f"UPDATE {table} SET value=?, checksum=? WHERE rowid=?", (*second, one))
        database.execute(f"UPDATE {table} SET value=?, checksum=? WHERE rowid=?", (*first, two))
    if table == "facts":
        forget_indexes(settings)
    holds_up(kept, settings, kind)


@pytest.mark.parametrize("used", [-1e308, 1e308, "soon", None, b"\xff"])
def test_a_damaged_time_changes_no_answer(kept: Kept, tmp_path: Path, used: Any) -> None:
    settings = kept.copied(tmp_path / "store")
    with closing(sqlite3.connect(database_of(settings.store))) as database, database:
        database.execute("PRAGMA writable_schema=ON")
        database.execute("UPDATE sqlite_master SET sql=replace(sql, 'used REAL NOT NULL', 'used') WHERE name='records'")
    with closing(sqlite3.connect(database_of(settings.store))) as database, database:
        database.execute("UPDATE records SET used=?", (used,))
    limited = replace(settings, store_limit_mb=0)
    kept.shop.write("web/new.py", "def new(): pass\n")
    try:
        with trackdown.open(kept.shop.root, settings=limited) as opened:
            opened.index()  # which also collects garbage, by the times
    finally:
        (kept.shop.root / "web" / "new.py").unlink()
    assert asked(kept.copied(tmp_path / "store"), kept.shop.root)[0] == kept.answers


def bit_flips(data: bytes, count: int, seed: int, first: int = 0) -> Iterator[bytes]:
    chance = random.Random(seed)
    for _ in range(count):
        place = chance.randrange(first, len(data))
        yield data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


@pytest.mark.parametrize("part", ["header", "pages"])
def test_a_flipped_bit_in_the_database_file_changes_no_answer(kept: Kept, tmp_path: Path, part: str) -> None:
    data = database_of(kept.settings.store).read_bytes()
    head = [change + data[100:] for change in bit_flips(data[:100], 25, seed=1)]
    for damaged in head if part == "header" else bit_flips(data, 25, seed=2, first=100):
        settings = kept.copied(tmp_path / "store")
        database_of(settings.store).write_bytes(damaged)
        forget_indexes_if_readable(settings)
        answers, _ = asked(settings, kept.shop.root)
        if answers != kept.answers:  # what only a language model can make again may be gone
            assert answers["rewrites"] != kept.answers["rewrites"]
            answers |= {name: kept.answers[name] for name in ("reco", "rewrites")}
            assert answers == kept.answers


def forget_indexes_if_readable(settings: Settings) -> None:
    try:
        forget_indexes(settings)
    except sqlite3.Error:
        pass


def test_a_flipped_bit_in_the_log_changes_no_answer(kept: Kept, tmp_path: Path) -> None:
    open_store = replace(kept.settings, store=tmp_path / "open")
    with trackdown.open(kept.shop.root, settings=open_store) as opened:
        expected = opened.search(QUERY, effort="fast")
        logs = {suffix: Path(f"{database_of(open_store.store)}-{suffix}") for suffix in ("wal", "shm")}
        assert all(log.stat().st_size for log in logs.values())
        for suffix, log in logs.items():
            for damaged in bit_flips(log.read_bytes(), 12, seed=3):
                settings = replace(open_store, store=tmp_path / "store")
                shutil.rmtree(settings.store, ignore_errors=True)
                shutil.copytree(open_store.store, settings.store)
                Path(f"{database_of(settings.store)}-{suffix}").write_bytes(damaged)
                with trackdown.open(kept.shop.root, settings=settings) as other:
                    assert other.search(QUERY, effort="fast").results == expected.results


def test_array_files_that_are_damaged_or_changed_places_change_no_answer(kept: Kept, tmp_path: Path) -> None:
    names = [path.name for path in arrays_of(kept.settings.store)]
    assert {name.split("-")[0] for name in names} == {"code", "commits", "vectors", "rewritten"}
    chance = random.Random(4)
    for number, name in enumerate(names):
        settings = kept.copied(tmp_path / "store")
        path = next(path for path in arrays_of(settings.store) if path.name == name)
        data = path.read_bytes()
        other = path.with_name(names[number - 1])
        path.write_bytes(flipped(data, chance))
        holds_up(kept, settings, "arrays")
        path.write_bytes(data[: chance.randrange(len(data))])
        holds_up(kept, settings, "arrays")
        path.write_bytes(other.read_bytes())
        other.write_bytes(data)
        holds_up(kept, settings, "arrays")
