"""What a run may use: tokens and money, set aside before a question is asked and settled when it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

MILLION = 1_000_000
SMALLEST = 128
"""Tokens in and as many out, below which there is no question worth asking: a budget with less left is spent."""
_POLL_SECONDS = 0.2


def _wait_on() -> None:
    """What waits as long as it takes."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in and out, in whatever currency the budget is in."""

    million_in: float = 0.0
    million_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.million_in + tokens_out * self.million_out) / MILLION


@dataclass(frozen=True, slots=True)
class Spending:
    """What is set aside for one question."""

    tokens: int
    money: float


class Budget:
    """Tokens and money of one run. For several threads.

    A question is asked only if the most that it can use still fits beside what was used and what is set aside for
    those under way; so the limits are never passed, as long as prompts are estimated high enough.
    """

    def __init__(self, tokens: int, money: float, prices: Prices = Prices()) -> None:  # noqa: B008 - immutable
        self.tokens = tokens
        self.money = money
        self.prices = prices
        self._used = Spending(0, 0.0)
        self._aside = Spending(0, 0.0)
        self._changed = threading.Condition()

    def reserve(self, tokens_in: int, tokens_out: int, waiting: Callable[[], None] = _wait_on) -> Spending | None:
        """Set aside the most that a question can use; None when it is too much. Waits where settling may free some,
        and calls `waiting` meanwhile, which may raise.
        """
        share = Spending(tokens_in + tokens_out, self.prices.of(tokens_in, tokens_out))
        with self._changed:
            while not self._fits(share):
                if not self._aside.tokens:
                    return None
                waiting()
                self._changed.wait(_POLL_SECONDS)
            self._aside = Spending(self._aside.tokens + share.tokens, self._aside.money + share.money)
        return share

    def settle(self, share: Spending, tokens_in: int, tokens_out: int) -> float:
        """Book what a question has used in the place of what was set aside for it; what it cost."""
        cost = self.prices.of(tokens_in, tokens_out)
        with self._changed:
            left = self._aside.tokens - share.tokens
            self._aside = Spending(left, self._aside.money - share.money if left else 0.0)
            self._used = Spending(self._used.tokens + tokens_in + tokens_out, self._used.money + cost)
            self._changed.notify_all()
        return cost

    def used(self) -> Spending:
        """What was used so far."""
        with self._changed:
            return self._used

    def is_spent(self) -> bool:
        """Whether there is too little left for any question, and not only for a large one."""
        used = self.used()
        left = self.money * (1 + 1e-9) - used.money
        return self.tokens - used.tokens < 2 * SMALLEST or left < self.prices.of(SMALLEST, SMALLEST)

    def reason(self, tokens_in: int, tokens_out: int) -> str:
        """Why a question of this size may not be asked, and what to do."""
        used = self.used()
        over = self.tokens - used.tokens < tokens_in + tokens_out
        if not self.is_spent():  # the same words for each, so that many such questions make one note
            limit, setting = (f"{self.tokens:,} tokens", "llm_tokens") if over else (f"{self.money:g}", "llm_money")
            what = f"what is left of the budget of {limit} for language models"
            return f"a question was too large for {what}: raise {setting}"
        if over:
            return (
                f"the budget of {self.tokens:,} tokens for language models is used up "
                f"({used.tokens:,} used, the next may take {tokens_in + tokens_out:,}): raise llm_tokens to go on"
            )
        return (
            f"the budget of {self.money:g} for language models is used up ({used.money:.4g} spent, the next "
            f"question may cost {self.prices.of(tokens_in, tokens_out):.2g}): raise llm_money to go on"
        )

    def _fits(self, share: Spending) -> bool:
        tokens = self._used.tokens + self._aside.tokens + share.tokens
        money = self._used.money + self._aside.money + share.money
        return tokens <= self.tokens and money <= self.money * (1 + 1e-9)
