"""Sleep that ends early: when a descriptor is readable, or when another thread rings."""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Iterable

_SELECTOR = getattr(selectors, "PollSelector", selectors.DefaultSelector)
"""Unlike epoll and kqueue, poll opens no descriptor of its own: sleeping must not fail for want of one."""


class Wakeup:
    """For one sleeping thread. Any thread may call `ring`; if nobody sleeps, the next sleep ends at once."""

    def __init__(self) -> None:
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)

    def ring(self) -> None:
        """Wake the sleeper."""
        try:
            self._bell.send(b"!")
        except OSError:  # full, so a ring is pending; or closed
            pass

    def sleep(self, seconds: float, descriptors: Iterable[int] = ()) -> None:
        """Sleep at most `seconds`. Ends when one of the descriptors is readable; negative ones are ignored."""
        with _SELECTOR() as selector:
            selector.register(self._ear, selectors.EVENT_READ)
            for descriptor in {number for number in descriptors if number >= 0}:
                try:
                    os.fstat(descriptor)
                    selector.register(descriptor, selectors.EVENT_READ)
                except (OSError, ValueError, KeyError):
                    pass  # its owner has closed it
            selector.select(max(seconds, 0.0))
        try:
            while self._ear.recv(1024):
                pass
        except OSError:
            pass

    def close(self) -> None:
        """Close the descriptors."""
        self._ear.close()
        self._bell.close()
