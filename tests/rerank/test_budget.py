"""A time budget: items in their order until time is up, and no item that would end too late."""

from __future__ import annotations

import time

import pytest

from trackdown.rerank.budget import TimeBudget, WorkingTime


class Watch:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def spent(milliseconds: float | None, *costs: float) -> tuple[int, float]:
    """How many items are begun when each takes so many seconds, and how long they take together."""
    watch = Watch()
    begun = 0
    for batch in TimeBudget(milliseconds, watch).batches(list(range(len(costs)))):
        for item in batch:
            assert item == begun
            watch.now += costs[item]
            begun += 1
    return begun, round(watch.now - 100.0, 6)


def test_without_a_limit_everything_is_done() -> None:
    assert spent(None, *[10.0] * 700)[0] == 700
    assert spent(None) == (0, 0.0)
    assert TimeBudget(None).left() == float("inf")


def test_no_time_is_nothing() -> None:
    assert spent(0, 0.0, 0.0)[0] == 0


@pytest.mark.parametrize(
    ("milliseconds", "costs", "expected"),
    [
        (100, [0.03] * 10, 3),  # a fourth would end at 120
        (100, [0.01, 0.01, 0.06, 0.01, 0.01], 3),  # 20 are left, and one of them took 60
        (100, [0.5] * 10, 1),  # what the first one costs nobody knows
        (100, [0.0] * 500, 500),
    ],
)
def test_what_would_end_too_late_is_not_begun(milliseconds: float, costs: list[float], expected: int) -> None:
    assert spent(milliseconds, *costs)[0] == expected


def test_without_a_limit_it_is_told_how_far_it_is() -> None:
    heard: list[tuple[str, int, int | None]] = []
    budget = TimeBudget(None, progress=lambda *told: heard.append(told))
    assert sum(map(len, budget.share(0.5).batches(list(range(100)), step="read code"))) == 100
    assert heard == [("read code", 0, 100), ("read code", 64, 100), ("read code", 100, 100)]


def test_several_at_once_are_begun_together() -> None:
    assert [list(batch) for batch in TimeBudget(1000).batches([1, 2, 3, 4, 5], 2)] == [[1, 2], [3, 4], [5]]


def test_a_share_is_of_what_is_left() -> None:
    watch = Watch()
    budget = TimeBudget(100, watch)
    watch.now += 0.02
    half = budget.share(0.5)
    assert half.left() == pytest.approx(0.04) and budget.left() == pytest.approx(0.08)
    watch.now += 0.05
    assert half.left() == 0.0 and budget.left() == pytest.approx(0.03)
    assert TimeBudget(None, watch).share(0.1).left() == float("inf")


def test_loading_a_model_takes_no_time_from_the_budget() -> None:
    watch = Watch()
    budget = TimeBudget(100, watch)
    with budget.paused():
        watch.now += 5.0
    watch.now += 0.03
    assert budget.left() == pytest.approx(0.07)


def test_what_time_cut_is_known_and_how_far_it_came() -> None:
    watch = Watch()
    budget = TimeBudget(100, watch)
    for _ in budget.share(0.5).batches([1, 2, 3], step="compare"):
        watch.now += 0.03
    assert budget.cut == {"compare": (1, 3)}
    assert len(list(budget.batches([1, 2], step="read code"))) == 2 and list(budget.cut) == ["compare"]


def test_beside_a_load_of_other_processes_only_own_work_counts() -> None:
    clock, cpu = Watch(), Watch()
    budget = TimeBudget(1000, WorkingTime(2, clock, cpu))
    done = 0
    for _ in budget.batches(range(100)):
        clock.now += 0.15  # others had the machine most of the time
        cpu.now += 0.03  # in two threads
        done += 1
    assert done == 66 and budget.cut == {"read": (66, 100)}


def test_where_nothing_runs_at_all_there_is_an_end() -> None:
    clock, cpu = Watch(), Watch()
    budget = TimeBudget(1000, WorkingTime(4, clock, cpu))
    done = 0
    for _ in budget.batches(range(100)):
        clock.now += 2.0  # a device computes, or the process is stopped
        done += 1
    assert 0 < done < 10


def test_several_threads_at_work_use_no_more_than_the_clock_says() -> None:
    clock, cpu = Watch(), Watch()
    working = WorkingTime(2, clock, cpu)
    clock.now, cpu.now = clock.now + 1.0, cpu.now + 8.0
    assert working() == pytest.approx(1.0)


def test_a_process_that_does_not_run_does_not_run_out_of_time() -> None:
    working = WorkingTime(1)
    time.sleep(0.1)
    assert working() < 0.05
