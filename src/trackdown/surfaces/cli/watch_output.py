"""`trackdown index --watch`: a line for every update, until it is interrupted."""

from __future__ import annotations

import json
import queue
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from types import FrameType

from trackdown.engine import DeepKeeper, DeepTarget, LiveIndex, LiveUpdate, Repository
from trackdown.engine import open as open_repository
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.terminal_text import one_line

_SECONDS = 0.5


def keep_watching(places: Sequence[str], style: str) -> None:
    """Keep the indexes of some places up to date until Ctrl-C or SIGTERM."""
    settings = load_settings()
    updates: queue.SimpleQueue[LiveUpdate] = queue.SimpleQueue()
    targets: list[DeepTarget] = []
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with ExitStack() as stack:
            for place in dict.fromkeys(places or ["."]):
                open_repository(
                    place, settings=settings
                ).close()  # what is wrong with it is told before anything starts
                live = LiveIndex(partial(_opened, place, settings), updates.put)
                stack.enter_context(live)
                targets.append(DeepTarget(live, partial(open_repository, place, settings=settings)))
            if settings.deep:
                stack.enter_context(DeepKeeper()).start(targets)
            while True:
                try:
                    _print(updates.get(timeout=_SECONDS), style)
                except queue.Empty:
                    continue
    except KeyboardInterrupt:
        return  # this is how it is meant to end


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _opened(place: str, settings: Settings, present: Repository | None) -> Repository:
    return present or open_repository(place, settings=settings)


def _print(update: LiveUpdate, style: str) -> None:
    if style == "json":
        print(json.dumps(asdict(update)), flush=True)
    elif update.problem:
        print(f"trackdown: {one_line(update.problem)} (trying again)", file=sys.stderr, flush=True)
    else:
        print(describe(update), flush=True)


def describe(update: LiveUpdate) -> str:
    """An update in one line."""
    counts = {"new": update.added, "changed": update.changed, "gone": update.removed, "renamed": update.renamed}
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    if update.first:
        told = "watching"
    commit = f" at {update.commit[:9]}" if update.commit else ""
    size = f"{update.files} files, {update.units} units"
    return f"{one_line(update.repository)}: {told or 'other commit'}{commit}, {size}, {update.seconds:.2f} s"
