"""Tables of issues, in three formats."""

from __future__ import annotations

import io

import pyarrow
import pyarrow.parquet
import pytest

from tests.lab.mine.archives.reading import read, read_one
from trackdown.errors import UsageError
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED, UNKNOWN


def test_csv_as_trackers_export_it() -> None:
    text = (
        "\ufeffIssue Key,Summary,Description,Created,Status,Resolution\n"
        'HADOOP-1,Slow,"Two\nlines, with ""quotes""",2020-01-01,Closed,Fixed\n'
        "HADOOP-2,Fast,,2020-01-02,Open,\n"
        ",no id,,,,\n"
    )
    first, second, third = read("table", "bugs.csv", text)
    assert first is not None and second is not None and third is None
    assert (first.id, first.title, first.body) == ("HADOOP-1", "Slow", 'Two\nlines, with "quotes"')
    assert (first.outcome, second.outcome) == (FIXED, OPEN)
    ends = ["Resolved,Fixed", "Resolved,Incomplete", "Open,Unresolved", "Resolved,", "New,", ","]
    outcomes = [read_one("table", "x.csv", f"id,title,status,resolution\n1,A,{end}\n").outcome for end in ends]
    assert outcomes == [FIXED, REJECTED, OPEN, FIXED, OPEN, UNKNOWN]


def test_json_lines_one_of_them_broken() -> None:
    lines = (
        '{"id": 7, "title": "A", "body": "B", "closed_at": "2020-02-01"}\n{"id":\n\n{"number": 8, "title": "C"}\n[1]\n'
    )
    first, broken, second, no_row = read("table", "issues.jsonl", lines)
    assert broken is None and no_row is None and first is not None and second is not None
    assert (first.id, first.closed, first.outcome, second.id) == ("7", "2020-02-01", UNKNOWN, "8")


def test_parquet_that_names_the_fix() -> None:
    rows = [
        {"bug_id": "1", "title": "A", "text": "B", "commit": "A" * 40, "files": ["a.py", "b.py"], "repo": "o/n"},
        {"bug_id": "2", "title": "C", "text": "D", "commit": "HEAD", "files": None, "repo": ""},
    ]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), buffer)
    first, second = read("table", "bugs.parquet", buffer.getvalue())
    assert first is not None and second is not None
    assert (first.commits, first.files, first.repository) == (("a" * 40,), ("a.py", "b.py"), "o/n")
    assert (second.commits, second.files) == ((), ())
    with pytest.raises(ValueError, match="Parquet"):
        read("table", "bugs.parquet", b"PAR1")


def test_states_and_kinds() -> None:
    found = read("table", "x.csv", "id,title,state,kind\n1,A,Resolved / Won't Fix,issue\n2,B,closed,PR\n")
    assert [issue and (issue.outcome, issue.is_pull) for issue in found] == [(REJECTED, False), (FIXED, True)]
    assert read_one("table", "x.csv", "id,title,files\n1,A,a.py;b.py\n").files == ("a.py", "b.py")


def test_a_table_of_something_else() -> None:
    with pytest.raises(UsageError, match=r"x\.csv has no column for the title"):
        read("table", "x.csv", "id,price\n1,2\n")


def test_a_row_of_json_lines_without_a_title_costs_that_row() -> None:
    found = read("table", "x.jsonl", '{"id": 1}\n{"id": 2, "title": "B"}\n{"price": 3}\n{"id": 4, "title": "D"}\n')
    assert [issue and issue.id for issue in found] == [None, "2", None, "4"]
    with pytest.raises(UsageError, match=r"x\.jsonl has no column for the title"):
        read("table", "x.jsonl", '{"id": 1}\n{"price": 3}\n')
