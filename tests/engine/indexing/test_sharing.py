"""What is kept is keyed by content: clones and worktrees share it, and clearing one repository keeps the others'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.settings import Settings
from trackdown.store import Store

Opener = Callable[[Path | str], trackdown.Repository]
Steps = list[tuple[str, int, int | None]]


def fill(repo: Repo, word: str, count: int = 8) -> None:
    """Commits with a function each."""
    for number in range(count):
        code = f"def {word}_{number}(cookie):\n    return cookie + {number}\n"
        repo.commit(f"Add {word} number {number}", {f"{word}/part{number}.py": code})


def searched(opened: trackdown.Repository, query: str) -> tuple[list[tuple[str, float]], Steps]:
    """What a search found, and what work it told of."""
    told: Steps = []
    answer = opened.search(query, progress=lambda step, done, total: told.append((step, done, total)))
    return [(result.path, result.score) for result in answer], told


@pytest.fixture
def zebra(make_repo: Callable[[str], Repo]) -> Repo:
    repo = make_repo("zebra")
    fill(repo, "zebra")
    return repo


def clone(repo: Repo, target: Path, *options: str) -> Path:
    repo.git("clone", "-q", *options, str(repo.root), str(target))
    return target


def test_the_first_index_of_a_second_clone_reads_nothing(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    found, told = searched(open_repo(zebra.root), "zebra cookie")
    assert found and ("parse", 8, 8) in told
    other, again = searched(open_repo(clone(zebra, tmp_path / "clone")), "zebra cookie")
    assert (other, again) == (found, [])
    bare, again = searched(open_repo(clone(zebra, tmp_path / "bare.git", "--bare")), "zebra cookie")
    assert (bare, again) == (found, [])


def test_a_worktree_reads_only_what_is_new_in_it(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    searched(open_repo(zebra.root), "zebra cookie")
    zebra.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    (tmp_path / "tree" / "new.py").write_text("def zebra_new():\n    pass\n")
    found, told = searched(open_repo(tmp_path / "tree"), "zebra new")
    assert found[0][0] == "new.py" and told[-1] == ("parse", 1, 1)
    assert "new.py" not in [path for path, _ in searched(open_repo(zebra.root), "zebra new")[0]]


def test_equal_files_of_unrelated_repositories_are_parsed_once(
    zebra: Repo, make_repo: Callable[[str], Repo], open_repo: Opener
) -> None:
    searched(open_repo(zebra.root), "zebra cookie")
    other = make_repo("other")
    other.commit("Copy", {"copy.py": (zebra.root / "zebra/part3.py").read_text(), "own.py": "def own():\n    pass\n"})
    found, told = searched(open_repo(other.root), "zebra cookie")
    assert [path for path, _ in found] == ["copy.py"] and ("parse", 1, 1) in told


def test_a_shallow_clone_answers_from_what_it_has_and_says_so(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    shallow = clone(zebra, tmp_path / "shallow", "--no-local", "--depth", "2")
    opened = open_repo(shallow)
    answer = opened.search("zebra cookie")
    assert answer.results and any("this clone is shallow" in note for note in answer.notes)
    assert len(opened.history("add zebra number")) == 2
    whole = open_repo(zebra.root).search("zebra cookie")
    assert whole.notes == () and len(open_repo(zebra.root).history("add zebra number")) == 8


def test_an_answer_does_not_depend_on_what_else_the_store_holds(
    zebra: Repo, open_repo: Opener, settings: Settings, tmp_path: Path
) -> None:
    shallow = clone(zebra, tmp_path / "shallow", "--no-local", "--depth", "2")
    alone = searched(trackdown.open(shallow, settings=replace(settings, store=tmp_path / "alone")), "zebra number 6")
    searched(open_repo(zebra.root), "zebra")
    assert searched(open_repo(shallow), "zebra number 6")[0] == alone[0]


def test_clear_removes_one_repository_and_frees_its_space(
    zebra: Repo, make_repo: Callable[[str], Repo], open_repo: Opener, settings: Settings
) -> None:
    other = make_repo("quagga")
    fill(other, "quagga", 40)
    kept, _ = searched(open_repo(zebra.root), "zebra cookie")
    alone = Store(settings.store).size()
    searched(open_repo(other.root), "quagga cookie")
    opened = open_repo(other.root)
    before = opened.store.size()
    opened.clear()
    assert opened.store.size() < before and opened.store.size() < 1.3 * alone
    assert not opened.status().ready and open_repo(zebra.root).status().ready
    assert searched(open_repo(zebra.root), "zebra cookie") == (kept, [])
    found, told = searched(opened, "quagga cookie")
    assert found and ("parse", 40, 40) in told


def test_clear_of_one_clone_leaves_the_facts_that_others_need(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    found, _ = searched(open_repo(zebra.root), "zebra cookie")
    copy = clone(zebra, tmp_path / "clone")
    searched(open_repo(copy), "zebra cookie")
    open_repo(copy).clear()
    assert searched(open_repo(zebra.root), "zebra cookie")[0] == found


def test_clear_of_what_was_never_indexed_is_no_failure(zebra: Repo, open_repo: Opener, tmp_path: Path) -> None:
    open_repo(zebra.root).clear()
    folder = tmp_path / "plain"
    folder.mkdir()
    open_repo(folder).clear()
    assert searched(open_repo(zebra.root), "zebra cookie")[0]


def test_a_store_beyond_its_limit_keeps_what_was_used_last(zebra: Repo, settings: Settings) -> None:
    tight = replace(settings, store_limit_mb=0)
    with trackdown.open(zebra.root, settings=tight) as opened:
        for name in ("quagga", "okapi", "gnu", "tapir", "lemur", "ibex"):
            zebra.write("zebra/part0.py", f"def {name}():\n    pass\n")
            assert [result.symbol for result in opened.search(name)] == [name]
    assert len(Store(settings.store).array_names()) <= 4


def test_a_snapshot_that_was_seen_before_costs_nothing(zebra: Repo, open_repo: Opener) -> None:
    opened = open_repo(zebra.root)
    searched(opened, "zebra")
    zebra.git("switch", "-q", "-c", "side")
    zebra.commit("Side", {"side.py": "def zebra_side():\n    pass\n"})
    assert ("parse", 1, 1) in searched(opened, "zebra side")[1]
    zebra.git("switch", "-q", "main")
    assert searched(opened, "zebra side")[1] == []
    zebra.git("switch", "-q", "side")
    found, told = searched(opened, "zebra side")
    assert found[0][0] == "side.py" and told == []


def test_an_index_that_nobody_has_written_is_partial_even_if_no_file_is_missing(
    repo: Repo, settings: Settings, open_repo: Opener
) -> None:
    """It has no vectors: they belong to the segment that another process is about to write."""
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    whole = open_repo(repo.root).search("cookie")
    store = Store(settings.store)
    for path in (store.folder / "arrays").glob("*code*"):
        path.unlink()
    (lock,) = (path.stem for path in (store.folder / "locks").glob("*.lock"))
    with store.writing(lock) as held:
        assert held
        found = open_repo(repo.root).search("cookie")
        assert found.partial and "another process is indexing: 1 of 1 files are searchable so far" in found.notes
    assert open_repo(repo.root).search("cookie").confidence == whole.confidence
