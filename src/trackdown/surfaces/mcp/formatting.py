"""Formats the engine's answers for tools: a text for models and a value for programs, each within the budget.

Text from a repository is cleaned of characters that steer terminals or forge lines. The server's instructions tell
models that it is data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from trackdown.engine import Related, Relative, ServedInfo
from trackdown.surfaces.cli import explained, one_line, sanitize
from trackdown.surfaces.mcp.fitting import cut, cut_value, fit, room, text_size, value_size
from trackdown.types import (
    CLASS_KINDS,
    FUNCTION_KINDS,
    HistoryResults,
    Level,
    PastCommit,
    Result,
    SearchResults,
    UnitSource,
    Why,
)

_MORE = "… {count} more left out: raise max_tokens or narrow the request"
_MOST_NOTES = 5
_LONGEST_REASON = 160
_LONGEST_NAME = 90
_FEW_LINES = 5
_FEW_FILES, _MANY_FILES = 4, 25


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool returns: the same as text and as a value."""

    text: str
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ListItem:
    """One entry of a list in its forms, the shortest first."""

    texts: tuple[str, ...]
    values: tuple[dict[str, Any], ...]


def found(answer: SearchResults, max_tokens: int, *, several: bool, explain: bool = False) -> ToolAnswer:
    """Ranked results, each with its strongest reasons in one line; with `explain`, all reasons and their numbers."""
    names = {"function": "functions", "class": "classes", "symbol": "functions and classes", "file": "files"}
    count = len(answer.results)
    head = f"{count} {names[answer.level]}, best first:" if count else f"No {names[answer.level]} found."
    fields: dict[str, Any] = {"partial": answer.partial, "level": answer.level}
    if answer.confidence is not None:
        confidence = replace(answer.confidence, why=one_line(answer.confidence.why))
        fields["confidence"] = asdict(confidence)
        head = f"{confidence.sentence()} {head}" if count else f"{head} {confidence.why}."
    if answer.deep is not None:
        fields["deep"] = asdict(answer.deep)
    whole = answer.level == "file"
    items = [_hit(result, several=several, whole=whole, explain=explain) for result in answer]
    return _listed(head, fields, "results", answer.notes, items, max_tokens)


def past(answer: HistoryResults, max_tokens: int, *, several: bool) -> ToolAnswer:
    """Past commits."""
    head = f"{len(answer)} past commits, most similar first:" if len(answer) else "No past commit resembles this."
    items = [_commit(commit, several=several) for commit in answer]
    return _listed(head, {"partial": answer.partial}, "commits", answer.notes, items, max_tokens)


def nearby(answer: Related, max_tokens: int, level: Level | None) -> ToolAnswer:
    """Code related to a location."""
    location, symbol = one_line(answer.location), one_line(answer.symbol)
    items = list(_relations(answer, level))
    head = f"Near {location}" + (f" ({symbol})" if symbol else "") + (":" if items else ": nothing found.")
    fields = {
        "partial": answer.partial,
        "location": cut_value(location, room(max_tokens) // 4),
        "symbol": cut_value(symbol, room(max_tokens) // 8),
    }
    return _listed(head, fields, "related", answer.notes, items, max_tokens)


def source(answer: UnitSource, max_tokens: int) -> ToolAnswer:
    """Source with line numbers; if it is too long, its beginning."""
    lines = [sanitize(line) for line in answer.text.split("\n")]
    width = len(str(answer.end_line))
    numbered = [f"{answer.start_line + offset:>{width}}  {line}".rstrip() for offset, line in enumerate(lines)]
    path, symbol = one_line(answer.path), one_line(answer.symbol)
    where = f"{path}:{answer.start_line}-{answer.end_line} of {answer.total_lines}"
    head = f"{where}  {symbol} [{answer.kind}]" if symbol else where
    bytes_left = room(max_tokens)
    notes = _notes(answer.notes, bytes_left // 6)
    top = [cut(head, bytes_left // 4), *(f"note: {note}" for note in notes)]
    more = "… lines {first}-{last} left out: ask for them with `lines`, or raise max_tokens"
    rest = bytes_left - sum(map(text_size, top))
    body = fit([(line,) for line in numbered], rest, text_size)
    if len(body) < len(numbered):
        longest = more.format(first=answer.end_line, last=answer.end_line)
        body = fit([(line,) for line in numbered], rest - text_size(longest), text_size)
        body.append(more.format(first=answer.start_line + len(body), last=answer.end_line))
    fields: dict[str, Any] = {
        "repository": cut_value(one_line(answer.repository), 60),
        "path": cut_value(path, bytes_left // 4),
        "symbol": cut_value(symbol, bytes_left // 8),
        "kind": answer.kind,
        "language": answer.language,
        "start_line": answer.start_line,
        "end_line": answer.end_line,
        "total_lines": answer.total_lines,
        "text": "",
        "notes": notes,
        "left_out": len(lines),
    }
    # A line in JSON is its own size and that of the line end before it, without quotes and comma.
    shown = fit([(line,) for line in lines], bytes_left - value_size(fields), lambda line: value_size(line) - 1)
    fields |= {
        "text": "\n".join(shown),
        "end_line": max(answer.start_line, answer.start_line + len(shown) - 1),
        "left_out": len(lines) - len(shown),
    }
    return ToolAnswer("\n".join([*top, *body]), fields)


def state(places: Sequence[ServedInfo], max_tokens: int) -> ToolAnswer:
    """The repositories that are served, and the states of their indexes."""
    items = [_served(place) for place in places]
    head = f"{len(items)} {'repository is' if len(items) == 1 else 'repositories are'} served:"
    partial = not all(place.state.ready for place in places)
    return _listed(head, {"partial": partial}, "repositories", (), items, max_tokens)


def refusal(message: str, max_tokens: int = 400) -> str:
    """An error in one line."""
    return cut(" ".join(sanitize(message).split()), room(max_tokens))


def _listed(
    head: str, fields: dict[str, Any], key: str, notes: Sequence[str], items: Sequence[ListItem], max_tokens: int
) -> ToolAnswer:
    """A list as text and as a value; items that don't fit are counted."""
    bytes_left = room(max_tokens)
    told = _notes(notes, bytes_left // 3)
    top = [cut(head, bytes_left // 3), *(f"note: {note}" for note in told)]
    rest = bytes_left - sum(map(text_size, top))
    body = fit([item.texts for item in items], rest, text_size)
    if len(body) < len(items):
        more = _MORE.format(count=len(items))
        body = fit([item.texts for item in items], rest - text_size(more), text_size)
        body.append(_MORE.format(count=len(items) - len(body)))
    value: dict[str, Any] = {**fields, "notes": told, key: [], "left_out": len(items)}
    shown = fit([item.values for item in items], bytes_left - value_size(value), value_size)
    value |= {key: shown, "left_out": len(items) - len(shown)}
    return ToolAnswer("\n".join([*top, *body]), value)


def _notes(notes: Sequence[str], most_bytes: int) -> list[str]:
    """Notes in one line each, as many as fit as text and as JSON."""
    cleaned = [cut(one_line(note), 300) for note in notes[:_MOST_NOTES]]

    def size(note: str) -> int:
        return max(text_size(f"note: {note}"), value_size(note))

    return fit([(note,) for note in cleaned], most_bytes, size)


def _hit(result: Result, *, several: bool, whole: bool, explain: bool) -> ListItem:
    path, symbol = one_line(result.path), one_line(result.symbol)
    lines = "" if whole else f":{result.start_line}-{result.end_line}"
    inside = f" in {one_line(result.repository)}" if several else ""
    sure = "" if result.probability is None else f", {result.probability:.0%}"
    head = f"{result.rank}. {path}{lines} {f'{symbol} ' if symbol else ''}[{result.kind}{inside}{sure}]"
    reason = cut(one_line(result.reason), _LONGEST_REASON)
    with_why = f"{head}\n   {reason}" if reason else head
    snippet = sanitize(result.snippet).rstrip()
    short: dict[str, Any] = {
        "rank": result.rank,
        "repository": one_line(result.repository),
        "path": path,
        "symbol": symbol,
        "kind": result.kind,
        "language": result.language,
        "start_line": result.start_line,
        "end_line": result.end_line,
        "score": round(result.score, 4),
        "probability": result.probability,
    }
    reasoned: dict[str, Any] = {**short, "reason": reason}
    if explain:
        reasoned["why"] = [_why(one) for one in result.why]
        with_why += "".join(f"\n   {cut(explained(one), _LONGEST_REASON)}" for one in result.why)
    few = "\n".join(snippet.split("\n")[:_FEW_LINES])
    return ListItem(
        (head, with_why, f"{with_why}\n{_indented(few)}", f"{with_why}\n{_indented(snippet)}"),
        (short, reasoned, {**reasoned, "snippet": few}, {**reasoned, "snippet": snippet}),
    )


def _why(why: Why) -> dict[str, Any]:
    numbers = {cut(one_line(name), _LONGEST_NAME): round(value, 4) for name, value in why.numbers.items()}
    text = cut(one_line(why.text), _LONGEST_REASON)
    return {"signal": why.signal, "value": round(why.value, 4), "text": text, "numbers": numbers}


def _commit(commit: PastCommit, *, several: bool) -> ListItem:
    subject, author = cut(one_line(commit.subject), 200), cut(one_line(commit.author), 80)
    inside = f" in {one_line(commit.repository)}" if several else ""
    head = f"{commit.rank}. {commit.commit[:10]} {commit.date} {subject} ({author}{inside})"
    files = [one_line(path) for path in commit.files]
    short: dict[str, Any] = {
        "rank": commit.rank,
        "repository": one_line(commit.repository),
        "commit": commit.commit,
        "subject": subject,
        "date": commit.date,
        "author": author,
        "score": round(commit.score, 4),
        "files": [],
        "more_files": len(files),
    }

    def with_files(most: int) -> tuple[str, dict[str, Any]]:
        shown, more = files[:most], max(0, len(files) - most)
        text = ", ".join(shown) + (f" and {more} more" if more else "") if files else "none of its files is left"
        return f"{head}\n   {text}", {**short, "files": shown, "more_files": more}

    forms = [(head, short), with_files(_FEW_FILES), with_files(_MANY_FILES)]
    return ListItem(tuple(text for text, _ in forms), tuple(value for _, value in forms))


def _relations(answer: Related, level: Level | None) -> Iterator[ListItem]:
    """All related code; the first of each kind has a title above it."""
    sorts: tuple[tuple[str, str, Sequence[Relative]], ...] = (
        ("caller", "Called by", answer.callers),
        ("callee", "Calls", answer.callees),
        ("base", "Base classes", answer.bases),
        ("subclass", "Subclasses", answer.subclasses),
        ("sibling", "In the same class or file", answer.siblings),
    )
    for relation, title, relatives in sorts:
        yield from _titled(title, [_relative(relation, one) for one in relatives])
    kinds = {"function": FUNCTION_KINDS, "class": CLASS_KINDS}.get(level or "", FUNCTION_KINDS | CLASS_KINDS)
    yield from _titled("Similar code", [_alike(one) for one in answer.similar if one.kind in kinds])
    together = [
        _near(
            "changes_together",
            one.path,
            "",
            "",
            0,
            0,
            f"{one.commits} commits in common, {one.share:.0%} of the target's; latest {one.latest}",
        )
        for one in answer.changes_together
    ]
    yield from _titled("Changes together", together)


def _relative(relation: str, one: Relative) -> ListItem:
    sure = "" if one.how == "exact" else f"by {one.how}"
    return _near(relation, one.path, one.symbol, one.kind, one.start_line, one.end_line, sure)


def _alike(one: Result) -> ListItem:
    return _near("similar", one.path, one.symbol, one.kind, one.start_line, one.end_line, one.reason)


def _near(relation: str, path: str, symbol: str, kind: str, first: int, last: int, detail: str) -> ListItem:
    path, symbol, detail = one_line(path), one_line(symbol), cut(one_line(detail), _LONGEST_REASON)
    lines = f":{first}-{last}" if last else ""
    text = f"  {path}{lines}  {symbol}".rstrip()
    value: dict[str, Any] = {"relation": relation, "path": path}
    value |= {"symbol": symbol, "kind": kind} if symbol else {}
    value |= {"start_line": first, "end_line": last} if last else {}
    if not detail:
        return ListItem((text,), (value,))
    return ListItem((text, f"{text}  ({detail})"), (value, {**value, "detail": detail}))


def _titled(title: str, items: Sequence[ListItem]) -> Iterator[ListItem]:
    for position, item in enumerate(items):
        yield item if position else ListItem(tuple(f"{title}:\n{text}" for text in item.texts), item.values)


def _served(place: ServedInfo) -> ListItem:
    now = place.state
    phase = {"broken": "not usable"}.get(now.phase, now.phase)
    if now.step:
        phase += f" ({now.step} {now.done}" + (f" of {now.total})" if now.total is not None else ")")
    text = f"{one_line(place.name)} at {one_line(place.root)}: {phase}, {now.files} files, {now.units} units"
    text += f", commit {now.commit[:10]}" if now.commit else ""
    text += f"; problem: {cut(one_line(now.problem), 200)}" if now.problem else ""
    value: dict[str, Any] = {
        "name": one_line(place.name),
        "root": one_line(place.root),
        "subfolder": one_line(place.subfolder),
        "kind": place.kind,
        "phase": now.phase,
        "ready": now.ready,
        "step": now.step,
        "done": now.done,
        "total": now.total,
        "files": now.files,
        "units": now.units,
        "commit": now.commit,
        "watching": now.watching,
        "problem": cut(one_line(now.problem), 200),
    }
    return ListItem((text,), ({key: one for key, one in value.items() if one is not None},))


def _indented(code: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in code.split("\n"))
