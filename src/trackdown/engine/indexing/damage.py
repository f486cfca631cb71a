"""Damage that shows only when something kept is decoded, told as an error of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import msgspec

from trackdown.errors import StoreCorrupt

P = ParamSpec("P")
T = TypeVar("T")


def reports_damage(method: Callable[P, T]) -> Callable[P, T]:
    """The same method; what the store gave and nobody can decode becomes StoreCorrupt, which says what to do."""

    @wraps(method)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return method(*arguments, **options)
        except msgspec.DecodeError as error:
            raise StoreCorrupt(f"the store is damaged ({error}): run `trackdown clear --all` and try again") from None

    return call
