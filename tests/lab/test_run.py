"""The runner: the same rows in one process and in many, on a quiet day and after an interruption."""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.made_tasks import bench_of, grown_repository, task, timeless
from tests.rerank.tiny_models import make_models
from trackdown.errors import StoreError, UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.run import run_bench
from trackdown.lab.run_plan import plan, resolve_modes
from trackdown.lab.runs import Row, RunFile, read_run
from trackdown.lab.tasks import Bench, Skipped
from trackdown.settings import Settings, load_settings
from trackdown.types import Progress, no_progress

MODES = ("bm25", "commits", "hybrid")


@pytest.fixture
def run(tmp_path: Path, settings: Settings) -> Callable[..., list[Row]]:
    """Run a bench with a run file of the test's own."""

    def run_it(
        bench: Bench,
        modes: tuple[str, ...] = MODES,
        name: str = "run.jsonl",
        *,
        jobs: int = 1,
        strict: bool = False,
        progress: Progress = no_progress,
        settings: Settings = settings,
    ) -> list[Row]:
        chosen = plan(bench, modes, settings)
        with RunFile(tmp_path / name, chosen.config) as file:
            return run_bench(bench, chosen, file, jobs=jobs, strict=strict, progress=progress)

    return run_it


Run = Callable[..., list[Row]]


@pytest.fixture
def bench(make_repo: Callable[[str], Repo]) -> Bench:
    """Two repositories, asked about in many states."""
    tasks = []
    for name in ("shop", "bank"):
        repo = make_repo(name)
        commits = grown_repository(repo, 10)
        tasks += [task(repo, number, commits[number]) for number in range(10)]
    return bench_of(*tasks)


def test_rows_come_by_mode_in_the_order_of_the_bench(bench: Bench, run: Run) -> None:
    rows = run(bench)
    assert [(row.mode, row.id) for row in rows] == [(mode, one.id) for mode in MODES for one in bench.tasks]
    assert all(row.gold == one.gold for row, one in zip(rows, bench.tasks, strict=False))
    for row in rows[:20]:
        assert row.ranked[0] == row.gold[0] and list(row.scores) == sorted(row.scores, reverse=True)
        assert (row.level, row.bench, row.query) == ("function", "made", f"cannot {row.query[7:]}")
        assert 0 < row.ms < 1000


def test_several_modes_share_one_index_and_do_not_touch_each_other(
    bench: Bench, run: Run, tmp_path: Path, settings: Settings
) -> None:
    def held() -> list[str]:
        return sorted(path.name for path in settings.store.rglob("*.arrays"))

    alone = run(bench, ("bm25",), "one.jsonl")
    before = held()
    together = run(bench, MODES, "all.jsonl")
    assert held() == before != []
    assert timeless(row for row in together if row.mode == "bm25") == timeless(
        replace(row, config=together[0].config) for row in alone
    )
    scores = {mode: [row.scores for row in together if row.mode == mode] for mode in MODES}
    assert scores["bm25"] != scores["commits"] != scores["hybrid"]


def test_worker_processes_find_what_one_process_finds(bench: Bench, run: Run, tmp_path: Path) -> None:
    here = run(bench, name="here.jsonl", jobs=1)
    there = run(bench, name="there.jsonl", jobs=3, settings=load_settings(store=tmp_path / "other"))
    assert timeless(here) == timeless(there)
    assert timeless(read_run(tmp_path / "here.jsonl")) == timeless(read_run(tmp_path / "there.jsonl"))
    assert multiprocessing.active_children() == []


def test_what_was_found_is_not_searched_again(bench: Bench, run: Run, tmp_path: Path) -> None:
    half = replace(bench, tasks=bench.tasks[::2])
    first = {row.key: row for row in run(half, ("bm25", "commits"))}
    size = (tmp_path / "run.jsonl").stat().st_size
    whole = run(bench)
    assert (tmp_path / "run.jsonl").stat().st_size > size
    assert all(row == first[row.key] for row in whole if row.key in first), "even the times are the same"
    assert run(bench) == whole
    assert timeless(whole) == timeless(run(bench, name="undisturbed.jsonl"))


def test_rows_in_memory_are_those_of_the_file(bench: Bench, run: Run, tmp_path: Path) -> None:
    long = replace(bench.tasks[0], id="long", query="cannot parse the cookie " * 400)
    rows = run(bench_of(long, *bench.tasks))
    assert sorted(rows, key=lambda row: row.key) == sorted(read_run(tmp_path / "run.jsonl"), key=lambda row: row.key)


@pytest.mark.parametrize(
    "change", [{"query": "cannot close it"}, {"gold": (CodeLocation("src/m1.py"),)}, {"depth": 3}, {"roles": False}]
)
def test_a_case_that_is_another_now_is_not_taken_from_the_file(
    bench: Bench, run: Run, change: dict[str, object]
) -> None:
    one = bench.tasks[0]
    run(bench_of(one))
    with pytest.raises(UsageError, match="has case 'shop-0' with another query, truth or state"):
        run(bench_of(replace(one, **change)))  # type: ignore[arg-type]


def test_a_repository_that_was_moved_is_the_same(bench: Bench, run: Run, tmp_path: Path) -> None:
    one = bench.tasks[0]
    rows = run(bench_of(one))
    shutil.move(one.place, tmp_path / "moved")
    assert run(bench_of(replace(one, place=str(tmp_path / "moved")))) == rows


def test_many_questions_about_one_state_are_reported_and_kept_as_they_are_answered(bench: Bench, run: Run) -> None:
    one = bench.tasks[0]
    calls: list[tuple[str, int, int | None]] = []
    run(
        bench_of(*(replace(one, id=str(number)) for number in range(60))),
        ("bm25",),
        progress=lambda *call: calls.append(call),
    )
    assert calls[0] == ("search", 0, 60) and calls[-1] == ("search", 60, 60) and len(calls) > 3
    assert [done for _, done, _ in calls] == sorted(done for _, done, _ in calls)


def test_what_cannot_be_searched_becomes_a_row_that_says_why(
    repo: Repo, make_repo: Callable[[str], Repo], run: Run
) -> None:
    (commit,) = grown_repository(repo, 1)
    broken = make_repo("broken")
    (gone,) = grown_repository(broken, 1)
    shutil.rmtree(broken.root / ".git" / "objects")
    (broken.root / ".git" / "objects").mkdir()
    empty = make_repo("empty")
    bare = make_repo("no-code")
    nothing = bare.commit("Nothing")
    good = task(repo, 0, commit)
    bench = bench_of(
        good,
        replace(good, id="unknown", at="0" * 40),
        replace(good, id="no such folder", place=str(repo.root / "gone")),
        task(broken, 0, gone, id="broken"),
        task(empty, 0, "1" * 40, id="no commits"),
        task(bare, 0, nothing, id="nothing in it"),
        replace(good, id="no words", query="?!"),
        replace(good, id="unknown past", at=None, seen_from="0" * 40),
    )
    for jobs in (1, 2):
        rows = {row.id: row for row in run(bench, ("bm25",), f"{jobs}.jsonl", jobs=jobs)}
        assert not rows[good.id].skipped and rows[good.id].ranked
        assert {id_: row.skipped for id_, row in rows.items() if row.skipped} == {
            "unknown": "commit not in the clone",
            "no such folder": f"no such file or folder: {repo.root / 'gone'}",
            "broken": rows["broken"].skipped,
            "no commits": "commit not in the clone",
            "nothing in it": "no-code has no searchable files",
            "unknown past": "commit not in the clone",
        }
        assert rows["no words"].ranked == ()  # it is scored, as a miss
        assert rows["broken"].skipped in ("commit not in the clone", "objects missing in the clone")
        assert all(row.ranked == () and row.gold for row in rows.values() if row.skipped)


def test_what_could_not_be_searched_is_tried_again(
    repo: Repo, make_repo: Callable[[str], Repo], run: Run, tmp_path: Path
) -> None:
    commits = grown_repository(repo, 2)
    clone = make_repo("clone")
    clone.git("fetch", "-q", str(repo.root), f"{commits[0]}:refs/heads/fetched")
    bench = bench_of(*(replace(task(repo, number, commits[number]), place=str(clone.root)) for number in (0, 1)))
    assert [row.skipped for row in run(bench, ("bm25",))] == ["", "commit not in the clone"]
    clone.git("fetch", "-q", str(repo.root), f"{commits[1]}:refs/heads/fetched")
    rows = run(bench, ("bm25",))
    assert [row.skipped for row in rows] == ["", ""] and rows[1].ranked[0] == rows[1].gold[0]
    assert read_run(tmp_path / "run.jsonl") == rows


def test_strict_refuses_the_first_case_that_cannot_be_searched(repo: Repo, run: Run, tmp_path: Path) -> None:
    (commit,) = grown_repository(repo, 1)
    good = task(repo, 0, commit)
    with pytest.raises(UsageError, match="case 'x': commit not in the clone"):
        run(bench_of(good, replace(good, id="x", at="0" * 40)), strict=True)
    bench = bench_of(good, skipped=(Skipped("y", "empty gold", "in row 3"),))
    with pytest.raises(UsageError, match="case 'y': empty gold in row 3"):
        run(bench, strict=True, name="other.jsonl")
    assert [(row.id, row.skipped) for row in run(bench, ("bm25",), "other.jsonl")] == [
        (good.id, ""),
        ("y", "empty gold"),
    ]


def test_a_store_that_cannot_be_used_ends_the_run_and_is_no_fault_of_the_cases(
    bench: Bench, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for jobs in (1, 2):
        with pytest.raises(StoreError):
            run(bench, jobs=jobs, settings=load_settings(store=tmp_path / "file"))
        assert read_run(tmp_path / "run.jsonl") == []
    assert len(run(bench)) == 60


def test_one_id_for_two_cases_is_refused(bench: Bench, run: Run) -> None:
    with pytest.raises(UsageError, match="'shop-0' appears twice"):
        run(bench_of(bench.tasks[0], bench.tasks[0]))
    with pytest.raises(UsageError, match="'shop-0' appears twice"):
        run(bench_of(bench.tasks[0], skipped=(Skipped("shop-0", "empty gold"),)))


@pytest.mark.parametrize(
    ("modes", "words"),
    [((), "at least one"), (("bm25", "bm25"), "named twice"), (("bm25+nonsense",), "unknown part 'nonsense'")],
)
def test_modes_that_cannot_be(modes: tuple[str, ...], words: str, settings: Settings) -> None:
    with pytest.raises(UsageError, match=words):
        resolve_modes(modes, settings)


def test_settings_about_modes_do_not_bend_the_modes_that_are_measured(bench: Bench, settings: Settings) -> None:
    plain = plan(bench, MODES, settings)
    bent = plan(bench, MODES, replace(settings, mode="commits", adaptive=True, graph=True))
    assert (bent.modes, bent.config) == (plain.modes, plain.config)
    assert plan(bench, MODES, replace(settings, weight_commits=0.9)).config != plain.config
    assert plan(replace(bench, level="file"), MODES, settings).config != plain.config


def test_other_models_are_another_configuration_where_a_mode_uses_them(
    bench: Bench, settings: Settings, tmp_path: Path
) -> None:
    one, other = (
        replace(settings, models=str(make_models(tmp_path / f"models{seed}", seed=seed))) for seed in range(2)
    )
    for mode, count in (("hybrid", 3), ("dense", 3), ("bm25+rerank", 3), ("bm25+spider-read", 3), ("bm25+graph", 1)):
        assert len({plan(bench, ("bm25", mode), some).config for some in (settings, one, other)}) == count


def test_workers_with_models_find_what_one_process_finds(
    bench: Bench, run: Run, tmp_path: Path, settings: Settings
) -> None:
    chosen = replace(settings, models=str(make_models(tmp_path / "models")))
    modes = ("dense", "hybrid+rerank")
    here = run(bench, modes, "here.jsonl", settings=chosen)
    there = run(bench, modes, "there.jsonl", jobs=2, settings=replace(chosen, store=tmp_path / "other"))
    assert timeless(here) == timeless(there)


def test_a_caller_keeps_processes_of_its_own(bench: Bench, run: Run) -> None:
    own = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    own.start()
    before = set(multiprocessing.active_children())
    try:
        run(bench, ("bm25",), jobs=2)
        assert own.is_alive() and set(multiprocessing.active_children()) <= before
    finally:
        own.kill()
        own.join()


def test_depth_folder_files_and_past_of_a_task_hold(repo: Repo, run: Run) -> None:
    commits = grown_repository(repo, 10)
    one = task(
        repo, 3, commits[-1], query="parse render sign close cookie", level="file", gold=(CodeLocation("src/m3.py"),)
    )
    repo.commit("Parse a giraffe", {"src/giraffe.py": "x = 1\n"})

    def found(**more: object) -> list[str]:
        name = "-".join(f"{key}{value}" for key, value in more.items()).replace("/", "_") or "plain"
        (row,) = run(bench_of(replace(one, **more)), ("bm25",), f"{name}.jsonl")  # type: ignore[arg-type]
        return [place.path for place in row.ranked]

    assert len(found()) == 10 and found(depth=4) == found()[:4]
    assert found(folder="docs") == [] and found(folder="src") == found()
    assert found(among=("src/m7.py", "src/m2.py", "src/none.py")) == [
        path for path in found() if path in ("src/m7.py", "src/m2.py")
    ]
    late = replace(one, query="giraffe", at=None)
    (row,) = run(bench_of(late), ("commits",), "late.jsonl")
    assert row.ranked == (CodeLocation("src/giraffe.py"),)
    (row,) = run(bench_of(replace(late, seen_from=commits[-1])), ("commits",), "masked.jsonl")
    assert row.ranked == ()
