"""Assessed answers → the calibration of confidence: two logistic models, and where weak ends and strong begins.

Each repository's answers are predicted by a fit to the others, so that no repository stands on both sides. Those
predictions correct the fit to all (Platt, "Probabilistic outputs for support vector machines", 1999), choose the
thresholds, and are what the report scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.confidence import Calibration, LogisticModel
from trackdown.errors import TrackdownError, UsageError
from trackdown.lab.measure import CalibrationScores, calibration_scores
from trackdown.lab.train.assessed_answers import ISSUE, AssessedAnswer

Floats = npt.NDArray[np.float64]
UNANSWERABLE_SHARE = 0.25
"""What questions without an answer weigh in the fit, relative to all: about one question in four has none."""
WEAK_UNANSWERABLE, WEAK_RIGHT = 0.86, 0.04
"""An answer is weak below a probability. At least 85 % of questions without an answer should be, and at most 5 % of
right first ones: where both hold with a margin, it lies in the middle."""
STRONG_PRECISION = 0.85
"""Of strong answers, this share should show a right place."""
LEAST_STRONG = 0.75
"""No answer is called strong if it is less likely than this, however right strong answers are on average."""
_RIDGES = (2.0, 5.0, 10.0, 20.0, 40.0)
"""Penalties to choose from: the more answers there are, the less a fit needs."""
_ROUNDS = 50
_FEWEST = 20


@dataclass(frozen=True, slots=True)
class ConfidenceReport:
    """A calibration, and how good its probabilities are on repositories that its weights had not seen."""

    calibration: Calibration
    scores: dict[str, CalibrationScores]
    results: CalibrationScores
    weak: dict[str, float]
    counts: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """For a report file."""
        return {
            "counts": self.counts,
            "thresholds": {"weak": self.calibration.weak, "strong": self.calibration.strong},
            "called_weak": {name: round(share, 4) for name, share in self.weak.items()},
            "answers": {name: one.as_dict() for name, one in self.scores.items()},
            "results": self.results.as_dict(),
        }


def fit_confidence(answers: Sequence[AssessedAnswer], out: Path | None = None) -> ConfidenceReport:
    """Fit a calibration to answers of several repositories, and write it to a file.

    Raises UsageError for too few answers or repositories, TrackdownError if the file cannot be written.
    """
    repositories = np.array([answer.repository for answer in answers])
    if len(answers) < _FEWEST or len(set(repositories.tolist())) < 2:
        raise UsageError(f"confidence needs {_FEWEST} answers of two repositories at least, not {len(answers)}")
    rows, truth = np.array([answer.features for answer in answers]), _any_right(answers)
    weights = _weights(answers)
    answer_model, unseen = _best_fit(rows, truth, weights, repositories)
    odds = answer_model.slope * unseen + answer_model.shift
    result_model, each, right = _fit_results(answers, odds, weights, repositories)
    weak, strong = _thresholds(answers, _probabilities(odds), truth)
    calibration = Calibration(answer_model, result_model, weak, strong)
    if out is not None:
        _write(out, calibration)
    return _report(calibration, answers, _probabilities(odds), calibration_scores(each.tolist(), right.tolist()))


def judge_confidence(answers: Sequence[AssessedAnswer], calibration: Calibration) -> ConfidenceReport:
    """How good a calibration is on answers that no fit saw."""
    rows = np.array([answer.features for answer in answers])
    odds = calibration.answer.log_odds(rows)
    each: list[float] = []
    right: list[bool] = []
    for answer, one in zip(answers, odds.tolist(), strict=True):
        each += calibration.of_results(one, np.array(answer.results))
        right += answer.right
    return _report(calibration, answers, _probabilities(odds), calibration_scores(each, right))


def _report(
    calibration: Calibration, answers: Sequence[AssessedAnswer], probabilities: Floats, results: CalibrationScores
) -> ConfidenceReport:
    truth = _any_right(answers)
    efforts, levels = ([getattr(answer, name) for answer in answers] for name in ("effort", "level"))
    chosen = {"default": np.array([effort == "balanced" for effort in efforts])}
    for level in sorted(set(levels)):
        chosen[f"default, {level}"] = chosen["default"] & np.array([one == level for one in levels])
    chosen["without models"] = ~chosen["default"]
    scores = {
        name: calibration_scores(probabilities[mask].tolist(), truth[mask].tolist())
        for name, mask in chosen.items()
        if mask.any()
    }
    kinds = np.array([answer.kind for answer in answers])
    groups = {kind: kinds == kind for kind in sorted(set(kinds.tolist()) - {ISSUE})}
    groups["without an answer"] = kinds != ISSUE
    groups["right first answers"] = np.array([bool(answer.right[:1] == [True]) for answer in answers])
    weak = {
        name: float((probabilities[mask & chosen["default"]] < calibration.weak).mean())
        for name, mask in groups.items()
        if (mask & chosen["default"]).any()
    }
    counts = {kind: int(((kinds == kind) & chosen["default"]).sum()) for kind in sorted(set(kinds.tolist()))}
    return ConfidenceReport(calibration, scores, results, weak, counts)


def fit_logistic(rows: Floats, truth: Floats, weights: Floats, ridge: float) -> LogisticModel:
    """Logistic regression with a ridge penalty on standardised features, by Newton's method."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    scaled = np.clip((rows - mean) / scale, -4.0, 4.0)
    design = np.concatenate([np.ones((len(rows), 1)), scaled], axis=1)
    penalty = np.diag([1e-6, *(ridge for _ in mean)])
    found = np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        chance = _probabilities(design @ found)
        slope = design.T @ (weights * (chance - truth)) + penalty @ found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve, slope)
        found = found - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return LogisticModel(_rounded(mean), _rounded(scale), _rounded(found[1:]), round(float(found[0]), 6))


def _best_fit(
    rows: Floats, truth: Floats, weights: Floats, repositories: npt.NDArray[Any]
) -> tuple[LogisticModel, Floats]:
    """The corrected model with the penalty that predicts unseen rows best, and its log-odds of them, uncorrected."""
    fits = []
    for ridge in _RIDGES:
        unseen = _predict_unseen(rows, truth, weights, repositories, ridge)
        model = _corrected(fit_logistic(rows, truth, weights, ridge), unseen, truth, weights)
        errors = (_probabilities(model.slope * unseen + model.shift) - truth) ** 2
        fits.append((float(weights @ errors), model, unseen))
    _, model, unseen = min(fits, key=lambda fit: fit[0])
    return model, unseen


def _predict_unseen(
    rows: Floats, truth: Floats, weights: Floats, repositories: npt.NDArray[Any], ridge: float
) -> Floats:
    """The log-odds of each row by a model that was fitted to the other repositories."""
    found = np.zeros(len(rows))
    for name in sorted(set(repositories.tolist())):
        held = repositories == name
        found[held] = fit_logistic(rows[~held], truth[~held], weights[~held], ridge).log_odds(rows[held])
    return found


def _corrected(model: LogisticModel, unseen: Floats, truth: Floats, weights: Floats) -> LogisticModel:
    """The model with a slope and a shift that make the log-odds of unseen rows come true."""
    line = fit_logistic(unseen[:, None], truth, weights, ridge=1e-3)
    slope = line.weights[0] / line.scale[0]
    return replace(model, slope=round(slope, 6), shift=round(line.bias - slope * line.mean[0], 6))


def _fit_results(
    answers: Sequence[AssessedAnswer], odds: Floats, weights: Floats, repositories: npt.NDArray[Any]
) -> tuple[LogisticModel, Floats, Floats]:
    """The model of results, given unseen log-odds of answers; the unseen probabilities of all results; the truth."""
    sizes = [len(answer.right) for answer in answers]
    rows = np.concatenate([np.array(answer.results) for answer in answers if answer.right])
    rows = np.concatenate([np.repeat(odds, sizes)[:, None], rows], axis=1)
    truth = np.array([right for answer in answers for right in answer.right], dtype=np.float64)
    each, names = np.repeat(weights, sizes), np.repeat(repositories, sizes)
    model, unseen = _best_fit(rows, truth, each, names)
    return model, _probabilities(model.slope * unseen + model.shift), truth


def _thresholds(answers: Sequence[AssessedAnswer], probabilities: Floats, truth: Floats) -> tuple[float, float]:
    """Below the first an answer is weak, from the second on it is strong. They come from answers with models."""
    default = np.array([answer.effort == "balanced" for answer in answers])
    without = np.array([answer.kind != ISSUE for answer in answers]) & default
    first = np.array([bool(answer.right[:1] == [True]) for answer in answers]) & default
    low = float(np.quantile(probabilities[without], WEAK_UNANSWERABLE)) if without.any() else 0.2
    high = float(np.quantile(probabilities[first], WEAK_RIGHT)) if first.any() else low
    weak = (low + high) / 2
    for strong in np.linspace(max(weak, LEAST_STRONG), 0.95, 21).tolist():
        chosen = default & (probabilities >= strong)
        if chosen.any() and truth[chosen].mean() >= STRONG_PRECISION:
            return round(weak, 4), round(strong, 4)
    return round(weak, 4), 0.95


def _weights(answers: Sequence[AssessedAnswer]) -> Floats:
    """What each answer weighs: repositories count by the square root of their answers, questions without one less."""
    names = [answer.repository for answer in answers]
    by_size = np.array([names.count(name) ** -0.5 for name in names])
    without = np.array([answer.kind != ISSUE for answer in answers])
    if without.any() and not without.all():
        wanted = UNANSWERABLE_SHARE / (1 - UNANSWERABLE_SHARE) * by_size[~without].sum()
        by_size[without] *= wanted / by_size[without].sum()
    return by_size * (len(names) / by_size.sum())


def _any_right(answers: Sequence[AssessedAnswer]) -> Floats:
    return np.array([float(any(answer.right)) for answer in answers])


def _probabilities(odds: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
    return found


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)


def _write(path: Path, calibration: Calibration) -> None:
    text = json.dumps(calibration.as_dict(), indent=1) + "\n"
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None
