"""What a call does when stored data cannot be decoded, or went while it was being used."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import msgspec

from trackdown.errors import FilesChanged, StoreCorrupt

P = ParamSpec("P")
T = TypeVar("T")
_ATTEMPTS = 3


def reports_damage(method: Callable[P, T]) -> Callable[P, T]:
    """The same method; if data from the store cannot be decoded, it raises StoreCorrupt, which says what to do.

    If files changed while facts that were gone were made again, it is called again: it then sees them as they are.
    """

    @wraps(method)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return method(*arguments, **options)
            except msgspec.DecodeError as error:
                message = f"the store is damaged ({error}): run `trackdown clear --all` and try again"
                raise StoreCorrupt(message) from None
            except FilesChanged:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    return call
