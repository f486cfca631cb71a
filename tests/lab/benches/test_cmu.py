"""System 1's protocol: only the past speaks, and the oracle setting holds all gold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from trackdown.errors import NoSuchPath, UsageError
from trackdown.lab.benches.cmu import METRICS, oracle, read_cmu
from trackdown.lab.cases import CodeLocation
from trackdown.lab.run import run_bench
from trackdown.lab.run_plan import plan
from trackdown.lab.runs import Row, RunFile
from trackdown.lab.tasks import Bench
from trackdown.settings import Settings

QUERY = "transformed_message_gpt4"
Run = Callable[..., list[Row]]


@pytest.fixture
def gold(tmp_path: Path) -> Callable[..., Path]:
    """Write a Parquet file from rows of (commit, files, query)."""

    def write(*rows: tuple[Any, Any, Any], query: str = QUERY) -> Path:
        path = tmp_path / "gold.parquet"
        columns = {
            "commit_id": [row[0] for row in rows],
            "actual_files_modified": [row[1] for row in rows],
            query: [row[2] for row in rows],
            "commit_date": [3] * len(rows),
        }
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return path

    return write


@pytest.fixture
def run(tmp_path: Path, settings: Settings) -> Run:
    def run_it(bench: Bench, *modes: str, name: str = "run.jsonl") -> list[Row]:
        chosen = plan(bench, modes, settings)
        with RunFile(tmp_path / name, chosen.config) as file:
            return run_bench(bench, chosen, file, jobs=1)

    return run_it


def history(repo: Repo) -> list[str]:
    """Commits 1 to 4 about giraffes and lions; 3 is the one asked about, 4 comes after it, 5 is on another branch."""
    return make_history(
        repo,
        [
            Planned("Begin", [], {f"src/{name}.py": "x = 1\n" for name in "abcdef"} | {"tests/test_a.py": "x = 1\n"}),
            Planned("Feed the giraffe", [0], {"src/a.py": "x = 2\n"}),
            Planned("Feed the lion", [1], {"src/b.py": "x = 2\n", "tests/test_a.py": "x = 2\n"}),
            Planned("Brush the giraffe", [2], {"src/c.py": "x = 2\n"}),
            Planned("Wash the giraffe", [3], {"src/d.py": "x = 2\n"}),
            Planned("Count the giraffe", [1], {"src/e.py": "x = 2\n"}),
        ],
    )


@pytest.mark.parametrize("spelling", [list, repr, lambda files: '["' + '", "'.join(files) + '"]'])
def test_a_row_is_searched_at_the_parent_of_its_commit(
    repo: Repo, gold: Callable[..., Path], spelling: Callable[[list[str]], object]
) -> None:
    commits = history(repo)
    data = gold((commits[3], spelling(["src/c.py", "tests/test_a.py", "src/c.py"]), "Giraffes are not brushed"))
    bench = read_cmu(data, repo.root, strict=True)
    (task,) = bench.tasks
    assert (task.id, task.at, task.seen_from, task.query) == (commits[3], commits[2], None, "Giraffes are not brushed")
    assert task.gold == (CodeLocation("src/c.py"), CodeLocation("tests/test_a.py"))
    assert (task.level, task.depth, task.roles, task.repository) == ("file", 1000, False, "repo")
    assert (bench.name, bench.metrics) == ("cmu", METRICS) and {"MAP", "MAP-cmu", "MRR", "P@1", "R@1000"} <= set(
        METRICS
    )


def test_neither_the_commit_itself_nor_a_later_one_nor_a_branch_helps(
    repo: Repo, gold: Callable[..., Path], run: Run
) -> None:
    commits = history(repo)
    bench = read_cmu(gold((commits[3], ["src/c.py"], "giraffe")), repo.root)
    (row,) = run(bench, "commits")
    assert [place.path for place in row.ranked] == ["src/a.py"]
    (later,) = run(read_cmu(gold((commits[4], ["src/d.py"], "giraffe")), repo.root), "commits", name="later.jsonl")
    assert sorted(place.path for place in later.ranked) == ["src/a.py", "src/c.py"]
    (again,) = run(bench, "commits", name="again.jsonl")
    assert again.ranked == row.ranked and again.scores == row.scores, "though later commits are indexed by now"


def test_files_have_the_names_that_they_had_then(repo: Repo, gold: Callable[..., Path], run: Run) -> None:
    commits = make_history(
        repo,
        [
            Planned("Begin", [], {"old.py": "giraffe = 1\n" * 9, "x.py": "y = 1\n"}),
            Planned("Feed the giraffe", [0], {"old.py": "giraffe = 2\n" * 9}),
            Planned("Something else", [1], {"x.py": "y = 2\n"}),
            Planned("Move", [2], renames={"old.py": "new.py"}),
            Planned("Wash the giraffe", [3], {"new.py": "giraffe = 3\n" * 9}),
        ],
    )
    bench = read_cmu(gold((commits[2], ["x.py"], "giraffe"), (commits[4], ["new.py"], "giraffe")), repo.root)
    before, after = run(bench, "commits")
    assert [place.path for place in before.ranked] == ["old.py"]
    assert [place.path for place in after.ranked] == ["new.py"]


def test_tests_and_prose_rank_like_code(repo: Repo, gold: Callable[..., Path], run: Run) -> None:
    commits = history(repo)
    bench = read_cmu(gold((commits[3], ["src/c.py"], "lion")), repo.root)
    (row,) = run(bench, "commits+maxp")
    assert {place.path for place in row.ranked} == {"src/b.py", "tests/test_a.py"}
    assert row.scores[0] == pytest.approx(row.scores[1])


def test_fewer_commits_speak_at_a_lesser_depth(repo: Repo, gold: Callable[..., Path], run: Run) -> None:
    commits = history(repo)
    bench = read_cmu(gold((commits[4], ["src/d.py"], "brush the giraffe")), repo.root)
    rows = {row.mode: row for row in run(bench, "commits", "commits@1", "commits@2", "commits@1000")}
    assert [place.path for place in rows["commits@1"].ranked] == ["src/c.py"]
    assert {place.path for place in rows["commits@2"].ranked} == {"src/a.py", "src/c.py"}
    assert rows["commits@1000"].ranked == rows["commits"].ranked


def test_every_bad_row_is_named_with_its_reason(repo: Repo, gold: Callable[..., Path]) -> None:
    commits = history(repo)
    data = gold(
        (commits[1], "['src/a.py']", "good"),
        (commits[1], "['src/b.py']", "again"),
        (None, "['src/a.py']", "no commit"),
        ("", "['src/a.py']", "no commit"),
        (commits[2], "['src/a.py']", None),
        (commits[2], "['src/a.py']", " \n"),
        (commits[3], "src/a.py", "gold that is no list"),
        (commits[4], "[]", "empty gold"),
        ("0" * 40, "['src/a.py']", "unknown"),
        (commits[0], "['src/a.py']", "without a parent"),
        ("HEAD", "['src/a.py']", "a revision and no id"),
        (repo.git("rev-parse", "main^{tree}"), "['src/a.py']", "a tree"),
        ("HEAD\n0", "['src/a.py']", "two lines"),
        ("é" * 40, "['src/a.py']", "not ASCII"),
    )
    bench = read_cmu(data, repo.root)
    assert [task.id for task in bench.tasks] == [commits[1]]
    assert [(case.id, case.reason) for case in bench.skipped] == [
        (f"{commits[1]}'", "duplicate id"),
        ("row 3", "missing value"),
        ("row 4", "missing value"),
        ("row 5", "missing value"),
        ("row 6", "missing value"),
        (commits[3], "unreadable gold"),
        (commits[4], "empty gold"),
        ("0" * 40, "commit not in the clone"),
        (commits[0], "commit not in the clone"),
        ("HEAD", "commit not in the clone"),
        (repo.git("rev-parse", "main^{tree}"), "commit not in the clone"),
        ("HEAD\n0", "commit not in the clone"),
        ("é" * 40, "commit not in the clone"),
    ]
    with pytest.raises(UsageError, match=r"gold.parquet: case '.*': duplicate id"):
        read_cmu(data, repo.root, strict=True)


def test_gold_as_a_column_of_nothing_or_numbers_is_unreadable(repo: Repo, gold: Callable[..., Path]) -> None:
    commits = history(repo)
    for files in (None, 3):
        bench = read_cmu(gold((commits[1], files, "x")), repo.root)
        assert [(case.reason, case.detail) for case in bench.skipped] == [
            ("unreadable gold", "actual_files_modified is not a list of strings")
        ]
    bench = read_cmu(gold((7, ["src/a.py"], "x")), repo.root)
    assert [case.reason for case in bench.skipped] == ["missing value"]


def test_another_column_may_hold_the_query(repo: Repo, gold: Callable[..., Path]) -> None:
    commits = history(repo)
    data = gold((commits[1], ["src/a.py"], "Feed it"), query="commit_message")
    assert read_cmu(data, repo.root, query="commit_message").tasks[0].query == "Feed it"
    with pytest.raises(UsageError, match=f"has no column {QUERY}; it has commit_id"):
        read_cmu(data, repo.root)


def test_a_place_that_is_no_repository_is_refused(repo: Repo, gold: Callable[..., Path], tmp_path: Path) -> None:
    data = gold((history(repo)[1], ["src/a.py"], "x"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="is not a git repository"):
        read_cmu(data, tmp_path / "folder")
    with pytest.raises(NoSuchPath):
        read_cmu(data, tmp_path / "gone")


def found(task_id: str, *paths: str, mode: str = "commits", skipped: str = "") -> Row:
    return Row(
        task_id,
        mode,
        tuple(map(CodeLocation, paths)),
        (1.0,) * len(paths),
        5.0,
        (CodeLocation("g.py"),),
        skipped=skipped,
    )


@pytest.fixture
def two(repo: Repo, gold: Callable[..., Path]) -> Bench:
    commits = history(repo)
    rows = [(commits[3], ["src/c.py", "new.py"], "giraffe"), (commits[4], ["src/d.py"], "giraffe"), ("", [], "bad")]
    return read_cmu(gold(*rows), repo.root)


@pytest.mark.parametrize("depth", [1, 2, 4, 100])
def test_the_oracle_holds_all_gold_among_the_best_of_the_first_stage(two: Bench, depth: int) -> None:
    first, second = (task.id for task in two.tasks)
    stage = [found(first, "1.py", "src/c.py", "2.py", "3.py", "4.py"), found(second, "1.py", "2.py", "3.py")]
    narrowed, shuffled = oracle(two, stage, depth)
    assert [row.id for row in shuffled] == [task.id for task in narrowed.tasks] == [first, second]
    for task, row, others in zip(
        narrowed.tasks, shuffled, (["1.py", "2.py", "3.py", "4.py"], ["1.py", "2.py", "3.py"]), strict=True
    ):
        files = [place.path for place in row.ranked]
        gold_files = [place.path for place in task.gold]
        assert tuple(files) == task.among and len(set(files)) == len(files)
        assert sorted(files) == sorted([*gold_files, *others[: max(0, depth - len(gold_files))]])
        assert (row.mode, row.ms, len(row.scores)) == ("shuffled", 0.0, len(files))
    assert narrowed.skipped == two.skipped


def test_the_oracle_is_the_same_again_and_another_for_another_seed_or_depth(two: Bench) -> None:
    stage = [found(task.id, *(f"{number}.py" for number in range(50))) for task in two.tasks]
    narrowed, shuffled = oracle(two, stage, 40)
    assert oracle(two, stage, 40) == (narrowed, shuffled)
    assert oracle(two, stage, 40, seed=1)[1] != shuffled
    places = [
        [place.path for place in row.ranked].index("src/d.py")
        for row in (oracle(two, stage, n)[1][1] for n in range(20, 40))
    ]
    assert len(set(places)) > 5, "gold stands anywhere"


def test_what_the_first_stage_could_not_search_is_left_out_of_the_oracle_with_its_reason(two: Bench) -> None:
    first, second = (task.id for task in two.tasks)
    narrowed, shuffled = oracle(two, [found(first, "1.py"), found(second, skipped="query holds no word")], 10)
    assert [task.id for task in narrowed.tasks] == [row.id for row in shuffled] == [first]
    assert [(case.id, case.reason) for case in narrowed.skipped[1:]] == [(second, "query holds no word")]


def test_a_mode_orders_what_the_oracle_gives_it_and_nothing_else(two: Bench, run: Run) -> None:
    stage = run(two, "bm25")
    narrowed, _ = oracle(two, [row for row in stage if row.mode == "bm25"], 3)
    task = replace(narrowed.tasks[1], among=("src/a.py", "src/d.py", "src/f.py"))
    rows = run(replace(narrowed, tasks=(task,)), "commits", name="oracle.jsonl")
    assert [place.path for place in rows[0].ranked] == ["src/a.py"], "src/c.py is not among them"
