"""What is ignored later leaves the store: no word of it stays in any file, in no version, for no reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.index import REFERENCES, REWRITES, UNIT_TEXTS
from trackdown.models.llm import COMPLETIONS
from trackdown.repository.blobs import blob_id
from trackdown.rerank import MODEL_OUTPUTS
from trackdown.settings import Settings
from trackdown.units import fact_key

MARK = "Zyzzyvamarker"
NOTES = f"def read_password():\n    return '{MARK}'\n"
Opener = Callable[[Path | str], trackdown.Repository]


def files_with(store: Path, word: str) -> list[str]:
    """The files of a store that contain a word, in any case, wherever it is in them."""
    wanted = word.lower().encode()
    return [path.name for path in sorted(store.rglob("*")) if path.is_file() and wanted in path.read_bytes().lower()]


def found(opened: trackdown.Repository, query: str = "read password marker") -> set[str]:
    return {result.path for result in opened.search(query, k=20).results}


@pytest.fixture
def indexed(repo: Repo, open_repo: Opener, settings: Settings) -> Repo:
    """A repository with an untracked file that was searched in two versions; facts of both are in the store."""
    repo.commit("Begin", {"a.py": "def read_file():\n    return 1\n", "b.py": "def write_file():\n    return 2\n"})
    repo.write("notes.py", NOTES.replace("return", "yield"))
    with open_repo(repo.root) as opened:
        opened.search("password")
    repo.write("notes.py", NOTES)
    with open_repo(repo.root) as opened:
        assert "notes.py" in found(opened)
    assert files_with(settings.store, MARK)
    return repo


@pytest.mark.parametrize("name", [".gitignore", ".trackdownignore", ".git/info/exclude"])
def test_the_next_search_removes_all_versions_of_an_ignored_file(
    indexed: Repo, open_repo: Opener, settings: Settings, name: str
) -> None:
    indexed.write(name, "notes.py\n")
    with open_repo(indexed.root) as opened:
        assert found(opened) >= {"a.py"} and "notes.py" not in found(opened)
        assert files_with(settings.store, MARK) == []
    assert files_with(settings.store, MARK) == []
    (indexed.root / name).write_text("")
    with open_repo(indexed.root) as opened:
        assert "notes.py" in found(opened)


def test_a_process_that_searches_again_and_again_removes_it_too(
    indexed: Repo, open_repo: Opener, settings: Settings
) -> None:
    with open_repo(indexed.root) as opened:
        for _ in range(3):
            assert "notes.py" in found(opened)
        indexed.write(".trackdownignore", "notes.py\n")
        assert "notes.py" not in found(opened)
        assert files_with(settings.store, MARK) == []


def test_what_a_dry_run_notices_a_later_search_removes(indexed: Repo, open_repo: Opener, settings: Settings) -> None:
    indexed.write(".gitignore", "notes.py\n")
    with open_repo(indexed.root) as opened:
        opened.inventory()
    with open_repo(indexed.root) as opened:
        opened.search("file")
    assert files_with(settings.store, MARK) == []


def test_facts_that_models_left_go_as_well(indexed: Repo, open_repo: Opener, settings: Settings) -> None:
    key = fact_key(blob_id(NOTES.encode()), "python", False)
    with open_repo(indexed.root) as opened:
        database = opened.store.database
        database.write_facts(UNIT_TEXTS, [(key, b"\x01" * 16)])
        database.write_facts(REFERENCES, [(f"{key}/4", MARK.encode())])
        database.write_facts(REWRITES, [(f"x:{'01' * 16}:0", MARK.encode())])
        for kind in (*MODEL_OUTPUTS, COMPLETIONS):
            database.write_facts(kind, [("digest", MARK.encode())])
    indexed.write(".gitignore", "notes.py\n")
    with open_repo(indexed.root) as opened:
        opened.search("file")
    assert files_with(settings.store, MARK) == []


def test_other_files_are_not_parsed_again_and_content_that_is_still_searched_stays(
    indexed: Repo, open_repo: Opener, settings: Settings
) -> None:
    indexed.write("copy.py", NOTES)
    with open_repo(indexed.root) as opened:
        opened.search("file")
    indexed.write(".trackdownignore", "notes.py\n")
    parsed: set[int | None] = set()
    with open_repo(indexed.root) as opened:
        opened.search("password", progress=lambda step, _, total: parsed.add(total if step == "parse" else 1))
        assert "copy.py" in found(opened)
    assert parsed == {1}  # the ignore file itself


def test_another_branch_is_no_reason_to_remove_anything(repo: Repo, open_repo: Opener, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "a = 1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"notes.py": NOTES})
    with open_repo(repo.root) as opened:
        opened.search("password")
        repo.git("checkout", "-q", "main")
        opened.search("password")
    assert files_with(settings.store, MARK)
