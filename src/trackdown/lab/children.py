"""Worker processes that neither see Ctrl-C, which is for their parent to handle, nor outlive it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Processes that are started meanwhile never see Ctrl-C, and what starts them is not torn in two by it."""
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number)) if in_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if in_main:
            signal.signal(signal.SIGINT, handler)
    if came:
        raise KeyboardInterrupt


def end_with_parent() -> None:
    """Called in a worker: a parent that is killed cannot tell it to end, and it would wait for ever."""

    def watch(parent: multiprocessing.process.BaseProcess) -> None:
        parent.join()
        os._exit(1)

    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()


__all__ = ["end_with_parent", "interrupts_held"]
