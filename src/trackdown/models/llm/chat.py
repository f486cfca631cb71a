"""A language model itself, below cache and budget: one prompt in, one completion out."""

from __future__ import annotations

from typing import Protocol

from trackdown.errors import NoAnswer
from trackdown.models.llm.prompt import Completion, Prompt

_BYTES_PER_TOKEN = 3.5
_MIN_BYTES_PER_TOKEN = 2.0
_TOKENS_PER_MESSAGE = 8
"""What a chat template adds to each message."""


class TryAgain(NoAnswer):
    """No answer this time. `wait_s` is how long the model asked us to wait, if it did."""

    def __init__(self, message: str, *, wait_s: float | None = None, charged: bool = False) -> None:
        super().__init__(message, charged=charged)
        self.wait_s = wait_s


class PromptTooLong(NoAnswer):
    """The prompt does not fit into the context window, which says nothing about the model's health."""


class ChatModel(Protocol):
    """A model that the client asks, in up to `concurrency` threads at once; with 1 in the caller's thread."""

    @property
    def name(self) -> str:
        """The model's id, known without loading it."""
        ...

    @property
    def context(self) -> int:
        """The size of the context window in tokens, prompt and completion together."""
        ...

    @property
    def concurrency(self) -> int:
        """The number of threads that may ask at once."""
        ...

    def answer(self, prompt: Prompt) -> Completion:
        """Ask once.

        Raises TryAgain if a retry may help, NoAnswer if this prompt has no answer, LlmError if no prompt will get one.
        """
        ...


def chat_messages(prompt: Prompt) -> list[tuple[str, str]]:
    """A prompt as the messages of a conversation: role and text."""
    messages = [("system", prompt.system)] if prompt.system else []
    for question, answer in prompt.examples:
        messages += [("user", question), ("assistant", answer)]
    return [*messages, ("user", prompt.user)]


def likely_tokens(prompt: Prompt) -> int:
    """The likely number of tokens of a prompt, whatever the tokenizer: 3.5 bytes each, as in English and code."""
    return _tokens(prompt, _BYTES_PER_TOKEN)


def most_tokens(prompt: Prompt) -> int:
    """An upper bound of a prompt's tokens, which the budget reserves before the prompt is sent."""
    return _tokens(prompt, _MIN_BYTES_PER_TOKEN)


def _tokens(prompt: Prompt, bytes_each: float) -> int:
    messages = chat_messages(prompt)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for _, text in messages)
    return int(size / bytes_each) + _TOKENS_PER_MESSAGE * (len(messages) + 1)
