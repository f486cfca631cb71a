"""Rooms are imported by their door: `from trackdown.index import Corpus`.

The `__init__` of a room lists what other rooms may use, as imports that only type checkers run. At run time the module
behind a name is loaded when the name is first used, so a search starts without what it does not need.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

_EXPORT = re.compile(r"^    from (trackdown[\w.]*) import (\([^)]*\)|[^\n]+)", re.MULTILINE)


def door(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a room: loads what its `if TYPE_CHECKING:` block lists."""

    def load(name: str) -> Any:
        home = exported_names(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


@cache
def exported_names(package: str) -> dict[str, str]:
    """Each name that a room exports, with the module it comes from."""
    loader: Any = sys.modules[package].__loader__
    listed = _EXPORT.findall(loader.get_source(package))
    return {name: home for home, names in listed for name in re.findall(r"\w+", names)}
