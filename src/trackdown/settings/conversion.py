"""A value from a file or the environment → the type of its setting. Errors name where the value is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from trackdown.errors import UsageError
from trackdown.settings.spelling import closest
from trackdown.settings.values import SECRETS, default_of, setting_names
from trackdown.types import EFFORTS, LEVELS, MAX_RESULTS, Aggregation, Fusion

_TRUTHS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_CHOICES: dict[str, tuple[str, ...]] = {
    "fusion": get_args(Fusion),
    "aggregation": get_args(Aggregation),
    "level": LEVELS,
    "effort": EFFORTS,
}
_MOST = 10**9
_MOST_ITEMS, _LONGEST_ITEM = 100, 1_000
_LONGEST_SHOWN = 60
_KINDS: dict[type, str] = {dict: "a table", list: "an array"}


def convert(name: str, value: object, where: str) -> Any:
    """The value of a setting. Raises UsageError for an unknown name or a value of another type or range."""
    check_name(name, where)
    default = default_of(name)
    if name in _CHOICES:
        if not isinstance(value, str) or value not in _CHOICES[name]:
            raise _wrong(name, f"one of {', '.join(_CHOICES[name])}", value, where)
        return value
    if isinstance(default, tuple):
        return _items(name, value, where)
    if isinstance(default, Path):
        return _path(name, value, where)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise _wrong(name, "text", value, where)
        return value
    if isinstance(default, bool):
        truth = _TRUTHS.get(str(value).lower()) if isinstance(value, str | int) else None
        if truth is None:
            raise _wrong(name, "yes or no", value, where)
        return truth
    return _number(name, default, value, where)


def check_name(name: str, where: str) -> None:
    """Raise UsageError if there is no such setting, with the one that was probably meant."""
    if name not in setting_names():
        meant = closest(name, setting_names())
        hint = f"; did you mean {meant}?" if meant else " (`trackdown config` lists them)"
        raise UsageError(f"{where}: there is no setting named {_shown(name)}{hint}")


def _number(name: str, default: int | float, value: object, where: str) -> int | float:
    try:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise TypeError
        if isinstance(default, int) and isinstance(value, float):
            raise TypeError
        number = type(default)(value)
    except (TypeError, ValueError, OverflowError):
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise _wrong(name, kind, value, where) from None
    if name == "k":
        if not 1 <= number <= MAX_RESULTS:
            raise _wrong(name, f"between 1 and {MAX_RESULTS}", value, where)
    elif not 0 <= number < _MOST:
        raise _wrong(name, "at least 0 and below a billion", value, where)
    return number


def _items(name: str, value: object, where: str) -> tuple[str, ...]:
    """A list of texts: an array of a file, or the parts between the commas of a variable."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, "a list of texts", value, where)
    if len(value) > _MOST_ITEMS:
        raise UsageError(f"{where}: {name} has {len(value)} items, and may have {_MOST_ITEMS}")
    for item in value:
        if not item.strip() or len(item) > _LONGEST_ITEM:
            raise _wrong(name, f"a list of texts of 1 to {_LONGEST_ITEM} characters", item, where)
    return tuple(value)


def _path(name: str, value: object, where: str) -> Path:
    try:
        if not isinstance(value, str):
            raise TypeError
        return Path(value).expanduser()
    except (TypeError, RuntimeError):
        raise _wrong(name, "a path", value, where) from None


def _wrong(name: str, wanted: str, value: object, where: str) -> UsageError:
    shown = type(value).__name__ if name in SECRETS else _shown(value)
    return UsageError(f"{where}: {name} must be {wanted}, not {shown}")


def _shown(value: object) -> str:
    """A value as an error shows it: short, and never what is nested in it."""
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST_SHOWN:
        return "so large a number"
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 1]}…"
