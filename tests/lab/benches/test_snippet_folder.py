"""The folder of snippets: written once, whole, and never over anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import UsageError
from trackdown.lab.benches.snippet_folder import MARK, write_corpus


def test_the_folder_is_written_once(tmp_path: Path) -> None:
    first = write_corpus(tmp_path, "set", {"a": "x = 1", "b": "y = 2"}, ".py")
    times = {path: path.stat().st_mtime_ns for path in first.folder.iterdir()}
    second = write_corpus(tmp_path, "set", {"c": "x = 1", "d": "y = 2"}, ".py")
    assert second.folder == first.folder and second.files == {"c": "000000.py", "d": "000001.py"}
    assert {path: path.stat().st_mtime_ns for path in first.folder.iterdir()} == times
    assert write_corpus(tmp_path, "set", {"a": "x = 2", "b": "y = 2"}, ".py").folder != first.folder
    assert write_corpus(tmp_path, "other", {"a": "x = 1", "b": "y = 2"}, ".py").folder != first.folder
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("damage", ["remove", "change", "add", "mark"])
def test_a_damaged_folder_is_written_again(tmp_path: Path, damage: str) -> None:
    folder = write_corpus(tmp_path, "set", {"a": "x = 1"}, ".py").folder
    if damage == "remove":
        (folder / "000000.py").unlink()
    else:
        target = {"change": "000000.py", "add": "000001.py", "mark": MARK}[damage]
        (folder / target).write_text('{"format": 1, "digest": "other"}')
    assert write_corpus(tmp_path, "set", {"a": "x = 1"}, ".py").folder == folder
    assert (folder / "000000.py").read_text() == "x = 1" and not (folder / "000001.py").exists()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, "set", {"a": "x = 1"}, ".py").folder
    (folder / MARK).unlink()
    with pytest.raises(UsageError, match="other files"):
        write_corpus(tmp_path, "set", {"a": "x = 1"}, ".py")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_corpus(tmp_path / "file", "set", {"a": "x = 1"}, ".py")


def test_a_folder_in_a_repository_is_refused(repo: Repo) -> None:
    with pytest.raises(UsageError, match="git repository"):
        write_corpus(repo.root / "new" / "corpora", "set", {"a": "x = 1"}, ".py")
