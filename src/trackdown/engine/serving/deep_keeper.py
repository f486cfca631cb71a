"""The deep index in the background: computed while nobody asks anything, and never in the way of a search.

One thread for all repositories of a process. It waits until the index is up to date and nothing was asked for some
seconds, lets the encoder read a few units at a time, and pauses as soon as a call comes in or files change.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from trackdown.engine.repository import Repository
from trackdown.engine.serving.live import LiveIndex
from trackdown.errors import Cancelled
from trackdown.types import IndexState

IDLE_SECONDS = 5.0
"""How long nothing must have been asked or changed before it begins, and before it goes on after a pause."""
_TICK = 0.1
_RECHECK_SECONDS = 60.0
"""How often it looks again whether something is missing: another process may have cleared the store."""
_LONGEST_PAUSE = 1.0
"""A longer one ends the pass: a lock that it holds may be what others wait for."""
_SECONDS_TO_END = 5.0


@dataclass(slots=True)
class DeepTarget:
    """A folder with a live index. `lend` lends a repository of it.

    `seen` are the updates that the live index had when the deep index was last looked at, `next_look` is when to look
    again in any case, and `problem` says why it could not be computed.
    """

    live: LiveIndex
    lend: Callable[[], AbstractContextManager[Repository]]
    seen: int = -1
    next_look: float = 0.0
    problem: str = ""


class DeepKeeper:
    """Completes the deep indexes of some folders, until it is closed. `quiet` says for how many seconds nothing was
    asked; a search that is running makes it 0.
    """

    def __init__(self, quiet: Callable[[], float] = lambda: math.inf, idle_seconds: float = IDLE_SECONDS) -> None:
        self._quiet = quiet
        self._idle_seconds = idle_seconds
        self._targets: Sequence[DeepTarget] = ()
        self._closing = threading.Event()
        self._changed_at = time.monotonic()
        self._updates = -1
        self._thread: threading.Thread | None = None

    def __enter__(self) -> DeepKeeper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, targets: Sequence[DeepTarget]) -> None:
        """Keep the deep indexes of these folders, in a new thread. Only the first call does anything."""
        if self._thread is None:
            self._targets = targets
            self._thread = threading.Thread(target=self._run, name="deep index", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop, and wait until it has: at most for a few units."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(_SECONDS_TO_END)

    def _run(self) -> None:
        while not self._closing.wait(_TICK):
            for target in self._targets:
                due = target.live.state.updates != target.seen or time.monotonic() >= target.next_look
                if due and self._is_idle(target):
                    self._complete(target)

    def _is_idle(self, target: DeepTarget) -> bool:
        """Whether the folder's index is up to date, and nothing was asked or changed for a while."""
        updates = sum(one.live.state.updates for one in self._targets)
        if updates != self._updates or any(_is_updating(one.live.state) for one in self._targets):
            self._updates, self._changed_at = updates, time.monotonic()
        still = time.monotonic() - self._changed_at
        state = target.live.state
        return state.ready and not _is_gone(state) and min(self._quiet(), still) >= self._idle_seconds

    def _complete(self, target: DeepTarget) -> None:
        """Compute what is missing. What goes wrong is tried again later, or after the next change."""
        target.seen = updates = target.live.state.updates

        def go_on(step: str, done: int, total: int | None) -> None:
            paused_at = time.monotonic()
            while not self._is_idle(target):
                if target.live.state.updates != updates or _is_gone(target.live.state):
                    raise Cancelled("the files have changed")
                if self._closing.wait(_TICK) or time.monotonic() - paused_at > _LONGEST_PAUSE:
                    break
            if self._closing.is_set() or not self._is_idle(target):
                raise Cancelled("stopped")

        target.problem = ""
        try:
            with target.lend() as repository:
                repository.deepen_present(go_on)
        except Cancelled:
            target.seen = -1  # goes on as soon as it is quiet again
        except Exception as error:  # no error may end the thread
            target.problem = str(error) or type(error).__name__
        target.next_look = time.monotonic() + _RECHECK_SECONDS


def _is_updating(state: IndexState) -> bool:
    """Whether an index is being built. A look at the disk, which may come every second, is no reason to wait."""
    return state.phase == "indexing" and state.step not in ("", "look")


def _is_gone(state: IndexState) -> bool:
    return state.phase in ("broken", "closed")
