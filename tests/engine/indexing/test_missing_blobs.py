"""A past state whose blobs are not all in this clone is searched without them, and the answer says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.repository.forged import forge_loose

Opener = Callable[[Path | str], trackdown.Repository]
NOTE = "files left out because this clone lacks them or they are damaged there: 1"


@pytest.fixture
def zebra(repo: Repo) -> Repo:
    """A repository with two states."""
    repo.commit("Begin", {"herd.py": "def zebra_herd():\n    pass\n", "foal.py": "def zebra_foal():\n    pass\n"})
    repo.commit("Go on", {"herd.py": "def quagga_herd():\n    pass\n"})
    return repo


def loose(repo: Repo, name: str) -> Path:
    oid = repo.git("rev-parse", name)
    return repo.root / ".git/objects" / oid[:2] / oid[2:]


def found(opened: trackdown.Repository) -> tuple[list[str], bool, tuple[str, ...]]:
    answer = opened.search("zebra", at="HEAD~1")
    return [result.path for result in answer], answer.partial, tuple(note for note in answer.notes if "files" in note)


@pytest.mark.parametrize("state", ["missing", "forged"])
def test_a_blob_that_is_not_there_is_noted_until_it_is_back(
    zebra: Repo, open_repo: Opener, tmp_path: Path, state: str
) -> None:
    path = loose(zebra, "HEAD~1:herd.py")
    path.rename(tmp_path / "aside")
    if state == "forged":
        forge_loose(zebra.root / ".git", f"{path.parent.name}{path.name}", "blob", b"def zebra():\n    pass\n")
    with open_repo(zebra.root) as opened:
        assert found(opened) == found(opened) == (["foal.py"], True, (NOTE,))
        with open_repo(zebra.root) as other:
            assert found(other) == (["foal.py"], True, (NOTE,))
            (tmp_path / "aside").replace(path)
            assert found(other) == (["foal.py", "herd.py"], False, ())
        assert found(opened) == (["foal.py", "herd.py"], False, ())


def test_a_state_of_which_nothing_is_there_is_not_called_empty(zebra: Repo, open_repo: Opener) -> None:
    for name in ("herd.py", "foal.py"):
        loose(zebra, f"HEAD~1:{name}").unlink()
    assert found(open_repo(zebra.root)) == ([], True, (NOTE.replace(": 1", ": 2"),))


def test_a_result_that_this_clone_cannot_show_is_noted(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    zebra.git("clone", "-q", ".", str(tmp_path / "whole"))
    assert len(found(open_repo(tmp_path / "whole"))[0]) == 2
    loose(zebra, "HEAD~1:herd.py").unlink()
    paths, partial, notes = found(open_repo(zebra.root))
    assert (paths, partial) == (["foal.py"], True)
    assert notes == ("results left out because their files changed during the search or cannot be read: 1",)


def test_a_partial_clone_says_what_it_lacks(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    zebra.git("config", "uploadpack.allowFilter", "true")
    zebra.git("clone", "-q", "--filter=blob:none", f"file://{zebra.root}", str(tmp_path / "partial"))
    assert found(open_repo(tmp_path / "partial")) == (["foal.py"], True, (NOTE,))
