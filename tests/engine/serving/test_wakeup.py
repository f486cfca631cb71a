"""Sleep that ends early."""

from __future__ import annotations

import os
import threading
import time

from trackdown.engine.serving.wakeup import Wakeup

FOREVER = 100_000.0  # a sleep that nothing ends runs into the tests' time limit


def slept(alarm: Wakeup, seconds: float, *descriptors: int) -> float:
    started = time.monotonic()
    alarm.sleep(seconds, descriptors)
    return time.monotonic() - started


def test_it_ends_when_time_is_up_when_it_rings_or_when_there_is_something_to_read() -> None:
    alarm = Wakeup()
    assert slept(alarm, 0.05) >= 0.04
    threading.Timer(0.05, alarm.ring).start()
    alarm.sleep(FOREVER)
    reading, writing = os.pipe()
    os.write(writing, b"x")
    alarm.sleep(FOREVER, (reading, -1))
    os.close(reading)
    os.close(writing)
    alarm.close()


def test_what_rang_before_is_heard_once() -> None:
    alarm = Wakeup()
    for _ in range(100_000):
        alarm.ring()
    alarm.sleep(FOREVER)
    assert slept(alarm, 0.05) >= 0.04
    alarm.close()
    alarm.ring()


def test_a_descriptor_that_is_closed_is_passed_over() -> None:
    alarm = Wakeup()
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    assert slept(alarm, 0.05, reading) >= 0.04
    alarm.close()
