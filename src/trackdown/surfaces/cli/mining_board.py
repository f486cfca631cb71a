"""The progress of `trackdown mine`, for several repositories at a time."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

from trackdown.surfaces.cli.terminal_text import one_line

if TYPE_CHECKING:
    from trackdown.lab.mine import MiningJob


class MiningBoard:
    """Progress of `trackdown mine` on standard error: a line per finished repository, and bars on a terminal."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> MiningBoard:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bars = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
            self._tasks[""] = self._bars.add_task("repositories", total=self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def heard(self, job: MiningJob, step: str, done: int, total: int | None) -> None:
        """Show the progress of one repository."""
        if self._bars is None:
            return
        name = str(job.place)
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(one_line(name), total=total)
        self._bars.update(self._tasks[name], description=one_line(f"{name}: {step}"), completed=done, total=total)

    def finished(self, line: str) -> None:
        """Print the line of a repository that is finished."""
        self._done += 1
        text = one_line(f"{line} ({self._done} of {self._count})")
        if self._bars is None:
            if self._count > 1:
                print(text, file=sys.stderr)
            return
        task = self._tasks.pop(line.split(": ", 1)[0], None)
        if task is not None:
            self._bars.remove_task(task)
        self._bars.update(self._tasks[""], completed=self._done)
        self._bars.console.print(text, highlight=False, markup=False, soft_wrap=True)
