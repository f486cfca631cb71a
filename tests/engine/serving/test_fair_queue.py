"""A line of threads: who comes first goes first, and beyond its length nobody is let in."""

from __future__ import annotations

import threading

import pytest

from tests.surfaces.program import wait_for
from trackdown.engine.serving.fair_queue import FairQueue
from trackdown.errors import Cancelled, TooBusy


class Holder:
    """Threads that take a turn and keep it until they are let go."""

    def __init__(self, turns: FairQueue) -> None:
        self.turns = turns
        self.order: list[int] = []
        self.failed: list[BaseException] = []
        self.release = threading.Event()
        self.stop = threading.Event()
        self.threads: list[threading.Thread] = []

    def add(self, number: int, came_at: float | None = None) -> None:
        def work() -> None:
            try:
                with self.turns.turn(self.stop.is_set, came_at):
                    self.order.append(number)
                    self.release.wait(20)
            except (TooBusy, Cancelled) as error:
                self.failed.append(error)

        self.threads.append(threading.Thread(target=work))
        self.threads[-1].start()

    def end(self) -> None:
        self.release.set()
        for thread in self.threads:
            thread.join(20)


@pytest.mark.parametrize("at_once", [1, 2])
def test_no_more_run_at_once_than_may_and_the_line_is_served_in_order(at_once: int) -> None:
    turns = FairQueue(at_once, 10, 20.0)
    holder = Holder(turns)
    for number in range(6):
        holder.add(number)
        assert wait_for(lambda: turns.load().running + turns.load().waiting == len(holder.threads))
    assert (turns.load().running, turns.load().waiting) == (at_once, 6 - at_once)
    assert wait_for(lambda: sorted(holder.order) == list(range(at_once)))
    holder.end()
    assert sorted(holder.order) == list(range(6))
    if at_once == 1:  # of two that run side by side, either may be the first to say so
        assert holder.order == list(range(6))
    assert turns.drain(1.0) and turns.load().running == 0


def test_who_gave_up_a_turn_goes_before_those_who_came_later() -> None:
    turns = FairQueue(1, 10, 20.0)
    holder = Holder(turns)
    for number, came_at in enumerate([None, None, 1.0, 0.5]):
        holder.add(number, came_at)
        assert wait_for(lambda: turns.load().running + turns.load().waiting == len(holder.threads))
    holder.end()
    assert holder.order == [0, 3, 2, 1]


def test_a_line_that_is_full_sends_away_at_once_and_says_when_to_come_back() -> None:
    turns = FairQueue(1, 2, 100_000.0)
    holder = Holder(turns)
    for number in range(3):
        holder.add(number)
    assert wait_for(lambda: turns.load().waiting == 2)
    with pytest.raises(TooBusy) as refused, turns.turn():
        pass
    assert refused.value.retry_after >= 1.0
    holder.end()
    assert len(holder.order) == 3 and not holder.failed


def test_who_waits_too_long_is_sent_away_and_the_turn_is_not_lost() -> None:
    turns = FairQueue(1, 5, 0.3)
    with turns.turn():
        with pytest.raises(TooBusy, match=r"0\.3 seconds"), turns.turn():
            pass
        assert turns.load().waiting == 0 and not turns.drain(0.01)
    with turns.turn():
        assert turns.load().running == 1
    assert turns.drain(0.1)


def test_who_gives_up_leaves_the_line() -> None:
    turns = FairQueue(1, 5, 20.0)
    holder = Holder(turns)
    holder.add(0)
    assert wait_for(lambda: bool(holder.order))
    with pytest.raises(Cancelled), turns.turn(lambda: True):
        pass
    holder.add(1)
    assert wait_for(lambda: turns.load().waiting == 1)
    holder.stop.set()
    assert wait_for(lambda: bool(holder.failed))
    assert isinstance(holder.failed[0], Cancelled) and turns.load().waiting == 0
    holder.end()
    assert turns.drain(1.0)


def test_a_turn_that_fails_is_over() -> None:
    turns = FairQueue(1, 0, 1.0)
    with pytest.raises(KeyError), turns.turn():
        raise KeyError
    with turns.turn():
        pass


def test_many_threads_lose_no_turn() -> None:
    turns, done = FairQueue(3, 100, 20.0), []
    most = 0

    def work() -> None:
        nonlocal most
        for _ in range(20):
            with turns.turn():
                most = max(most, turns.load().running)
                done.append(1)

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(done) == 240 and most <= 3
    assert turns.load().running == 0
