"""Answers about the past: similar commits."""

from __future__ import annotations

from typing import Any

from trackdown.surfaces.cli import one_line
from trackdown.surfaces.mcp.fitting import cut
from trackdown.surfaces.mcp.tool_answer import ListItem, ToolAnswer, list_answer
from trackdown.types import HistoryResults, PastCommit

_FEW_FILES, _MANY_FILES = 4, 25


def past(answer: HistoryResults, max_tokens: int, *, several: bool) -> ToolAnswer:
    """Past commits."""
    head = f"{len(answer)} past commits, most similar first:" if len(answer) else "No past commit resembles this."
    items = [_commit(commit, several=several) for commit in answer]
    return list_answer(head, {"partial": answer.partial}, "commits", answer.notes, items, max_tokens)


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
