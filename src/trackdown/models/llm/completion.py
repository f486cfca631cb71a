"""Parse a chat completion, as endpoints and llama.cpp return it."""

from __future__ import annotations

import re
from typing import Any

from trackdown.errors import NoAnswer
from trackdown.models.llm.chat import likely_tokens
from trackdown.models.llm.prompt import Completion, Prompt

_CHARACTERS_PER_TOKEN = 16
_MAX_TOKENS = 10_000_000
_REASONING = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)


def strip_reasoning(text: str) -> str:
    """A text without the reasoning, between <think> and </think>, that it begins with. Reasoning that never ends leaves
    nothing."""
    found = _REASONING.match(text)
    return text if found is None else text[found.end() :]


def read_completion(value: Any, prompt: Prompt, seconds: float, who: str) -> Completion:
    """The completion in a response, without the model's reasoning and cut at the prompt's limit.

    Raises NoAnswer for anything that is not a completion.
    """
    message, reason = _choice(value)
    if not isinstance(message, str):
        raise NoAnswer(f"{who} sent a response without an answer", charged=True)
    if reason == "content_filter":
        raise NoAnswer(f"{who} withheld its answer (content filter)", charged=True)
    text = strip_reasoning(message)
    limit = prompt.max_tokens * _CHARACTERS_PER_TOKEN
    complete = reason != "length" and len(text) <= limit
    text = text[:limit].encode("utf-8", "replace").decode()
    usage = value.get("usage")
    tokens_in = _count(usage, "prompt_tokens", likely_tokens(prompt))
    tokens_out = _count(usage, "completion_tokens", likely_tokens(Prompt("", message)))
    return Completion(text, tokens_in, tokens_out, seconds, complete)


def _choice(value: Any) -> tuple[Any, Any]:
    """The text of the first choice and why it ended; None where the value has another shape."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return None, None
    text = message.get("content")
    if text is None and isinstance(message.get("reasoning_content"), str):
        text = ""  # reasoning only
    return text, first.get("finish_reason")


def _count(usage: Any, name: str, otherwise: int) -> int:
    """The count that the model reports; our own estimate where it reports none, or nonsense."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count <= _MAX_TOKENS else otherwise
