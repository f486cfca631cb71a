"""Sleep that ends early: when a descriptor can be read, or when another thread rings."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterable


class Wakeup:
    """For one sleeper. `ring` may be called from any thread, and is heard by the next sleep if none is going on."""

    def __init__(self) -> None:
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)

    def ring(self) -> None:
        """End the sleep."""
        try:
            self._bell.send(b"!")
        except OSError:  # full, so it rings already; or closed
            pass

    def sleep(self, seconds: float, descriptors: Iterable[int] = ()) -> None:
        """Sleep so long at the most. Ends when one of the descriptors can be read; negative ones are passed over."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._ear, selectors.EVENT_READ)
            for descriptor in {number for number in descriptors if number >= 0}:
                try:
                    selector.register(descriptor, selectors.EVENT_READ)
                except (OSError, ValueError, KeyError):
                    pass  # closed meanwhile by whoever owns it
            selector.select(max(seconds, 0.0))
        try:
            while self._ear.recv(1024):
                pass
        except OSError:
            pass

    def close(self) -> None:
        """Give the descriptors back."""
        self._ear.close()
        self._bell.close()
