"""`trackdown style`: what it answers, and one line for what is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.program import Program, Run
from trackdown.installation import install_hint

InProcess = Callable[..., Run]
ONE = "def total(rows):\n    result = 0\n    for row in rows:\n        result += row.price\n    return result\n"
OTHER = "def total(rows):\n    return sum(row.price for row in rows)\n"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text(ONE)
    other.write_text(OTHER)
    return one, other


def test_it_prints_every_metric(pair: tuple[Path, Path], in_process: InProcess) -> None:
    run = in_process("style", "one.py", "other.py")
    assert run.code == 0
    assert run.out.startswith("one.py and other.py, python\n")
    shown = dict(line.rsplit(maxsplit=1) for line in run.out.splitlines()[2:] if line.strip())
    assert {"CSSim", "CodeBLEU", "ROUGE-L", "BLEU"} <= set(shown)
    assert 0 < float(shown["CSSim"]) < 1
    assert shown["  calls"] == "-"
    assert "note: one of the two has no calls" in run.err


def test_the_same_file_is_wholly_alike_in_json(pair: tuple[Path, Path], in_process: InProcess) -> None:
    answer = in_process("style", pair[1], pair[1], "--format", "json").json()
    assert answer["metrics"] == pytest.approx(dict.fromkeys(["CSSim", "CodeBLEU", "ROUGE-L", "BLEU"], 1.0))
    assert answer["language"] == "python" and answer["notes"] == []
    assert answer["CSSim"] == {
        "variables_distance": 0.0,
        "calls_distance": 0.0,
        "tree_distance": 0.0,
        "tree_exact": True,
    }


def test_standard_input_takes_the_language_of_the_other(pair: tuple[Path, Path], program: Program) -> None:
    run = program("style", "one.py", "-", "--format", "json", stdin=ONE)
    assert run.json()["metrics"]["CSSim"] == 1
    assert run.json()["b"] == "standard input"


def test_a_corpus_changes_the_weights(pair: tuple[Path, Path], tmp_path: Path, in_process: InProcess) -> None:
    corpus = tmp_path / "corpus" / "deep"
    corpus.mkdir(parents=True)
    for number in range(9):
        (corpus / f"{number}.py").write_text(f"result = rows{number}\n")
    (corpus / "binary.py").write_bytes(b"\0\1\2")
    plain = in_process("style", "one.py", "other.py", "--format", "json").json()
    weighed = in_process("style", "one.py", "other.py", "--corpus", corpus.parent, "--format", "json").json()
    assert weighed["corpus"] == str(corpus.parent)
    # `result` is common there, and it is what the other lacks
    assert weighed["CSSim"]["variables_distance"] < plain["CSSim"]["variables_distance"]


def test_large_trees_and_flaws_are_said(tmp_path: Path, in_process: InProcess) -> None:
    for name, call in (("one.py", "f(g(row))"), ("other.py", "h(row, 1)")):
        (tmp_path / name).write_text("".join(f"total{n} = {call}\n" for n in range(400)) + "x = (\n")
    answer = in_process("style", "one.py", "other.py", "--format", "json").json()
    assert answer["CSSim"]["tree_exact"] is False
    assert [note.split(":")[0] for note in answer["notes"]] == [
        "one.py does not parse completely from line 401 on",
        "other.py does not parse completely from line 401 on",
        "the trees are large",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["one.py"], ["'B'"]),
        (["one.py", "none.py"], ["cannot read none.py", "No such file"]),
        (["one.py", "."], ["cannot read .", "directory"]),
        (["one.py", "binary.py"], ["binary.py is not text"]),
        (["one.py", "empty.py"], ["empty.py is empty"]),
        (["one.py", "comment.py"], ["comment.py has no code"]),
        (["one.py", "huge.py"], ["huge.py is larger than 256 KiB"]),
        (["one.py", "Other.java"], ["one.py is python and Other.java is java", "--language"]),
        (["notes.md", "notes.md"], ["cannot tell the language of notes.md", "--language", "python"]),
        (["one.py", "one.py", "--language", "klingon"], ["no grammar for 'klingon'", "java"]),
        (["-", "-"], ["only one of A and B"]),
        (["one.py", "one.py", "--corpus", "none"], ["the corpus none is not a folder"]),
        (["one.py", "one.py", "--corpus", "void"], ["the corpus void has no file in python"]),
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], words: list[str], pair: tuple[Path, Path], tmp_path: Path, in_process: InProcess
) -> None:
    (tmp_path / "binary.py").write_bytes(b"a = 1\0\n")
    (tmp_path / "empty.py").write_text(" \n")
    (tmp_path / "comment.py").write_text("# nothing\n")
    (tmp_path / "huge.py").write_text("a = 1\n" * 200_000)
    (tmp_path / "Other.java").write_text("class Other {}\n")
    (tmp_path / "notes.md").write_text("# Notes\n")
    (tmp_path / "void" / ".hidden").mkdir(parents=True)
    (tmp_path / "void" / ".hidden" / "one.py").write_text(ONE)
    (tmp_path / "void" / "Other.java").write_text("class Other {}\n")
    in_process("style", *arguments).refused(2, *words)


def test_without_the_packages_it_says_what_to_install(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, in_process: InProcess
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    in_process("style", "one.py", "other.py").refused(2, install_hint("lab"))


def test_names_of_files_cannot_steer_the_terminal(tmp_path: Path, in_process: InProcess) -> None:
    odd = tmp_path / "a\x1b[31m.py"
    odd.write_text(ONE)
    run = in_process("style", odd.name, odd.name)
    assert run.code == 0 and "\x1b" not in run.out
    assert json.loads(in_process("style", odd.name, odd.name, "--format", "json").out)["a"] == odd.name
