"""Writing a report: whole or not at all, and never over what is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.pages.saving import place_to_save, save


def test_it_writes_aside_and_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    before = target.stat().st_ino
    seen: list[str] = []
    replace = os.replace

    def watched(source: Path, to: Path) -> None:
        seen.append(target.read_text())
        replace(source, to)

    monkeypatch.setattr(os, "replace", watched)
    save("new → text\n", place_to_save(target))
    assert seen == ["old"] and target.read_text("utf-8") == "new → text\n" and target.stat().st_ino != before
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")

    def full(source: Path, to: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        save("new", target)
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["report.html"]


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "folder" / "real.html")
    save("text", place_to_save(link))
    assert link.is_symlink() and (tmp_path / "folder" / "real.html").read_text() == "text"


def test_folders_devices_and_run_files_are_not_overwritten(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("{}")
    os.mkfifo(tmp_path / "pipe")
    for path, word in (
        (tmp_path, "folder"),
        (tmp_path / "pipe", "not a plain file"),
        (run, "files to read"),
        (tmp_path / "none" / "report.html", "does not exist"),
    ):
        with pytest.raises(UsageError, match=word):
            place_to_save(path, keep=[run])
    assert run.read_text() == "{}" and not (tmp_path / "none").exists()
