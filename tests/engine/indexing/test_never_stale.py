"""Whatever happens to a repository, the next search answers as if it had never seen it before."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.engine.hand import WORDS, Hand
from tests.surfaces.program import Program
from trackdown.settings import Settings

pytestmark = pytest.mark.slow

Opener = Callable[[Path | str], trackdown.Repository]
QUERY = " ".join(WORDS)


def answer(opened: trackdown.Repository) -> dict[str, Any]:
    """What a search says now, without its timings; or why it says nothing."""
    try:
        found = asdict(opened.search(QUERY, k=30))
    except trackdown.TrackdownError as error:
        return {"error": str(error)}
    del found["timings_ms"]
    return found


def fresh(repo: Repo, settings: Settings) -> dict[str, Any]:
    """The same from an empty store."""
    store = settings.store.with_name("fresh")
    shutil.rmtree(store, ignore_errors=True)
    with trackdown.open(repo.root, settings=replace(settings, store=store)) as opened:
        return answer(opened)


@pytest.mark.parametrize("seed", range(4))
def test_in_one_process(repo: Repo, settings: Settings, seed: int) -> None:
    hand, chance = Hand(repo, seed), random.Random(seed)
    with trackdown.open(repo.root, settings=settings) as opened:
        for _ in range(25):
            for _ in range(chance.randrange(3)):  # so that some steps come when folders are watched
                answer(opened)
            hand.step()
            assert answer(opened) == fresh(repo, settings), hand.log


@pytest.mark.parametrize("at", [None, "HEAD"])
def test_another_limit_on_the_size_of_files_is_another_index(repo: Repo, settings: Settings, at: str | None) -> None:
    large = f"def zebra():\n    return {'quagga ' * 400!r}\n"
    repo.commit("Add animals", {"large.py": large, "small.py": "def zebra():\n    return 1\n"})
    for limit, expected in [(1024, {"large.py", "small.py"}), (2, {"small.py"}), (1024, {"large.py", "small.py"})]:
        with trackdown.open(repo.root, settings=replace(settings, max_file_kb=limit)) as opened:
            assert {result.path for result in opened.search("zebra", at=at).results} == expected, limit


def texts(answer: Any) -> list[list[str]]:
    """The lines that the results of an answer show."""
    return [[match["text"] for match in result["matches"]] for result in answer["results"]]


def test_from_process_to_process(repo: Repo, settings: Settings, tmp_path: Path) -> None:
    hand, program = Hand(repo, 99), Program(settings.store, tmp_path)
    for _ in range(10):
        hand.step()
        run = program("search", QUERY, repo.root, "-k", "30", "--format", "json")
        wanted = fresh(repo, settings)
        if "error" in wanted:
            run.refused(1, wanted["error"])
            continue
        found = run.json()
        assert [r["path"] for r in found["results"]] == [r["path"] for r in wanted["results"]], hand.log
        assert texts(found) == texts(wanted), hand.log
        assert [r["score"] for r in found["results"]] == [r["score"] for r in wanted["results"]], hand.log
        assert found["snapshots"] == list(wanted["snapshots"]), hand.log


def test_an_edit_in_a_folder_that_has_just_come_is_seen(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"web/a.py": "def zebra():\n    pass\n"})
    opened = open_repo(repo.root)
    for _ in range(3):
        opened.search("zebra")
    repo.write("new/b.py", "def quagga():\n    pass\n")
    assert [result.path for result in opened.search("quagga")] == ["new/b.py"]
    repo.write("new/b.py", "def okapi():\n    pass\n")
    assert [result.path for result in opened.search("okapi")] == ["new/b.py"]
    assert not opened.search("quagga").results


def test_an_edit_in_a_folder_that_was_made_anew_is_seen(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"web/a.py": "def zebra():\n    pass\n"})
    opened = open_repo(repo.root)
    for _ in range(3):
        opened.search("zebra")
    shutil.rmtree(repo.root / "web")
    repo.write("web/a.py", "def quagga():\n    pass\n")
    for word in ("okapi", "gnu", "tapir"):
        opened.search("zebra")
        repo.write("web/a.py", f"def {word}():\n    pass\n")
        assert [result.symbol for result in opened.search(word)] == [word]


def test_a_file_that_comes_beside_ignored_ones_is_seen(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n", ".gitignore": "*.log\n"})
    repo.write("logs/deep/x.log", "x\n")
    opened = open_repo(repo.root)
    for _ in range(3):
        opened.search("zebra")
    repo.write("logs/deep/b.py", "def quagga():\n    pass\n")
    assert [result.path for result in opened.search("quagga")] == ["logs/deep/b.py"]


def test_what_only_git_knows_is_seen(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    pass\n", ".gitignore": "hidden.py\n"})
    repo.write("hidden.py", "def quagga():\n    pass\n")
    opened = open_repo(repo.root)
    for _ in range(3):
        assert not opened.search("quagga").results
    repo.git("add", "-f", "hidden.py")
    assert [result.path for result in opened.search("quagga")] == ["hidden.py"]
    for _ in range(3):
        opened.search("quagga")
    repo.git("rm", "-q", "--cached", "hidden.py")
    assert not opened.search("quagga").results
    repo.write(".git/info/exclude", "a.py\n")
    repo.git("rm", "-q", "--cached", "a.py")
    assert not opened.search("zebra").results


def test_a_file_that_changes_while_it_is_searched_is_shown_as_it_is(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    return 1\n"})
    opened = open_repo(repo.root)
    opened.search("zebra")

    def meddle(step: str, done: int, total: int | None) -> None:
        repo.write("a.py", "def zebra():\n    return 2\n")

    repo.write("a.py", "def zebra():\n    return 3\n")
    (result,) = opened.search("zebra", progress=meddle)
    assert "return 2" in result.snippet
