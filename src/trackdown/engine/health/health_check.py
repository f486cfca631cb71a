"""One thing that was checked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HealthState = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What was checked, its state, what was found, and what to do about it ('' if nothing).

    With a warning, everything works, but not as well as it could. With a problem, something does not work.
    """

    name: str
    state: HealthState
    found: str
    advice: str = ""
