"""Cases → tasks: which state is searched, which past is seen, and what counts at which level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import NoSuchPath, UsageError
from trackdown.lab.cases import Case, CodeLocation, Protocol
from trackdown.lab.tasks import bench_of_cases, joined
from trackdown.types import Level

BOX = """class Box:
    def open(self):
        return 1

    class Lid:
        def lift(self):
            return 2


def close(box):
    return box
"""


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    first = repo.commit("Begin", {"box.py": BOX})
    return [first, repo.commit("Edit", {"box.py": BOX.replace("return 1", "return 3")}), repo.commit("Later")]


def case(**more: object) -> Case:
    found = {"files": ("box.py",), "symbols": (CodeLocation("box.py", "Box.open"),), **more}
    return Case("1", "open the box", **found)  # type: ignore[arg-type]


def test_past_searches_the_parent_with_its_own_past(repo: Repo, commits: list[str]) -> None:
    (task,) = bench_of_cases(str(repo.root), [case(commit=commits[1], protocol="past")], level="file").tasks
    assert (task.at, task.seen_from) == (commits[0], None)
    assert (task.gold, task.level, task.repository, task.place, task.depth) == (
        (CodeLocation("box.py"),),
        "file",
        "repo",
        str(repo.root),
        100,
    )


def test_head_searches_what_is_there_now_with_the_past_of_the_parent(repo: Repo, commits: list[str]) -> None:
    (task,) = bench_of_cases(str(repo.root), [case(commit=commits[1], protocol="head")], level="symbol").tasks
    assert (task.at, task.seen_from) == (repo.git("rev-parse", "HEAD"), commits[0])
    assert task.gold == (CodeLocation("box.py", "Box.open"),)


@pytest.mark.parametrize("protocol", [None, "past", "head"])
def test_a_case_written_by_hand_sees_everything(repo: Repo, commits: list[str], protocol: Protocol | None) -> None:
    (task,) = bench_of_cases(str(repo.root), [case()], level="file", protocol=protocol).tasks
    assert (task.at, task.seen_from) == (None, None)


def test_a_case_of_the_other_protocol_is_refused(repo: Repo, commits: list[str]) -> None:
    with pytest.raises(UsageError, match=r"case '1' was mined for protocol 'past': .* --protocol head"):
        bench_of_cases(str(repo.root), [case(commit=commits[1], protocol="past")], level="file", protocol="head")


def test_cases_that_cannot_be_searched_are_named_with_the_reason(repo: Repo, commits: list[str]) -> None:
    cases = [
        replace(case(), id="no symbols", symbols=()),
        replace(case(commit="0" * 40), id="unknown"),
        replace(case(commit=commits[0]), id="no parent"),
        replace(case(commit="--all"), id="no commit"),
        replace(case(), id="fine"),
    ]
    bench = bench_of_cases(str(repo.root), cases, level="symbol")
    assert [task.id for task in bench.tasks] == ["fine"]
    assert {skipped.id: skipped.reason for skipped in bench.skipped} == {
        "no symbols": "no truth at symbol level",
        "unknown": "commit or its parent not in the clone",
        "no parent": "commit or its parent not in the clone",
        "no commit": "commit or its parent not in the clone",
    }


@pytest.mark.parametrize(
    ("level", "gold"),
    [
        ("symbol", ["Box", "Box.open", "Box.Lid.lift", "close", "Box.Lid", "never.there"]),
        ("function", ["Box.open", "Box.Lid.lift", "close", "never.there"]),
        ("class", ["Box", "Box.Lid"]),
    ],
)
@pytest.mark.parametrize("protocol", ["past", "head"])
def test_a_level_has_the_truth_that_it_can_find(
    repo: Repo, commits: list[str], level: Level, gold: list[str], protocol: Protocol
) -> None:
    symbols = [
        CodeLocation("box.py", name) for name in ("Box", "Box.open", "Box.Lid.lift", "close", "Box.Lid", "never.there")
    ]
    cases = [case(commit=commits[1], protocol=protocol, symbols=tuple(symbols))]
    (task,) = bench_of_cases(str(repo.root), cases, level=level).tasks
    assert [place.symbol for place in task.gold] == gold


def test_bare_names_count_at_every_level(repo: Repo, commits: list[str]) -> None:
    levels: tuple[Level, ...] = ("function", "class", "symbol")
    for level in levels:
        (task,) = bench_of_cases(str(repo.root), [case(symbols=(CodeLocation("", "Box"),))], level=level).tasks
        assert task.gold == (CodeLocation("", "Box"),)


def test_a_class_alone_is_no_truth_at_function_level(repo: Repo, commits: list[str]) -> None:
    bench = bench_of_cases(str(repo.root), [case(symbols=(CodeLocation("box.py", "Box"),))], level="function")
    assert (bench.tasks, [skipped.reason for skipped in bench.skipped]) == ((), ["no truth at function level"])


def test_several_repositories_become_one_bench_with_names_in_their_ids(
    repo: Repo, commits: list[str], make_repo: Callable[[str], Repo]
) -> None:
    other = make_repo("other")
    other.commit("Begin", {"box.py": BOX})
    both = joined(
        [
            bench_of_cases(str(repo.root), [case(), replace(case(), id="2", files=())], level="file", name="first"),
            bench_of_cases(str(other.root), [case()], level="file", name="second"),
        ]
    )
    assert [(task.id, task.repository) for task in both.tasks] == [("first/1", "first"), ("second/1", "second")]
    assert [(skipped.id, skipped.repository) for skipped in both.skipped] == [("first/2", "first")]
    assert (both.name, both.level) == ("eval", "file")


def test_a_plain_folder_has_hand_written_cases_only(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    cases = [case(), replace(case(commit="0" * 40), id="2")]
    bench = bench_of_cases(str(tmp_path / "folder"), cases, level="function")
    assert [task.id for task in bench.tasks] == ["1"]
    assert [skipped.reason for skipped in bench.skipped] == ["commit or its parent not in the clone"]
    with pytest.raises(NoSuchPath):
        bench_of_cases(str(tmp_path / "gone"), cases, level="file")
