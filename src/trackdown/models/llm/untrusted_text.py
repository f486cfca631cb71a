"""Quote untrusted text in a prompt: repositories and issues go between markers that they cannot contain."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control and format characters, which a reader doesn't see but a model does."""
_TURN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])(?=>)|<(?=<?/?(?:s|bos|eos|pad|unk|sys|think|end_of_turn|start_of_turn|im_start|im_end)>)"
    r"|\[(?=/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\b)",
    re.IGNORECASE,
)
"""Models' markers of turns in a conversation, which an embedded model would take for its own."""
_SHORTEST, _TRIES = 6, 16


@dataclass(frozen=True, slots=True)
class QuotedTexts:
    """Blocks of data in the given order, and the word that is in every marker and in none of the texts."""

    word: str
    blocks: tuple[str, ...]


def quote(named: Sequence[tuple[str, str]]) -> QuotedTexts:
    """(name, text) → blocks from `BEGIN name word` to `END name word`. The same texts give the same word."""
    texts = [sanitized(text) for _, text in named]
    word = _absent_word(texts)
    blocks = (f"BEGIN {name} {word}\n{text}\nEND {name} {word}" for (name, _), text in zip(named, texts, strict=True))
    return QuotedTexts(word, tuple(blocks))


def sanitized(text: str) -> str:
    """A text without hidden characters and with models' turn markers broken up."""
    plain = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return _TURN.sub(lambda found: f"{found.group()} ", _HIDDEN.sub("", plain))


def _absent_word(texts: Sequence[str]) -> str:
    """A word that is in none of the texts. An author can't predict it: it depends on all texts, and is checked."""
    folded = "\0".join(texts).casefold()
    number = 0
    while True:
        digest = hashlib.sha256(f"{number}\0{folded}".encode()).hexdigest()
        word = digest[: _SHORTEST + number // _TRIES]
        if word not in folded:
            return word
        number += 1
