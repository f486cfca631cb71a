"""From past commits to files: aggregation by hand, renames followed, deleted files dropped."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.index.segments import commits_of, corpus_of, index_of
from trackdown.query.parse import understand
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.commits import PastCommits, retrieve, touched_files
from trackdown.types import Aggregation, Level

HISTORY = (
    ("alpha", ["a.py"]),
    ("alpha alpha beta", ["a.py", "b.py"]),
    ("beta", ["b.py"]),
    ("gamma", ["c.py"]),
)
PRESENT = {"a.py": 0, "b.py": 1, "c.py": 2}


def by_hand() -> tuple[float, float]:
    """What `alpha` gives to the first and the second commit: 4 commits of 1.5 words on average, 2 of them have it."""
    first = 0.9 * (0.6 + 0.4 * 1 / 1.5)
    second = 0.9 * (0.6 + 0.4 * 3 / 1.5)
    return math.log(2) * 1.9 * 1 / (1 + first), math.log(2) * 1.9 * 2 / (2 + second)


def file_scores(past: PastCommits, how: Aggregation) -> dict[int, float]:
    found = past.files(PRESENT, how)
    return dict(zip(found.files.tolist(), found.scores.tolist(), strict=True))


def test_commits_are_scored_by_bm25_with_the_parameters_of_the_paper() -> None:
    past = PastCommits(*commits_of(*HISTORY), {"alpha": 1.0})
    first, second = by_hand()
    assert past.positions.tolist() == ([1, 0] if second > first else [0, 1])
    assert past.values.tolist() == pytest.approx(sorted([first, second], reverse=True))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("maxp", lambda one, two: {0: max(one, two), 1: two}),
        ("sump", lambda one, two: {0: one + two, 1: two}),
        ("avgp", lambda one, two: {0: (one + two) / 2, 1: two}),
        ("blend", lambda one, two: {0: max(one, two) + 0.01 * (one + two), 1: two + 0.01 * two}),
    ],
)
def test_aggregations_worked_out_by_hand(how: Aggregation, expected: object) -> None:
    assert callable(expected)
    past = PastCommits(*commits_of(*HISTORY), {"alpha": 1.0})
    assert file_scores(past, how) == pytest.approx(expected(*by_hand()))


def test_the_commits_behind_a_file_stand_best_first() -> None:
    past = PastCommits(*commits_of(*HISTORY), {"alpha": 1.0})
    found = past.files(PRESENT)
    assert found.commits(0) == past.positions.tolist()
    assert found.commits(1) == [1] and found.commits(2) == [] and found.commits(99) == []


def test_a_renamed_file_is_found_under_its_present_name() -> None:
    history = commits_of(("alpha", ["old.py"]), ("move", ["old.py>mid.py"]), ("move on", ["mid.py>new.py"]))
    past = PastCommits(*history, {"alpha": 1.0})
    assert past.files({"new.py": 7}).files.tolist() == [7]
    code = index_of({"new.py": "pass\n"})
    assert touched_files(corpus_of(code, history), [0]) == {0: [code.files_by_path["new.py"]]}


def test_a_deleted_file_is_dropped() -> None:
    past = PastCommits(*commits_of(("alpha", ["gone.py", "here.py"]), ("drop", ["gone.py"])), {"alpha": 1.0})
    assert past.files({"here.py": 3}).files.tolist() == [3]
    assert past.files({}).files.tolist() == [] and past.files({}).commits(0) == []


def test_a_name_that_was_taken_over_by_another_file_is_not_confused() -> None:
    history = commits_of(("alpha", ["a.py"]), ("move", ["a.py>b.py"]), ("beta", ["a.py"]))
    old = PastCommits(*history, {"alpha": 1.0}).files({"a.py": 0, "b.py": 1})
    new = PastCommits(*history, {"beta": 1.0}).files({"a.py": 0, "b.py": 1})
    assert (old.files.tolist(), new.files.tolist()) == ([1], [0])


def test_files_that_swapped_their_names_are_told_apart() -> None:
    history = commits_of(("alpha", ["a.py"]), ("beta", ["b.py"]), ("swap", ["a.py>b.py", "b.py>a.py"]))
    assert PastCommits(*history, {"alpha": 1.0}).files({"a.py": 0, "b.py": 1}).files.tolist() == [1]
    assert PastCommits(*history, {"beta": 1.0}).files({"a.py": 0, "b.py": 1}).files.tolist() == [0]


def test_a_side_branch_that_used_the_old_name_after_the_rename_still_counts() -> None:
    history = commits_of(("begin", ["old.py"]), ("move", ["old.py>new.py"]), ("alpha", ["old.py"]))
    assert PastCommits(*history, {"alpha": 1.0}).files({"new.py": 4}).files.tolist() == [4]


def test_a_commit_that_touched_a_file_under_two_names_counts_once() -> None:
    history = commits_of(("alpha", ["a.py", "b.py"]), ("join", ["a.py>b.py"]))
    past = PastCommits(*history, {"alpha": 1.0})
    found = past.files({"b.py": 0}, "sump")
    assert found.files.tolist() == [0] and found.commits(0) == [0]
    assert found.scores[0] == past.values[0]


def test_among_equals_the_later_commit_stands_first_and_stays_when_the_list_is_cut() -> None:
    history = commits_of(*[("alpha", [f"f{number}.py"]) for number in range(40)])
    assert PastCommits(*history, {"alpha": 1.0}).positions.tolist() == list(range(39, -1, -1))
    for depth in (1, 5, 17):
        assert PastCommits(*history, {"alpha": 1.0}, depth).positions.tolist() == list(range(39, 39 - depth, -1))


def test_a_cut_list_holds_the_best() -> None:
    history = commits_of(*[("alpha " * (number % 7 + 1) + "beta " * (number % 3), ["f.py"]) for number in range(60)])
    whole = PastCommits(*history, {"alpha": 1.0})
    cut = PastCommits(*history, {"alpha": 1.0}, 13)
    assert cut.positions.tolist() == whole.positions[:13].tolist()
    assert cut.values.tolist() == whole.values[:13].tolist()


def test_matched_terms_stand_strongest_first() -> None:
    past = PastCommits(*commits_of(*HISTORY), {"beta": 1.0, "alpha": 3.0, "absent": 9.0})
    assert past.matched([1]) == [("alpha", "beta")]
    assert past.matched([1], most=1) == [("alpha",)]
    assert past.matched([2, 3]) == [("beta",), ()]


def test_commits_beyond_the_one_looked_from_are_invisible() -> None:
    index, _ = commits_of(*HISTORY)
    past = PastCommits(index, f"{1:040x}", {"alpha": 1.0})
    assert past.positions.tolist() == [0]
    assert past.values[0] == pytest.approx(math.log(1 + 0.5 / 1.5) * 1.9 / 1.9)


def request(level: Level, text: str) -> Request:
    code = index_of({"a.py": "def alpha(): pass\n\ndef other(): pass\n", "b.py": "def beta(): pass\n"})
    corpus = corpus_of(code, commits_of(*HISTORY))
    return Request(corpus, candidates(code, level), understand(text), "maxp")


def test_at_file_level_a_file_has_the_score_of_its_commits() -> None:
    wanted = request("file", "gamma alpha")
    channel = retrieve(wanted, [])
    assert channel is not None and channel.signal == "commits"
    best = max(by_hand())
    assert channel.scores.tolist() == pytest.approx([best, by_hand()[1]])
    (said,) = channel.reasons([0])
    assert said.text.startswith('changed by "alpha') and said.text.endswith(" (2020)")
    first, value = next(iter(said.numbers.items()))
    assert first.startswith("0000000000 alpha") and first.endswith("(2020-09-13)") and value == pytest.approx(best)


def test_below_file_level_commits_speak_for_what_has_evidence_of_its_own() -> None:
    wanted = request("function", "alpha")
    before = Channel("lexical", np.array([4.0, 0.0, 2.0]), lambda chosen: [])
    channel = retrieve(wanted, [before])
    assert channel is not None
    assert channel.scores.tolist() == pytest.approx([max(by_hand()), 0.0, by_hand()[1] / 2])


def test_without_history_there_is_nothing_to_go_by() -> None:
    code = index_of({"a.py": "def alpha(): pass\n"})
    assert retrieve(Request(corpus_of(code, None), candidates(code, "file"), understand("alpha")), []) is None
