"""Files of answers: whole lines only, damage is told and passed over, what is there stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.models.llm.prompt import Completion
from trackdown.models.llm.replay import Recorder, read_replay


def answer(text: str) -> Completion:
    return Completion(text, 10, 2, 0.25, complete=False)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    recorder = Recorder(path)
    recorder.add("k1", "small", 4096, "gar", answer("one\n\u2028 line \ud800"))
    recorder.add("k1", "small", 4096, "gar", answer("another"))
    recorder.add("k2", "large", 8192, "gar", answer(""))
    found = read_replay(path)
    assert found.answers == {
        "k1": Completion("one\n\u2028 line ?", 10, 2, 0.25, complete=False),
        "k2": Completion("", 10, 2, 0.25, complete=False),
    }
    assert found.models == {"small": 4096, "large": 8192} and found.notes == ()


def test_damaged_lines_and_those_of_another_version_are_left_out_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    Recorder(path).add("good", "small", 4096, "gar", answer("yes"))
    line = path.read_text()
    other = line.replace('"format":1', '"format":99').replace("good", "newer")
    path.write_bytes(b"\xff\xfe\n\n" + other.encode() + b'{"key": 1}\n' + line.encode() + line[:40].encode())
    found = read_replay(path)
    assert set(found.answers) == {"good"}
    assert found.notes == (f"{path}: ignored 4 lines (the first is line 1): damaged, or of another version",)


def test_a_line_that_was_cut_short_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"format":1,"key":"cut')
    Recorder(path).add("k", "small", 4096, "gar", answer("yes"))
    found = read_replay(path)
    assert set(found.answers) == {"k"} and "ignored line 1" in found.notes[0]


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the answers in .*missing\.jsonl: No such file"):
        read_replay(tmp_path / "missing.jsonl")
    with pytest.raises(UsageError, match="cannot write answers to"):
        Recorder(tmp_path / "no" / "folder.jsonl").add("k", "small", 4096, "gar", answer("yes"))


def test_only_we_can_read_new_answers(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Recorder(tmp_path / "answers.jsonl").add("k1", "small", 4096, "gar", answer("your code"))
    finally:
        os.umask(before)
    assert (tmp_path / "answers.jsonl").stat().st_mode & 0o777 == 0o600
