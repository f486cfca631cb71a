"""Answers of several repositories, weighed by how likely each repository has the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trackdown.confidence import load_calibration
from trackdown.types import Confidence, Result, SearchResults, Verdict

_POWER = 4
"""How much the better repository is trusted. With the fourth power, results of wrong repositories hardly displace right
ones any more; higher powers change nothing."""
_NAME_ONE = "other repositories match the query as well. Limit the search to one of them"


def repository_shares(scores: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """How likely each of some repositories has the answer, given what each scores; equal if nothing is known."""
    powers = {name: scores.get(name, 0.0) ** _POWER for name in {*scores, *names}}
    total = sum(powers.values())
    return {name: powers[name] / total if total else 1 / len(names) for name in names}


def weighed(answer: SearchResults, share: float) -> SearchResults:
    """An answer of a repository that has it with a probability of `share`.

    An answer that only lists what contains a quote or passes filters is right wherever it is.
    """
    if answer.matching is not None or any(result.probability is None for result in answer.results):
        return answer
    return replace(
        answer,
        results=tuple(_of_result(result, share) for result in answer.results),
        confidence=None
        if answer.confidence is None
        else _lowered(answer.confidence, answer.confidence.probability * share),
    )


def overall(answers: Sequence[tuple[SearchResults, float]]) -> Confidence | None:
    """How sure several answers are together, given the share of each: the repositories exclude each other.

    None if one of them has no confidence, or only lists what contains a quote or passes filters.
    """
    known = [(answer.confidence, share) for answer, share in answers if answer.confidence is not None]
    lists = any(answer.matching is not None for answer, _ in answers)
    if lists or not known or len(known) < len(answers):
        return None
    surest, _ = max(known, key=lambda one: one[0].probability * one[1])
    return _lowered(surest, sum(confidence.probability * share for confidence, share in known))


def of_a_part(confidence: Confidence) -> Confidence:
    """A confidence in a list of what matches, if more repositories might match: never strong."""
    lowered = _lowered(confidence, min(confidence.probability, load_calibration().strong - 0.01))
    return replace(lowered, why=f"{lowered.why}. Not every repository was looked into")


def _of_result(result: Result, share: float) -> Result:
    return result if result.probability is None else replace(result, probability=round(result.probability * share, 4))


def _lowered(confidence: Confidence, probability: float) -> Confidence:
    """A confidence with another probability, and the verdict that this allows."""
    calibration = load_calibration()
    probability = round(min(1.0, probability), 4)
    verdict: Verdict = confidence.verdict
    if verdict == "strong" and probability < calibration.strong:
        verdict = "likely"
    if verdict == "likely" and probability < calibration.weak:
        return Confidence("weak", probability, _NAME_ONE)
    return Confidence(verdict, probability, confidence.why)
