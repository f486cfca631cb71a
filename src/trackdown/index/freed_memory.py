"""Memory that a search frees stays with the process, for the next search, until the index changes."""

from __future__ import annotations

import ctypes
from contextlib import suppress

import numpy as np

_LARGEST = 24 << 20
_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""The names of options in malloc.h."""
_FOR_MANY_THREADS = ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, 1 << 20), (_TRIM_THRESHOLD, 64 << 20))


def keep_freed_memory() -> None:
    """Raise the size from which malloc gives freed memory back to the kernel.

    A search makes and drops many arrays of some 100 KB. glibc takes blocks of that size from the kernel and returns
    them at once, and every page then costs a fault: a quarter of a search. It stops that for sizes up to the largest
    block that was freed so far, and at most 32 MB ("dynamic mmap threshold" in mallopt(3)). So free one of 24 MB: it is
    never written to, and takes no memory. Elsewhere this does nothing.
    """
    np.empty(_LARGEST, dtype=np.uint8)


def return_freed_memory() -> None:
    """Give the memory that was freed so far back to the kernel.

    A server that updates its index frees the old one, in pieces between others that stay. Each of its threads takes
    memory from a heap of its own, so the holes would not be filled for long. Does nothing where malloc is not glibc's.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def share_heaps() -> None:
    """Let the threads that start from now on share two heaps, and keep blocks of a megabyte and more out of them.

    Otherwise each of a server's threads gets a heap of its own, up to eight for each core, and each of them grows to
    what the largest search needs. A search's own arrays are smaller; the large ones belong to indexes, and would leave
    holes. Does nothing where malloc is not glibc's.
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        for option, value in _FOR_MANY_THREADS:
            libc.mallopt(option, value)
