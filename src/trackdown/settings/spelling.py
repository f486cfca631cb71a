"""Names that somebody misspelt, and the ones they probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trackdown.settings.values import setting_names, variable_of

_CLOSE = 0.75
_LONGEST = 100


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like this one; '' if none is."""
    from difflib import get_close_matches

    found = get_close_matches(name[:_LONGEST].lower(), list(known), n=1, cutoff=_CLOSE)
    return found[0] if found else ""


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """The variables that are named like ours and are none."""
    known = {variable_of(name) for name in setting_names()}
    return sorted(name for name in environment if name.startswith("TRACKDOWN_") and name not in known)


def misspelt_variables(environment: Mapping[str, str]) -> list[str]:
    """A line for each variable that is probably meant to be a setting and is none."""
    found = []
    for variable in unknown_variables(environment):
        name = closest(variable.removeprefix("TRACKDOWN_"), setting_names())
        if name:
            found.append(f"{variable} is not a setting; did you mean {variable_of(name)}?")
    return found
