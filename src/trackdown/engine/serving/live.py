"""An index that keeps itself up to date while files change.

A thread waits for events, lets a burst of them end (or a second pass), and brings the index up to date as a search
would. What it cannot do now (a full disk, a folder that is gone) it tries again, less and less often.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from trackdown.engine.repository import Repository
from trackdown.engine.serving.change_events import TICK, ChangeEvents
from trackdown.engine.serving.recent_states import RecentStates
from trackdown.engine.serving.throttle import Throttle
from trackdown.engine.serving.wakeup import Wakeup
from trackdown.errors import Cancelled, EmptyRepository, StoreBusy, StoreFull
from trackdown.index.corpus import Corpus
from trackdown.repository.snapshot import Snapshot
from trackdown.types import IndexState, Phase, Progress

QUIET = 0.1
"""Seconds without an event after which a burst is over."""
LATEST = 1.0
"""Seconds after which an update begins although events keep coming."""
_GIT_LATEST = 10.0
_STEP = 0.05
_LOCK_SECONDS = 1.0
_REPORT_SECONDS = 0.1
_FIRST_RETRY, _LAST_RETRY = 0.5, 30.0
_SECONDS_TO_END = 5.0


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """What an update found: how many files came, changed, went or have another path now, and how long it took.

    `behind` are the seconds from the first event until all of it could be searched; None where none was seen. A
    `problem` says why nothing could be done; it is told once.
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


def _nobody(update: LiveUpdate) -> None:
    """The listener of callers that do not want to hear of updates."""


class LiveIndex:
    """Keeps one place's index up to date, in a thread (`start`) or in the caller's own (`run`), until it is closed.

    `opened` is asked for the repository before every update, and gets the one that it gave before, or None when that
    was closed because something was wrong with it. A live index is the `Keeper` of other repositories of its place.
    `told` hears of every update, in the thread that works.
    """

    def __init__(
        self, opened: Callable[[Repository | None], Repository], told: Callable[[LiveUpdate], None] = _nobody
    ) -> None:
        self._opened = opened
        self._told = told
        self._alarm = Wakeup()
        self._pace = Throttle()
        self._recent = RecentStates()
        self._closing = False
        self._no_room = False
        self._asked = False
        self._done = 0
        self._state = IndexState()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None
        self._repository: Repository | None = None
        self._stirring: ChangeEvents | None = None
        self._snapshot: Snapshot | None = None
        self._steps: dict[str, tuple[int, int | None]] = {}
        self._failures = 0
        self._stirred_at: float | None = None

    def __enter__(self) -> LiveIndex:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # For any thread

    @property
    def state(self) -> IndexState:
        """How far it is."""
        return self._state

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread = threading.Thread(target=self.run, name="live index", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Have it stop soon."""
        self._closing = True
        self._alarm.ring()

    def close(self) -> None:
        """Stop, and wait until it has, a few seconds at the most."""
        self.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_SECONDS_TO_END)

    def bring_up_to_date(self, seconds: float, progress: Progress) -> bool:
        """Have what is on disk now indexed at once, and wait for it, so long at the most. False when it failed."""
        until = time.monotonic() + seconds
        before = self._done
        self._asked = True
        self._alarm.ring()
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
        """Wait for the end of an update, so long at the most."""
        with self._news:
            if not self._closing:
                self._news.wait(seconds)

    def problem(self) -> str:
        """Why the last attempt failed, or nothing."""
        return self._state.problem

    def out_of_room(self) -> bool:
        """Whether it failed for want of room on the disk."""
        return bool(self._state.problem) and self._no_room

    # In the thread that works

    def run(self) -> None:
        """Work until it is closed."""
        try:
            while not self._closing:
                try:
                    self._rest(self._round())
                except Exception as error:  # what nobody thought of must not end it either
                    self._rest(self._failed(error))
        finally:
            self._let_go()
            self._tell(phase="closed", step="")
            self._alarm.close()

    def _round(self) -> float | None:
        """Bring the index up to date once. Returns how many seconds to wait before trying again; None for as long as
        nothing happens.
        """
        started = time.monotonic()
        asked, self._asked = self._asked, False
        self._steps = {}
        self._tell(phase="indexing", step="look", done=0, total=None)
        try:
            self._take(self._opened(self._repository))
            assert self._repository is not None
            if asked:
                self._repository.indexes.forget()  # the caller did not find what this one may take for done
            corpus = self._recent.build(self._repository, _LOCK_SECONDS, self._heard)
        except StoreBusy:
            self._tell(step="wait")
            return _FIRST_RETRY
        except Cancelled:
            return None
        except EmptyRepository as error:
            self._succeeded(None, started, str(error))
            return None
        except Exception as error:  # whatever it is, the server that this runs in must live
            return self._failed(error)
        return self._succeeded(corpus, started)

    def _succeeded(self, corpus: Corpus | None, started: float, problem: str = "") -> float | None:
        assert self._repository is not None and self._stirring is not None
        snapshot = corpus.snapshot if corpus is not None else self._repository.worktree.last
        code = corpus.code if corpus is not None else None
        now = time.monotonic()
        behind, self._stirred_at = (None if self._stirred_at is None else now - self._stirred_at), None
        self._failures, self._no_room = 0, False
        update = LiveUpdate(
            self._repository.source.name,
            snapshot.commit if snapshot is not None else None,
            *_differences(self._snapshot, snapshot),
            files=code.file_count if code is not None else 0,
            units=code.unit_count if code is not None else 0,
            seconds=now - started,
            behind=behind,
            first=self._snapshot is None,
        )
        new = _differs(self._snapshot, snapshot)
        self._snapshot = snapshot
        self._stirring.looked(snapshot, now - started if not new else 0.0)
        self._tell(
            done_rounds=1,
            phase="ready",
            ready=True,
            step="",
            done=0,
            total=None,
            watching=self._stirring.watching,
            commit=update.commit,
            files=update.files,
            units=update.units,
            languages=code.languages() if code is not None else {},
            updates=self._state.updates + new,
            updated_at=time.time(),
            problem=problem,
        )
        if new:
            self._told(update)
        self._pace.spend(time.monotonic() - started, more=self._stirring.stirred())
        # The folders of a first look are watched from the second one on.
        return 0.0 if new and self._stirring.unarmed else None

    def _failed(self, error: Exception) -> float:
        problem = str(error) or type(error).__name__
        repeated = problem == self._state.problem
        self._no_room = isinstance(error, StoreFull)
        name = self._repository.source.name if self._repository is not None else ""
        self._let_go()
        self._tell(done_rounds=1, phase="broken", step="", problem=problem)
        if not repeated:
            self._told(LiveUpdate(name, problem=problem))
        self._failures += 1
        return float(min(_FIRST_RETRY * 2 ** (self._failures - 1), _LAST_RETRY))

    def _take(self, repository: Repository) -> None:
        if repository is not self._repository:
            self._let_go()
            self._repository, self._stirring = repository, ChangeEvents(repository.worktree)

    def _let_go(self) -> None:
        with suppress(Exception):  # it may be broken in any way
            if self._stirring is not None:
                self._stirring.close()
            if self._repository is not None:
                self._repository.close()
        self._stirring = self._repository = None

    def _heard(self, step: str, done: int, total: int | None) -> None:
        """Tell of the step that is not done yet; parsing and history run side by side."""
        if self._closing:
            raise Cancelled("stopped")
        self._steps[step] = (done, total)
        for name, (so_far, whole) in self._steps.items():
            if whole is None or so_far < whole:
                self._tell(step=name, done=so_far, total=whole)
                return
        self._tell(step=step, done=done, total=total)

    def _tell(self, *, done_rounds: int = 0, phase: Phase | None = None, **changes: object) -> None:
        with self._news:
            named = changes if phase is None else {"phase": phase, **changes}
            self._state = replace(self._state, **named)  # type: ignore[arg-type]
            self._done += done_rounds
            if done_rounds or phase == "closed":
                self._news.notify_all()

    def _rest(self, retry: float | None) -> None:
        """Until something happens and the burst is over, it is time for a look, somebody asks, or it is closed."""
        stirring = self._stirring
        if retry is not None or stirring is None:
            self._pause(min(retry or 0.0, _FIRST_RETRY), whoever_asks=True)
            self._pause((retry or 0.0) - _FIRST_RETRY)
            return
        until = time.monotonic() + stirring.interval()
        while not self._closing and not self._asked and (left := until - time.monotonic()) > 0:
            if stirring.stirred():
                self._stirred_at = time.monotonic()
                self._settle(stirring)
                self._pause(self._pace.rest())
                return
            self._alarm.sleep(min(TICK, left), stirring.descriptors())

    def _settle(self, stirring: ChangeEvents) -> None:
        """Wait until no event has come for a moment, and git has done what it does; but not for ever."""
        began = last = time.monotonic()
        while not self._closing and not self._asked:
            now = time.monotonic()
            busy = stirring.git_is_busy()
            if (now - last >= QUIET and not busy) or now - began >= (_GIT_LATEST if busy else LATEST):
                return
            self._alarm.sleep(_STEP)
            if stirring.goes_on():
                last = time.monotonic()

    def _pause(self, seconds: float, *, whoever_asks: bool = False) -> None:
        """Sleep, unless somebody asks meanwhile."""
        until = time.monotonic() + seconds
        while not self._closing and (whoever_asks or not self._asked) and (left := until - time.monotonic()) > 0:
            self._alarm.sleep(left)


def _differs(before: Snapshot | None, after: Snapshot | None) -> bool:
    if before is None or after is None:
        return before is not after
    return before.key != after.key or before.commit != after.commit


def _differences(before: Snapshot | None, after: Snapshot | None) -> tuple[int, int, int, int]:
    """How many files are new, changed, gone, and elsewhere with the same content."""
    if before is None or after is None or before.key == after.key:
        return (len(after.files) if before is None and after is not None else 0), 0, 0, 0
    old = {file.path: file.oid for file in before.files}
    new = {file.path: file.oid for file in after.files}
    came = {path: oid for path, oid in new.items() if path not in old}
    went = {path: oid for path, oid in old.items() if path not in new}
    changed = sum(1 for path, oid in new.items() if path in old and old[path] != oid)
    gone = list(went.values())
    renamed = 0
    for oid in came.values():
        if oid in gone:
            gone.remove(oid)
            renamed += 1
    return len(came) - renamed, changed, len(went) - renamed, renamed
