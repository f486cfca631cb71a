"""Examples with a planted truth: which signal knows the answer is chosen, the others guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trackdown.fuse.learned import ranks_of
from trackdown.lab.cases import CodeLocation
from trackdown.lab.train.evidence import EvidenceExample

SIGNALS = ("lexical", "mentions", "commits")


def made_example(
    number: int,
    random: np.random.Generator,
    knowing: str,
    *,
    candidates: int = 30,
    signals: Sequence[str] = SIGNALS,
    query: Mapping[str, float] | None = None,
    sure: float = 0.9,
) -> EvidenceExample:
    """One question: the knowing signal puts the answer first as often as it is sure, all others are noise."""
    places = tuple(CodeLocation(f"src/m{row}.py", f"f{row}") for row in range(candidates))
    answer = int(random.integers(candidates))
    scores = random.uniform(0.1, 1.0, (candidates, len(signals)))
    if random.uniform() < sure:
        scores[answer, signals.index(knowing)] = 1.2
    ranks = np.stack([ranks_of(column) for column in scores.T], axis=1)
    features = dict.fromkeys(("words", "long", "code", "traceback"), 0.0) | dict(query or {})
    return EvidenceExample(
        f"case{number}",
        1_600_000_000 + 60 * number,
        (places[answer],),
        places,
        tuple(signals),
        scores,
        ranks,
        scores.max(axis=0),
        np.ones(candidates),
        features,
    )


def made_repository(seed: int, knowing: str, cases: int = 40, **more: object) -> list[EvidenceExample]:
    """Cases of one repository, oldest first."""
    random = np.random.default_rng(seed)
    return [made_example(number, random, knowing, **more) for number in range(cases)]  # type: ignore[arg-type]
