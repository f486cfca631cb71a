"""An index that keeps itself up to date while files change.

A thread waits for events, waits for the end of a burst (a second at most), and brings the index up to date as a search
would. After a failure (a full disk, a missing folder) it tries again, less and less often.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from trackdown.engine.indexing.rebasing import BackgroundRebase
from trackdown.engine.repository import Repository
from trackdown.engine.serving.change_events import TICK, ChangeEvents
from trackdown.engine.serving.recent_states import RecentStates
from trackdown.engine.serving.snapshot_changes import count_changes, is_changed
from trackdown.engine.serving.throttle import Throttle
from trackdown.engine.serving.wakeup import Wakeup
from trackdown.errors import Cancelled, EmptyRepository, StoreBusy, StoreFull
from trackdown.index import Corpus, return_freed_memory
from trackdown.repository import Snapshot
from trackdown.types import IndexState, Phase, Progress

QUIET = 0.1
"""Seconds without an event that end a burst."""
LATEST = 1.0
"""Seconds after which an update begins even if events keep coming."""
_GIT_LATEST = 10.0
_STEP = 0.05
_LOCK_SECONDS = 1.0
_REPORT_SECONDS = 0.1
_FIRST_RETRY, _LAST_RETRY = 0.5, 30.0
_SECONDS_TO_END = 5.0


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """An update: how many files were added, changed, removed or renamed, and how long it took.

    `behind` is the time in seconds from the first event until the change could be searched; None without an event. A
    `problem` says why the update failed; the same problem is reported once.
    """

    repository: str
    commit: str | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    files: int = 0
    units: int = 0
    seconds: float = 0.0
    behind: float | None = None
    first: bool = False
    problem: str = ""


def _ignore_update(update: LiveUpdate) -> None:
    """Default for `on_update`: ignore it."""


class LiveIndex:
    """Keeps the index of one folder up to date, in a thread (`start`) or in the caller's (`run`), until it is closed.

    Before every update, `open_repository` returns the repository; it gets the previous one, or None if that was closed
    after a failure. A live index is the `Keeper` of other repositories of its folder. `on_update` is called after every
    update, in the live index's thread.
    """

    def __init__(
        self,
        open_repository: Callable[[Repository | None], Repository],
        on_update: Callable[[LiveUpdate], None] = _ignore_update,
    ) -> None:
        self._open_repository = open_repository
        self._on_update = on_update
        self._wakeup = Wakeup()
        self._throttle = Throttle()
        self._recent = RecentStates()
        self._rebase = BackgroundRebase()
        self._closing = False
        self._no_room = False
        self._requested = False
        self._done = 0
        self._state = IndexState()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None
        self._repository: Repository | None = None
        self._events: ChangeEvents | None = None
        self._snapshot: Snapshot | None = None
        self._steps: dict[str, tuple[int, int | None]] = {}
        self._failures = 0
        self._event_at: float | None = None

    def __enter__(self) -> LiveIndex:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # For any thread

    @property
    def state(self) -> IndexState:
        """The present state."""
        return self._state

    def start(self) -> None:
        """Run in a new thread."""
        self._thread = threading.Thread(target=self.run, name="live index", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask it to stop. Returns immediately."""
        self._closing = True
        self._wakeup.ring()

    def close(self) -> None:
        """Stop, and wait up to a few seconds until it has."""
        self.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_SECONDS_TO_END)

    def bring_up_to_date(self, seconds: float, progress: Progress) -> bool:
        """Index the present state now, and wait for it, at most `seconds`. Returns whether it succeeded in time."""
        until = time.monotonic() + seconds
        before = self._done
        self._requested = True
        self._wakeup.ring()
        while True:
            with self._news:
                if self._done != before or self._closing:
                    return not self._state.problem and not self._closing
                self._news.wait(max(0.0, min(_REPORT_SECONDS, until - time.monotonic())))
                state, late = self._state, time.monotonic() >= until
            if late:
                return self._done != before and not state.problem
            if state.step:
                progress(state.step, state.done, state.total)

    def wait_for_news(self, seconds: float) -> None:
        """Wait for the end of an update, at most `seconds`."""
        with self._news:
            if not self._closing:
                self._news.wait(seconds)

    def problem(self) -> str:
        """Why the last update failed; empty if it did not."""
        return self._state.problem

    def out_of_room(self) -> bool:
        """Whether the last update failed because the disk is full."""
        return bool(self._state.problem) and self._no_room

    def take_notes(self) -> list[str]:
        """What was found damaged, and built again, since the last call."""
        repository = self._repository
        return [] if repository is None else repository.store.take_notes()

    # In the live index's thread

    def run(self) -> None:
        """Update until closed."""
        try:
            while not self._closing:
                try:
                    self._rest(self._round())
                except Exception as error:  # an unexpected error must not end the thread
                    self._rest(self._failed(error))
        finally:
            self._rebase.close()
            self._let_go()
            self._set_state(phase="closed", step="")
            self._wakeup.close()

    def _round(self) -> float | None:
        """Bring the index up to date once. Returns the seconds until the next try; None to wait for an event."""
        started = time.monotonic()
        requested, self._requested = self._requested, False
        self._steps = {}
        self._set_state(phase="indexing", step="look", done=0, total=None)
        try:
            self._take(self._open_repository(self._repository))
            assert self._repository is not None
            if requested:
                self._repository.indexes.forget()  # the caller found no index for a state that may look indexed here
            corpus = self._recent.build(self._repository, _LOCK_SECONDS, self._on_progress)
        except StoreBusy:
            self._set_state(step="wait")
            return _FIRST_RETRY
        except Cancelled:
            return None
        except EmptyRepository as error:
            self._succeeded(None, started, str(error))
            return None
        except Exception as error:  # no error may end the server
            return self._failed(error)
        return self._succeeded(corpus, started)

    def _succeeded(self, corpus: Corpus | None, started: float, problem: str = "") -> float | None:
        assert self._repository is not None and self._events is not None
        snapshot = corpus.snapshot if corpus is not None else self._repository.worktree.last
        code = corpus.code if corpus is not None else None
        now = time.monotonic()
        behind = None if self._event_at is None else now - self._event_at
        self._event_at = None
        self._failures, self._no_room = 0, False
        update = LiveUpdate(
            self._repository.source.name,
            snapshot.commit if snapshot is not None else None,
            *count_changes(self._snapshot, snapshot),
            files=code.file_count if code is not None else 0,
            units=code.unit_count if code is not None else 0,
            seconds=now - started,
            behind=behind,
            first=self._snapshot is None,
        )
        new = is_changed(self._snapshot, snapshot)
        self._snapshot = snapshot
        self._events.looked(snapshot, now - started if not new else 0.0)
        self._set_state(
            done_rounds=1,
            phase="ready",
            ready=True,
            step="",
            done=0,
            total=None,
            watching=self._events.watching,
            commit=update.commit,
            files=update.files,
            units=update.units,
            languages=code.languages() if code is not None else {},
            updates=self._state.updates + new,
            updated_at=time.time(),
            problem=problem,
        )
        if new:
            self._on_update(update)
            return_freed_memory()
            if corpus is not None:
                self._rebase.consider(self._repository, corpus)
        self._throttle.spend(time.monotonic() - started, more=self._events.stirred())
        # The folders of a first scan are watched after the second one.
        return 0.0 if new and self._events.unarmed else None

    def _failed(self, error: Exception) -> float:
        problem = str(error) or type(error).__name__
        repeated = problem == self._state.problem
        self._no_room = isinstance(error, StoreFull)
        name = self._repository.source.name if self._repository is not None else ""
        self._let_go()
        self._set_state(done_rounds=1, phase="broken", step="", problem=problem)
        if not repeated:
            self._on_update(LiveUpdate(name, problem=problem))
        self._failures += 1
        return float(min(_FIRST_RETRY * 2 ** (self._failures - 1), _LAST_RETRY))

    def _take(self, repository: Repository) -> None:
        if repository is not self._repository:
            self._let_go()
            self._repository, self._events = repository, ChangeEvents(repository.worktree)

    def _let_go(self) -> None:
        with suppress(Exception):  # the repository may be broken
            if self._events is not None:
                self._events.close()
            if self._repository is not None:
                self._repository.close()
        self._events = self._repository = None

    def _on_progress(self, step: str, done: int, total: int | None) -> None:
        """Show the first step that is not done yet; parsing and history run in parallel."""
        if self._closing:
            raise Cancelled("stopped")
        self._steps[step] = (done, total)
        running = [name for name, (count, goal) in self._steps.items() if goal is None or count < goal]
        shown = running[0] if running else step
        done, total = self._steps[shown]
        self._set_state(step=shown, done=done, total=total)

    def _set_state(self, *, done_rounds: int = 0, phase: Phase | None = None, **changes: object) -> None:
        with self._news:
            named = changes if phase is None else {"phase": phase, **changes}
            self._state = replace(self._state, **named)  # type: ignore[arg-type]
            self._done += done_rounds
            if done_rounds or phase == "closed":
                self._news.notify_all()

    def _rest(self, retry: float | None) -> None:
        """Sleep until a burst of events is over, the next scan is due, a caller requests an update, or it is closed."""
        events = self._events
        if retry is not None or events is None:
            self._pause(min(retry or 0.0, _FIRST_RETRY), ignore_requests=True)
            self._pause((retry or 0.0) - _FIRST_RETRY)
            return
        until = time.monotonic() + events.interval()
        while not self._closing and not self._requested and (left := until - time.monotonic()) > 0:
            if events.stirred():
                self._event_at = time.monotonic()
                self._settle(events)
                self._pause(self._throttle.rest())
                return
            self._wakeup.sleep(min(TICK, left), events.descriptors())

    def _settle(self, events: ChangeEvents) -> None:
        """Wait until no event has come for a moment and git is done, up to a limit."""
        began = last = time.monotonic()
        while not self._closing and not self._requested:
            now = time.monotonic()
            busy = events.git_is_busy()
            if (now - last >= QUIET and not busy) or now - began >= (_GIT_LATEST if busy else LATEST):
                return
            self._wakeup.sleep(_STEP)
            if events.goes_on():
                last = time.monotonic()

    def _pause(self, seconds: float, *, ignore_requests: bool = False) -> None:
        """Sleep, unless a caller requests an update."""
        until = time.monotonic() + seconds
        while not self._closing and (ignore_requests or not self._requested) and (left := until - time.monotonic()) > 0:
            self._wakeup.sleep(left)
