"""A repository that failed is not built again by every sync, and is when that may help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.conftest import Repo
from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.errors import GitError, GitTimeout, MissingObject, RepositoryError
from trackdown.fleet import Place, fleet_state, read_fleet, syncing
from trackdown.fleet.building import BuildTask
from trackdown.fleet.cluster import ClusterOptions, Outcome
from trackdown.fleet.failures import failure_of
from trackdown.fleet.manifest import read_latest

pytestmark = needs_extra
TOO_SHORT = 0.0001


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the repositories that syncs try to build, in order."""
    build_all, names = syncing.build_all, list[str]()

    def noted(tasks: Sequence[BuildTask], *more: Any) -> Iterator[tuple[BuildTask, Outcome]]:
        names.extend(task.name for task in tasks)
        yield from build_all(tasks, *more)

    monkeypatch.setattr(syncing, "build_all", noted)
    return names


def damage(repo: Repo) -> dict[str, bytes]:
    """Break the objects of a repository that hold files; returns what they were."""
    kept = {}
    for file in (repo.root / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        kept[str(file)] = file.read_bytes()
        if repo.git("cat-file", "-t", file.parent.name + file.name).strip() == "blob":
            file.chmod(0o600)
            file.write_bytes(b"broken")
    return kept


def test_what_failed_is_not_built_again_and_stays_in_the_status(fleet: SmallFleet, tried: list[str]) -> None:
    damage(fleet.repositories["shop"])
    first = fleet.sync()
    assert set(first.problems) == {"shop"} and len(tried) == 3
    tried.clear()
    again = fleet.sync()
    assert (tried, again.problems, again.number) == ([], first.problems, first.number)
    fleet.repositories["bank"].commit("Move", {"src/more.go": "package ledger\n\nfunc Close() {\n}\n"})
    assert fleet.sync().problems == first.problems and tried == ["bank"]
    state = {one.name: one for one in fleet_state(read_fleet(fleet.file)).repositories}
    assert state["shop"].state == "failed" and state["shop"].problem == first.problems["shop"]


def test_what_failed_is_built_again_when_it_moved(fleet: SmallFleet, tried: list[str]) -> None:
    fleet.sync(seconds=TOO_SHORT)
    fleet.repositories["shop"].commit("Move", {"web/more.py": "def more():\n    return 1\n"})
    tried.clear()
    assert set(fleet.sync(seconds=TOO_SHORT).problems) == {"shop", "bank", "maps"} and tried == ["shop"]


def test_what_failed_is_built_again_with_other_settings(fleet: SmallFleet, tried: list[str]) -> None:
    fleet.sync(seconds=TOO_SHORT)
    fleet.file.write_text(fleet.file.read_text().replace('path = "shop"', 'path = "shop"\nmax_file_kb = 77'))
    tried.clear()
    fleet.sync(seconds=TOO_SHORT)
    assert tried == ["shop"]
    fleet.sync(seconds=TOO_SHORT, cluster=ClusterOptions(workers=0, memory_mb=4096))
    assert sorted(tried[1:]) == ["bank", "maps", "shop"]
    assert set(fleet.sync().built) == {"shop", "bank", "maps"}  # with more time
    assert not read_latest(Place(read_fleet(fleet.file).address)).problems


def test_a_repository_that_was_repaired_is_built_by_a_rebuild(fleet: SmallFleet, tried: list[str]) -> None:
    for file, content in damage(fleet.repositories["shop"]).items():
        fleet.sync()
        with open(file, "r+b") as stream:
            stream.write(content)
    tried.clear()
    assert set(fleet.sync().problems) == {"shop"} and not tried
    assert not fleet.sync(rebuild=True).problems and set(tried) == {"shop", "bank", "maps"}


def test_what_failed_is_built_again_after_a_day_and_then_waits_for_another(fleet: SmallFleet, tried: list[str]) -> None:
    fleet.sync(seconds=TOO_SHORT)
    place = Place(read_fleet(fleet.file).address)
    failed_at = read_latest(place).problems["maps"].at
    file = fleet.folder / "place" / "manifests" / "0000000001.json"
    file.write_text(file.read_text().replace(f'"at":{failed_at}', f'"at":{failed_at - 86_401}'))
    tried.clear()
    assert set(fleet.sync(seconds=TOO_SHORT).problems) == {"shop", "bank", "maps"} and "maps" in tried
    assert read_latest(place).problems["maps"].at >= failed_at
    tried.clear()
    fleet.sync(seconds=TOO_SHORT)
    assert not tried


def test_what_the_place_refused_is_built_by_the_next_sync(fleet: SmallFleet, tried: list[str]) -> None:
    (fleet.folder / "place").mkdir()
    rows = fleet.folder / "place" / "rows"
    rows.write_text("in the way")
    assert set(fleet.sync().problems) == {"shop", "bank", "maps"}
    rows.unlink()
    tried.clear()
    assert set(fleet.sync().built) == {"shop", "bank", "maps"} == set(tried)


@pytest.mark.parametrize(
    ("error", "lasts"),
    [
        (GitError("cannot clone https://example.org/app: early EOF"), False),
        (GitTimeout("git took too long"), False),
        (MissingObject("a file is not in this clone"), True),
        (RepositoryError("app lacks 3 files"), True),
        (RepositoryError("cannot write: No space left on device"), False),
    ],
)
def test_a_network_or_git_may_do_better_next_time_and_a_clone_that_lacks_files_will_not(
    error: Exception, lasts: bool
) -> None:
    assert failure_of(error).lasts is lasts


def test_a_clone_that_is_whole_is_tried_though_another_of_the_same_commit_is_not(
    fleet: SmallFleet, tried: list[str]
) -> None:
    broken = fleet.repositories["shop"]
    whole = Repo(fleet.folder / "whole")
    whole.git("fetch", "-q", str(broken.root), "HEAD")
    whole.git("reset", "-q", "--hard", "FETCH_HEAD")
    fleet.write(shop=["open"], whole=["open"])
    damage(broken)
    assert set(fleet.sync().problems) == {"shop", "whole"} and tried == ["shop"]
    tried.clear()
    assert set(fleet.sync().built) == {"whole"} and tried == ["whole"]
