"""Values as JSON and TOML nest them: look one up, leave one out, and check an edit of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trackdown.errors import UsageError


def value_at(values: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of names; None if there is none."""
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def nested(path: Sequence[str], value: Any) -> Any:
    """Return the value inside of one object for each name of a path."""
    for name in reversed(path):
        value = {name: value}
    return value


def check_edit(before: Any, after: Any, path: Sequence[str], wanted: Any) -> None:
    """Raise UsageError unless an edit gave the wanted value at a path and left all other values alone."""
    if value_at(after, path) != wanted or without(after, path) != without(before, path):
        raise UsageError(f"{'.'.join(path)} is written there in a way that cannot be edited safely")


def without(values: Any, path: Sequence[str]) -> Any:
    """Return the values without the one at a path, and without the objects that only led to it."""
    if not isinstance(values, dict):
        return values or {}
    name, *rest = path
    below = without(values.get(name, {}), rest) if rest else {}
    others = {key: value for key, value in values.items() if key != name}
    return others if below == {} else {**others, name: below}
