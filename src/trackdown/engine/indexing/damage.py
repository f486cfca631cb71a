"""Reports stored data that cannot be decoded as StoreCorrupt."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import msgspec

from trackdown.errors import StoreCorrupt

P = ParamSpec("P")
T = TypeVar("T")


def reports_damage(method: Callable[P, T]) -> Callable[P, T]:
    """The same method; if data from the store cannot be decoded, it raises StoreCorrupt, which says what to do."""

    @wraps(method)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return method(*arguments, **options)
        except msgspec.DecodeError as error:
            raise StoreCorrupt(f"the store is damaged ({error}): run `trackdown clear --all` and try again") from None

    return call
