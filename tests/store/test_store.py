"""The store: one folder, healed when damaged, written by one process at a time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.odd_files import KINDS, put_odd
from tests.store.limits import files_end_at, nothing_writable
from trackdown.errors import StoreError
from trackdown.store.clearing import clear_stores
from trackdown.store.inspection import inspect_store
from trackdown.store.ownership import MARK
from trackdown.store.part_files import PART_PREFIX
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


def test_a_folder_in_place_of_an_array_file_is_as_good_as_none(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    path = store.folder / "arrays" / "code-a.arrays"
    path.unlink()
    path.mkdir()
    assert store.open_arrays("code-a") is None and store.take_notes() == ["code-a.arrays cannot be read: rebuilding it"]
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    assert store.open_arrays("code-a") is not None
    store.close()


def test_a_pipe_in_place_of_an_array_file_is_not_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path)
    os.mkfifo(store.folder / "arrays" / "code-a.arrays")
    assert store.open_arrays("code-a") is None and store.take_notes() == ["code-a.arrays is truncated: rebuilding it"]
    store.close()


def test_a_folder_in_place_of_the_database_is_replaced_if_it_is_empty(tmp_path: Path) -> None:
    Store(tmp_path).close()
    path = tmp_path / DATABASE
    path.unlink()
    path.mkdir()
    store = Store(tmp_path)
    assert not store.read_only and store.take_notes() == [f"{path} is not a file: rebuilding it"]
    store.close()
    path.unlink()
    (path / "somebody's").mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file and cannot be removed: Directory not empty"):
        Store(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    [
        MARK,
        "facts.sqlite3",
        "facts.sqlite3-wal",
        "facts.sqlite3-shm",
        "facts.sqlite3-opening.lock",
        "locks/a.lock",
        f"arrays/{PART_PREFIX}1",
        "arrays/code-a.arrays",
    ],
)
def test_nothing_odd_in_place_of_a_file_stops_a_store(tmp_path: Path, name: str, kind: str) -> None:
    Store(tmp_path).close()
    put_odd(tmp_path / FORMAT / name, kind)
    assert inspect_store(tmp_path, 5.0).exists
    if (name, kind) == ("facts.sqlite3", "loop"):  # a link to another disk is the user's, even if it leads nowhere
        with pytest.raises(StoreError, match="cannot be read: check its permissions"):
            Store(tmp_path)
    else:
        store = Store(tmp_path)
        with store.writing("a"):
            store.database.write_record("code", "a", b"1")
            assert store.open_arrays("code-a") is None
            store.write_arrays("code-a", {"x": np.arange(5)}, {})
            assert store.open_arrays("code-a") is not None
        store.close()
        assert (tmp_path / FORMAT / MARK).is_file()
    clear_stores(tmp_path)
    assert not list(tmp_path.iterdir())


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


def test_damage_that_shows_only_in_use_is_healed_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.database.write_facts("blob", [(f"{number}", os.urandom(3000)) for number in range(200)])
    store.close()
    data = bytearray((tmp_path / DATABASE).read_bytes())
    for page in range(8192, len(data), 4096):
        data[page : page + 2000] = b"\xff" * 2000
    (tmp_path / DATABASE).write_bytes(data)
    healed = Store(tmp_path)
    assert healed.database.fact_keys("blob") == []
    assert len(healed.notes) == 1 and "is damaged" in healed.notes[0] and healed.notes[0].endswith("rebuilding it")
    healed.database.write_facts("blob", [("1", b"new")])
    healed.close()
    assert Store(tmp_path).notes == []


def test_a_database_of_another_version_is_begun_anew(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
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


_WRITER = """
import sys
from pathlib import Path
from trackdown.store.part_files import replacing

with replacing(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""


def test_what_a_killed_writer_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    Store(tmp_path).close()
    arrays = tmp_path / FORMAT / "arrays"
    # A writer in another container has a process number that means nothing here: only its lock counts.
    command = ["unshare", "--pid", "--fork", "--kill-child"] if os.getuid() == 0 else []
    command += [sys.executable, "-c", _WRITER, str(arrays / "code-a.arrays")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        (arrays / f"{PART_PREFIX}1234-left").write_bytes(b"half")
        (arrays / f"{PART_PREFIX}left").write_bytes(b"half")
        Store(tmp_path).close()
        assert len(list(arrays.iterdir())) == 1
        writer.stdin.write(b"\n")
        writer.stdin.flush()
        assert writer.wait(timeout=30) == 0
        assert [path.name for path in arrays.iterdir()] == ["code-a.arrays"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"writing\n"
        writer.kill()
    until = time.monotonic() + 10
    while len(list(arrays.iterdir())) > 1 and time.monotonic() < until:  # the kernel ends the container a little later
        Store(tmp_path).close()
    assert [path.name for path in arrays.iterdir()] == ["code-a.arrays"]


def test_size_counts_every_file_of_every_version_and_no_link(tmp_path: Path) -> None:
    store = Store(tmp_path)
    before, indexes = store.size(), store.index_size()
    written = store.write_arrays("code-a", {"x": np.arange(1000)}, {})
    assert store.size() == before + written and store.index_size() == indexes + written
    (tmp_path / "v0").mkdir()
    (tmp_path / "v0" / MARK).touch()
    (tmp_path / "v0" / "old").write_bytes(b"x" * 500)
    (tmp_path / "v0" / "link").symlink_to("old")
    (tmp_path / "v7").mkdir()
    (tmp_path / "v7" / "not ours").write_bytes(b"x" * 500)
    store.clones.mkdir()
    (store.clones / "pack").write_bytes(b"x" * 70)
    assert store.size() == before + written + 570
    assert store.index_size() == indexes + written


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
        pytest.raises(StoreError, match="cannot be written: set TRACKDOWN_STORE"),
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


def test_an_array_file_that_cannot_be_removed_is_one_line(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (store.folder / "arrays" / "code-a.arrays" / "somebody's").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"^the store at \S+ cannot be used: Directory not empty$"):
        store.delete_arrays("code-a")
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_the_name_of_an_array_file_is_replaced_and_removed(tmp_path: Path, kind: str) -> None:
    """Without the database nobody opens the file before it is written again."""
    store = Store(tmp_path / "store")
    for name in ("code-a", "code-b"):
        put_odd(tmp_path / "store" / FORMAT / "arrays" / f"{name}.arrays", kind)
    store.write_arrays("code-a", {"x": np.arange(5)}, {})
    assert store.open_arrays("code-a") is not None
    store.delete_arrays("code-b")
    assert store.array_names() == ["code-a"]
