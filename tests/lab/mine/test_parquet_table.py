"""Parquet files that are complete or not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.lab.mine import parquet_table
from trackdown.lab.mine.parquet_table import TableWriter, clean_text, is_complete, read_about, sweep

COLUMNS = {"name": "text", "count": "number", "good": "truth", "paths": "texts", "numbers": "numbers"}
ROWS = [("a", 1, True, ("x", "y"), (1, 2)), (None, -5, False, (), ()), ("ü\udcff", 1 << 40, True, ("\udc80",), (0,))]


def write(path: Path, about: dict[str, object] | None = None, rows: list[tuple[object, ...]] | None = None) -> None:
    with TableWriter(path, COLUMNS, about or {"of": 1}) as table:
        for row in ROWS if rows is None else rows:
            table.add(row)
        assert not path.exists()


def test_rows_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "t.parquet"
    write(path)
    table = pyarrow.parquet.read_table(path)
    assert table.column_names == list(COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("a", 1, True, ["x", "y"], [1, 2]),
        (None, -5, False, [], []),
        ("ü\\udcff", 1 << 40, True, ["\\udc80"], [0]),
    ]
    assert [entry.name for entry in path.parent.iterdir()] == ["t.parquet"]


def test_without_rows_there_are_columns(tmp_path: Path) -> None:
    write(tmp_path / "t.parquet", rows=[])
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").column_names == list(COLUMNS)


def test_row_groups_bound_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "_BYTES", 1000)
    write(tmp_path / "t.parquet", rows=[("x" * 400, 1, True, (), ())] * 9)
    assert pyarrow.parquet.ParquetFile(tmp_path / "t.parquet").metadata.num_row_groups == 3
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").num_rows == 9


def test_an_error_leaves_nothing_behind_and_the_old_file_in_place(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="zip"):
        write(path, rows=[ROWS[0], ("too", "short")])
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_complete_is_what_was_made_of_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    assert not is_complete(path, {"of": 1})
    write(path, {"of": 1, "head": "abc"})
    assert is_complete(path, {"head": "abc", "of": 1})
    assert not is_complete(path, {"of": 2, "head": "abc"})
    assert read_about(path) == {"of": 1, "head": "abc"}
    path.write_bytes(path.read_bytes()[:-9])
    assert not is_complete(path, {"of": 1, "head": "abc"})
    with pytest.raises(UsageError, match="cannot read"):
        read_about(path)


def test_a_file_of_another_program_is_not_complete(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "t.parquet")
    assert not is_complete(tmp_path / "t.parquet", {"of": 1}) and read_about(tmp_path / "t.parquet") == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot write"):
        write(tmp_path / "closed" / "t.parquet")


def test_a_file_in_the_folder_s_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot write"):
        write(tmp_path / "file" / "t.parquet")


def test_sweeping_takes_the_parts_of_the_dead(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = [
        f".a[b]+c.records.parquet.{dead.pid}.part",
        f".a[b]+c.records.parquet.{os.getpid()}.part",
        f".other.records.parquet.{dead.pid}.part",
        "a[b]+c.records.parquet",
    ]
    for name in names:
        (tmp_path / name).touch()
    sweep(tmp_path, "a[b]+c")
    assert {entry.name for entry in tmp_path.iterdir()} == set(names[1:])


def test_text_that_utf_8_can_hold() -> None:
    assert [clean_text(text) for text in ("a", "ü", "\udcff", "\ud800x")] == ["a", "ü", "\\udcff", "\\ud800x"]


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from trackdown.surfaces.cli.main import main\n"
        f"sys.exit(main(['mine', 'pairs', {str(tmp_path)!r}, '--out', {str(tmp_path / 'out')!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"trackdown: reading and writing Parquet needs pyarrow: {install_hint('lab')}\n"
