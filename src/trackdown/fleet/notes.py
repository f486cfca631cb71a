"""How an answer names repositories: those that were looked into, and those that were not."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 12
_FEW = 5
"""Up to this many repositories that were not looked into are named; more are only counted."""


def looked_into(names: Sequence[str], among: Sequence[str]) -> str:
    """A note that `names` were looked into, and the others of `among` were not."""
    if not names:
        return f"looked into nothing: none of the {len(among)} repositories has a file in these languages"
    left = [name for name in among if name not in names]
    if len(left) > _FEW:
        rest = f"; {len(left)} of {len(among)} were not"
    elif left:
        rest = f"; not into {', '.join(left)}"
    else:
        rest = ", which is all of them" if len(among) > 1 else ""
    return f"looked into {shown(names)}{rest}"


def shown(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
