"""Fit text into a model's context window. Token counts are estimated from bytes, too high rather than too low."""

from __future__ import annotations

from collections.abc import Sequence

_BYTES_PER_TOKEN = 2.5
_CUT = " …"


def estimated_tokens(text: str) -> int:
    """An estimate of a text's tokens. Code has more per character than prose, other scripts more still."""
    return int(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + 1


def shortened(text: str, tokens: int) -> str:
    """The beginning of a text with at most `tokens` tokens, cut at a line break if that keeps most of it."""
    if estimated_tokens(text) <= tokens:
        return text
    most = int((tokens - 1) * _BYTES_PER_TOKEN) - len(_CUT.encode())
    if most <= 0:
        return ""
    kept = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    whole_lines = kept.rfind("\n")
    return (kept[:whole_lines] if whole_lines > len(kept) // 2 else kept).rstrip() + _CUT


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """Divide the room: small requests get all they want, large ones equal shares."""
    shares = [0] * len(wanted)
    left = max(0, room)
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    for done, number in enumerate(order):
        shares[number] = min(wanted[number], left // (len(order) - done))
        left -= shares[number]
    return shares
