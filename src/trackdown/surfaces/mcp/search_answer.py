"""The answer of a search: ranked places, how sure they are, and the numbered lines that speak for each.

If there is little room, every place gets its best line before any gets its reason, and its reason before more lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from trackdown.surfaces.cli import explained, one_line, sanitize
from trackdown.surfaces.mcp.fitting import cut
from trackdown.surfaces.mcp.tool_answer import ListItem, ToolAnswer, list_answer
from trackdown.types import LineMatch, Result, SearchResults, Why, percent

_LONGEST_REASON = 160
_LONGEST_NAME = 90
_LONGEST_LINE = 160
_FEW_LINES = 3
_NAMES = {"function": "functions", "class": "classes", "symbol": "functions and classes", "file": "files"}


def found(
    answer: SearchResults, max_tokens: int, *, several: bool, explain: bool = False, concise: bool = False
) -> ToolAnswer:
    """Ranked results, each with its strongest reasons in one line; with `explain`, all reasons and their numbers."""
    count = len(answer.results)
    one = "1 result:" if count == 1 else f"{count} {_NAMES[answer.level]}, best first:"
    head = one if count else f"No {_NAMES[answer.level]} found."
    fields: dict[str, Any] = {"partial": answer.partial, "level": answer.level}
    if answer.confidence is not None:
        confidence = replace(answer.confidence, why=one_line(answer.confidence.why))
        fields["confidence"] = asdict(confidence)
        head = f"{confidence.sentence()} {head}" if count else f"{head} {confidence.why}."
    if answer.deep is not None:
        fields["deep"] = asdict(answer.deep)
    items = [_hit(result, several=several, whole=answer.level == "file", explain=explain) for result in answer]
    if concise:
        items = [replace(item, texts=item.texts[:2], values=item.values[:2]) for item in items]
    return list_answer(head, fields, "results", answer.notes, items, max_tokens)


def _hit(result: Result, *, several: bool, whole: bool, explain: bool) -> ListItem:
    path, symbol = one_line(result.path), one_line(result.symbol)
    lines = "" if whole else f":{result.start_line}-{result.end_line}"
    inside = f" in {one_line(result.repository)}" if several else ""
    sure = "" if result.probability is None else f", {percent(result.probability)}"
    head = f"{result.rank}. {path}{lines} {f'{symbol} ' if symbol else ''}[{result.kind}{inside}{sure}]"
    reason = cut(one_line(result.reason), _LONGEST_REASON)
    reasoned = f"{head}\n   {reason}" if reason else head
    short: dict[str, Any] = {
        "rank": result.rank,
        "repository": one_line(result.repository),
        "path": path,
        "symbol": symbol,
        "kind": result.kind,
        "language": result.language,
        "start_line": result.start_line,
        "end_line": result.end_line,
        "line": result.line,
        "score": round(result.score, 4),
        "probability": result.probability,
    }
    told: dict[str, Any] = {**short, "reason": reason}
    if explain:
        told["why"] = [_why(one) for one in result.why]
        reasoned += "".join(f"\n   {cut(explained(one), _LONGEST_REASON)}" for one in result.why)
    best = [match for match in result.matches if match.line == result.line]
    few, all_of_them = result.matches[:_FEW_LINES], result.matches
    return ListItem(
        (head, head + _numbered(best), reasoned + _numbered(few), reasoned + _numbered(all_of_them)),
        (short, told, {**told, "matches": _values(few)}, {**told, "matches": _values(all_of_them)}),
    )


def _numbered(matches: Sequence[LineMatch]) -> str:
    """Lines in their order with their numbers, moved to the left together."""
    lines = [(match.line, sanitize(match.text).rstrip()) for match in sorted(matches, key=lambda match: match.line)]
    margin = min((len(text) - len(text.lstrip()) for _, text in lines if text), default=0)
    width = max((len(str(number)) for number, _ in lines), default=0)
    return "".join(f"\n   {number:>{width}}  {cut(text[margin:], _LONGEST_LINE)}".rstrip() for number, text in lines)


def _values(matches: Sequence[LineMatch]) -> list[dict[str, Any]]:
    return [
        {"line": one.line, "text": sanitize(one.text), "spans": [list(span) for span in one.spans]} for one in matches
    ]


def _why(why: Why) -> dict[str, Any]:
    numbers = {cut(one_line(name), _LONGEST_NAME): round(value, 4) for name, value in why.numbers.items()}
    text = cut(one_line(why.text), _LONGEST_REASON)
    return {"signal": why.signal, "value": round(why.value, 4), "text": text, "numbers": numbers}
