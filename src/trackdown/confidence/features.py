"""What a search knows about its own answer, as numbers. They cost next to nothing: the search has them all.

A number that is not known, because a model did not run, is 0, and another feature says that it is missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.pipeline import Tapped
from trackdown.query import THE_QUERY, Query, query_features
from trackdown.types import Level

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
SHOWN = 10
"""How many results the features look at, however many are shown."""
_CHANNELS = ("lexical", "dense", "commits")
_RAREST = 5
_WORD = re.compile(r"\w+")
AGREES = 0.8
"""The share of a channel's best score at which the channel agrees with a candidate."""
_QUOTED = 0.5
"""The score of a message from which the query quotes it."""

_COVERAGE = (
    "covered_together",
    "rarest_in_first",
    "title_in_first",
    "title_unknown",
    "unknown",
    "names_known",
    "strength",
    "lexical_strength",
    "commits_strength",
)
ANSWER_FEATURES = (
    "covered_by_first",
    "covered_by_best",
    *_COVERAGE,
    "agreement",
    "lexical_share",
    "dense_share",
    "commits_share",
    "dense",
    "mention",
    "message",
    "score",
    "margin",
    "margin_to_last",
    "one_file",
    "cosine",
    "cosine_margin",
    "no_cosine",
    "logit",
    "logit_margin",
    "no_logit",
    "words",
    "long",
    "code",
    "traceback",
    "file_level",
    "few",
    "covered_by_best*words",
    "unknown*words",
)
RESULT_FEATURES = (
    "answer",
    "rank",
    "first",
    "score_share",
    "covered",
    "covered_share",
    "agreement",
    "mention",
    "message",
    "cosine",
    "logit",
    "read",
    "file_level",
)


@dataclass(frozen=True, slots=True)
class AnswerSigns:
    """The features of an answer, and a row of features for each of its results (without `answer`, the first).

    `elsewhere` says where strong evidence is that no candidate has, `speaker` whose text was searched for, `referred`
    whether a commit that the query refers to has changed the first result's file, `matching` how many places match a
    query that chooses among none of them. If the first result is all that the query can mean, `meant` says among how
    many; else it is 0.
    """

    answer: Mapping[str, float]
    results: Floats
    elsewhere: str = ""
    speaker: str = THE_QUERY
    referred: bool = False
    matching: int | None = None
    meant: int = 0


def answer_signs(query: Query, level: Level, tapped: Tapped, count: int) -> AnswerSigns:
    """The features of a search's first results: `count` of them, and ten at least."""
    shown = list(tapped.order[: max(count, SHOWN)])
    seen = _Seen(query, level, tapped, shown)
    return AnswerSigns(
        seen.answer(),
        seen.results(),
        tapped.elsewhere,
        tapped.speaker,
        seen.referred(),
        tapped.matching,
        int(tapped.meant.sum()) if shown and tapped.meant is not None and tapped.meant[shown[0]] else 0,
    )


class _Seen:
    """The candidates that are shown, in their order, and what each stage said of them."""

    def __init__(self, query: Query, level: Level, tapped: Tapped, shown: Sequence[int]) -> None:
        self._query = query
        self._level = level
        self._tapped = tapped
        self._places = list(shown)
        self._files = [tapped.files[place] for place in shown]
        self._scores = tapped.final[self._places]
        self._covered, self._matched = self._coverage()

    def answer(self) -> dict[str, float]:
        if not self._places:
            return dict.fromkeys(ANSWER_FEATURES, 0.0)
        kind = query_features(self._query)
        covered = self._covered
        found = {
            "covered_by_first": float(covered[0]),
            "covered_by_best": float(covered[:SHOWN].max()),
            **self._matched,
            "agreement": float(self._agreement()[0]),
            **{f"{signal}_share": float(self._share(signal)[0]) for signal in _CHANNELS},
            "dense": float(self._channel("dense")[0]),
            "mention": float(self._channel("mentions")[:3].max()),
            "message": float(self._channel("messages")[:3].max()),
            **self._margins(),
            **self._model("encoder", "cosine"),
            **self._model("code-reranker", "logit"),
            **kind,
            "file_level": float(self._level == "file"),
            "few": float(len(self._places) < SHOWN),
        }
        found["covered_by_best*words"] = found["covered_by_best"] * kind["words"]
        found["unknown*words"] = found["unknown"] * kind["words"]
        return {name: found[name] for name in ANSWER_FEATURES}

    def results(self) -> Floats:
        """A row for each result, without the answer's own probability."""
        count = len(self._places)
        if not count:
            return np.zeros((0, len(RESULT_FEATURES) - 1))
        ranks = np.arange(1, count + 1)
        first = float(self._scores[0]) or 1.0
        cosine, logit = self._raw("encoder"), self._raw("code-reranker")
        columns = [
            np.log(ranks),
            (ranks == 1).astype(np.float64),
            np.clip(self._scores / first, 0.0, 1.0),
            self._covered,
            self._covered / max(float(self._covered.max()), 1e-9),
            self._agreement(),
            self._channel("mentions"),
            self._channel("messages"),
            _known_or(cosine - _mean(self._tapped.judged.get("encoder")), 0.0),
            _known_or(logit, 0.0),
            (~np.isnan(logit)).astype(np.float64),
            np.full(count, float(self._level == "file")),
        ]
        return np.stack(columns, axis=1)

    def referred(self) -> bool:
        """Whether the text is that of commits, one of which has changed the first candidate's file."""
        return self._tapped.speaker != THE_QUERY and bool((self._channel("references")[:1] > 0).any())

    def _coverage(self) -> tuple[Floats, dict[str, float]]:
        """The share of the query's rarity that each result covers, and what that says about the answer."""
        if not self._places or self._tapped.matched is None:
            return np.zeros(len(self._places)), dict.fromkeys(_COVERAGE, 0.0)
        terms = self._tapped.matched(self._places)
        covered: Floats = terms.present @ terms.rarity / max(float(terms.rarity.sum()), 1e-9)
        known = np.flatnonzero(terms.known)
        rarest = known[np.argsort(-terms.rarity[known], kind="stable")][:_RAREST]
        title = set(_WORD.findall(self._query.title.lower()))
        in_title = np.array([term in title for term in terms.terms], dtype=bool)
        everywhere = np.ones(len(terms.terms), dtype=bool)
        total = max(float(terms.rarity.sum()), 1e-9)
        return covered, {
            "covered_together": _share_of(terms.rarity, np.asarray(terms.present[:SHOWN].any(axis=0)), everywhere),
            "rarest_in_first": _share_of(terms.rarity[rarest], terms.present[0, rarest], everywhere[rarest]),
            "title_in_first": _share_of(terms.rarity, terms.present[0], in_title),
            "title_unknown": _share_of(terms.rarity, ~terms.known, in_title),
            "unknown": _share_of(terms.rarity, ~terms.known, everywhere),
            "names_known": self._names_known({term for term, yes in zip(terms.terms, terms.known, strict=True) if yes}),
            "strength": math.log1p(float(terms.rarity @ terms.present[0])),
            "lexical_strength": self._tapped.best.get("lexical", 0.0) / total,
            "commits_strength": self._tapped.best.get("commits", 0.0) / total,
        }

    def _names_known(self, known: set[str]) -> float:
        """The share of the names in the query that occur in the code; 1/2 without any."""
        names = {_WORD.findall(name.lower())[-1] for name in self._query.names if _WORD.search(name)}
        return len(names & known) / len(names) if names else 0.5

    def _margins(self) -> dict[str, float]:
        scores = self._scores[:SHOWN]
        first = abs(float(scores[0])) or 1.0
        others = scores[~self._say_the_same()[:SHOWN]]
        second = float(others[0]) if len(others) else 0.0
        return {
            "score": float(scores[0]),
            "margin": min(1.0, max(0.0, (float(scores[0]) - second) / first)),
            "margin_to_last": min(1.0, max(0.0, float(scores[0] - scores.min()) / first)),
            "one_file": max(map(self._files[:SHOWN].count, self._files[:SHOWN])) / len(scores),
        }

    def _say_the_same(self) -> Mask:
        """The first result, and those that say the same message: they are as right as it is, so they don't compete."""
        said = self._channel("messages")
        same: Mask = (said == said[0]) & (said[0] >= _QUOTED)
        same[0] = True
        return same

    def _model(self, signal: str, name: str) -> dict[str, float]:
        """A model's value for the first, and how far the best shown is above the mean of all that it read."""
        everything = self._tapped.judged.get(signal)
        shown = self._raw(signal)[:SHOWN]
        if everything is None or np.isnan(shown).all():
            return {name: 0.0, f"{name}_margin": 0.0, f"no_{name}": 1.0}
        best = float(np.nanmax(shown))
        first = float(shown[0])
        return {
            name: best if math.isnan(first) else first,
            f"{name}_margin": best - _mean(everything),
            f"no_{name}": 0.0,
        }

    def _raw(self, signal: str) -> Floats:
        values = self._tapped.judged.get(signal)
        return np.full(len(self._places), np.nan) if values is None else values[self._places]

    def _channel(self, signal: str) -> Floats:
        scores = self._tapped.scores.get(signal)
        return np.zeros(len(self._places)) if scores is None else scores[self._places]

    def _share(self, signal: str) -> Floats:
        """The candidates' shares of a channel's best score."""
        best = self._tapped.best.get(signal, 0.0)
        return self._channel(signal) / best if best > 0 else np.zeros(len(self._places))

    def _agreement(self) -> Floats:
        """The share of the channels that agree with each candidate."""
        shares = np.stack([self._share(signal) for signal in _CHANNELS])
        return np.asarray((shares >= AGREES).mean(axis=0), dtype=np.float64)


def _share_of(rarity: Floats, chosen: Mask, among: Mask) -> float:
    """The share of the chosen terms in the rarity of some terms; 0 if those are none."""
    whole = float(rarity @ among)
    return float(rarity @ (chosen & among)) / whole if whole > 0 else 0.0


def _mean(values: Floats | None) -> float:
    known = np.zeros(0) if values is None else values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0


def _known_or(values: Floats, default: float) -> Floats:
    return np.nan_to_num(values, nan=default)
