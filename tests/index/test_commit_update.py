"""Keeping a commit index up to date: only what is new is read, clones share, and nothing that is gone stays visible."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.conftest import Repo
from tests.index.histories import Planned, linear, make_history, random_history, scores, update
from trackdown.errors import GitError
from trackdown.index.commit_update import COMMIT_MANIFESTS, COMMITS, CommitManifest, open_commits, update_commits
from trackdown.index.identity import is_shared, repository_id
from trackdown.repository.history import HISTORY_VERSION, CommitFacts
from trackdown.repository.source import open_source
from trackdown.store.store import Store
from trackdown.types import no_progress

MESSAGES = ["fix the parser", "sign the cookie", "cache the header", "drop the token", "parser cookie"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def rewrite_message(store: Store, oid: str, message: str) -> None:
    """Put other facts of a commit into the store, so that it shows when they are used."""
    key = f"{oid}:{HISTORY_VERSION}"
    value = store.database.read_facts(COMMITS, [key])[key]
    changed = msgspec.structs.replace(msgspec.msgpack.decode(value, type=CommitFacts), message=message)
    store.database.delete_facts(COMMITS, [key])
    store.database.write_facts(COMMITS, [(key, msgspec.msgpack.encode(changed))])


def segments_of(store: Store) -> list[str]:
    ((_, value, _),) = store.database.records(COMMIT_MANIFESTS)
    return msgspec.json.decode(value, type=CommitManifest).segments


def test_commits_that_have_facts_are_not_read_again(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[2])
    rewrite_message(store, commits[0], "walrus")
    index = update(store, source, commits[4]).index
    assert scores(index, commits[4], ["walrus"]) == {}  # the base holds it as it was
    store.database.delete_records(COMMIT_MANIFESTS, [repository_id(store, source, commits[4])])
    rebuilt = update(store, source, commits[4]).index
    assert set(scores(rebuilt, commits[4], ["walrus"])) == {commits[0]}
    assert set(scores(rebuilt, commits[4], ["cookie"])) == {commits[1], commits[4]}


def test_an_update_writes_facts_for_new_commits_only(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[2])
    assert sorted(store.database.fact_keys(COMMITS)) == sorted(f"{oid}:{HISTORY_VERSION}" for oid in commits[:3])
    first = segments_of(store)
    index = update(store, source, commits[4]).index
    assert len(store.database.fact_keys(COMMITS)) == 5
    assert segments_of(store)[:1] == first and len(segments_of(store)) == 2
    assert len(index.segments[1].oids) == 2


def test_a_commit_that_is_known_costs_nothing(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    repository = repository_id(store, source, commits[4])
    update(store, source, commits[4])
    opened = open_commits(store, repository)
    assert opened is not None and all(opened.index.position(commit) >= 0 for commit in commits)


def test_a_small_delta_grows_and_a_large_one_becomes_a_new_base(repo: Repo, store: Store, tmp_path: Path) -> None:
    generator = random.Random(7)
    commits = make_history(repo, random_history(generator, 30) + linear_from(30, 1040))
    source = open_source(repo.root)
    counts = []
    for tip in (commits[20], commits[29], commits[35], commits[-1]):
        counts.append(len(update(store, source, tip).index.segments))
    assert counts == [1, 2, 2, 1]
    index = update(store, source, commits[-1]).index
    clean = update(Store(tmp_path / "clean"), source, commits[-1]).index
    for query in (["parser"], ["cookie", "step"], ["session", "header", "parser"]):
        assert scores(index, commits[-1], query) == scores(clean, commits[-1], query)
        assert scores(index, commits[-1], query)


def linear_from(first: int, size: int) -> list[Planned]:
    return [Planned(f"step {number} parser", [first + number - 1], {"n": f"{number}\n"}) for number in range(size)]


@pytest.mark.parametrize("seed", range(3))
def test_an_index_updated_step_by_step_scores_exactly_like_a_fresh_one(
    repo: Repo, store: Store, tmp_path: Path, seed: int
) -> None:
    generator = random.Random(seed)
    commits = make_history(repo, random_history(generator, 40))
    source = open_source(repo.root)
    for step, tip in enumerate(generator.sample(commits, 6)):
        index = update(store, source, tip).index
        clean = update(Store(tmp_path / f"clean{step}"), source, tip).index
        assert index.visible(tip) == clean.visible(tip)
        for query in (["parser"], ["cookie", "session", "header"], ["render", "absent"]):
            assert scores(index, tip, query) == scores(clean, tip, query)


def test_branches_that_were_indexed_stay_while_others_are_added(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[4])
    branches = [
        make_history(repo, [Planned(f"walrus {number}", [commits[number]], {"w": f"{number}\n"})], f"b{number}")[0]
        for number in range(4)
    ]
    for tip in branches:
        index = update(store, source, tip).index
    assert all(index.position(tip) >= 0 for tip in [*branches, commits[4]])
    for tip in branches:
        assert set(scores(index, tip, ["walrus"])) == {tip}


def test_clones_and_worktrees_share_one_index_and_its_facts(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "worktree"), commits[2])
    places = [repo.root, tmp_path / "clone", tmp_path / "worktree"]
    sources = [open_source(place) for place in places]
    assert len({repository_id(store, source, commits[2]) for source in sources}) == 1
    update(store, sources[0], commits[4])
    for source in sources[1:]:
        index = update(store, source, commits[4]).index
        assert scores(index, commits[4], ["parser"]).keys() == {commits[0], commits[4]}
    assert len(store.database.records(COMMIT_MANIFESTS)) == 1
    assert len(store.database.fact_keys(COMMITS)) == 5


def test_two_clones_that_go_apart_find_what_each_of_them_has(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    ours = make_history(repo, [Planned("walrus here", [commits[4]], {"w": "1\n"})])[0]
    theirs = make_history(clone, [Planned("walrus there", [commits[4]], {"w": "2\n"})])[0]
    here, there = open_source(repo.root), open_source(clone.root)
    assert repository_id(store, here, ours) == repository_id(store, there, theirs)
    update(store, here, commits[3])
    for _ in range(2):
        for source, tip in ((here, ours), (there, theirs), (there, commits[4]), (here, ours)):
            index = update(store, source, tip).index
            assert set(scores(index, tip, ["walrus"])) == {tip} - {commits[4]}
            assert index.visible(tip) == 6 - (tip == commits[4])


def test_a_shallow_clone_keeps_to_itself(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.root}", str(tmp_path / "shallow"))
    whole, shallow = open_source(repo.root), open_source(tmp_path / "shallow")
    found = update(store, shallow, commits[4])
    assert found.index.visible(commits[4]) == 2 and found.incomplete == 1
    assert repository_id(store, shallow, commits[4]) != repository_id(store, whole, commits[4])
    complete = update(store, whole, commits[4])
    assert complete.index.visible(commits[4]) == 5 and complete.incomplete == 0
    owners, _ = complete.index.changes(np.arange(5))
    assert owners.tolist() == [0, 1, 2, 3, 4]
    assert len(store.database.records(COMMIT_MANIFESTS)) == 2


def test_a_shallow_clone_that_is_deepened_is_another_one(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.root}", str(tmp_path / "shallow"))
    update(store, open_source(tmp_path / "shallow"), commits[4])
    Repo(tmp_path / "shallow").git("fetch", "-q", "--unshallow")
    found = update(store, open_source(tmp_path / "shallow"), commits[4])
    assert found.index.visible(commits[4]) == 5 and found.incomplete == 0


def remove_object(repo: Repo, oid: str) -> None:
    """Make a clone lack an object, as partial clones and damaged ones do."""
    path = repo.root / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.unlink()


def unpack(repo: Repo) -> None:
    pack = next((repo.root / ".git" / "objects" / "pack").glob("*.pack")).rename(repo.root / "all.pack")
    repo.git("unpack-objects", "-q", stdin=pack.read_bytes())
    pack.unlink()


def test_a_clone_that_lacks_objects_keeps_what_it_could_not_see_to_itself(
    repo: Repo, store: Store, tmp_path: Path
) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    plan = [
        Planned("begin parser", [], {"a.py": text}),
        Planned("move parser", [0], {"b.py": f"{text}end\n", "a.py": None}),
        Planned("touch parser", [1], {"b.py": f"{text}more\n"}),
    ]
    commits = make_history(repo, plan)
    repo.git("clone", "-q", f"file://{repo.root}", str(tmp_path / "broken"))
    broken = Repo(tmp_path / "broken")
    unpack(broken)
    remove_object(broken, repo.git("rev-parse", f"{commits[0]}:a.py"))
    poor = update(store, open_source(broken.root), commits[2])
    assert poor.incomplete > 0
    assert set(scores(poor.index, commits[2], ["parser"])) == set(commits)
    rich = update(store, open_source(repo.root), commits[2])
    assert rich.incomplete == 0
    assert [rich.index.oid(position) for position in rich.index.touching("b.py", commits[2])] == commits[::-1]
    names = [repository_id(store, open_source(place), commits[2]) for place in (repo.root, broken.root)]
    assert names[0] != names[1]


def test_a_clone_that_lacks_objects_of_a_new_commit_leaves_the_shared_index_alone(
    repo: Repo, store: Store, tmp_path: Path
) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    plan = [
        Planned("begin parser", [], {"a.py": text}),
        Planned("touch parser", [0], {"a.py": f"{text}more\n"}),
        Planned("move parser", [1], {"b.py": f"{text}end\n", "a.py": None}),
    ]
    commits = make_history(repo, plan)
    repo.git("clone", "-q", f"file://{repo.root}", str(tmp_path / "broken"))
    broken = Repo(tmp_path / "broken")
    unpack(broken)
    remove_object(broken, repo.git("rev-parse", f"{commits[1]}:a.py"))
    update(store, open_source(repo.root), commits[1])
    before = segments_of(store)
    poor = update(store, open_source(broken.root), commits[2])
    assert poor.incomplete == 1 and len(poor.index.segments) == 1
    assert set(scores(poor.index, commits[2], ["parser"])) == set(commits)
    shared = store.database.read_record(COMMIT_MANIFESTS, repository_id(store, open_source(repo.root), commits[1]))
    assert shared is not None and msgspec.json.decode(shared, type=CommitManifest).segments == before
    rich = update(store, open_source(repo.root), commits[2])
    assert rich.incomplete == 0
    assert [rich.index.oid(position) for position in rich.index.touching("b.py", commits[2])] == commits[::-1]


def test_another_repository_at_the_same_place_has_answers_of_its_own(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    update(store, open_source(repo.root), commits[4])
    shutil.rmtree(repo.root)
    other = Repo(repo.root)
    others = make_history(other, [Planned("parser of another", [], {"x.py": "1\n"}), Planned("token", [0])])
    index = update(store, open_source(other.root), others[1]).index
    clean = update(Store(tmp_path / "clean"), open_source(other.root), others[1]).index
    for query in (["parser"], ["token", "another"]):
        assert scores(index, others[1], query) == scores(clean, others[1], query)


def test_ids_of_sha256_are_ids_too(tmp_path: Path, store: Store) -> None:
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(tmp_path / "long")], check=True)
    repo = Repo(tmp_path / "long")
    commits = make_history(repo, linear(MESSAGES))
    assert len(commits[0]) == 64
    source = open_source(repo.root)
    update(store, source, commits[2])
    index = update(store, source, commits[4]).index
    assert len(index.segments) == 2 and index.visible(commits[4]) == 5 and index.visible(commits[1]) == 2
    assert set(scores(index, commits[4], ["cookie"])) == {commits[1], commits[4]}


def test_rebased_commits_are_invisible_and_change_no_score(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[4])
    rebased = make_history(repo, [Planned("drop the parser token", [commits[2]], {"src/3.py": "value = 3\n"})])[0]
    index = update(store, source, rebased).index
    clean = update(Store(tmp_path / "clean"), source, rebased).index
    assert scores(index, rebased, ["parser", "token"]) == scores(clean, rebased, ["parser", "token"])
    assert set(scores(index, rebased, ["token"])) == {rebased}


def test_commits_that_git_has_thrown_away_do_no_harm(repo: Repo, store: Store, tmp_path: Path) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[3])
    update(store, source, commits[4])
    kept = make_history(repo, [Planned("walrus", [commits[1]], {"w": "1\n"})])[0]
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    with pytest.raises(AssertionError):
        repo.git("cat-file", "-e", commits[4])
    index = update(store, source, kept).index
    clean = update(Store(tmp_path / "clean"), source, kept).index
    for query in (["walrus", "parser"], ["cookie"]):
        assert scores(index, kept, query) == scores(clean, kept, query)
    again = make_history(repo, [Planned("walrus again", [kept], {"w": "2\n"})])[0]
    assert set(scores(update(store, source, again).index, again, ["walrus"])) == {kept, again}


def test_the_future_does_not_leak(repo: Repo, store: Store, make_repo: Callable[[str], Repo], tmp_path: Path) -> None:
    past = make_repo("past")
    plan = random_history(random.Random(3), 30)
    commits = make_history(repo, plan)
    assert make_history(past, plan[:12]) == commits[:12]
    for tip in commits:
        update(store, open_source(repo.root), tip)
    whole = update(store, open_source(repo.root), commits[-1]).index
    for place in (4, 8, 11):
        then = update(Store(tmp_path / f"then{place}"), open_source(past.root), commits[place]).index
        for query in (["parser"], ["cookie", "session", "token"]):
            assert scores(whole, commits[place], query) == scores(then, commits[place], query)


def test_a_long_history_that_is_read_in_a_process_of_its_own_is_the_same(
    repo: Repo, store: Store, tmp_path: Path
) -> None:
    commits = make_history(repo, random_history(random.Random(1), 40) + linear_from(40, 2100))
    source = open_source(repo.root)
    seen: list[tuple[str, int, int | None]] = []
    found, _ = update_commits(
        store, source, repository_id(store, source, commits[-1]), commits[-1], None, lambda *step: seen.append(step)
    )
    assert seen[-1][0] == "history" and seen[-1][1] == seen[-1][2]
    here = Store(tmp_path / "here")
    update(here, source, commits[40])  # with some facts known, everything happens in this process
    base = update(here, source, commits[-1])
    assert len(base.index.segments) == 1
    first, second = found.index.segments[0].arrays, base.index.segments[0].arrays
    assert {name: first[name].tobytes() for name in first} == {name: second[name].tobytes() for name in second}
    assert sorted(store.database.fact_keys(COMMITS)) == sorted(here.database.fact_keys(COMMITS))


def test_a_damaged_segment_is_built_again(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[4])
    (name,) = segments_of(store)
    path = store.folder / "arrays" / f"{name}.arrays"
    path.write_bytes(path.read_bytes()[:-64])
    assert open_commits(store, repository_id(store, source, commits[4])) is None
    assert set(scores(update(store, source, commits[4]).index, commits[4], ["token"])) == {commits[3]}


def test_an_index_of_another_version_is_not_opened(repo: Repo, store: Store) -> None:
    commits = make_history(repo, linear(MESSAGES))
    source = open_source(repo.root)
    update(store, source, commits[4])
    ((key, value, _),) = store.database.records(COMMIT_MANIFESTS)
    other = msgspec.structs.replace(msgspec.json.decode(value, type=CommitManifest), version=999)
    store.database.write_record(COMMIT_MANIFESTS, key, msgspec.json.encode(other))
    assert open_commits(store, key) is None


def test_a_commit_whose_tree_is_missing_is_known_by_its_message_alone(repo: Repo, store: Store) -> None:
    commits = [repo.commit(f"{word} parser", {f"{word}.py": "x\n"}) for word in ("one", "two", "three")]
    remove_object(repo, repo.git("rev-parse", f"{commits[1]}^{{tree}}"))
    source = open_source(repo.root)
    found = update(store, source, commits[2])
    assert found.incomplete >= 1
    assert set(scores(found.index, commits[2], ["parser"])) == set(commits)
    assert not is_shared(repository_id(store, source, commits[2]))


def test_a_history_that_git_cannot_list_is_an_error(repo: Repo, store: Store) -> None:
    commits = [repo.commit(word, {f"{word}.py": "x\n"}) for word in ("one", "two", "three")]
    remove_object(repo, commits[1])
    with pytest.raises(GitError):
        update_commits(store, open_source(repo.root), "history-0", commits[2], None, no_progress)
    assert store.database.records(COMMIT_MANIFESTS) == []
