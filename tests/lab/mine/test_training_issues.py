"""Rewritten messages out of Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from trackdown.errors import UsageError
from trackdown.lab.mine.training import read_rewritten

ONE, TWO = "a" * 40, "b" * 64


def table(path: Path, **columns: list[Any]) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def test_commits_and_queries(tmp_path: Path) -> None:
    one = table(
        tmp_path / "1.parquet",
        commit_id=[ONE, None, "short", ONE],
        transformed_message_gpt4=[" It\nfails ", "x", "x", "y"],
    )
    two = table(tmp_path / "2.parquet", commit_id=[TWO, "c" * 40], transformed_message_gpt4=["Crash", " "], more=[1, 2])
    assert read_rewritten([one, two]) == ({ONE: "It\nfails", TWO: "Crash"}, frozenset())


def test_issues_that_people_wrote_come_first(tmp_path: Path) -> None:
    one = table(tmp_path / "1.parquet", commit_id=[ONE], issue=["It is slow"], transformed_message_gpt4=["Made up"])
    assert read_rewritten([one]) == ({ONE: "It is slow"}, frozenset())


def test_pull_requests_are_known_as_such(tmp_path: Path) -> None:
    columns = {"commit_id": [ONE, TWO], "issue": ["Make it fast", "It is slow"], "kind": ["pr", "issue"]}
    one = table(tmp_path / "1.parquet", **columns)
    again = {"commit_id": [TWO, "c" * 40], "issue": ["Speed it up", "It crashes"], "kind": ["pr", "issue"]}
    other = table(tmp_path / "2.parquet", **again)
    assert read_rewritten([one, other]) == (
        {ONE: "Make it fast", TWO: "It is slow", "c" * 40: "It crashes"},
        frozenset({ONE}),
    )


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column issue or transformed_message_gpt4"):
        read_rewritten([table(tmp_path / "1.parquet", commit_id=[ONE])])
    with pytest.raises(UsageError, match="has no commit"):
        read_rewritten([table(tmp_path / "2.parquet", commit_id=["x"], transformed_message_gpt4=["y"])])
    (tmp_path / "3.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match="cannot read"):
        read_rewritten([tmp_path / "3.parquet"])
