"""A worker whose memory is not given back starts nothing more, and the run ends all the same.

Without a look after them, such workers wait for ever: Dask pauses them, and nothing in them frees any memory.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.fleets import needs_extra

pytestmark = [needs_extra, pytest.mark.slow]


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_starts_on_a_full_worker_and_the_run_ends(tmp_path: Path, workers: int) -> None:
    from tests.fleet.leaving import leave_memory, tasks_for
    from trackdown.fleet.cluster import ClusterOptions, connected, outcomes
    from trackdown.fleet.failures import BuildFailure

    log = tmp_path / "log"
    options = ClusterOptions(workers=workers, memory_mb=400)
    with connected(options) as client:
        found = list(outcomes(client, tasks_for(log, 4), options, leave_memory))
    assert [outcome for _, outcome in found if isinstance(outcome, BuildFailure)] == []
    assert {task.name for task, _ in found} == {"r0", "r1", "r2", "r3"}
    begun = [line.split() for line in log.read_text().splitlines()]
    assert len(begun) == len({process for process, _ in begun}) == 4  # each of them in a new process
    assert all(float(share) < 0.8 for _, share in begun)


def test_what_waits_behind_one_that_needs_too_much_is_not_blamed(tmp_path: Path) -> None:
    from tests.fleet.leaving import take_too_much, tasks_for
    from trackdown.fleet.cluster import ClusterOptions, connected, outcomes
    from trackdown.fleet.failures import BuildFailure

    options = ClusterOptions(workers=1, memory_mb=300)
    with connected(options) as client:
        found = list(outcomes(client, tasks_for(tmp_path / "log", 4), options, take_too_much))
    assert {task.name for task, outcome in found if isinstance(outcome, BuildFailure)} == {"r0"}
    assert len(found) == 4
