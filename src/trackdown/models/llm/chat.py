"""A language model itself, below cache and budget: one prompt in, one answer out."""

from __future__ import annotations

from typing import Protocol

from trackdown.errors import NoAnswer
from trackdown.models.llm.prompt import Completion, Prompt

_BYTES_A_TOKEN = 3.5
_BYTES_A_TOKEN_AT_LEAST = 2.0
_TOKENS_A_TURN = 8
"""What a chat template puts around each turn."""


class TryAgain(NoAnswer):
    """No answer this time. `wait_s` is how long the model asked to be left alone, if it did."""

    def __init__(self, message: str, *, wait_s: float | None = None, charged: bool = False) -> None:
        super().__init__(message, charged=charged)
        self.wait_s = wait_s


class PromptTooLong(NoAnswer):
    """The prompt does not fit into the context: no fault of the model's."""


class ChatModel(Protocol):
    """What the desk asks. `concurrency` is how many prompts it takes at once; with 1 the caller's thread asks."""

    @property
    def name(self) -> str:
        """The model's id: known without loading it."""
        ...

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        ...

    @property
    def concurrency(self) -> int:
        """How many threads may ask at once."""
        ...

    def answer(self, prompt: Prompt) -> Completion:
        """Ask once. Raises TryAgain when it may help to, NoAnswer when this prompt has no answer, and LlmError when
        asking on is in vain."""
        ...


def chat_messages(prompt: Prompt) -> list[tuple[str, str]]:
    """A prompt as the turns of a conversation: role and text."""
    told = [("system", prompt.system)] if prompt.system else []
    for asked, answered in prompt.examples:
        told += [("user", asked), ("assistant", answered)]
    return [*told, ("user", prompt.user)]


def likely_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has, whatever the tokenizer: 3.5 bytes each, as English and code have."""
    return _tokens(prompt, _BYTES_A_TOKEN)


def most_tokens(prompt: Prompt) -> int:
    """How many tokens a prompt has at the most: what a budget sets aside before it is asked."""
    return _tokens(prompt, _BYTES_A_TOKEN_AT_LEAST)


def _tokens(prompt: Prompt, bytes_each: float) -> int:
    told = chat_messages(prompt)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for _, text in told)
    return int(size / bytes_each) + _TOKENS_A_TURN * (len(told) + 1)
