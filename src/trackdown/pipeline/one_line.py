"""The strongest reasons for each result in one line of plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from trackdown.types import Match

_MOST = 3
_PART = re.compile(r"in [^\s:]+: ")
_QUOTATION = re.compile(r'".+"')
_LEAST_SHARE = 0.05
"""What added less than this share of a score is not worth a reader's time."""
_MEANING = "meaning"
_KINDS = {
    "dense": _MEANING,
    "deep": _MEANING,
    "encoder": _MEANING,
    "late-interaction": _MEANING,
    "code-reranker": _MEANING,
    "commit-reranker": "commits",
}
"""Signals that look at the same thing: a line has the strongest of them. Any other signal is a kind of its own."""
_DIRECT = frozenset({"mentions", "messages", "references"})
"""Where the query itself points: these come first."""
_SAID_ONCE = frozenset({"commits"})
"""Kinds that are about a file: what stands at one result need not be repeated at the next."""


def one_line_each(
    found: Sequence[Mapping[str, Match]], values: Sequence[Mapping[str, float]], remarks: Sequence[str]
) -> list[str]:
    """A line for each result, best first. Each has up to three kinds of evidence, and a remark if there is one."""
    said: set[str] = set()
    lines = []
    for matches, shares, remark in zip(found, values, remarks, strict=True):
        chosen = _chosen(matches, shares, said)
        said.update(chosen.values())
        lines.append("; ".join([*_introduced_once(list(chosen.values())), *([remark] if remark else [])]))
    return lines


def _introduced_once(texts: Sequence[str]) -> list[str]:
    """Texts of which several may begin with the part that they are about, `in load: `: a run of them says it once."""
    parts = [match[0] if (match := _PART.match(text)) else "" for text in texts]
    return [
        text[len(part) :] if part == last else text
        for text, part, last in zip(texts, parts, ["", *parts], strict=False)
    ]


def _repeats(text: str, others: Iterable[str]) -> bool:
    """Whether a text says the same as others do, or quotes the same: a commit may be evidence in two ways."""
    quoted = _QUOTATION.search(text)
    return any(text == other or (quoted is not None and quoted[0] in other) for other in others)


def _chosen(matches: Mapping[str, Match], shares: Mapping[str, float], said: set[str]) -> dict[str, str]:
    """Kind → words: where the query points, then the strongest. Meaning, which nobody can check, comes last."""
    least = _LEAST_SHARE * sum(share for share in shares.values() if share > 0)
    # What only moved a result has no share of its score, and is worth telling.
    strong = [signal for signal in matches if shares.get(signal, least) >= least]
    telling = [signal for signal in strong if matches[signal].telling and matches[signal].text]
    best: dict[str, str] = {}
    for signal in sorted(telling, key=lambda signal: (-shares.get(signal, least), signal)):
        best.setdefault(_KINDS.get(signal, signal), matches[signal].text)
    direct = [text for kind, text in best.items() if kind in _DIRECT]
    fresh = {
        kind: text
        for kind, text in best.items()
        if kind in _DIRECT or not (_repeats(text, direct) or (kind in _SAID_ONCE and text in said))
    }
    kinds = sorted(fresh or best, key=lambda kind: kind == _MEANING)[:_MOST]
    return {kind: best[kind] for kind in sorted(kinds, key=lambda kind: kind not in _DIRECT)}
