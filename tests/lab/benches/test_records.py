"""What adapters share: lists in any spelling, Parquet, and cases that are left out but never lost."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.errors import UsageError
from trackdown.lab.benches.records import Refusals, read_parquet, texts


@given(st.lists(st.text()))
def test_a_list_is_read_however_it_was_written(items: list[str]) -> None:
    assert texts(items) == texts(tuple(items)) == items
    assert texts(repr(items)) == ast.literal_eval(repr(items)) == items
    assert texts(json.dumps(items)) == json.loads(json.dumps(items))


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        {},
        "",
        "a.py",
        "[",
        "['a'",
        "[1]",
        "{'a': 1}",
        "{[]: 1}",
        "3",
        "null",
        ["a", None],
        [["a"]],
        "[" * 100_000,
        "['a'" + "," * 10 + "]",
        "__import__('os')",
        "9" * 5000,
    ],
)
def test_what_is_no_list_of_texts_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="is not a list"):
        texts(value)


def test_a_parquet_file_is_read_and_its_columns_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a", None], "files": [["x"], []]}), path)
    assert read_parquet(path, ("id", "files")) == [{"id": "a", "files": ["x"]}, {"id": None, "files": []}]
    with pytest.raises(UsageError, match=r"data.parquet has no column query, text; it has id, files"):
        read_parquet(path, ("id", "query", "text"))
    with pytest.raises(UsageError, match=r"cannot read .*gone.parquet"):
        read_parquet(tmp_path / "gone.parquet", ())
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(UsageError, match=r"cannot read .*data.parquet") as caught:
        read_parquet(path, ())
    assert "\n" not in str(caught.value)


def test_every_case_that_is_left_out_has_an_id_of_its_own() -> None:
    refusals = Refusals(Path("data"), strict=False)
    assert refusals.is_new("a") and refusals.is_new("b")
    assert not refusals.is_new("a", "shop")
    refusals.withdraw("b", "empty gold")
    refusals.skip("line 3", "unreadable row", "not JSON")
    refusals.skip("b", "missing field")
    refusals.skip("b", "missing field")
    assert [(case.id, case.reason, case.detail, case.repository) for case in refusals.skipped] == [
        ("a'", "duplicate id", "", "shop"),
        ("b", "empty gold", "", ""),
        ("line 3", "unreadable row", "not JSON", ""),
        ("b'", "missing field", "", ""),
        ("b''", "missing field", "", ""),
    ]


def test_the_strict_refuse_the_first() -> None:
    refusals = Refusals(Path("data.jsonl"), strict=True)
    assert refusals.is_new("a")
    with pytest.raises(UsageError, match=r"data.jsonl: case 'a': duplicate id$"):
        refusals.is_new("a")
    with pytest.raises(UsageError, match=r"data.jsonl: case 'a': empty gold \(in row 3\)$"):
        refusals.withdraw("a", "empty gold", "in row 3")
    with pytest.raises(UsageError, match=r"data.jsonl: case 'line 9': unreadable row \(not JSON\)$"):
        refusals.skip("line 9", "unreadable row", "not JSON")
    assert refusals.skipped == []
