"""The commit index: who descends whom, what is visible from where, and what a commit touched."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Repo
from tests.index.histories import Planned, linear, make_history, random_history, scores, update
from trackdown.index.commits import CommitIndex, CommitSegment, build_segment
from trackdown.repository.history import CommitFacts, CommitRef, PathChange
from trackdown.repository.source import open_source
from trackdown.store.arrays import Arrays
from trackdown.store.store import Store


def reached(index: CommitIndex, commit: str) -> set[str]:
    mask = index.ancestors(commit)
    positions = range(index.count) if mask is None else np.flatnonzero(mask).tolist()
    return {index.oid(position) for position in positions}


@pytest.mark.parametrize("seed", range(4))
def test_ancestors_are_those_that_git_lists(repo: Repo, tmp_path: Path, seed: int) -> None:
    generator = random.Random(seed)
    commits = make_history(repo, random_history(generator, 40))
    store, source = Store(tmp_path / "store"), open_source(repo.root)
    for tip in [commits[15], commits[22], commits[30], commits[39]]:
        index = update(store, source, tip).index
    assert len(index.segments) == 2
    known = [commit for commit in commits if index.position(commit) >= 0]
    assert commits[39] in known
    for commit in known:
        expected = set(repo.git("rev-list", commit).split())
        assert reached(index, commit) == expected
        assert index.visible(commit) == len(expected)


def test_a_lone_tip_sees_everything_without_a_mask(repo: Repo, tmp_path: Path) -> None:
    commits = make_history(repo, linear(["one", "two", "three"]))
    index = update(Store(tmp_path / "store"), open_source(repo.root), commits[2]).index
    assert index.ancestors(commits[2]) is None and index.visible(commits[2]) == 3
    assert index.visible(commits[0]) == 1
    assert index.position("0" * 40) == -1


def test_merges_connect_and_have_no_words(repo: Repo, tmp_path: Path) -> None:
    plan = [
        Planned("begin", [], {"a.py": "1\n"}),
        Planned("left parser", [0], {"a.py": "2\n"}),
        Planned("right parser", [0], {"b.py": "3\n"}),
        Planned("merge parser parser parser", [1, 2], {"b.py": "3\n"}),
    ]
    commits = make_history(repo, plan)
    index = update(Store(tmp_path / "store"), open_source(repo.root), commits[3]).index
    assert index.visible(commits[3]) == 4
    assert set(scores(index, commits[3], ["parser"])) == set(commits[1:3])


def test_commits_of_a_branch_are_invisible_from_another_and_change_no_score_there(
    make_repo: Callable[[str], Repo], tmp_path: Path
) -> None:
    messages = [f"fix the parser {word}" for word in ("cookie", "session", "parser", "cache header", "token")]
    alone, both = make_repo("alone"), make_repo("both")
    assert make_history(alone, linear(messages)) == make_history(both, linear(messages))
    tip = both.git("rev-parse", "main")
    branch = [Planned("parser " * 40, [tip], {"x.py": "1\n"}), Planned("cookie parser", [0], {"y.py": "1\n"})]
    hidden = make_history(both, branch, "feature")
    first, second = Store(tmp_path / "one"), Store(tmp_path / "two")
    source = open_source(both.root)
    clean = update(first, open_source(alone.root), tip).index
    update(second, source, tip)
    mixed = update(second, source, hidden[1]).index
    assert len(mixed.segments) == 2
    for query in (["parser"], ["parser", "cookie", "token"], ["cache"]):
        assert scores(mixed, tip, query) == scores(clean, tip, query)
    assert set(hidden) <= set(scores(mixed, hidden[1], ["parser"]))
    whole = update(Store(tmp_path / "three"), source, hidden[1]).index
    assert scores(whole, tip, ["parser", "cookie"]) == scores(clean, tip, ["parser", "cookie"])


def test_changes_and_renames_name_paths_across_base_and_delta(repo: Repo, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    plan = [
        Planned("begin", [], {"a.py": text, "b.py": "other\n"}),
        Planned("move a", [0], {}, {"a.py": "pkg/a.py"}),
        Planned("touch b", [1], {"b.py": "more\n"}),
        Planned("move on, and a new a", [2], {"a.py": "new\n"}, {"pkg/a.py": "lib/a.py"}),
        Planned("touch all", [3], {"a.py": "newer\n", "lib/a.py": text + "end\n", "b.py": "most\n"}),
    ]
    commits = make_history(repo, plan)
    store, source = Store(tmp_path / "store"), open_source(repo.root)
    update(store, source, commits[1])
    index = update(store, source, commits[4]).index
    assert len(index.segments) == 2

    def touching(path: str, commit: str) -> list[str]:
        return [index.oid(position) for position in index.touching(path, commit).tolist()]

    assert touching("lib/a.py", commits[4]) == [commits[4], commits[3], commits[1], commits[0]]
    assert touching("a.py", commits[4]) == [commits[4], commits[3]]
    assert touching("b.py", commits[4]) == [commits[4], commits[2], commits[0]]
    assert touching("pkg/a.py", commits[1]) == [commits[1], commits[0]]
    assert touching("never.py", commits[4]) == []
    owners, paths = index.changes(np.array([index.position(commits[4]), index.position(commits[0])]))
    named = sorted(zip(owners.tolist(), (index.path(number) for number in paths.tolist()), strict=True))
    assert named == [(0, "a.py"), (0, "b.py"), (0, "lib/a.py"), (1, "a.py"), (1, "b.py")]
    assert [index.path(index.path_number(path)) for path in ("a.py", "lib/a.py")] == ["a.py", "lib/a.py"]


def test_subjects_authors_and_times_come_back(repo: Repo, tmp_path: Path) -> None:
    commits = make_history(repo, [Planned("Größe\n\nbody"), Planned("x" * 500, [0])])
    store, source = Store(tmp_path / "store"), open_source(repo.root)
    update(store, source, commits[0])
    index = update(store, source, commits[1]).index
    first, second = (index.position(commit) for commit in commits)
    assert (index.subject(first), index.author(first)) == ("Größe", "Ada")
    assert index.subject(second) == "x" * 200
    assert index.times.tolist() == [1_600_000_000, 1_600_000_060]


def test_the_same_commits_give_the_same_bytes() -> None:
    listed = [CommitRef(f"{number:040x}", (f"{number - 1:040x}",) if number else ()) for number in range(5)]
    facts = [
        CommitFacts(
            item.oid, list(item.parents), 7, "Ada", f"commit {item.oid[-1]}", [PathChange("M", b"\xff.py", None)]
        )
        for item in listed
    ]
    first, meta = build_segment(zip(listed, facts, strict=True))
    second, _ = build_segment(zip(listed, facts, strict=True))
    assert {name: array.tobytes() for name, array in first.items()} == {
        name: array.tobytes() for name, array in second.items()
    }
    index = CommitIndex([CommitSegment(Arrays(first, meta))])
    assert index.tips == [listed[-1].oid]
    assert index.path(0) == "\udcff.py" and index.path_number("\udcff.py") == 0


def test_ids_that_begin_alike_are_told_apart() -> None:
    oids = [f"{'ab' * 8}{number:024x}" for number in (3, 1, 2)]
    listed = [CommitRef(oid, ()) for oid in oids]
    segment = CommitSegment(Arrays(*build_segment((item, None) for item in listed)))
    assert [segment.position(oid) for oid in oids] == [0, 1, 2]
    assert segment.position("ab" * 8 + "0" * 24) == -1
    assert segment.position("ab" * 32) == -1
