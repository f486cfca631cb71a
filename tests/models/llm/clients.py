"""Desks with a cache in memory, and sleeps that take no time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trackdown.models.llm.budget import Budget, Prices
from trackdown.models.llm.chat import ChatModel
from trackdown.models.llm.client import LlmClient, Waiting
from trackdown.models.llm.endpoint import Endpoint
from trackdown.models.llm.ledger import UsageLedger
from trackdown.models.llm.prompt import Prompt

QUESTION = Prompt("Be brief.", "What is two and two?", max_tokens=50)


class MemoryFacts:
    """A `FactCache` as a dict, where what is there stays, as in the store."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], bytes] = {}

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.rows[kind, key] for key in keys if (kind, key) in self.rows}

    def write(self, kind: str, rows: Sequence[tuple[str, bytes]]) -> None:
        for key, value in rows:
            self.rows.setdefault((kind, key), value)


class Slept(list[float]):
    """Stands for `client.sleep`: keeps how long it was asked to."""

    def __call__(self, seconds: float, waiting: Waiting) -> None:
        self.append(seconds)


def endpoint(url: str, **settings: Any) -> Endpoint:
    chosen: dict[str, Any] = {"model": "small", "timeout_s": 5.0} | settings
    return Endpoint(url, **chosen)


def client(
    model: ChatModel,
    facts: MemoryFacts | None = None,
    *,
    tokens: int = 1_000_000,
    money: float = 1.0,
    prices: Prices | None = None,
    **settings: Any,
) -> LlmClient:
    ledger = UsageLedger(Budget(tokens, money, prices or Prices()))
    return LlmClient(model, facts or MemoryFacts(), ledger, **({"sleep": Slept()} | settings))


def questions(count: int) -> list[Prompt]:
    return [Prompt("Be brief.", f"question {number}", max_tokens=50) for number in range(count)]
