"""The answer of index_status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trackdown.engine import ServedInfo
from trackdown.surfaces.cli import one_line
from trackdown.surfaces.mcp.fitting import cut
from trackdown.surfaces.mcp.tool_answer import ListItem, ToolAnswer, list_answer


def state(places: Sequence[ServedInfo], max_tokens: int) -> ToolAnswer:
    """The repositories that are served, and the states of their indexes."""
    items = [_served(place) for place in places]
    head = f"{len(items)} {'repository is' if len(items) == 1 else 'repositories are'} served:"
    partial = not all(place.state.ready for place in places)
    return list_answer(head, {"partial": partial}, "repositories", (), items, max_tokens)


def _served(place: ServedInfo) -> ListItem:
    now = place.state
    phase = {"broken": "not usable"}.get(now.phase, now.phase)
    if now.step:
        phase += f" ({now.step} {now.done}" + (f" of {now.total})" if now.total is not None else ")")
    text = f"{one_line(place.name)} at {one_line(place.root)}: {phase}, {now.files} files, {now.units} units"
    text += f", commit {now.commit[:10]}" if now.commit else ""
    text += f"; problem: {cut(one_line(now.problem), 200)}" if now.problem else ""
    text += f"; {cut(one_line(place.deep_problem), 200)}" if place.deep_problem else ""
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
        "deep_problem": cut(one_line(place.deep_problem), 200) or None,
    }
    return ListItem((text,), ({key: one for key, one in value.items() if one is not None},))
