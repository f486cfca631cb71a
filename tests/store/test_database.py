"""The database: facts and records, every write a transaction, many readers beside one writer, errors in one line."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.limits import files_end_at, nothing_writable
from trackdown.errors import StoreCorrupt, StoreError
from trackdown.store.connection import DATABASE_VERSION
from trackdown.store.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "database"
    folder.mkdir()
    return folder / "facts.sqlite3"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database(path)
    yield opened
    opened.close()


def test_facts_come_back_and_unknown_keys_do_not(database: Database) -> None:
    database.write_facts("blob", [("a", b"1"), ("b", b"\0\xff")])
    database.write_facts("commit", [("a", b"other")])
    assert database.read_facts("blob", ["a", "b", "c"]) == {"a": b"1", "b": b"\0\xff"}
    assert database.known_facts("blob", ["b", "c"]) == {"b"}
    assert database.read_facts("commit", ["a"]) == {"a": b"other"}
    assert sorted(database.fact_keys("blob")) == ["a", "b"]


def test_a_fact_never_changes(database: Database) -> None:
    database.write_facts("blob", [("a", b"first")])
    database.write_facts("blob", [("a", b"second"), ("b", b"new")])
    assert database.read_facts("blob", ["a", "b"]) == {"a": b"first", "b": b"new"}


def test_more_keys_than_a_statement_takes(database: Database) -> None:
    keys = [f"key{number}" for number in range(2345)]
    database.write_facts("blob", [(key, key.encode()) for key in keys])
    wanted = [*keys, "unknown"]
    assert database.known_facts("blob", wanted) == set(keys)
    assert database.read_facts("blob", wanted) == {key: key.encode() for key in keys}


def test_deleted_facts_are_gone_and_others_stay(database: Database) -> None:
    database.write_facts("blob", [("a", b"1"), ("b", b"2")])
    database.delete_facts("blob", ["a", "never there"])
    database.compact()
    assert database.fact_keys("blob") == ["b"]


def test_records_are_replaced_and_the_latest_used_stands_first(database: Database) -> None:
    database.write_record("code", "old", b"1")
    database.write_record("code", "new", b"2")
    database.write_record("code", "old", b"3")
    assert database.read_record("code", "old") == b"3"
    assert database.read_record("code", "unknown") is None
    assert database.read_record("commits", "old") is None
    assert [(key, value) for key, value, _ in database.records("code")] == [("old", b"3"), ("new", b"2")]
    database.delete_records("code", ["old"])
    assert [key for key, _, _ in database.records("code")] == ["new"]


def test_a_use_is_noted_at_most_once_a_minute(database: Database, path: Path) -> None:
    database.write_record("code", "a", b"1")
    written = database.records("code")[0][2]
    database.touch_record("code", "a")
    assert database.records("code")[0][2] == written
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET used = used - 3600")
    database.touch_record("code", "a")
    assert abs(database.records("code")[0][2] - time.time()) < 30


def test_a_use_that_cannot_be_noted_is_no_error(database: Database, path: Path) -> None:
    database.write_record("code", "a", b"1")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET used = 5.0")
    with files_end_at(1024):
        database.touch_record("code", "a")
        assert database.records("code") == [("a", b"1", 5.0)]
    database.touch_record("code", "a")
    assert database.records("code")[0][2] > 5.0


def test_a_write_that_fails_half_way_leaves_nothing(database: Database) -> None:
    with files_end_at(65_536), pytest.raises(StoreError):
        database.write_facts("blob", [("a", b"1"), ("b", bytes(200_000))])
    assert database.fact_keys("blob") == []
    database.write_facts("blob", [("c", b"3")])
    assert database.fact_keys("blob") == ["c"]


def test_threads_share_a_connection(database: Database) -> None:
    failures: list[Exception] = []

    def write(thread: int) -> None:
        try:
            for number in range(60):
                database.write_facts("blob", [(f"{thread}-{number}", b"x")])
                database.write_record("code", f"{thread}", b"%d" % number)
                assert database.read_record("code", f"{thread}") == b"%d" % number
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(database.fact_keys("blob")) == 240


_READER = """
import sys
from pathlib import Path
from trackdown.store.database import Database

database = Database(Path(sys.argv[1]))
print("ready", flush=True)
seen = 0
while seen < 40:
    count = len(database.fact_keys("blob"))
    # Every transaction writes 25: a reader that sees another number saw half of one.
    assert count % 25 == 0 and count >= seen * 25, count
    seen = count // 25
print("saw all")
"""


def test_readers_in_other_processes_see_whole_transactions_while_one_writes(database: Database, path: Path) -> None:
    command = [sys.executable, "-c", _READER, str(path)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    for reader in readers:
        assert reader.stdout is not None and reader.stdout.readline() == b"ready\n"
    for batch in range(40):
        database.write_facts("blob", [(f"{batch}-{number}", b"x" * 500) for number in range(25)])
    for reader in readers:
        out, err = reader.communicate(timeout=300)
        assert (out, err) == (b"saw all\n", b"")


_WRITER = """
import sys
from pathlib import Path
from trackdown.store.database import Database

database = Database(Path(sys.argv[1]))
for number in range(50):
    database.write_facts("blob", [(f"{sys.argv[2]}-{number}", b"x" * 100)])
"""


def test_writers_in_several_processes_begin_a_database_together_and_wait_for_each_other(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(n)]) for n in range(4)]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0, 0]
    database = Database(path)
    assert len(database.fact_keys("blob")) == 200
    database.close()


_ENDLESS = """
import sys
from itertools import count
from pathlib import Path
from trackdown.store.database import Database

database = Database(Path(sys.argv[1]))
for number in count():
    database.write_facts("blob", [(f"{number}-a", b"x" * 100), (f"{number}-b", b"x" * 100)])
    print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_whole_transactions(path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", _ENDLESS, str(path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    for _ in range(20):
        last = int(writer.stdout.readline())
    writer.kill()
    writer.wait()
    writer.stdout.close()
    database = Database(path)
    keys = set(database.fact_keys("blob"))
    whole = len(keys) // 2
    assert keys == {f"{number}-{half}" for number in range(whole) for half in "ab"} and whole > last
    database.close()


def test_a_database_that_cannot_be_written_is_read(path: Path) -> None:
    first = Database(path)
    first.write_record("code", "a", b"1")
    first.close()
    with nothing_writable(path.parent):
        database = Database(path)
        assert database.read_only
        assert database.read_record("code", "a") == b"1"
        database.touch_record("code", "a")
        with pytest.raises(StoreError, match="read-only: make it writable, or set TRACKDOWN_STORE"):
            database.write_record("code", "b", b"2")
        database.close()


def test_a_database_that_cannot_be_written_is_read_with_what_its_writer_holds_in_the_log(path: Path) -> None:
    writer = Database(path)
    writer.write_record("code", "a", b"1")
    assert Path(f"{path}-wal").stat().st_size > 0
    with nothing_writable(path.parent):
        database = Database(path)
        assert database.read_only
        assert database.read_record("code", "a") == b"1"
        database.close()
    writer.close()


@pytest.mark.parametrize("version", [DATABASE_VERSION + 1, 99])
def test_another_version_is_begun_anew_and_said(path: Path, version: int) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute(f"PRAGMA user_version={version}")
    connection.close()
    notes: list[str] = []
    database = Database(path, notes)
    assert notes == [f"{path} is of another format: rebuilding it"]
    database.write_record("code", "a", b"1")
    database.close()


@pytest.mark.parametrize("content", [b"not a database, but longer than a header of one" * 100, b"\0" * 8192])
def test_what_is_no_database_is_begun_anew_and_said(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    notes: list[str] = []
    database = Database(path, notes)
    assert len(notes) == 1 and "is damaged" in notes[0] and notes[0].endswith("rebuilding it")
    database.write_record("code", "a", b"1")
    database.close()


def test_a_schema_that_is_no_text_is_begun_anew_and_said(path: Path) -> None:
    """SQLite quotes it in its messages, which Python then cannot decode."""
    Database(path).close()
    whole = path.read_bytes()
    for found in re.finditer(rb"facts|records|TABLE|kind", whole[:4096]):
        damaged = bytearray(whole)
        damaged[found.start()] ^= 0x80
        path.write_bytes(damaged)
        notes: list[str] = []
        database = Database(path, notes)
        database.write_facts("blob", [("a", b"1")])
        assert database.read_facts("blob", ["a"]) == {"a": b"1"} and len(notes) <= 1
        database.close()


def test_a_full_disk_is_one_line_and_loses_nothing(database: Database) -> None:
    database.write_facts("blob", [("kept", b"x" * 1000)])
    with files_end_at(131_072), pytest.raises(StoreError) as caught:
        database.write_facts("blob", [(f"{number}", os.urandom(4000)) for number in range(200)])
    assert "\n" not in str(caught.value)
    assert "trackdown clear" in str(caught.value) and "TRACKDOWN_STORE" in str(caught.value)
    assert not isinstance(caught.value, StoreCorrupt)
    assert database.fact_keys("blob") == ["kept"]
    database.write_facts("blob", [("after", b"1")])
    assert sorted(database.fact_keys("blob")) == ["after", "kept"]


def test_a_writer_that_never_ends_makes_others_give_up_with_one_line(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackdown.store.connection._BUSY_SECONDS", 0.1)
    other = Database(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="busy: another process is writing to it, try again"):
        other.write_record("code", "a", b"1")
    holder.execute("ROLLBACK")
    holder.close()
    other.write_record("code", "a", b"1")
    assert database.read_record("code", "a") == b"1"
    other.close()
