"""One writer at a time at the tables of a place: a lease that its holder renews, and that ends by itself.

A lease saves work; it does not keep the place consistent. A writer that loses it in the middle harms nobody, because a
manifest is published only under a number that nobody has, and names objects and versions that its writer has checked.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec

from trackdown.errors import FleetError
from trackdown.fleet.place import Place

_PATH = "writer.lease"
_SECONDS = 20.0
_RENEW = 5.0
_WAIT = 0.5


class Lease(msgspec.Struct, frozen=True):
    """Who writes, and until when."""

    holder: str
    until: float


@contextmanager
def writing(place: Place, longest_wait: float = 600.0) -> Iterator[Callable[[], bool]]:
    """Hold the lease of a place. Raises FleetError if another writer keeps it for too long.

    Yields a function that asks whether it is still held: another writer takes it from a process that was asleep.
    """
    holder = f"{socket.gethostname()}:{os.getpid()}:{os.urandom(4).hex()}"
    _take(place, holder, time.monotonic() + longest_wait)
    ended = threading.Event()

    def is_held() -> bool:
        present = _present(place)
        return present is not None and present.holder == holder

    def renew() -> None:
        while not ended.wait(_RENEW):
            with suppress(FleetError):  # the next attempt may succeed; if none does, the lease ends
                if not is_held():
                    return
                place.write(_PATH, msgspec.json.encode(Lease(holder, time.time() + _SECONDS)))

    thread = threading.Thread(target=renew, daemon=True, name="trackdown lease")
    thread.start()
    try:
        yield is_held
    finally:
        ended.set()
        thread.join()
        with suppress(FleetError):
            if is_held():
                place.delete([_PATH])


def _take(place: Place, holder: str, until: float) -> None:
    while True:
        if place.create(_PATH, msgspec.json.encode(Lease(holder, time.time() + _SECONDS))):
            return
        present = _present(place)
        if present is not None and present.holder == holder:
            return  # it was written, and the answer was lost
        if present is not None and present.until < time.time():
            place.delete([_PATH])  # its holder has ended without giving it back
            continue
        if time.monotonic() > until:
            raise FleetError(f"another sync is publishing to {place.address.url}: try again later")
        time.sleep(_WAIT)


def _present(place: Place) -> Lease | None:
    value = place.read(_PATH)
    try:
        return None if value is None else msgspec.json.decode(value, type=Lease)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return Lease("", 0.0)
