"""Features → probabilities: logistic models with weights from a data file, calibrated on repositories held out.

`trackdown train confidence` writes the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.confidence.features import ANSWER_FEATURES, RESULT_FEATURES, SHOWN, AnswerSigns
from trackdown.errors import ModelError

Floats = npt.NDArray[np.float64]
_FORMAT = 1
_PACKAGED = "weights.json"
_DIGITS = 4
SURE = 0.99
"""No probability is higher, and none lower than the rest."""


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Log-odds as a weighted sum of features, each moved by `mean` and divided by `scale`.

    `slope` and `shift` correct them by what they were worth on data that the weights had not seen (Platt, 1999).
    """

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    slope: float = 1.0
    shift: float = 0.0

    def log_odds(self, rows: Floats) -> Floats:
        """The log-odds of each row of features."""
        scaled = np.clip((rows - np.array(self.mean)) / np.array(self.scale), -4.0, 4.0)
        raw = np.array([math.fsum(row) for row in (scaled * np.array(self.weights)).tolist()]) + self.bias
        return np.asarray(self.slope * raw + self.shift, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A model for the answer and one for a result. An answer is weak below a probability, and strong from another."""

    answer: LogisticModel
    result: LogisticModel
    weak: float
    strong: float

    def probabilities(self, signs: AnswerSigns, count: int, least: float = 0.0) -> tuple[float, list[float]]:
        """The probability that a right place is among the first `count` results, `least` or more, and that of each.

        They agree: the answer is as likely as its best result at least, and as all its results together at most. The
        answer that shows one result is as likely as that result.
        """
        row = np.array([[signs.answer[name] for name in ANSWER_FEATURES]])
        so_far, each = self._by_rank(float(self.answer.log_odds(row)[0]), signs.results, least)
        if not each:
            return 0.0, []
        return _bounded(so_far[:count][-1]), [_bounded(one) for one in each[:count]]

    def of_results(self, answer_odds: float, rows: Floats) -> list[float]:
        """The probability of each result, given the log-odds of the answer. A lower rank is never more likely."""
        return self._by_rank(answer_odds, rows, 0.0)[1]

    def _by_rank(self, answer_odds: float, rows: Floats, least: float) -> tuple[list[float], list[float]]:
        """For each rank, the probability that a right place is among the results so far, and that of the result there.

        The answer's model says how likely it is that any of ten is right, the one of results how much of that each rank
        contributes. A result is as likely, at least, as that the first right place is at its rank.
        """
        if not len(rows):
            return [], []
        with_answer = np.concatenate([np.full((len(rows), 1), answer_odds), rows], axis=1)
        alone = list(accumulate(map(_probability, self.result.log_odds(with_answer).tolist()), min))
        any_right = list(accumulate(alone[:SHOWN], lambda found, one: found + one - found * one))
        answer = _probability(answer_odds)
        so_far = [max(least, answer * found / any_right[-1]) for found in any_right]
        so_far += [so_far[-1]] * (len(alone) - len(so_far))
        first_here = [late - early for early, late in pairwise([0.0, *so_far])]
        each = [min(max(two), so_far[0]) for two in zip(alone, first_here, strict=True)]
        each[0] = so_far[0]
        return so_far, list(accumulate(reversed(each), max))[::-1]

    def as_dict(self) -> dict[str, Any]:
        """The value for the data file."""
        features = {"answer": list(ANSWER_FEATURES), "result": list(RESULT_FEATURES)}
        return {"format": _FORMAT, "features": features, **asdict(self)}


def calibration_of(value: Mapping[str, Any]) -> Calibration:
    """The calibration in a data file's value. Raises ModelError if it is for other features."""
    features = {"answer": list(ANSWER_FEATURES), "result": list(RESULT_FEATURES)}
    if value.get("format") != _FORMAT or value.get("features") != features:
        raise ModelError("the weights of confidence are for other features: run `trackdown train confidence` again")
    models = {name: _model(value[name]) for name in features}
    return Calibration(**models, weak=float(value["weak"]), strong=float(value["strong"]))


@lru_cache(maxsize=1)
def load_calibration() -> Calibration:
    """The packaged calibration."""
    text = resources.files("trackdown.confidence").joinpath(_PACKAGED).read_text("utf-8")
    return calibration_of(json.loads(text))


def _model(value: Mapping[str, Any]) -> LogisticModel:
    lists: dict[str, tuple[float, ...]] = {name: tuple(value[name]) for name in ("mean", "scale", "weights")}
    return LogisticModel(**lists, bias=value["bias"], slope=value["slope"], shift=value["shift"])


def _probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, log_odds))))


def _bounded(probability: float) -> float:
    return round(min(SURE, max(1 - SURE, probability)), _DIGITS)
