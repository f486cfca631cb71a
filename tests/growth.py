"""How work grows with its input, told without a clock on the wall: a slow or busy machine changes no answer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Input = TypeVar("Input")
_ROUNDS = 4
_SHORTEST = 0.001


def calls_of(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls, C's among them: the same number on every machine."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def grows_at_most(times: float, work: Callable[[Input], object], small: Input, large: Input) -> bool:
    """Whether work on `large` takes at most `times` the CPU time of work on `small`.

    For work inside one call, such as a regular expression's, which `calls_of` does not see. On four times the input,
    linear work grows by 4 and quadratic work by 16. Disturbances only lengthen a measurement, so the shortest of a few
    counts; below a millisecond nothing is told apart.
    """
    least_small = least_large = float("inf")
    for _ in range(_ROUNDS):
        least_small = min(least_small, _cpu_seconds(work, small))
        least_large = min(least_large, _cpu_seconds(work, large))
        if least_large <= times * least_small:
            return True
    return False


def _cpu_seconds(work: Callable[[Input], object], given: Input) -> float:
    started = time.thread_time()
    work(given)
    return max(time.thread_time() - started, _SHORTEST)
