"""What every signal says of a diff, as one ranking. The parts of a score add up to it: they are its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trackdown.engine.impact.changed_files import PatchedFile
from trackdown.engine.impact.co_changes import co_changes
from trackdown.engine.impact.evidence import Evidence, Floats
from trackdown.engine.impact.links import SIGNAL as LINKS
from trackdown.engine.impact.links import links
from trackdown.engine.impact.namesakes import namesakes
from trackdown.engine.impact.shared_words import shared_words
from trackdown.engine.searching.filters import PathFilter
from trackdown.excerpts import Sought
from trackdown.index import Corpus, Mask
from trackdown.pipeline import Ranked
from trackdown.retrieve import Candidates, candidates
from trackdown.types import Level, Why

WEIGHTS: Mapping[str, float] = {"co-change": 1.0, "lexical": 1.45, "graph": 0.44, "names": 0.33}
"""What each signal counts. `benchmarks/impact.py --fit` fits them, to repositories that no reported figure is about."""
_MOST_REASONS = 3


def gather(corpus: Corpus, changed: Sequence[PatchedFile], base: str | None = None) -> list[Evidence]:
    """What every signal says. Commits that `base` does not reach are no part of the past."""
    code = corpus.code
    found = [shared_words(code, changed), links(code, corpus.graph(), changed), namesakes(code, changed)]
    if corpus.history is not None:
        found.append(co_changes(code, corpus.history, base, changed))
    files = [one.file for one in changed if one.file >= 0]
    units = [unit for one in changed for unit in one.units]
    evidence = [one for one in found if one is not None]
    for one in evidence:
        one.settle(files, units)
    return evidence


def rank_impact(
    corpus: Corpus,
    changed: Sequence[PatchedFile],
    evidence: Sequence[Evidence],
    k: int,
    level: Level,
    shown: PathFilter,
) -> list[Ranked]:
    """The best candidates of a level that have not changed yet, each with its reasons."""
    code = corpus.code
    pool = candidates(code, level)
    shares = {one.signal: WEIGHTS[one.signal] * _of_candidates(pool, one, evidence) for one in evidence}
    scores = _sum(shares.values(), pool.count)
    scores *= shown.files(code)[pool.files] & ~_has_changed(pool, changed)
    of_units = _sum((WEIGHTS[one.signal] * one.units for one in evidence if one.units is not None), len(pool.owner))
    sought = next((one.sought for one in evidence if one.sought is not None), Sought())
    chosen = pool.best(code, scores, k)
    ranked = []
    for candidate, best in zip(chosen, pool.best_units(chosen, of_units), strict=True):
        unit, file = int(pool.units[candidate]), int(pool.files[candidate])
        values = {one: float(shares[one.signal][candidate]) for one in evidence if shares[one.signal][candidate] > 0}
        parts = [Why(one.signal, value, one.reason(file, unit)) for one, value in values.items()]
        parts.sort(key=lambda why: -why.value)
        told = sorted((why for why in parts if why.text), key=lambda why: why.signal != LINKS)
        reason = "; ".join([why.text for why in told][:_MOST_REASONS])
        seen = best if best >= 0 and of_units[best] > 0 else -1
        ranked.append(Ranked(unit, file, seen, sum(values.values()), tuple(parts), reason, sought))
    return ranked


def _sum(arrays: Iterable[Floats], length: int) -> Floats:
    total = np.zeros(length)
    for array in arrays:
        total += array
    return total


def _of_candidates(pool: Candidates, one: Evidence, evidence: Sequence[Evidence]) -> Floats:
    """A signal's scores of candidates. Below file level, what is known of a file counts as far as the unit itself has
    words or links of the change.
    """
    if pool.level == "file":
        return pool.from_files(one.files)
    if one.units is not None:
        return pool.best_of_units(one.units)
    own = np.zeros(pool.count)
    for other in evidence:
        if other.units is not None:
            np.maximum(own, pool.best_of_units(other.units), out=own)
    return pool.from_files(one.files) * own


def _has_changed(pool: Candidates, changed: Sequence[PatchedFile]) -> Mask:
    """Which candidates the diff has changed already."""
    if pool.level == "file":
        return np.isin(pool.files, [one.file for one in changed])
    return np.isin(pool.units, [unit for one in changed for unit in one.units])
