"""Keeping a code index up to date: after any edit the answers are those of a fresh index, and only new blobs cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.index.edits import QUERIES, Editor, answers, fresh_answers
from trackdown.index.blob_facts import BLOBS
from trackdown.index.code_update import CODE_MANIFESTS, CodeManifest, partial_code, update_code
from trackdown.index.identity import repository_id
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree
from trackdown.settings import Settings
from trackdown.store.store import FORMAT, Store
from trackdown.types import LEVELS, no_progress

pytestmark = pytest.mark.slow

Opener = Callable[[Path | str], trackdown.Repository]


def manifests(settings: Settings) -> list[CodeManifest]:
    store = Store(settings.store)
    found = [msgspec.json.decode(value, type=CodeManifest) for _, value, _ in store.database.records(CODE_MANIFESTS)]
    store.close()
    return found


class Counted:
    """Counts the jobs that a call reports."""

    def __init__(self) -> None:
        self.jobs = 0

    def __call__(self, step: str, done: int, total: int | None) -> None:
        if step == "parse" and done == 0:
            self.jobs += total or 0


def parsed(opened: trackdown.Repository, at: str | None = None) -> int:
    """How many blobs a search parses."""
    counted = Counted()
    opened.search("parse the cookie", at=at, progress=counted)
    return counted.jobs


@pytest.mark.parametrize("seed", range(5))
def test_after_any_edits_the_answers_are_exactly_those_of_a_fresh_index(
    repo: Repo, open_repo: Opener, settings: Settings, tmp_path: Path, seed: int
) -> None:
    editor = Editor(repo, seed)
    answers(open_repo(repo.root))
    done = []
    for step in range(6):
        done += [editor.step(), editor.step()]
        expected = fresh_answers(repo.root, settings, tmp_path / f"fresh{step}")
        with open_repo(repo.root) as opened:
            assert answers(opened) == expected, done
        assert expected
    assert any(manifest.delta for manifest in manifests(settings))


def test_an_edit_makes_a_delta_on_the_base_and_many_make_a_new_base(
    repo: Repo, open_repo: Opener, settings: Settings
) -> None:
    for number in range(30):
        repo.write(f"src/m{number}.py", f"def parse_{number}():\n    return {number}\n")
    repo.commit("begin")
    opened = open_repo(repo.root)
    opened.search("parse")
    repo.write("src/m3.py", "def parse_anew():\n    return 3\n")
    opened.search("parse")
    ((base,), (edited,)) = (
        [m for m in manifests(settings) if m.delta is None],
        [m for m in manifests(settings) if m.delta is not None],
    )
    assert edited.base == base.base and len(edited.dead) == 1
    for number in range(70):
        repo.write(f"lib/m{number}.py", f"def render_{number}():\n    return {number}\n")
    opened.search("parse")
    latest = manifests(settings)[0]
    assert latest.delta is None and latest.base != base.base
    assert {result.symbol for result in opened.search("parse_anew render_69", k=2)} == {"parse_anew", "render_69"}


def test_only_new_blobs_are_parsed(repo: Repo, open_repo: Opener) -> None:
    for number in range(8):
        repo.write(f"src/m{number}.py", f"def parse_{number}():\n    return {number}\n")
    repo.commit("begin")
    opened = open_repo(repo.root)
    assert parsed(opened) == 8
    assert parsed(opened) == 0
    repo.write("src/m3.py", "def parse_anew():\n    return 3\n")
    assert parsed(opened) == 1
    (repo.root / "src/m5.py").rename(repo.root / "src/moved.py")
    assert parsed(opened) == 0
    (repo.root / "src/m6.py").unlink()
    assert parsed(opened) == 0
    repo.write("src/m6.py", "def parse_6():\n    return 6\n")
    repo.write("src/twin.py", "def parse_7():\n    return 7\n")
    assert parsed(opened) == 0


def test_the_same_content_in_another_language_is_parsed_again(repo: Repo, open_repo: Opener) -> None:
    repo.commit("begin", {"src/a.py": "parse = 1\n"})
    opened = open_repo(repo.root)
    assert parsed(opened) == 1
    repo.write("src/a.rb", "parse = 1\n")
    assert parsed(opened) == 1


def test_a_branch_switch_costs_what_is_new_there_and_going_back_costs_nothing(repo: Repo, open_repo: Opener) -> None:
    files = {f"src/m{number}.py": f"def parse_{number}():\n    return {number}\n" for number in range(6)}
    repo.commit("begin", files)
    opened = open_repo(repo.root)
    assert parsed(opened) == 6
    before = answers(opened)
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit(
        "change the cookie", {"src/m1.py": "def cookie():\n    pass\n", "src/new.py": "def session():\n    pass\n"}
    )
    assert parsed(opened) == 2
    assert opened.search("cookie session", k=2).results[0].path in ("src/m1.py", "src/new.py")
    repo.git("checkout", "-q", "main")
    assert parsed(opened) == 0
    assert answers(opened) == before


def test_a_past_commit_and_another_clone_share_what_is_known(repo: Repo, open_repo: Opener, tmp_path: Path) -> None:
    first = repo.commit("begin", {f"src/m{number}.py": f"def parse_{number}(): pass\n" for number in range(5)})
    repo.commit("more", {"src/m1.py": "def cookie(): pass\n"})
    opened = open_repo(repo.root)
    assert parsed(opened) == 5
    assert parsed(opened, at=first) == 1
    assert parsed(opened, at="HEAD") == 0
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    assert parsed(open_repo(tmp_path / "clone")) == 0


def test_a_past_commit_is_answered_as_it_was_then(
    repo: Repo, open_repo: Opener, settings: Settings, tmp_path: Path
) -> None:
    editor = Editor(repo, 11)
    commits: list[str] = []
    for _ in range(3):
        for _ in range(3):
            editor.step()
        commits.append(repo.commit(f"step {len(commits)} of the session cookie"))
    opened = open_repo(repo.root)
    opened.search("parse")
    for commit in commits:
        repo.git("clone", "-q", str(repo.root), str(tmp_path / commit / "repo"))
        then = Repo(tmp_path / commit / "repo")
        then.git("checkout", "-q", "--detach", commit)
        expected = fresh_answers(then.root, settings, tmp_path / f"store-{commit}")
        found = [
            result
            for query in QUERIES
            for level in LEVELS
            for result in opened.search(query, k=50, level=level, at=commit)
        ]
        assert [(r.path, r.symbol, r.start_line, r.score) for r in found] == [
            (r.path, r.symbol, r.start_line, r.score) for r in expected
        ]


def test_the_same_content_at_two_paths_is_parsed_once_and_found_twice(repo: Repo, open_repo: Opener) -> None:
    text = "def parse_cookie():\n    return 1\n"
    repo.commit("begin", {"a/one.py": text, "b/two.py": text, "c.py": "def other():\n    pass\n"})
    opened = open_repo(repo.root)
    assert parsed(opened) == 2
    assert [result.path for result in opened.search("parse_cookie")] == ["a/one.py", "b/two.py"]
    (repo.root / "a/one.py").unlink()
    assert [result.path for result in opened.search("parse_cookie")] == ["b/two.py"]


def test_files_that_a_rule_leaves_out_are_counted_and_never_found(repo: Repo, open_repo: Opener) -> None:
    repo.commit(
        "begin",
        {
            "src/a.py": "def parse():\n    pass\n",
            "src/binary.py": b"\0parse parse",
            "src/gen.py": "# @generated by parse\nparse = 1\n",
            "src/huge.py": "parse = 1\n" * 200_000,
            "src/image.png": b"parse",
        },
    )
    opened = open_repo(repo.root)
    status = opened.index()
    assert status.files == 1
    assert status.excluded == {"binary": 2, "generated": 1, "large": 1}
    assert {result.path for result in opened.search("parse", level="file")} == {"src/a.py"}
    repo.write("src/gen.py", "parse = 1\n")
    repo.write("src/a.py", b"\0def parse():\n    pass\n")
    status = opened.index()
    assert status.files == 1 and status.excluded == {"binary": 3, "large": 1}
    assert {result.path for result in opened.search("parse", level="file")} == {"src/gen.py"}


def test_a_file_that_changes_between_the_look_and_the_parser_is_said_to_have_moved(repo: Repo, tmp_path: Path) -> None:
    repo.commit("begin", {"a.py": "def parse(): pass\n", "b.py": "def cookie(): pass\n", "c.py": "def parse(): pass\n"})
    source, store = open_source(repo.root), Store(tmp_path / "store")
    seen = scan_worktree(source, None, 1 << 20).snapshot
    repo.write("b.py", "def session(): pass\n")
    update = update_code(store, seen, "history-1", workers=1, progress=no_progress)
    assert update.moved == ("b.py",)
    assert sorted(update.index.files_by_path) == ["a.py", "c.py"]
    assert store.database.records(CODE_MANIFESTS) == []  # an index that lacks a file is never kept


def test_a_file_that_changes_while_it_is_indexed_is_found_as_it_is_at_the_end(repo: Repo, open_repo: Opener) -> None:
    repo.commit("begin", {"src/a.py": "def parse(): pass\n", "src/b.py": "def cookie(): pass\n"})
    changed: list[Path] = []

    def change(step: str, done: int, total: int | None) -> None:
        if step == "parse" and not changed:
            changed.append(repo.write("src/b.py", "def session(): pass\n"))

    opened = open_repo(repo.root)
    answer = opened.search("session cookie", progress=change)
    assert changed and [result.symbol for result in answer] == ["session"]
    assert answer.notes == ()


def test_a_damaged_base_or_delta_is_built_again(
    repo: Repo, open_repo: Opener, settings: Settings, tmp_path: Path
) -> None:
    editor = Editor(repo, 5)
    answers(open_repo(repo.root))
    editor.modify()
    expected = fresh_answers(repo.root, settings, tmp_path / "fresh")
    assert answers(open_repo(repo.root)) == expected
    for path in sorted((settings.store / FORMAT / "arrays").glob("*.arrays")):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with open_repo(repo.root) as opened:
            assert answers(opened) == expected


def test_facts_that_another_process_collected_are_made_again(
    repo: Repo, open_repo: Opener, settings: Settings, tmp_path: Path
) -> None:
    editor = Editor(repo, 6)
    answers(open_repo(repo.root))
    store = Store(settings.store)
    store.database.delete_facts(BLOBS, store.database.fact_keys(BLOBS))
    store.close()
    editor.rename()
    editor.modify()
    with open_repo(repo.root) as opened:
        assert answers(opened) == fresh_answers(repo.root, settings, tmp_path / "fresh")


def test_while_another_process_indexes_what_is_ready_is_searched_and_said_to_be_partial(
    repo: Repo, open_repo: Opener, settings: Settings
) -> None:
    repo.commit("begin", {f"src/m{number}.py": f"def parse_{number}(): pass\n" for number in range(6)})
    opened = open_repo(repo.root)
    opened.search("parse")
    repo.write("src/new.py", "def parse_new(): pass\n")
    store = Store(settings.store)
    with store.writing(repository_id(store, opened.source, repo.git("rev-parse", "HEAD"))):
        answer = opened.search("parse", k=20)
    assert answer.partial and any("6 of 7 files" in note for note in answer.notes)
    assert sorted(result.path for result in answer) == [f"src/m{number}.py" for number in range(6)]
    assert not opened.search("parse").partial


def test_an_inventory_names_what_is_taken_in_and_what_is_not_and_keeps_no_index(
    repo: Repo, open_repo: Opener, settings: Settings
) -> None:
    repo.commit("begin", {"a.py": "x = 1\n", "b.md": "words\n", "c.py": b"\0", "d.png": b"x"})
    inventory = open_repo(repo.root).inventory()
    assert inventory.included == (("a.py", "python"), ("b.md", "text"))
    assert [(item.path, item.reason) for item in inventory.excluded] == [("c.py", "binary"), ("d.png", "binary")]
    assert manifests(settings) == []


@pytest.mark.parametrize(("most", "expected"), [(100, 30), (30, 30), (10, 10), (7, 6), (1, 1)])
def test_part_of_an_index_is_taken_from_everywhere_and_is_no_larger_than_asked(
    repo: Repo, open_repo: Opener, settings: Settings, most: int, expected: int
) -> None:
    repo.commit("Begin", {f"m{number:02}.py": f"def parse_{number}():\n    pass\n" for number in range(30)})
    with open_repo(repo.root) as opened:
        snapshot = opened.corpus().snapshot
    store = Store(settings.store)
    part = partial_code(store, snapshot, "another repository", most)
    assert part.index.file_count == expected and part.pending == 30 - expected
    assert "m00.py" in part.index.files_by_path
    assert expected == 1 or max(part.index.files_by_path) > "m24.py"
    store.close()


def test_a_base_of_another_version_takes_no_part(
    repo: Repo, open_repo: Opener, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("begin", {"a.py": "def parse():\n    pass\n"})
    monkeypatch.setattr("trackdown.index.code_update.INDEX_VERSION", 0)
    with open_repo(repo.root) as opened:
        opened.search("parse")
    (old,) = manifests(settings)
    store = Store(settings.store)
    store.write_arrays(old.base, {"other": np.zeros(3)}, {})
    monkeypatch.undo()
    with open_repo(repo.root) as opened:
        assert [result.symbol for result in opened.search("parse")] == ["parse"]
