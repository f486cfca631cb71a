"""`trackdown report`: formats, files, and one line for what is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.lab.report.made_runs import MODES, make_rows, write_run
from tests.lab.report.page_walk import walk
from tests.lab.report.small_run import small_run
from tests.surfaces.program import Program, without_escapes
from trackdown.surfaces.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run.jsonl", small_run())


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["report", *map(str, arguments)]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    return found.out


def test_text_is_the_default_and_plain_in_a_pipe(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, run)
    assert text.startswith("Report on hand\n3 of 4 cases scored; skipped: 1 × commit not in the clone.\n")
    assert "\x1b" not in text and not any(line.endswith(" ") for line in text.splitlines())


def test_every_format_is_printed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, run, "--format", "json"))["modes"][0]["label"] == "x"
    assert printed(capsys, run, "--format", "markdown", "--title", "Mine").startswith("# Mine\n")
    page = printed(capsys, run, "--format", "html")
    assert page.startswith("<!DOCTYPE html>\n")
    walk(page)


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.html", "<!DOCTYPE"), ("a.MD", "# Report"), ("a.json", "{"), ("a.txt", "Report"), ("a", "Report")],
)
def test_the_ending_of_the_output_names_the_format(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, start: str
) -> None:
    assert printed(capsys, run, "--output", tmp_path / name) == ""
    assert (tmp_path / name).read_text("utf-8").startswith(start)
    assert sorted(os.listdir(tmp_path)) == sorted([name, "run.jsonl"])


def test_the_format_that_is_named_goes_before_the_ending(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(capsys, run, "--output", tmp_path / "a.html", "--format", "json")
    json.loads((tmp_path / "a.html").read_text("utf-8"))


def test_metric_ks_and_several_runs(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = write_run(tmp_path / "other.jsonl", small_run())
    text = printed(capsys, run, other, "--metric", "nDCG@5", "--ks", "2 7", "--format", "json")
    document = json.loads(text)
    assert (document["metric"], document["ks"]) == ("nDCG@5", [2, 7])
    assert [mode["label"] for mode in document["modes"]] == ["run: x", "run: y", "other: x", "other: y"]
    assert len(document["pairs"]) == 6 and document["pairs"][1]["ties"] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["give at least one RUN", "trackdown report run.jsonl"]),
        (["none.jsonl"], ["none.jsonl", "No such file"]),
        (["."], ["cannot read the run file .", "directory"]),
        (["empty.jsonl"], ["empty.jsonl", "is empty"]),
        (["cut.jsonl"], ["cut.jsonl", "cut short"]),
        (["prose.jsonl"], ["prose.jsonl, line 1", "not JSON"]),
        (["binary.jsonl"], ["binary.jsonl, line 1"]),
        (["deep.jsonl"], ["deep.jsonl"]),
        (["goldless.jsonl"], ["goldless.jsonl", "nothing to score", "no gold"]),
        (["run.jsonl", "run.jsonl"], ["named twice"]),
        (["run.jsonl", "--metric", "accuracy"], ["'accuracy'", "MRR"]),
        (["run.jsonl", "--metric", "R@0"], ["'R@0'"]),
        (["run.jsonl", "--ks", "0"], ["between 1 and"]),
        (["run.jsonl", "--ks", "ten"], ["--ks", "'ten'"]),
        (["run.jsonl", "--ks", ""], ["between 1 and"]),
        (["run.jsonl", "--ks", "9" * 5000], ["--ks"]),
        (["run.jsonl", "--format", "pdf"], ["'pdf'", "markdown"]),
        (["run.jsonl", "--output", "."], ["it is a folder"]),
        (["run.jsonl", "--output", "folder/"], ["it is a folder"]),
        (["run.jsonl", "--output", "no/such/report.html"], ["folder does not exist"]),
        (["run.jsonl", "--output", "run.jsonl"], ["one of the files to read"]),
        (["run.jsonl", "--output", "/dev/null"], ["not a plain file"]),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = run.read_text("utf-8").splitlines()
    Path("folder").mkdir()
    Path("empty.jsonl").write_text("")
    Path("cut.jsonl").write_text("\n".join(lines)[:-20])
    Path("prose.jsonl").write_text("Once upon a time\n")
    Path("binary.jsonl").write_bytes(bytes(range(256)) * 10)
    Path("deep.jsonl").write_text('{"id":' * 100_000 + "\n")
    Path("goldless.jsonl").write_text('{"id": 1, "mode": "m", "ranked": [{"path": "a.py"}]}\n')
    before = run.read_bytes()
    assert main(["report", *arguments]) == 2
    found = capsys.readouterr()
    assert found.out == "" and found.err.startswith("trackdown: ") and found.err.count("\n") == 1, found
    assert "Traceback" not in found.err and "--debug" not in found.err
    for word in words:
        assert word in found.err
    assert run.read_bytes() == before


def test_a_terminal_gets_colour_and_lines_that_fit(program: Program, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", make_rows(modes=MODES, cases=20, hostile=True))
    shown = program.on_terminal("report", run, columns=100)
    assert shown.code == 0 and "\x1b[" in shown.out
    text = without_escapes(shown.out)
    assert max(map(len, text.splitlines())) <= 100 and "\x1b" not in text
    assert f"H {MODES[-1]}\n" in text
    three = without_escapes(program.on_terminal("report", write_run(run, make_rows()), columns=80).out)
    assert max(map(len, three.partition("Scores")[2].splitlines())) <= 80 and "C hybrid" in three


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run.jsonl", make_rows(cases=40, hostile=True))
    text = printed(capsys, run)
    assert not any(sign in text for sign in "\x1b\x07\x00\u202e\u2066\ud800")
