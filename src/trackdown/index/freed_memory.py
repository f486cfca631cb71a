"""Memory that a search frees stays with the process, for the next search, until the index changes."""

from __future__ import annotations

import ctypes
from contextlib import suppress

import numpy as np

_LARGEST = 24 << 20


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
