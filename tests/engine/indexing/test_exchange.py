"""Export and import: the same answers without reading files, for one clone alone; what does not fit is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.engine import export_index, import_index
from trackdown.engine.indexing.housekeeping import collect
from trackdown.errors import NoSuchPath, RepositoryError, ShardError, TrackdownError, UsageError
from trackdown.settings import Settings
from trackdown.store import NewPart, open_shard, write_shard

Steps = list[tuple[str, int, int | None]]
Open = Callable[..., trackdown.Repository]
QUERY = "zebra cookie"


@pytest.fixture
def zebra(make_repo: Callable[[str], Repo]) -> Repo:
    repo = make_repo("zebra")
    for number in range(8):
        code = f'def zebra_{number}(cookie):\n    raise KeyError("no zebra in stable {number}")\n'
        repo.commit(f"Add zebra number {number}\n\nIt eats straw {number}.", {f"zebra/part{number}.py": code})
    repo.git("mv", "zebra/part0.py", "zebra/first.py")
    repo.commit("Rename the first zebra")
    return repo


@pytest.fixture
def laptop(settings: Settings, tmp_path: Path) -> Settings:
    """Settings of another machine: a store of its own."""
    return replace(settings, store=tmp_path / "laptop")


@pytest.fixture
def shard(zebra: Repo, settings: Settings, tmp_path: Path) -> Path:
    with trackdown.open(zebra.root, settings=settings) as opened:
        export_index(opened, tmp_path / "zebra.shard")
    return tmp_path / "zebra.shard"


def clone(repo: Repo, target: Path, *options: str) -> Repo:
    repo.git("clone", "-q", *options, f"file://{repo.root}", str(target))
    return Repo(target, bare="--bare" in options)


def searched(place: Path, settings: Settings, query: str = QUERY) -> tuple[list[tuple[str, str, float]], Steps]:
    """What a search found, and what work it told of."""
    told: Steps = []
    with trackdown.open(place, settings=settings) as opened:
        answer = opened.search(query, progress=lambda step, done, total: told.append((step, done, total)))
    return [(result.path, result.symbol, result.score) for result in answer], told


def imported(place: Path, settings: Settings, shard: Path, **options: Any) -> Any:
    with trackdown.open(place, settings=settings) as opened:
        return import_index(opened, str(shard), **options)


def state(place: Path, settings: Settings) -> Any:
    with trackdown.open(place, settings=settings) as opened:
        return opened.status().imported


def test_a_search_after_an_import_reads_nothing_and_answers_the_same(
    zebra: Repo, settings: Settings, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    expected, _ = searched(zebra.root, settings)
    other = clone(zebra, tmp_path / "clone")
    report = imported(other.root, laptop, shard)
    assert (report.files, report.commits, report.parts, report.notes) == (8, 9, ("code", "commits"), ())
    found, told = searched(other.root, laptop)
    assert found == expected and told == []
    with trackdown.open(other.root, settings=laptop) as opened:
        past = opened.history("eats straw 3")
        assert past.commits[0].subject == "Add zebra number 3"
        assert opened.status().ready


def test_messages_are_those_of_the_shard_while_facts_are_missing(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    shallow = clone(zebra, tmp_path / "shallow", "--depth=1")
    assert imported(shallow.root, laptop, shard).commits == 9
    with trackdown.open(shallow.root, settings=laptop) as opened:
        corpus = opened.corpus()
        assert corpus.history is not None and corpus.messages is not None
        position = corpus.history[0].with_prefix(zebra.git("rev-parse", "HEAD~4"))
        assert corpus.messages(position)[0].strip().endswith("It eats straw 4.")


def test_edits_and_commits_on_top_are_indexed_as_usual(
    zebra: Repo, settings: Settings, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    other = clone(zebra, tmp_path / "clone")
    imported(other.root, laptop, shard)
    other.write("new.py", "def okapi(leaf):\n    return leaf\n")
    found, told = searched(other.root, laptop, "okapi leaf")
    assert found[0][:2] == ("new.py", "okapi") and ("parse", 1, 1) in told
    assert state(other.root, laptop).used
    other.commit("Keep an okapi")
    found, told = searched(other.root, laptop, "okapi leaf")
    assert [step for step in told if step[0] == "parse"] == []
    with trackdown.open(other.root, settings=laptop) as opened:
        assert opened.history("Keep an okapi").commits[0].subject == "Keep an okapi"
        assert opened.status().commits == 10
    clean = replace(settings, store=tmp_path / "clean")
    assert searched(other.root, laptop, "okapi leaf")[0] == searched(other.root, clean, "okapi leaf")[0]


def test_what_was_computed_here_comes_first(zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path) -> None:
    expected, _ = searched(zebra.root, laptop)
    lying = poisoned(shard, tmp_path / "lying.shard")
    imported(zebra.root, laptop, lying)
    assert searched(zebra.root, laptop) == (expected, [])
    assert not state(zebra.root, laptop).used


def poisoned(shard: Path, target: Path, kind: str = "code", change: Callable[[Any], None] | None = None) -> Path:
    """A shard that is whole, but tells lies: every function is called by another name."""

    def lie(arrays: Any) -> None:
        arrays["symbols_bytes"][:] = ord("q")

    with open_shard(shard, 1 << 30) as opened:
        parts = []
        for number, part in enumerate(opened.parts):
            arrays = {name: array.copy() for name, array in opened.read(number).items()}
            if part.kind == kind:
                (change or lie)(arrays)
            parts.append(NewPart(part.kind, arrays, part.meta))
        write_shard(target, opened.about, parts)
    return target


def test_lies_reach_no_other_clone_and_leave_with_the_import(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    victim, other = clone(zebra, tmp_path / "victim"), clone(zebra, tmp_path / "other")
    imported(victim.root, laptop, poisoned(shard, tmp_path / "lying.shard"))
    assert {symbol for _, symbol, _ in searched(victim.root, laptop)[0]} == {"qqqqqqq"}
    found, told = searched(other.root, laptop)
    assert {symbol for _, symbol, _ in found} == {f"zebra_{number}" for number in range(8)}
    assert ("parse", 8, 8) in told and state(other.root, laptop) is None
    with trackdown.open(victim.root, settings=laptop) as opened:
        opened.clear(only_imported=True)
        assert not [name for name in opened.store.array_names() if "import" in name]
    assert state(victim.root, laptop) is None
    assert searched(victim.root, laptop)[0] == found


def test_status_tells_what_is_imported_and_clear_removes_it(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    other = clone(zebra, tmp_path / "clone")
    report = imported(other.root, laptop, shard)
    found = state(other.root, laptop)
    assert (found.origin, found.digest, found.used) == (str(shard), report.digest, True)
    assert (found.commit, found.bytes) == (zebra.git("rev-parse", "HEAD"), shard.stat().st_size)
    with trackdown.open(other.root, settings=laptop) as opened:
        collect(opened.store)
    assert searched(other.root, laptop)[1] == []  # garbage collection keeps it
    with trackdown.open(other.root, settings=laptop) as opened:
        opened.clear()
        assert opened.store.array_names() == []
    assert state(other.root, laptop) is None


def test_a_second_import_takes_the_place_of_the_first(
    zebra: Repo, settings: Settings, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    other = clone(zebra, tmp_path / "clone")
    imported(other.root, laptop, shard)
    with trackdown.open(zebra.root, settings=settings) as opened:
        export_index(opened, tmp_path / "old.shard", "HEAD~3")
    imported(other.root, laptop, tmp_path / "old.shard")
    with trackdown.open(other.root, settings=laptop) as opened:
        assert len([name for name in opened.store.array_names() if name.startswith("code-")]) == 1
    found, told = searched(other.root, laptop)
    assert ("parse", 3, 3) in told  # the commits since, the rename among them
    assert found == searched(zebra.root, settings)[0]


def test_an_import_that_fails_leaves_the_former_one_in_use(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    other = clone(zebra, tmp_path / "clone")
    imported(other.root, laptop, shard)
    before, whole = state(other.root, laptop), shard.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for place in (tmp_path / "other.shard", shard):  # from elsewhere, and from where the former one came
        place.write_bytes(damaged)
        with pytest.raises(ShardError, match="damaged"):
            imported(other.root, laptop, place)
        assert state(other.root, laptop) == before and before.used
    shard.write_bytes(whole)
    with pytest.raises(ShardError, match="not 00"):
        imported(other.root, laptop, shard, digest="00")
    imported(other.root, laptop, shard)
    assert state(other.root, laptop) == before and searched(other.root, laptop)[1] == []


def test_an_export_has_no_other_branch_and_no_edits_and_is_the_same_every_time(
    zebra: Repo, settings: Settings, tmp_path: Path, shard: Path
) -> None:
    with open_shard(shard, 1 << 30) as opened:
        digest = opened.digest
    zebra.git("switch", "-q", "-c", "secret")
    zebra.commit("Add the secret okapi", {"okapi.py": "def okapi():\n    pass\n"})
    searched(zebra.root, settings)
    zebra.git("switch", "-q", "main")
    zebra.write("zebra/first.py", "def edited():\n    pass\n")
    searched(zebra.root, settings)
    with trackdown.open(zebra.root, settings=settings) as opened_repository:
        report = export_index(opened_repository, tmp_path / "again.shard")
    assert report.digest == digest
    assert report.notes == ("uncommitted changes are not part of the exported index",)


def test_an_index_of_base_and_delta_exports_like_a_fresh_one(zebra: Repo, settings: Settings, tmp_path: Path) -> None:
    models = make_models(tmp_path / "models")
    with_models = replace(settings, models=str(models))
    searched(zebra.root, with_models)
    zebra.commit("Add more", {"more.py": "def more(zebra):\n    return zebra\n"})
    digests = []
    for store in ("store", "fresh"):
        with trackdown.open(zebra.root, settings=replace(with_models, store=tmp_path / store)) as opened:
            report = export_index(opened, tmp_path / "x.shard", deep=True)
            digests.append(report.digest)
    assert digests[0] == digests[1]
    assert report.parts == ("code", "commits", "static", "deep")


def test_vectors_travel_along_and_those_of_another_model_do_not(
    zebra: Repo, settings: Settings, laptop: Settings, tmp_path: Path
) -> None:
    models = str(make_models(tmp_path / "models"))
    with trackdown.open(zebra.root, settings=replace(settings, models=models)) as opened:
        export_index(opened, tmp_path / "deep.shard", deep=True)
    other = clone(zebra, tmp_path / "clone")
    report = imported(other.root, replace(laptop, models=models), tmp_path / "deep.shard")
    assert report.parts == ("code", "commits", "static", "deep")
    with trackdown.open(other.root, settings=replace(laptop, models=models)) as opened:
        deep = opened.status().deep
        assert deep is not None and deep.ready
    report = imported(other.root, laptop, tmp_path / "deep.shard")
    assert report.parts == ("code", "commits") and len(report.notes) == 2
    assert "of a model that is not used here" in report.notes[0]


def refusal(place: Path, settings: Settings, shard: Path, **options: Any) -> str:
    """Why an import was refused. Nothing of it stays."""
    with pytest.raises(ShardError) as caught:
        imported(place, settings, shard, **options)
    with trackdown.open(place, settings=settings) as opened:
        assert not [name for name in opened.store.array_names() if "import" in name]
        assert opened.status().imported is None
    assert str(caught.value).startswith(f"cannot import {shard}: ") and "\n" not in str(caught.value)
    return str(caught.value)


def test_an_index_of_another_repository_is_refused(
    make_repo: Callable[[str], Repo], zebra: Repo, laptop: Settings, shard: Path
) -> None:
    other = make_repo("other")
    other.commit("Begin", {"a.py": "def a():\n    pass\n"})
    assert "another repository" in refusal(other.root, laptop, shard)


def test_an_index_of_a_commit_that_is_not_here_says_to_fetch(
    zebra: Repo, settings: Settings, laptop: Settings, tmp_path: Path
) -> None:
    behind = clone(zebra, tmp_path / "behind")
    zebra.commit("Go on", {"b.py": "def b():\n    pass\n"})
    with trackdown.open(zebra.root, settings=settings) as opened:
        export_index(opened, tmp_path / "new.shard")
    assert "which this clone does not have: run `git fetch`" in refusal(behind.root, laptop, tmp_path / "new.shard")


def test_another_version_another_limit_and_another_digest_are_refused(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    assert "max_file_kb = 1024, and here it is 7" in refusal(zebra.root, replace(laptop, max_file_kb=7), shard)
    assert "its digest is " in refusal(zebra.root, laptop, shard, digest="00" * 32)
    with open_shard(shard, 1 << 30) as opened:
        assert imported(zebra.root, laptop, shard, digest=opened.digest.upper()).digest == opened.digest
        parts = [NewPart(part.kind, opened.read(n), part.meta) for n, part in enumerate(opened.parts)]
        versions = {**opened.about["versions"], "extractor": 1}
        write_shard(tmp_path / "old.shard", {**opened.about, "versions": versions}, parts)
    with trackdown.open(zebra.root, settings=laptop) as repository:
        repository.clear()
    assert "another version of Trackdown made it" in refusal(zebra.root, laptop, tmp_path / "old.shard")


def test_a_shard_that_tells_of_other_files_or_commits_is_refused(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    def rename(arrays: Any) -> None:
        arrays["paths_bytes"][:6] = np.frombuffer(b"../../", np.uint8)

    def retouch(arrays: Any) -> None:
        arrays["keys_bytes"][0] ^= 1

    def adopt(arrays: Any) -> None:
        arrays["parents"][-1] = 0

    def relabel(arrays: Any) -> None:
        arrays["oids"][2] ^= 1

    for kind, change, words in [
        ("code", rename, "lists other files"),
        ("code", retouch, "other contents"),
        ("commits", adopt, "another history"),
        ("commits", relabel, "another history"),
    ]:
        assert words in refusal(zebra.root, laptop, poisoned(shard, tmp_path / "lying", kind, change)), words


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["code", "commits"])
def test_numbers_that_lead_nowhere_are_refused_or_harmless(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path, kind: str
) -> None:
    """Any one number may be any other: the import refuses it, or searches go on without an unexpected error."""
    with open_shard(shard, 1 << 30) as opened:
        number = [part.kind for part in opened.parts].index(kind)
        names = [name for name, array in opened.read(number).items() if array.size]
    chance = random.Random(7)
    refused = 0
    for name in names:
        value = chance.choice([-1, 1 << 30, chance.randrange(256)])

        def change(arrays: Any, name: str = name, value: int = value) -> None:
            flat = arrays[name].reshape(-1)
            flat[chance.randrange(len(flat))] = np.int64(value).astype(flat.dtype)

        lying = poisoned(shard, tmp_path / "lying", kind, change)
        try:
            imported(zebra.root, laptop, lying)
        except ShardError:
            refused += 1
            continue
        try:
            searched(zebra.root, laptop, '"no zebra in stable 3" zebra_3 first.py')
            with trackdown.open(zebra.root, settings=laptop) as opened_repository:
                opened_repository.history("rename the first zebra")
        except TrackdownError:
            pass
    assert refused > len(names) // 3


def test_only_whole_clones_with_a_commit_are_exported(zebra: Repo, settings: Settings, tmp_path: Path) -> None:
    shallow = clone(zebra, tmp_path / "shallow", "--depth=1")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("def a():\n    pass\n")
    with (
        trackdown.open(shallow.root, settings=settings) as opened,
        pytest.raises(RepositoryError, match="the clone is shallow: run `git fetch --unshallow`"),
    ):
        export_index(opened, tmp_path / "x")
    with trackdown.open(folder, settings=settings) as opened:
        with pytest.raises(UsageError, match="has no commit"):
            export_index(opened, tmp_path / "x")
        with pytest.raises(UsageError, match="has no commit"):
            import_index(opened, str(tmp_path / "x"))
    with trackdown.open(zebra.root, settings=settings) as opened, pytest.raises(NoSuchPath, match="is not a file"):
        import_index(opened, str(tmp_path / "none"))


def test_a_file_that_becomes_ignored_leaves_with_the_import(
    zebra: Repo, laptop: Settings, shard: Path, tmp_path: Path
) -> None:
    other = clone(zebra, tmp_path / "clone")
    imported(other.root, laptop, shard)
    searched(other.root, laptop)
    other.write(".trackdownignore", "zebra/part3.py\n")
    found, _ = searched(other.root, laptop)
    assert "zebra/part3.py" not in {path for path, _, _ in found}
    stored = b"".join(path.read_bytes() for path in laptop.store.rglob("*.arrays"))
    assert b"zebra_3" not in stored and b"zebra_4" in stored
