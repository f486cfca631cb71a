"""Reading run files: labels, what is kept of a ranking, and one clear line for what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.report.made_runs import make_rows, write_run
from tests.lab.report.small_run import F, row, small_run
from trackdown.errors import UsageError
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.runs import encode_row


def test_one_file_is_labelled_by_modes_and_several_by_file_and_mode(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one.jsonl", small_run())
    two = write_run(tmp_path / "two.jsonl", small_run())
    assert [found.label for found in read_contenders([one])] == ["x", "y"]
    labels = [found.label for found in read_contenders([one, two])]
    assert labels == ["one: x", "one: y", "two: x", "two: y"]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / folder / "run.jsonl", small_run()) for folder in "ab"]
    labels = {found.label for found in read_contenders(paths)}
    assert len(labels) == 4
    assert f"{paths[0]}: x" in labels


def test_scored_and_skipped_cases_are_counted(tmp_path: Path) -> None:
    found = read_contenders([write_run(tmp_path / "run.jsonl", small_run())])[0]
    assert (len(found.cases), found.total) == (3, 4)
    assert found.evaluation.skipped == {"commit not in the clone": 1}


def test_rows_without_gold_are_skipped_and_not_scored_as_zero(tmp_path: Path) -> None:
    rows = [*small_run(), row("c5", "x", (F,), (), 1.0, "one")]
    found = read_contenders([write_run(tmp_path / "run.jsonl", rows)])[0]
    assert (len(found.cases), found.total) == (3, 5)
    assert found.evaluation.skipped["no gold"] == 1


def test_only_the_first_ten_and_gold_are_kept_of_a_ranking(tmp_path: Path) -> None:
    rows = make_rows(modes=["deep"], cases=20, depth=300, skipped=0)
    rows[0] = replace(rows[0], ranked=(*rows[0].ranked[:50], F, *rows[0].ranked[51:]), gold=(F,))
    found = read_contenders([write_run(tmp_path / "run.jsonl", rows)])[0]
    assert [rank for rank, _ in found.cases[0].seen] == [*range(1, 11), 51]
    assert found.deepest <= 300 and all(len(case.seen) <= 10 + len(case.gold) for case in found.cases)


def cut(lines: list[str]) -> str:
    return "\n".join([*lines[:3], lines[3][:40]])


def without_gold(lines: list[str]) -> str:
    return "\n".join(encode_row(replace(found, gold=())) for found in small_run() if not found.skipped) + "\n"


def all_skipped(lines: list[str]) -> str:
    return "\n".join(encode_row(found) for found in small_run() if found.skipped) + "\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda lines: "", ["is empty"]),
        (lambda lines: "\n\n", ["is empty"]),
        (cut, ["cut short", "last line"]),
        (lambda lines: lines[0][:40], ["line 1", "not JSON"]),
        (lambda lines: "# A title\n", ["line 1", "not JSON"]),
        (lambda lines: "[1, 2]\n", ["line 1", "not an object"]),
        (lambda lines: '{"id": "a"}\n', ["line 1", "'mode'"]),
        (lambda lines: "\n".join([lines[0], "{", lines[1]]) + "\n", ["line 2", "not JSON"]),
        (lambda lines: "[" * 100_000 + "\n", ["line 1", "too deeply"]),
        (lambda lines: '{"id": "a", "mode": "m", "ranked": [], "ms": 1' + "0" * 400 + "}\n", ["not a"]),
        (lambda lines: lines[0] + "\n" + lines[0] + "\n", ["twice"]),
        (without_gold, ["nothing to score", "3 × no gold"]),
        (all_skipped, ["nothing to score", "1 × commit not in the clone"]),
    ],
)
def test_what_is_no_run_file_is_refused(tmp_path: Path, content: Callable[[list[str]], str], words: list[str]) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(content([encode_row(found) for found in small_run()]), "utf-8")
    with pytest.raises(UsageError) as caught:
        read_contenders([path])
    for word in ["run.jsonl", *words]:
        assert word in str(caught.value)


def test_a_whole_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(encode_row(found) for found in small_run()), "utf-8")
    assert read_contenders([path])[1].total == 4


def test_missing_files_folders_and_doubles_are_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", small_run())
    (tmp_path / "link.jsonl").symlink_to(path)
    for paths, word in (
        ([tmp_path / "none"], "No such file"),
        ([tmp_path], "directory"),
        ([path, path], "twice"),
        ([path, tmp_path / "link.jsonl"], "twice"),
        ([], "at least one"),
    ):
        with pytest.raises(UsageError, match=word):
            read_contenders(paths)
