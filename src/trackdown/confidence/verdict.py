"""A probability in words: strong, likely or weak, why, and what would help a weak answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trackdown.confidence.calibration import SURE, Calibration
from trackdown.confidence.features import AGREES, AnswerSigns
from trackdown.query import THE_QUERY, Query
from trackdown.types import LEVEL_FILE, Confidence, Level, Verdict

NOTHING = Confidence("weak", 0.0, "nothing was found")
_NAMED = 0.5
_MOSTLY = 0.5
_AGREED = 0.6
_RELEVANT = 0.0
_ALL = 0.995
_STRANGE = 0.25
_LITTLE = 0.4
_NEAR = 0.05
_SHORT = 0.45
_LEAST = 0.0001
_VERBATIM, _QUOTED = 0.9, 0.8
"""A query that is a message of the program, and the least probability of its answer. The issues that the weights were
fitted to quote too few messages to tell; of texts drawn from programs, 95 % are found first (make bench-messages)."""
_FEW = 3
"""Of more places that a query can mean, such as the functions of a file, it chooses none."""
_EVERYWHERE = 0.5
"""The strength of a query whose words stand in every other function."""
_SHARED = 0.2
"""What a message counts for one of the many units that use its constant."""
_SAID_ELSEWHERE = 0.5
"""The share of the weakest likely answer's probability, at most, if no candidate can be right."""
_ASK_FOR_FILES = f"Ask for files ({LEVEL_FILE})"
_NARROW = "Add words that say what to look for, or filters (path:, lang:, kind:, symbol:) for a shorter list"


@dataclass(frozen=True, slots=True)
class Assessment:
    """The confidence of an answer, and the probability of each of its results.

    Of an answer that only lists what matches, `matching` is how many places do.
    """

    confidence: Confidence
    probabilities: tuple[float, ...]
    matching: int | None = None


def assess(query: Query, level: Level, signs: AnswerSigns, count: int, calibration: Calibration) -> Assessment:
    """Assess an answer of `count` results by its features."""
    if query.only_filters:
        return listed(count, signs.matching or count, calibration, "they are listed by name")
    if not count:
        why = f"{signs.elsewhere}. {_ASK_FOR_FILES}" if signs.elsewhere else _help(query, level, signs.answer)
        matching = None if signs.elsewhere else signs.matching
        return Assessment(Confidence("weak", 0.0, f"{NOTHING.why}. {why}"), (), matching)
    quoted = signs.answer["message"] >= _VERBATIM and not signs.elsewhere
    if signs.matching is not None and not signs.elsewhere and (count >= signs.matching or not quoted):
        return listed(count, signs.matching, calibration, "the best matches come first")
    named = bool(signs.meant) and not signs.referred
    certain = quoted or (named and signs.meant <= _FEW)
    least = max(_QUOTED * certain, calibration.weak * (named or signs.referred))
    probability, each = calibration.probabilities(signs, count, least)
    if signs.elsewhere and not signs.referred:
        probability = min(probability, _SAID_ELSEWHERE * calibration.weak)
        why = f"{signs.elsewhere}. {_ASK_FOR_FILES}"
        return Assessment(Confidence("weak", probability, why), tuple(min(one, probability) for one in each))
    if not least and 0 < signs.answer["strength"] < _EVERYWHERE and not signs.answer["mention"]:
        probability = min(probability, _SAID_ELSEWHERE * calibration.weak)
        each = [min(one, probability) for one in each]
    verdict = _verdict(probability, calibration)
    if verdict == "weak":
        why = f"{_against(signs.speaker, signs.answer)}. {_help(query, level, signs.answer)}"
    else:
        why = _in_favour(signs)
    return Assessment(Confidence(verdict, probability, why), tuple(each))


def listed(shown: int, matching: int, calibration: Calibration, order: str = "these are some of them") -> Assessment:
    """Assess a list of places that match a query, as far as they are shown. The query chooses among none of them, so
    the right one is as likely to be any. `order` says how to read a list that is longer than what is shown.
    """
    if not shown:
        return Assessment(NOTHING, (), matching)
    probability, each = (round(min(SURE, max(_LEAST, part / matching)), 4) for part in (shown, 1))
    verdict = _verdict(probability, calibration)
    every = "both" if matching == 2 else f"all {matching}"
    if shown < matching:
        why = f"{matching} places match, and {order}"
    elif matching > 1:
        why = f"{every} places that match are shown, and the query does not choose among them"
    else:
        why = "it is the only place that matches"
    if verdict == "weak":
        why += f". {_NARROW}"
    return Assessment(Confidence(verdict, probability, why), (each,) * shown, matching)


def _verdict(probability: float, calibration: Calibration) -> Verdict:
    if probability < calibration.weak:
        return "weak"
    return "strong" if probability >= calibration.strong else "likely"


def _in_favour(signs: AnswerSigns) -> str:
    """What speaks for the first results."""
    speaker, features, found = signs.speaker, signs.answer, []
    if signs.referred:
        found.append(f"{speaker} changed the first result's file")
        speaker = "its message"
    if features["mention"] >= _NAMED:
        found.append(f"{speaker} names code that is here")
    if features["message"] >= _NAMED:
        found.append(f"the program says a message that {speaker} quotes")
    if features["agreement"] >= _AGREED:
        found.append(f"{_agreeing(features)} point to the same place")
    if features["covered_by_first"] >= _MOSTLY:
        found.append("the first result has most of the query's rare words")
    if not features["no_logit"] and features["logit"] > _RELEVANT:
        found.append("the model that reads code finds it relevant")
    return ", and ".join(found[:2]) or "the results share some of the query's words"


def _agreeing(features: Mapping[str, float]) -> str:
    """The kinds of evidence that speak for the first result."""
    kinds = (("lexical", "words"), ("commits", "history"), ("dense", "meaning"))
    found = [name for signal, name in kinds if features[f"{signal}_share"] >= AGREES]
    return f"{', '.join(found[:-1])} and {found[-1]}"


def _against(speaker: str, features: Mapping[str, float]) -> str:
    """What speaks against them."""
    text = speaker if speaker == THE_QUERY else "the commit message"
    if features["unknown"] >= _ALL:
        return f"none of {text}'s words occurs in this code"
    if features["unknown"] >= _STRANGE:
        return f"{features['unknown']:.0%} of {text}, weighted by how rare words are, occurs nowhere in this code"
    if 0 < features["strength"] < _EVERYWHERE and features["covered_by_best"] >= _ALL:
        return f"{text}'s words are nearly everywhere in this code"
    if features["covered_by_best"] < 1 - _ALL:
        if not features["mention"]:  # what the query names has its words, even if they are too short to count
            return f"no result has any of {text}'s rare words"
    elif features["covered_by_best"] < _LITTLE:
        return f"no result has more than {features['covered_by_best']:.0%} of {text}'s rare words"
    if features["margin"] < _NEAR:
        if features["message"] >= _SHARED:
            return "several places use the message that the query quotes, and none stands out"
        return "the first results are nearly equal"
    if features["agreement"] >= _AGREED:
        return "the evidence for the first result is thin"
    return "the signals disagree about the first result"


def _help(query: Query, level: Level, features: Mapping[str, float]) -> str:
    """What the query lacks."""
    if query.exactly_quoted:
        return f"It may help to remove the {'filters or the ' if query.filters else ''}quotes"
    found = []
    if not query.names and not query.paths:
        found.append("the name of a function, class or file")
    if not query.frames and not query.quoted and features["message"] < _SHARED:
        found.append("an error message in quotes")
    if features["words"] < _SHORT:
        found.append("more words about what the code does")
    added = f"It may help to add {', or '.join(found[:2])}" if found else "It may help to use other words"
    return added if level == "file" else f"{added}, or to ask for files ({LEVEL_FILE})"
