"""Work that never ends gets a share of the time; what comes once in a while does not wait."""

from __future__ import annotations

from trackdown.engine.serving.throttle import SAVED, SHARE, Throttle


class Day:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def worked(pace: Throttle, day: Day, seconds: float, *, more: bool, rounds: int) -> tuple[float, float]:
    """How long it worked and rested, when every piece of work takes so long."""
    work = rest = 0.0
    for _ in range(rounds):
        pause = pace.rest()
        day.now += pause + seconds
        work, rest = work + seconds, rest + pause
        pace.spend(seconds, more=more)
    return work, rest


def test_single_edits_in_a_row_do_not_wait() -> None:
    day = Day()
    _, rest = worked(Throttle(day), day, 0.3, more=False, rounds=10)
    assert rest == 0.0


def test_a_storm_gets_its_share_and_no_more() -> None:
    day = Day()
    work, rest = worked(Throttle(day), day, 0.3, more=True, rounds=400)
    assert work - SAVED <= 1.05 * SHARE * (work + rest)
    assert work / (work + rest) > 0.2


def test_a_storm_of_slow_updates_rests_too() -> None:
    day = Day()
    work, rest = worked(Throttle(day), day, 15.0, more=True, rounds=50)
    assert rest > work / 2.5


def test_a_long_update_is_not_held_against_the_next_edit() -> None:
    day = Day()
    pace = Throttle(day)
    day.now += 15
    pace.spend(15.0, more=False)
    assert pace.rest() == 0.0


def test_after_some_quiet_time_nothing_is_owed() -> None:
    day = Day()
    pace = Throttle(day)
    worked(pace, day, 2.0, more=True, rounds=20)
    assert pace.rest() > 0
    day.now += 60
    assert pace.rest() == 0.0
