"""Progress on standard error: bars with rate and remaining time on a terminal, one line elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any

from trackdown.surfaces import INDEXING, SEARCHING
from trackdown.surfaces.cli.terminal_text import one_line

_SHOW_AFTER_SECONDS = 0.8
_WORTH_A_LINE = 200
_TITLES = {
    **INDEXING,
    **SEARCHING,
    "search": "Searching cases",
    "mine": "Mining cases",
    "survey": "Reading the archive",
    "match": "Matching issues",
    "collect": "Repositories",
    "fit": "Fitting",
    "rewrite": "Rewriting units",
}
_ANNOUNCED = {
    "search": "{name}: searching {total} cases",
    "mine": "{name}: mining up to {total} cases",
    "match": "{name}: matching {total} issues",
    "references": "{name}: reading the references of {total} files, once",
    "collect": "{name}: collecting from {total} repositories",
    "fit": "{name}: fitting {total} times",
    "download": "{name}: downloading an index",
    "import": "{name}: importing an index",
    "write": "{name}: writing the index",
    "ask": "{name}: asking a language model {total} questions",
    "rewrite": "{name}: rewriting {total} units; finished ones are kept if you interrupt it",
    "deep": "{name}: the encoder reads {total} units for the deep index; what is done is kept if you interrupt it",
    "build": "{name}: building {total} repositories; what is built is kept if you interrupt it",
    "compare": "{name}: models are reading the best {total} candidates; results are cached",
    "read commits": "{name}: models are reading {total} past commits; results are cached",
    "read code": "{name}: models are reading {total} pieces of code; results are cached",
}
_REPORTED = {"deep": "{name}: {done} of {total} units, about {minutes} min left"}
_REPORT_SECONDS = 30.0
_ONLY_IF_SLOW = {"mine", "download", "import", "write"}  # steps whose total says little about the work there is
_INDEXING = "Indexing {name}: later searches read only what has changed"


class TerminalProgress:
    """A `Progress` that shows nothing for quick work. A context manager; called from several threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._told = False
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._reports: dict[str, tuple[int, float, float]] = {}

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, step: str, done: int, total: int | None) -> None:
        with self._lock:
            is_slow = time.monotonic() - self._started > _SHOW_AFTER_SECONDS
            if (
                not self._told
                and total is not None
                and total >= _WORTH_A_LINE
                and (is_slow or step not in _ONLY_IF_SLOW)
            ):
                self._told = True
                line = _ANNOUNCED.get(step, _INDEXING).format(name=one_line(self._name), total=total)
                print(line, file=sys.stderr)
            if self._terminal and is_slow:
                self._show(step, done, total)
            elif step in _REPORTED and total is not None:
                self._report(step, done, total)

    def _report(self, step: str, done: int, total: int) -> None:
        """A line now and then where there is no terminal, for steps of minutes."""
        now = time.monotonic()
        first, began, told = self._reports.setdefault(step, (done, now, now))
        if now - told < _REPORT_SECONDS or done == first:
            return
        self._reports[step] = (first, began, now)
        minutes = max(1, round((total - done) * (now - began) / (done - first) / 60))
        print(
            _REPORTED[step].format(name=one_line(self._name), done=done, total=total, minutes=minutes), file=sys.stderr
        )

    def _show(self, step: str, done: int, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        if self._bars is None:
            rate = TextColumn("{task.fields[rate]}")
            self._bars = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                rate,
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
        if step not in self._tasks:
            self._tasks[step] = self._bars.add_task(_TITLES.get(step, step), total=total, rate="")
        speed = self._bars.tasks[self._bars.task_ids.index(self._tasks[step])].speed
        self._bars.update(self._tasks[step], completed=done, total=total, rate=f"{speed:,.0f}/s" if speed else "")
