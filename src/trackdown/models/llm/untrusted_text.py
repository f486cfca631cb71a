"""Text of repositories and issues in a prompt: data between markers that it cannot hold, so that it stays data."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What a reader does not see and a model does: control and format characters."""
_TURN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])(?=>)|<(?=<?/?(?:s|bos|eos|pad|unk|sys|think|end_of_turn|start_of_turn|im_start|im_end)>)"
    r"|\[(?=/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\b)",
    re.IGNORECASE,
)
"""How models mark turns of a conversation: an embedded one would take them for its own."""
_SHORTEST, _TRIES = 6, 16


@dataclass(frozen=True, slots=True)
class QuotedTexts:
    """Blocks of data, in the order given, and the word that every marker carries and no text holds."""

    word: str
    blocks: tuple[str, ...]


def quote(named: Sequence[tuple[str, str]]) -> QuotedTexts:
    """(name, text) → blocks from `BEGIN name word` to `END name word`. The same texts give the same word."""
    texts = [sanitized(text) for _, text in named]
    word = _absent_word(texts)
    blocks = (f"BEGIN {name} {word}\n{text}\nEND {name} {word}" for (name, _), text in zip(named, texts, strict=True))
    return QuotedTexts(word, tuple(blocks))


def sanitized(text: str) -> str:
    """A text without hidden characters and without what a model takes for the end of a turn."""
    plain = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return _TURN.sub(lambda found: f"{found.group()} ", _HIDDEN.sub("", plain))


def _absent_word(texts: Sequence[str]) -> str:
    """A word that occurs in no text. Who writes one cannot know it: it depends on all of them, and is checked."""
    folded = "\0".join(texts).casefold()
    number = 0
    while True:
        digest = hashlib.sha256(f"{number}\0{folded}".encode()).hexdigest()
        word = digest[: _SHORTEST + number // _TRIES]
        if word not in folded:
            return word
        number += 1
