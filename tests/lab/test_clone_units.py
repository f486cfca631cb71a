"""Files and units of any commit, straight from git."""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from trackdown.lab.clone import UnitsAt, enclosing
from trackdown.repository.source import open_source
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS

CODE = "class Box:\n    def open(self):\n        pass\n\n\ndef close(box):\n    pass\n"


def test_a_file_is_read_as_it_was(repo: Repo) -> None:
    first = repo.commit("One", {"src/box.py": CODE, "blob.bin": b"a\0b", "ü/\t.py": "x = 1\n"})
    second = repo.commit("Two", {"src/box.py": "x = 1\n"})
    with UnitsAt(open_source(repo.root)) as units:
        assert units.text(first, "src/box.py") == CODE and units.text(second, "src/box.py") == "x = 1\n"
        assert units.text(first, "blob.bin") is None and units.holds(first, "blob.bin")
        assert units.holds(first, "ü/\t.py") and units.text(first, "ü/\t.py") == "x = 1\n"
        assert units.symbols(first, "src/box.py", FUNCTION_KINDS) == {"Box.open", "close"}
        assert units.symbols(first, "src/box.py", CLASS_KINDS) == {"Box"}
        assert units.symbols(second, "src/box.py", CLASS_KINDS) == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "src",
        "src/",
        "/src/box.py",
        "./src/box.py",
        "src/../src/box.py",
        "../repo/src/box.py",
        "src//box.py",
        "no.py",
        "a\0b",
        "\ud800",
        "*.py",
        ":(glob)**/box.py",
        "-z",
    ],
)
def test_what_is_no_file_of_the_commit_is_none(repo: Repo, path: str) -> None:
    commit = repo.commit("One", {"src/box.py": CODE})
    with UnitsAt(open_source(repo.root / "src")) as units:
        assert not units.holds(commit, path)
        assert units.text(commit, path) is None and units.units(commit, path) == ()
        assert units.holds(commit, "src/box.py"), "paths are those of the root, wherever it was opened"


def test_the_nearest_around_a_symbol() -> None:
    known = {"Box", "Box.Inner"}
    assert [enclosing(symbol, known) for symbol in ("Box.Inner.open", "Box.open", "Box", "close", "")] == [
        "Box.Inner",
        "Box",
        "Box",
        "",
        "",
    ]
