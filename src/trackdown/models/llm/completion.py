"""A chat completion as endpoints and llama.cpp give it → an answer, if it is one."""

from __future__ import annotations

from typing import Any

from trackdown.errors import NoAnswer
from trackdown.models.llm.chat import likely_tokens
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.models.llm.thoughts import without_thoughts

_CHARACTERS_A_TOKEN = 16
_MOST_TOKENS = 10_000_000


def read_completion(value: Any, prompt: Prompt, seconds: float, who: str) -> Completion:
    """The answer in a completion. What a model thought before it answered is left out, and so is what it wrote beyond
    the prompt's limit. Raises NoAnswer for anything that is not a completion.
    """
    message, reason = _choice(value)
    if not isinstance(message, str):
        raise NoAnswer(f"{who} sent something that is no answer", charged=True)
    if reason == "content_filter":
        raise NoAnswer(f"{who} withheld its answer (content filter)", charged=True)
    text = without_thoughts(message)
    longest = prompt.max_tokens * _CHARACTERS_A_TOKEN
    whole = reason != "length" and len(text) <= longest
    text = text[:longest].encode("utf-8", "replace").decode()
    usage = value.get("usage")
    tokens_in = _count(usage, "prompt_tokens", likely_tokens(prompt))
    tokens_out = _count(usage, "completion_tokens", likely_tokens(Prompt("", message)))
    return Completion(text, tokens_in, tokens_out, seconds, whole)


def _choice(value: Any) -> tuple[Any, Any]:
    """The text of the first choice and why it ended; None where the value is of another shape."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return None, None
    text = message.get("content")
    if text is None and isinstance(message.get("reasoning_content"), str):
        text = ""  # it only thought
    return text, first.get("finish_reason")


def _count(usage: Any, name: str, otherwise: int) -> int:
    """What the model says it used; our own estimate where it says nothing, or nonsense."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count <= _MOST_TOKENS else otherwise
