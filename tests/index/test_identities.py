"""File identities: where a path of the past is now, as a replay of all renames would find it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.index.identities import Identities

Renames = dict[int, dict[int, int]]
"""Position → the renames of that commit, which happen at once."""

paths = st.integers(0, 6)
renames = st.dictionaries(st.integers(0, 9), st.dictionaries(paths, paths, max_size=4), max_size=8)


def identities_of(history: Renames) -> Identities:
    rows = [(position, old, new) for position, moved in history.items() for old, new in moved.items()]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Identities(table[:, 0], table[:, 1], table[:, 2])


def replayed(history: Renames, path: int, position: int) -> int:
    for later in sorted(history):
        if later > position:
            path = history[later].get(path, path)
    return path


def present(history: Renames, path: int, position: int) -> int:
    found = identities_of(history).present(np.array([path]), np.array([position]))
    return int(found[0])


@settings(max_examples=300, deadline=None)
@given(renames)
def test_every_path_at_every_position_is_where_a_replay_leads(history: Renames) -> None:
    places = [(path, position) for path in range(8) for position in range(12)]
    found = identities_of(history).present(
        np.array([path for path, _ in places]), np.array([position for _, position in places])
    )
    assert found.tolist() == [replayed(history, path, position) for path, position in places]


@settings(max_examples=200, deadline=None)
@given(renames)
def test_the_last_resort_follows_the_last_rename_of_a_path(history: Renames) -> None:
    def expected(path: int) -> int:
        last = max((position for position, moved in history.items() if path in moved), default=None)
        return path if last is None else replayed(history, history[last][path], last)

    found = identities_of(history).last_resort(np.arange(9))
    assert found.tolist() == [expected(path) for path in range(9)]


def test_no_renames_leave_paths_alone() -> None:
    assert identities_of({}).present(np.array([3, 4]), np.array([0, 9])).tolist() == [3, 4]
    assert identities_of({}).last_resort(np.array([3, 4])).tolist() == [3, 4]


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = {position: {position: position + 1} for position in range(500)}
    assert present(chain, 0, -1) == 500
    assert present(chain, 250, 100) == 500
    assert present(chain, 250, 250) == 250


def test_two_files_that_swap_names_keep_apart() -> None:
    swap = {5: {1: 2, 2: 1}}
    assert present(swap, 1, 4) == 2 and present(swap, 2, 4) == 1
    assert present(swap, 1, 5) == 1 and present(swap, 2, 5) == 2
    twice = {5: {1: 2, 2: 1}, 7: {1: 2, 2: 1}}
    assert present(twice, 1, 4) == 1 and present(twice, 1, 6) == 2


def test_a_name_that_is_used_again_is_another_file() -> None:
    history = {3: {1: 2}, 6: {1: 4}}
    assert present(history, 1, 2) == 2
    assert present(history, 1, 4) == 4
    assert present(history, 1, 6) == 1


def test_a_side_branch_that_still_uses_the_old_name_is_followed_as_a_last_resort() -> None:
    history = {3: {1: 2}, 8: {2: 5}}
    assert present(history, 1, 4) == 1
    assert identities_of(history).last_resort(np.array([1])).tolist() == [5]
