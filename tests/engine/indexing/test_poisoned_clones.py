"""What somebody did to one clone changes no answer in another that shares its store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.repository.forged import forge_loose, forge_packed
from trackdown.index import commit_update
from trackdown.settings import Settings

Poison = Callable[[Repo, list[str]], None]
Forge = Callable[[Path, str, str, bytes], None]


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    """The commits of a history with a rename and a merge."""
    parser = "".join(f"def parse_{number}(text):\n    return text\n" for number in range(9))
    made = [
        repo.commit("Add the tokenizer", {"tokens.py": "def tokenize(text):\n    return text.split()\n"}),
        repo.commit("Add the parser", {"parser.py": parser}),
    ]
    repo.git("mv", "parser.py", "grammar.py")
    made.append(repo.commit("Move the parser", {"grammar.py": f"{parser}# moved\n"}))
    repo.git("switch", "-q", "-c", "side", made[1])
    made.append(repo.commit("Cache what was parsed", {"cache.py": "def cached(text):\n    return {}\n"}))
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge the cache", "side")
    made.append(repo.git("rev-parse", "HEAD"))
    return [*made, repo.commit("Describe it", {"README.md": "A parser.\n"})]


@pytest.fixture(params=["here", "in a process"], autouse=True)
def _history_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short history is read in this process, a long one in another."""
    if request.param == "in a process":
        monkeypatch.setattr(commit_update, "_WORTH_A_PROCESS", 1)


def answers(place: Path, settings: Settings) -> object:
    """What a place answers: code, history and the files of past commits."""
    with trackdown.open(place, settings=settings) as opened:
        code = opened.search("tokenize and parse text in the grammar", at="HEAD")
        past = opened.history("add move cache the parser tokenizer")
        return (
            [(result.path, result.score, result.snippet) for result in code],
            [(commit.commit, commit.subject, commit.author, commit.files) for commit in past.commits],
            code.notes,
        )


def graft(clone: Repo, commits: list[str]) -> None:
    clone.write(".git/info/grafts", f"{commits[2]} {commits[0]}\n{commits[3]}\n")


def replace_commit(clone: Repo, commits: list[str]) -> None:
    clone.git("replace", "--graft", commits[2], commits[0])


def end_early(clone: Repo, commits: list[str]) -> None:
    clone.write(".git/shallow", f"{commits[2].upper()}\n")


def forge_commit(which: int, forge: Forge) -> Poison:
    def poison(clone: Repo, commits: list[str]) -> None:
        content = clone.git("cat-file", "commit", commits[which]).replace("Ada", "Eve").replace(commits[1], commits[0])
        forge(clone.root / ".git", commits[which], "commit", f"{content} by Eve\n".encode())

    return poison


def forge_blob(content: bytes, forge: Forge) -> Poison:
    def poison(clone: Repo, commits: list[str]) -> None:
        forge(clone.root / ".git", clone.git("rev-parse", "HEAD:tokens.py"), "blob", content)

    return poison


POISONS: dict[str, Poison] = {
    "grafts": graft,
    "replacement": replace_commit,
    "shallow": end_early,
    "loose commit": forge_commit(2, forge_loose),
    "packed commit": forge_commit(3, forge_packed),
    "merge": forge_commit(4, forge_loose),
    "loose blob": forge_blob(b"def tokenize_text_in_the_grammar(evil):\n    pass\n", forge_loose),
    "packed blob": forge_blob(b"def tokenize_text_in_the_grammar(evil):\n    pass\n", forge_packed),
    "large blob": forge_blob(b"x = 1\n" * 400_000, forge_loose),
}


@pytest.mark.parametrize("poison", POISONS.values(), ids=POISONS)
def test_a_poisoned_clone_changes_no_answer_of_another(
    repo: Repo, commits: list[str], settings: Settings, tmp_path: Path, poison: Poison
) -> None:
    repo.git("clone", "-q", ".", str(tmp_path / "poisoned"))
    poisoned = Repo(tmp_path / "poisoned")
    pack = next((poisoned.root / ".git/objects").glob("pack/*.pack"), None)
    if pack is not None:  # objects of a pack would come before loose ones
        pack.rename(tmp_path / pack.name)
        poisoned.git("unpack-objects", "-q", stdin=(tmp_path / pack.name).read_bytes())
    poison(poisoned, commits)
    expected = answers(repo.root, replace(settings, store=tmp_path / "clean"))
    answers(poisoned.root, settings)
    assert answers(repo.root, settings) == expected


def test_an_altered_commit_is_left_out_with_a_note(repo: Repo, commits: list[str], settings: Settings) -> None:
    forge_commit(2, forge_loose)(repo, commits)
    with trackdown.open(repo.root, settings=settings) as opened:
        found = opened.history("move the parser by Eve")
    assert commits[2] not in [commit.commit for commit in found.commits]
    assert any("damaged: some changes of 1 commit are" in note for note in found.notes)
