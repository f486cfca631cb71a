"""Answers that depend on themselves end, and none depends on which question was asked first."""

from __future__ import annotations

import pytest

from trackdown.graph.memo import RecursiveMemo

UNKNOWN = frozenset({"?"})


class Reach:
    """Which letters can be reached from one: a question that leads back to itself wherever there is a cycle."""

    def __init__(self, following: dict[str, str], deepest: int = 30, most_steps: int = 100) -> None:
        self.memo = RecursiveMemo(deepest, most_steps)
        self.known: dict[str, frozenset[str]] = {}
        self.computed: list[str] = []
        self._following = following

    def of(self, letter: str) -> frozenset[str]:
        return self.memo.once(self.known, letter, lambda: self._compute(letter), UNKNOWN)

    def _compute(self, letter: str) -> frozenset[str]:
        self.computed.append(letter)
        return frozenset({letter}).union(*(self.of(each) for each in self._following.get(letter, "")))


def test_an_answer_is_computed_once() -> None:
    reach = Reach({"a": "bc", "b": "c"})
    assert reach.of("a") == reach.of("a") == frozenset("abc")
    assert reach.computed == ["a", "b", "c"]


@pytest.mark.parametrize("order", ["abc", "cba", "bac"])
def test_answers_in_a_cycle_do_not_depend_on_the_order_of_questions(order: str) -> None:
    reach = Reach({"a": "b", "b": "ca", "c": ""})
    found = {letter: reach.of(letter) for letter in order}
    assert found == {"a": frozenset("abc?"), "b": frozenset("abc?"), "c": frozenset("c")}
    assert set(reach.known) == {"c"}  # an answer that rests on a substitute is not kept


def test_depth_and_steps_are_bounded() -> None:
    chain = {chr(97 + number): chr(98 + number) for number in range(20)}
    assert Reach(chain, deepest=5).of("a") == frozenset("abcde?")
    assert Reach(chain, most_steps=3).of("a") == frozenset("abc?")
    assert "?" not in Reach(chain).of("a")


def test_an_error_leaves_the_memo_usable() -> None:
    memo = RecursiveMemo(5, 5)
    known: dict[str, int] = {}

    def fail() -> int:
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        memo.once(known, "a", fail, 0)
    assert memo.once(known, "a", lambda: 1, 0) == 1
