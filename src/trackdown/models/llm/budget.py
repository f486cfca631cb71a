"""The token and money budget of a run: reserved before a question is asked, settled when it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

MILLION = 1_000_000
SMALLEST = 128
"""The smallest question worth asking has this many tokens in and out. A budget with less left is spent."""
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens, in and out, in the budget's currency."""

    million_in: float = 0.0
    million_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The price of some tokens."""
        return (tokens_in * self.million_in + tokens_out * self.million_out) / MILLION


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens and money, reserved or used."""

    tokens: int
    money: float


class Budget:
    """Tokens and money of one run. Thread-safe.

    A question is asked only if the most that it can use fits beside what is used and what is reserved for questions
    under way. So the limits are never exceeded, provided that the estimates of prompts are upper bounds.
    """

    def __init__(self, tokens: int, money: float, prices: Prices = Prices()) -> None:
        self.tokens = tokens
        self.money = money
        self.prices = prices
        self._used = Spending(0, 0.0)
        self._reserved = Spending(0, 0.0)
        self._changed = threading.Condition()

    def reserve(self, tokens_in: int, tokens_out: int, waiting: Callable[[], None] = lambda: None) -> Spending | None:
        """Reserve the most that a question can use; None if it doesn't fit.

        Waits as long as settling other questions may free enough, and calls `waiting` meanwhile, which may raise.
        """
        wanted = Spending(tokens_in + tokens_out, self.prices.of(tokens_in, tokens_out))
        with self._changed:
            while not self._fits(wanted):
                if not self._reserved.tokens:
                    return None
                waiting()
                self._changed.wait(_POLL_SECONDS)
            self._reserved = Spending(self._reserved.tokens + wanted.tokens, self._reserved.money + wanted.money)
        return wanted

    def settle(self, reserved: Spending, tokens_in: int, tokens_out: int) -> float:
        """Replace a reservation by what the question used. Returns its cost."""
        cost = self.prices.of(tokens_in, tokens_out)
        with self._changed:
            left = self._reserved.tokens - reserved.tokens
            self._reserved = Spending(left, self._reserved.money - reserved.money if left else 0.0)
            self._used = Spending(self._used.tokens + tokens_in + tokens_out, self._used.money + cost)
            self._changed.notify_all()
        return cost

    def used(self) -> Spending:
        """What was used so far."""
        with self._changed:
            return self._used

    def is_spent(self) -> bool:
        """Whether too little is left for any question, not only for a large one."""
        used = self.used()
        left = self.money * (1 + 1e-9) - used.money
        return self.tokens - used.tokens < 2 * SMALLEST or left < self.prices.of(SMALLEST, SMALLEST)

    def reason(self, tokens_in: int, tokens_out: int) -> str:
        """Why a question of this size may not be asked, and what to do."""
        used = self.used()
        over = self.tokens - used.tokens < tokens_in + tokens_out
        if not self.is_spent():  # the same words for each, so that many such questions make one note
            limit, setting = (f"{self.tokens:,} tokens", "llm_tokens") if over else (f"{self.money:g}", "llm_money")
            return f"a question was larger than the rest of the language model budget of {limit}: raise {setting}"
        if over:
            return (
                f"the language model budget of {self.tokens:,} tokens is used up "
                f"({used.tokens:,} used, the next question may take {tokens_in + tokens_out:,}): raise llm_tokens"
            )
        return (
            f"the language model budget of {self.money:g} is used up ({used.money:.4g} spent, the next "
            f"question may cost {self.prices.of(tokens_in, tokens_out):.2g}): raise llm_money"
        )

    def _fits(self, wanted: Spending) -> bool:
        tokens = self._used.tokens + self._reserved.tokens + wanted.tokens
        money = self._used.money + self._reserved.money + wanted.money
        return tokens <= self.tokens and money <= self.money * (1 + 1e-9)
