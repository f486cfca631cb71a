"""What a training run says: each result as a line of JSON in a file, and everything to whoever watches."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Say = Callable[[str], None]


def on_screen(text: str) -> None:
    """A line on the screen, as it comes."""
    print(text, flush=True)


class Log:
    """Lines of JSON, told and in a file, begun anew unless a run `goes_on`. `told` has the last of each name."""

    def __init__(self, path: Path, say: Say = on_screen, *, goes_on: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not goes_on:
            path.write_text("", "utf-8")
        self._path, self._say = path, say
        self._started = time.monotonic()
        self.told: dict[str, dict[str, Any]] = {}

    def __call__(self, what: str, **values: Any) -> None:
        row = {"what": what, "seconds": round(time.monotonic() - self._started, 1), **values}
        self.told[what] = row
        line = json.dumps(_finite(row), default=str)
        self._say(line)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def line(self, text: str) -> None:
        """A line of a training loop."""
        self._say(f"[{time.monotonic() - self._started:.0f}] {text}")


def _finite(value: Any) -> Any:
    """The same with null where JSON has no number."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


__all__ = ["Log", "Say", "on_screen"]
