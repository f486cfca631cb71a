"""Facts of files: from the store, or made by parsing, always each path with its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.index.blob_facts import BLOBS, FactSource, fact_keys, known_facts
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree
from trackdown.store.store import Store
from trackdown.types import no_progress
from trackdown.units.facts import decode, oid_of_key

LIMIT = 1 << 20


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def snapshot_of(repo: Repo) -> Snapshot:
    return scan_worktree(open_source(repo.root), None, LIMIT).snapshot


def source_of(store: Store, snapshot: Snapshot) -> FactSource:
    return FactSource(store, snapshot, 1, no_progress)


def symbols(found: list[tuple[str, str, bytes]]) -> dict[str, list[str]]:
    return {path: [unit.symbol for unit in decode(value).units if unit.symbol] for path, _, value in found}


def test_every_path_gets_its_own_facts_whether_they_are_known_or_made(repo: Repo, store: Store) -> None:
    for number in range(40):
        repo.write(f"src/m{number}.py", f"def parse_{number % 15}(): pass\n")
    first = snapshot_of(repo)
    few = {path: key for path, key in fact_keys(first).items() if path.endswith("3.py")}
    list(source_of(store, first).facts(few))
    found = list(source_of(store, first).facts(fact_keys(first)))
    assert [path for path, _, _ in found] == sorted(fact_keys(first))
    assert symbols(found) == {f"src/m{number}.py": [f"parse_{number % 15}"] for number in range(40)}
    assert len(store.database.fact_keys(BLOBS)) == 15
    assert list(known_facts(store, fact_keys(first))) == found


def test_facts_that_are_collected_while_they_are_read_are_made_again(repo: Repo, store: Store) -> None:
    for number in range(510):
        repo.write(f"src/m{number:03}.py", f"def parse_{number % 3}(): pass\n")
    snapshot = snapshot_of(repo)
    keys = fact_keys(snapshot)
    expected = list(source_of(store, snapshot).facts(keys))
    found = source_of(store, snapshot).facts(keys)
    first = next(found)
    store.database.delete_facts(BLOBS, store.database.fact_keys(BLOBS))
    assert [first, *found] == expected
    assert set(store.database.fact_keys(BLOBS)) == set(keys.values())


def test_reading_what_is_known_passes_over_what_is_not(repo: Repo, store: Store) -> None:
    repo.write("src/a.py", "def a(): pass\n")
    repo.write("src/b.py", "def b(): pass\n")
    repo.write("src/c.py", "def c(): pass\n")
    snapshot = snapshot_of(repo)
    keys = fact_keys(snapshot)
    list(source_of(store, snapshot).facts(keys))
    store.database.delete_facts(BLOBS, [keys["src/b.py"]])
    assert symbols(list(known_facts(store, keys))) == {"src/a.py": ["a"], "src/c.py": ["c"]}


def test_a_key_holds_content_and_language_and_no_path(repo: Repo) -> None:
    repo.write("one/a.py", "x = 1\n")
    repo.write("two/b.py", "x = 1\n")
    repo.write("two/b.js", "x = 1\n")
    keys = fact_keys(snapshot_of(repo))
    assert keys["one/a.py"] == keys["two/b.py"] != keys["two/b.js"]
    assert len({oid_of_key(key) for key in keys.values()}) == 1


def test_many_files_are_parsed_in_processes_with_the_same_facts(repo: Repo, store: Store, tmp_path: Path) -> None:
    for number in range(100):
        repo.write(f"src/m{number:03}.py", f"def parse_{number}(): pass\n")
    snapshot = snapshot_of(repo)
    keys = fact_keys(snapshot)
    steps: list[tuple[int, int | None]] = []
    parallel = FactSource(store, snapshot, 2, lambda step, done, total: steps.append((done, total)))
    found = list(parallel.facts(keys))
    assert symbols(found) == {f"src/m{number:03}.py": [f"parse_{number}"] for number in range(100)}
    assert steps[0] == (0, 100) and steps[-1] == (100, 100)
    few = dict(list(keys.items())[:90])
    here = list(source_of(Store(tmp_path / "other"), snapshot).facts(few))
    assert here == [fact for fact in found if fact[0] in few]


def test_a_file_that_changed_since_the_look_is_left_out_and_named(repo: Repo, store: Store) -> None:
    repo.write("src/a.py", "def a(): pass\n")
    repo.write("src/b.py", "def b(): pass\n")
    repo.write("src/gone.py", "def gone(): pass\n")
    snapshot = snapshot_of(repo)
    repo.write("src/b.py", "def other(): pass\n")
    (repo.root / "src/gone.py").unlink()
    source = source_of(store, snapshot)
    found = list(source.facts(fact_keys(snapshot)))
    assert symbols(found) == {"src/a.py": ["a"]}
    assert source.moved == ["src/b.py", "src/gone.py"]
    assert len(store.database.fact_keys(BLOBS)) == 1
