"""Whose folder it is: stores carry a mark, only they are used and removed, and nobody else can read them."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from trackdown.errors import StoreError
from trackdown.store.clearing import clear_stores
from trackdown.store.ownership import MARK
from trackdown.store.store import FORMAT, Store

OLD_SCHEMA = """
CREATE TABLE facts (kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE records (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, used REAL NOT NULL, PRIMARY KEY (kind, key));
PRAGMA user_version=1;
"""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def old_store(folder: Path) -> Path:
    """A store as versions without a mark made it, open to everybody."""
    with umask(0):
        (folder / "arrays").mkdir(parents=True)
        (folder / "arrays" / "code-a.arrays").write_bytes(b"arrays")
        with sqlite3.connect(folder / "facts.sqlite3") as connection:
            connection.executescript(OLD_SCHEMA)
        connection.close()
    return folder


def theirs(folder: Path) -> Path:
    """A folder that somebody else made."""
    folder.mkdir(parents=True)
    (folder / "thesis.tex").write_text("years of work")
    return folder


def open_to_others(top: Path) -> list[str]:
    """Everything at or below a folder that others may read, write or enter."""
    return [
        str(path.relative_to(top.parent))
        for path in (top, *top.rglob("*"))
        if stat.S_IMODE(path.lstat().st_mode) & 0o77
    ]


def test_the_mark_is_not_written_through_a_link(tmp_path: Path) -> None:
    Store(tmp_path / "store").close()
    mark, other = tmp_path / "store" / FORMAT / MARK, theirs(tmp_path / "other") / "thesis.tex"
    mark.unlink()
    mark.symlink_to(other)
    Store(tmp_path / "store").close()
    assert other.read_text() == "years of work" and mark.is_file() and not mark.is_symlink()


def test_clearing_removes_the_stores_of_all_versions_and_nothing_else(tmp_path: Path) -> None:
    Store(tmp_path).close()
    old_store(tmp_path / "v1")
    (tmp_path / "v12").mkdir()
    (tmp_path / "v12" / MARK).touch()
    kept = [theirs(tmp_path / name) for name in ("v3", "v2024-backup", "videos")]
    (tmp_path / "notes.txt").write_text("mine")
    before, after = clear_stores(tmp_path)
    assert before > 0 and after == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "v2024-backup", "v3", "videos"]
    assert all((folder / "thesis.tex").read_text() == "years of work" for folder in kept)


def test_clearing_what_is_not_a_store_is_refused(tmp_path: Path) -> None:
    theirs(tmp_path / "v1")
    with pytest.raises(StoreError, match="is not a store of Trackdown: nothing was removed"):
        clear_stores(tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["v1", "v1/thesis.tex"]


@pytest.mark.parametrize("tables", ["facts", "facts records others", "things"])
def test_a_database_with_other_tables_is_not_ours(tmp_path: Path, tables: str) -> None:
    (tmp_path / "v1").mkdir()
    with sqlite3.connect(tmp_path / "v1" / "facts.sqlite3") as connection:
        for table in tables.split():
            connection.execute(f"CREATE TABLE {table} (x)")
    connection.close()
    with pytest.raises(StoreError, match="nothing was removed"):
        clear_stores(tmp_path)


@pytest.mark.parametrize("name", [FORMAT, f"{FORMAT}.removed-0a1b"])
def test_a_store_that_another_process_just_creates_or_removes_is_no_error(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert clear_stores(tmp_path) == (0, 0)
    (tmp_path / name / "facts.sqlite3-opening.lock").touch()
    assert clear_stores(tmp_path) == (0, 0)
    (tmp_path / name / "thesis.tex").touch()
    with pytest.raises(StoreError, match="nothing was removed"):
        clear_stores(tmp_path)


def test_clearing_nothing_is_no_error(tmp_path: Path) -> None:
    assert clear_stores(tmp_path) == (0, 0) == clear_stores(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_clearing_never_follows_links(tmp_path: Path) -> None:
    outside = theirs(tmp_path / "outside")
    (outside / MARK).touch()
    store = Store(tmp_path / "store")
    (store.folder / "arrays" / "link").symlink_to(outside)
    (store.folder / "elsewhere").symlink_to(outside)
    (tmp_path / "store" / "v9").symlink_to(outside)
    clear_stores(tmp_path / "store")
    assert (outside / "thesis.tex").exists() and (tmp_path / "store" / "v9").is_symlink()
    assert not store.folder.exists()


def test_a_store_that_is_cleared_in_use_is_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    clear_stores(tmp_path)
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    assert store.open_arrays("code-a") is not None
    with store.writing("history-1") as held:
        assert held
    store.close()
    assert Store(tmp_path).array_names() == ["code-a"] and Store(tmp_path).notes == []


@pytest.mark.parametrize("content", ["thesis.tex", "arrays/thesis.tex", "arrays/code-a.arrays/x", "clones/a.git/HEAD"])
def test_a_folder_of_someone_else_is_not_used_as_a_store(tmp_path: Path, content: str) -> None:
    target = tmp_path / FORMAT / content
    target.parent.mkdir(parents=True)
    target.write_text("theirs")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError, match=f"{FORMAT} exists and is not a store of Trackdown: set TRACKDOWN_STORE"):
        Store(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_in_place_of_a_store_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / FORMAT).symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match="is not a store of Trackdown"):
        Store(tmp_path / "store")
    assert list((tmp_path / "outside").iterdir()) == []


def test_other_things_beside_a_store_are_left_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    theirs(tmp_path / "v77")
    Store(tmp_path).close()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert [path.name for path in (tmp_path / "v77").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_nobody_else_can_read_a_store_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        store = Store(tmp_path / "deep" / "store")
        store.database.write_facts("blob", [("a", b"the password")])
        store.write_arrays("code-a", {"x": np.arange(5)}, {})
        with store.writing("history-1") as held:
            assert held
        seen = {path.name for path in store.folder.rglob("*")}
        assert {"facts.sqlite3-wal", "facts.sqlite3-shm", "code-a.arrays", MARK} <= seen
        assert open_to_others(tmp_path / "deep" / "store") == []
        store.close()


def test_a_store_that_was_opened_to_others_is_closed_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.folder.chmod(0o755)
    Store(tmp_path / "store").close()
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_older_stores_get_the_mark_and_are_closed_to_others(tmp_path: Path) -> None:
    old = old_store(tmp_path / "v1")
    Store(tmp_path).close()
    assert (old / MARK).is_file() and open_to_others(old) == []
    assert (old / "arrays" / "code-a.arrays").read_bytes() == b"arrays"


def test_a_store_that_lost_its_mark_is_recognised_and_gets_it_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.database.write_record("code", "a", b"1")
    store.close()
    (tmp_path / FORMAT / MARK).unlink()
    again = Store(tmp_path)
    assert again.database.read_record("code", "a") == b"1" and (tmp_path / FORMAT / MARK).is_file()


_OPENERS_BESIDE_A_CLEARER = """
import sys
import threading
import time
from pathlib import Path
from trackdown.errors import StoreCorrupt, StoreError, StoreFull
from trackdown.store.clearing import clear_stores
from trackdown.store.store import Store

top, until = Path(sys.argv[1]), time.monotonic() + 1.5
wrong = []

def use():
    while time.monotonic() < until:
        try:
            store = Store(top)
            store.database.write_facts("blob", [("a", b"x")])
            wrong.extend(store.notes)
            store.close()
        except (StoreFull, StoreCorrupt) as error:
            wrong.append(str(error))
        except StoreError:
            pass  # it was cleared too often: one line says so

def clear():
    while time.monotonic() < until:
        try:
            clear_stores(top)
        except StoreError as error:
            wrong.append(str(error))
        time.sleep(0.005)

threads = [threading.Thread(target=work) for work in (use, use, use, clear)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""


def test_a_store_that_is_opened_while_it_is_cleared_is_never_two_stores_in_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _OPENERS_BESIDE_A_CLEARER, str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_what_fleets_cached_is_cleared_and_nothing_beside_it(tmp_path: Path) -> None:
    cache = tmp_path / "fleet" / ("0a" * 12)
    (cache / "key").mkdir(parents=True)
    (cache / "key" / "pack").write_bytes(b"x" * 100)
    (tmp_path / "fleet" / "mine.txt").write_text("keep me")
    assert clear_stores(tmp_path) == (100, 0)
    assert not cache.exists() and (tmp_path / "fleet" / "mine.txt").exists()
