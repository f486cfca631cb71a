"""Budgets: never passed, whatever is asked in whatever order, and nothing is refused that would fit."""

from __future__ import annotations

import random
import threading

from hypothesis import given
from hypothesis import strategies as st

from trackdown.models.llm.budget import Budget, Prices, Spending

TOKENS = st.integers(0, 400)


@given(
    limit=st.integers(0, 2000),
    money=st.floats(0, 0.01),
    asked=st.lists(st.tuples(TOKENS, TOKENS, st.floats(0, 1)), max_size=40),
)
def test_limits_hold_and_what_fits_is_granted(limit: int, money: float, asked: list[tuple[int, int, float]]) -> None:
    budget = Budget(limit, money, Prices(3.0, 15.0))
    for most_in, most_out, part in asked:
        used = budget.used()
        share = budget.reserve(most_in, most_out)
        fits = used.tokens + most_in + most_out <= limit
        affordable = used.money + budget.prices.of(most_in, most_out) <= money * (1 + 1e-9)
        assert (share is not None) == (fits and affordable)
        if share is not None:
            budget.settle(share, int(most_in * part), int(most_out * part))
    assert budget.used().tokens <= limit and budget.used().money <= money * (1 + 1e-9)


def test_limits_hold_with_many_threads() -> None:
    budget = Budget(10_000, 1.0)

    def work(seed: int) -> None:
        chance = random.Random(seed)
        while (share := budget.reserve(most := chance.randint(1, 900), 100)) is not None:
            budget.settle(share, chance.randint(most // 2, most), 100)

    threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert 9_000 <= budget.used().tokens <= 10_000


def test_a_question_that_does_not_fit_waits_for_one_under_way() -> None:
    budget = Budget(100, 1.0)
    first = budget.reserve(60, 30)
    assert first is not None
    got: list[Spending | None] = []
    waiting = threading.Thread(target=lambda: got.append(budget.reserve(50, 10)), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive() and got == []
    budget.settle(first, 20, 10)  # less than was set aside
    waiting.join(5)
    assert got == [Spending(60, 0.0)]


def test_a_reason_names_the_limit_that_was_hit() -> None:
    assert "the language model budget of 10 tokens" in Budget(10, 1.0).reason(20, 0)
    assert "the language model budget of 0.5" in Budget(10**6, 0.5, Prices(10.0)).reason(100_000, 0)
