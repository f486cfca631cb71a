"""Answers about the past: similar commits, and one commit with its diff."""

from __future__ import annotations

from typing import Any

from trackdown.engine import ChangedFile, CommitReport
from trackdown.surfaces.cli import one_line, sanitize
from trackdown.surfaces.mcp.fitting import cut, cut_value, room
from trackdown.surfaces.mcp.tool_answer import ListItem, ToolAnswer, list_answer
from trackdown.types import HistoryResults, PastCommit

_FEW_FILES, _MANY_FILES = 4, 25
_FEW_LINES = 30
_LONGEST_UNITS = 300


def past(answer: HistoryResults, max_tokens: int, *, several: bool) -> ToolAnswer:
    """Past commits."""
    count = "1 past commit:" if len(answer) == 1 else f"{len(answer)} past commits, most similar first:"
    head = count if len(answer) else "No past commit resembles this."
    items = [_commit(commit, several=several) for commit in answer]
    return list_answer(head, {"partial": answer.partial}, "commits", answer.notes, items, max_tokens)


def commit_answer(report: CommitReport, max_tokens: int) -> ToolAnswer:
    """A commit: every file is named before any shows its diff, and all show some of it before one shows all."""
    bytes_left = room(max_tokens)
    subject, author = one_line(report.subject), cut(one_line(report.author), 80)
    body = cut(sanitize(report.message).strip().partition("\n")[2].strip(), bytes_left // 6)
    units = cut(", ".join(one_line(unit.symbol) for unit in report.units), _LONGEST_UNITS)
    said = "\n".join(f"    {line}".rstrip() for line in [subject, *body.split("\n")]).rstrip()
    head = f"{report.commit} {report.time[:10]} {author}\n{said}" + (f"\nChanged: {units}" if units else "")
    fields: dict[str, Any] = {
        "partial": report.partial,
        "commit": report.commit,
        "time": report.time,
        "author": author,
        "subject": cut_value(subject, bytes_left // 12),
        "message": cut_value(body, bytes_left // 6),
        "issues": [cut(one_line(issue), 60) for issue in report.issues[:5]],
    }
    return list_answer(head, fields, "files", report.notes, [_changed(file) for file in report.files], max_tokens)


def _changed(file: ChangedFile) -> ListItem:
    path, now = one_line(file.path), one_line(file.now or "")
    moved = "" if now == path else f", now {now}" if now else ", gone now"
    head = f"{file.status} {path} (+{file.added} -{file.removed}{moved})"
    head += f": {one_line(file.left_out)}" if file.left_out else ""
    value: dict[str, Any] = {"path": path, "status": file.status, "now": now}
    value |= {"added": file.added, "removed": file.removed}
    lines = [sanitize(line).rstrip() for line in _hunks(file.diff)]
    if not lines:
        return ListItem((head,), (value,))
    some = [*lines[:_FEW_LINES], f"… {len(lines) - _FEW_LINES} more lines: give `path` or raise max_tokens"]
    shown = ["\n".join(lines)] if len(lines) <= _FEW_LINES + 1 else ["\n".join(some), "\n".join(lines)]
    return ListItem(
        (head, *(f"{head}\n{diff}" for diff in shown)), (value, *({**value, "diff": diff} for diff in shown))
    )


def _hunks(diff: str) -> list[str]:
    """A file's diff without git's lines above the first hunk, which say what the line above says."""
    lines = diff.rstrip("\n").split("\n")
    first = next((number for number, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return lines[first:]


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
