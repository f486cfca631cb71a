"""Batches: every row runs once, like with like, and lack of memory makes them smaller."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.errors import ModelError
from trackdown.models.batches import OutOfMemory, Output, Run, one_by_one, run_in_batches


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(1, 200), st.integers(1, 200), st.integers(1, 4)
)
def test_every_row_runs_once_within_the_limits(lengths: list[int], tokens: int, memory: int, threads: int) -> None:
    sizes: list[int] = []

    def run(batch: list[int]) -> list[float]:
        longest = max(lengths[place] for place in batch)
        if len(batch) > 1 and len(batch) * longest > memory:
            raise OutOfMemory
        sizes.append(len(batch) * longest)
        return [lengths[place] for place in batch]

    assert run_in_batches(lengths, run, tokens=tokens, threads=threads) == lengths
    assert all(size <= max(min(tokens, memory), max(lengths)) for size in sizes)


def test_the_longest_rows_run_first_and_equal_ones_in_their_order() -> None:
    ran: list[int] = []

    def run(batch: list[int]) -> list[float]:
        ran.extend(batch)
        return [float(row) for row in batch]

    assert run_in_batches([3, 5, 3, 5], run) == [0, 1, 2, 3]
    assert ran == [1, 3, 0, 2]


def test_batches_halve_down_to_one_row() -> None:
    tried: list[int] = []

    def run(batch: list[int]) -> list[float]:
        tried.append(len(batch))
        if len(batch) > 1:
            raise OutOfMemory
        return [0.0] * len(batch)

    run_in_batches([10] * 8, run, tokens=80)
    assert tried == [8, 4, 2] + [1] * 8


def test_batches_run_side_by_side_until_memory_is_short() -> None:
    groups: list[list[int]] = []

    def spread(run: Run[Output], batches: Sequence[list[int]]) -> list[Sequence[Output]]:
        groups.append([len(batch) for batch in batches])
        if len(groups) == 2:
            raise OutOfMemory
        return one_by_one(run, batches)

    run_in_batches([10] * 36, lambda batch: [0.0] * len(batch), tokens=20, threads=2, spread=spread)
    assert groups == [[2] * 16, [2, 2], [2], [2]]


def test_one_row_too_large_is_an_error() -> None:
    def run(batch: list[int]) -> list[float]:
        raise OutOfMemory

    with pytest.raises(ModelError, match="not enough memory to run the model on 7 tokens"):
        run_in_batches([7, 3], run)
