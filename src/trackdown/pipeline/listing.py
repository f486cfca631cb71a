"""The answer to a query of filters alone: everything that matches, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.index import Corpus, is_letter
from trackdown.pipeline.plan import Ranked, SearchPlan, Tap, Tapped
from trackdown.retrieve import candidates
from trackdown.types import Why

SIGNAL = "filters"


def list_matching(corpus: Corpus, options: SearchPlan, tap: Tap | None = None) -> list[Ranked]:
    """The candidates that pass the filters: those that are called exactly as asked first, code before tests and prose,
    then by name, path and line. `tap` gets how many there are.
    """
    code = corpus.code
    pool = candidates(code, options.level, options.kinds)
    allowed = pool.allowed(
        code, without_roles=options.without_roles, folders=options.folders, among=options.among, filters=options.filters
    )
    asked = {name for filters in options.filters for name in filters.symbols}
    defining = {unit: name for name in asked if is_letter(name) for unit in code.windows_defining(name)}

    def order(candidate: int) -> tuple[bool, int, str, str, int]:
        unit, file = int(pool.units[candidate]), int(pool.files[candidate])
        symbol, line = (code.symbol(unit), int(code.unit_start[unit])) if unit >= 0 else ("", 0)
        called = symbol in asked or symbol.rpartition(".")[2] in asked or unit in defining
        return not called, int(pool.roles[candidate]), symbol, code.path(file), line

    matching = np.flatnonzero(allowed).tolist()
    reason = "matches " + " ".join(str(filters) for filters in options.filters if filters)
    chosen = sorted(matching, key=order)[: options.k]
    shown = pool.best_units(chosen, -code.unit_start.astype(np.float64))
    found = []
    for candidate, unit in zip(chosen, shown, strict=True):
        said = f"{reason}: defines {defining[unit]}" if unit in defining else reason
        why = (Why(SIGNAL, 1.0, said),)
        found.append(Ranked(int(pool.units[candidate]), int(pool.files[candidate]), unit, 1.0, why, said))
    if tap is not None:
        tap(_tapped(found, len(matching)))
    return found


def _tapped(found: Sequence[Ranked], matching: int) -> Tapped:
    """What a list knows of itself: no stage has scored it."""
    same = np.ones(len(found))
    return Tapped([item.file for item in found], {}, {}, same, {}, range(len(found)), same, matching=matching)
