"""Features → probabilities: logistic models with weights from a data file, calibrated on repositories held out.

`trackdown train confidence` writes the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.confidence.features import ANSWER_FEATURES, RESULT_FEATURES, SHOWN, AnswerSigns
from trackdown.errors import ModelError

Floats = npt.NDArray[np.float64]
_FORMAT = 1
_PACKAGED = "weights.json"
_DIGITS = 4
_SURE = 0.99
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

    def probabilities(self, signs: AnswerSigns, count: int) -> tuple[float, list[float]]:
        """The probability that a right place is among the first `count` results, and that of each result."""
        row = np.array([[signs.answer[name] for name in ANSWER_FEATURES]])
        odds = float(self.answer.log_odds(row)[0])
        each = self.of_results(odds, signs.results)
        if not each:
            return 0.0, []
        answer = _probability(odds)
        if count < SHOWN and len(each) > count:
            answer *= _any(each[:count]) / _any(each)
        return _bounded(answer), [_bounded(min(one, answer)) for one in each[:count]]

    def of_results(self, answer_odds: float, rows: Floats) -> list[float]:
        """The probability of each result, given the log-odds of the answer.

        A lower rank is never more likely, and no result is more likely than that any of them is right.
        """
        if not len(rows):
            return []
        with_answer = np.concatenate([np.full((len(rows), 1), answer_odds), rows], axis=1)
        found = [_probability(odds) for odds in self.result.log_odds(with_answer).tolist()]
        return list(accumulate([min(found[0], _probability(answer_odds)), *found[1:]], min))

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


def _any(each: Sequence[float]) -> float:
    """The probability that at least one of several independent things holds."""
    return 1.0 - math.prod(1.0 - one for one in each)


def _bounded(probability: float) -> float:
    return round(min(_SURE, max(1 - _SURE, probability)), _DIGITS)
