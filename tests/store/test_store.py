"""The store: one folder, healed when damaged, written by one process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.store.limits import files_end_at, nothing_writable
from trackdown.errors import StoreError
from trackdown.store.arrays import PART_PREFIX
from trackdown.store.store import FORMAT, Store

DATABASE = f"{FORMAT}/facts.sqlite3"


def test_a_store_is_made_where_there_is_none(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "store")
    assert (tmp_path / "deep" / "store" / DATABASE).is_file()
    assert store.array_names() == [] and not store.read_only and store.notes == []


def test_arrays_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    size = store.write_arrays("code-b", {"x": np.arange(5)}, {"m": 1})
    store.write_arrays("code-a", {"x": np.arange(6)}, {})
    assert store.array_names() == ["code-a", "code-b"]
    assert store.array_size("code-b") == size and store.array_size("none") == 0
    found = store.open_arrays("code-b")
    assert found is not None and np.array_equal(found["x"], np.arange(5)) and found.meta == {"m": 1}
    store.delete_arrays("code-b")
    store.delete_arrays("code-b")
    assert store.open_arrays("code-b") is None and store.array_names() == ["code-a"]


def test_a_damaged_array_file_is_as_good_as_none_and_said(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_arrays("code-a", {"x": np.arange(500)}, {})
    path = tmp_path / FORMAT / "arrays" / "code-a.arrays"
    path.write_bytes(path.read_bytes()[:-100])
    assert store.open_arrays("code-a") is None
    assert store.notes == ["code-a.arrays is truncated: rebuilding it"]


def test_a_damaged_database_is_begun_anew_and_said(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.database.write_record("code", "a", b"1")
    store.close()
    (tmp_path / DATABASE).write_bytes(b"nonsense " * 1000)
    healed = Store(tmp_path)
    assert len(healed.notes) == 1 and "is damaged" in healed.notes[0] and healed.notes[0].endswith("rebuilding it")
    assert healed.database.records("code") == []
    healed.database.write_record("code", "b", b"2")
    healed.close()
    assert Store(tmp_path).notes == []


def test_damage_that_shows_only_in_use_is_healed_by_the_next_one_who_opens_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.database.write_facts("blob", [(f"{number}", os.urandom(3000)) for number in range(200)])
    store.close()
    data = bytearray((tmp_path / DATABASE).read_bytes())
    for page in range(8192, len(data), 4096):
        data[page : page + 2000] = b"\xff" * 2000
    (tmp_path / DATABASE).write_bytes(data)
    damaged = Store(tmp_path)
    with pytest.raises(StoreError, match="run the command again"):
        damaged.database.fact_keys("blob")
    damaged.close()
    healed = Store(tmp_path)
    assert len(healed.notes) == 1
    assert healed.database.fact_keys("blob") == []
    healed.close()
    assert Store(tmp_path).notes == []


def test_a_database_of_another_version_is_begun_anew(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.database._connection.execute("PRAGMA user_version=99")
    store.close()
    assert "another format" in Store(tmp_path).notes[0]
    assert Store(tmp_path).notes == []


_HOLDER = """
import sys
from pathlib import Path
from trackdown.store.store import Store

with Store(Path(sys.argv[1])).writing("history-1") as held:
    print(held, flush=True)
    sys.stdin.readline()
"""


def test_two_processes_never_write_one_repository(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        store = Store(tmp_path)
        with store.writing("history-1") as held:
            assert not held
        with store.writing("history-2") as held:
            assert held
        other.stdin.write(b"\n")
        other.stdin.flush()
        with store.writing("history-1", wait_seconds=20) as held:
            assert held


def test_a_killed_process_gives_its_right_to_write_back(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"True\n"
        other.kill()
        other.wait()
        with Store(tmp_path).writing("history-1", wait_seconds=5) as held:
            assert held


def test_an_error_while_writing_gives_the_right_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(RuntimeError), store.writing("history-1"):
        raise RuntimeError
    with store.writing("history-1") as held:
        assert held


def test_what_a_killed_writer_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    Store(tmp_path).close()
    arrays = tmp_path / FORMAT / "arrays"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, alive, odd = (arrays / f"{PART_PREFIX}{who}-x" for who in (ended.pid, os.getpid(), "someone"))
    for part in (dead, alive, odd):
        part.write_bytes(b"half")
    Store(tmp_path)
    assert [path.name for path in arrays.iterdir()] == [alive.name]


def test_size_counts_every_file_of_every_version_and_no_link(tmp_path: Path) -> None:
    store = Store(tmp_path)
    before, indexes = store.size(), store.index_size()
    written = store.write_arrays("code-a", {"x": np.arange(1000)}, {})
    assert store.size() == before + written and store.index_size() == indexes + written
    (tmp_path / "v0").mkdir()
    (tmp_path / "v0" / "old").write_bytes(b"x" * 500)
    (tmp_path / "v0" / "link").symlink_to("old")
    store.clones.mkdir()
    (store.clones / "pack").write_bytes(b"x" * 70)
    assert store.size() == before + written + 570
    assert store.index_size() == indexes + written


def test_removing_all_touches_only_what_a_store_makes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_arrays("code-a", {"x": np.arange(1000)}, {})
    for name in ("v0", "v12", "videos", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / "notes.txt").write_text("x")
    store.remove_all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "notes.txt", "videos"]


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    top = tmp_path / "store"
    store = Store(top)
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    store.database.write_record("code", "a", b"1")
    store.close()
    with nothing_writable(top):
        opened = Store(top)
        assert opened.read_only
        assert opened.database.read_record("code", "a") == b"1"
        assert opened.open_arrays("code-a") is not None
        with opened.writing("history-1") as held:
            assert held
        with pytest.raises(StoreError, match="read-only"):
            opened.write_arrays("code-b", {}, {})
        opened.close()


def test_a_damaged_store_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    top = tmp_path / "store"
    Store(top).close()
    (top / DATABASE).write_bytes(b"nonsense " * 1000)
    with (
        nothing_writable(top),
        pytest.raises(StoreError, match="cannot be written: set TRACKDOWN_STORE to another folder"),
    ):
        Store(top)


def test_a_store_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=str(tmp_path / "file")):
        Store(tmp_path / "file")
    (tmp_path / "closed").mkdir()
    with nothing_writable(tmp_path / "closed"), pytest.raises(StoreError, match="TRACKDOWN_STORE"):
        Store(tmp_path / "closed" / "store")


def test_a_full_disk_is_one_line_and_the_old_arrays_stay(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    with files_end_at(65_536), pytest.raises(StoreError, match="is full: free some space, run `trackdown clear`"):
        store.write_arrays("code-a", {"x": np.zeros(50_000)}, {})
    found = store.open_arrays("code-a")
    assert found is not None and np.array_equal(found["x"], np.arange(5))
    assert len(list((tmp_path / FORMAT / "arrays").iterdir())) == 1
