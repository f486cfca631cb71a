"""How good is a model on the candidates of benchmark cases? Each head alone, and all in the ranking's sum, in int8.

The sum is that of a search: the search's score, the encoder's two scores over the first candidates, and the
cross-encoder's over the first of the order that these give.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from trackdown.errors import ModelError, TrackdownError, UsageError
from trackdown.lab.measure import JudgedRanking, metric
from trackdown.lab.train.batches import Ragged, pair, single
from trackdown.lab.train.candidates import ENDING, CandidateSet, read_candidates
from trackdown.lab.train.recipe import chosen_device
from trackdown.lab.train.training_state import load_base
from trackdown.lab.train.transformer import Bert, from_checkpoint, max_similarity
from trackdown.rerank import RerankWeights, clipped_z_scores

Floats = npt.NDArray[np.float64]
Order = npt.NDArray[np.int64]
MEASURES = ("Acc@5", "Acc@10", "MRR")
SEARCH, VECTOR, LATE, PAIRS, SUM = "search", "one vector", "late interaction", "cross-encoder", "in the ranking"
QUERY_TOKENS, TEXT_TOKENS, PAIR_QUERY_TOKENS, PAIR_TOKENS = 510, 222, 190, 384
CODE_READ = 20
"""How many candidates the cross-encoder reads in a search."""
_DRAWS = 1000
_TEXTS_AT_ONCE = 128
Values = dict[str, Floats]
"""Row of the report → a value of each measure for every case, [cases, measures]."""


@dataclass(frozen=True, slots=True)
class Readable:
    """The queries and candidates of a set on a device. Candidates of case c are texts `start[c]` to `start[c + 1]`."""

    queries: Ragged
    texts: Ragged
    start: tuple[int, ...]
    device: str

    @staticmethod
    def of(found: CandidateSet, device: str) -> Readable:
        queries = Ragged.of(found.query, found.query_start, device)
        texts = Ragged.of(found.text, found.text_start, device)
        return Readable(queries, texts, tuple(map(int, found.case_start)), device)


@torch.no_grad()
def scores_of(model: Bert, found: Readable, case: int) -> dict[str, Floats]:
    """What each head says of the candidates of a case."""
    queries, texts, device = found.queries, found.texts, found.device
    rows = torch.arange(found.start[case], found.start[case + 1], device=device)
    asked = torch.tensor([case], device=device)
    vector, tokens = model.read(*single(queries, asked, max(1, min(QUERY_TOKENS, int(queries.lengths(asked))))))
    heads: dict[str, list[torch.Tensor]] = {VECTOR: [], LATE: [], PAIRS: []}
    for some in torch.split(rows, _TEXTS_AT_ONCE):
        width = max(1, int(texts.lengths(some).max()))
        read, parts = model.read(*single(texts, some, min(TEXT_TOKENS, width)))
        heads[VECTOR].append(read @ vector[0])
        heads[LATE].append(max_similarity(tokens, parts[None])[0])
        together = (queries, asked.expand(len(some)), texts, some, PAIR_QUERY_TOKENS)
        longest = min(PAIR_TOKENS, width + int(queries.lengths(asked).clamp(max=PAIR_QUERY_TOKENS)) + 3)
        heads[PAIRS].append(model.relevance(*pair(*together, longest)))
    return {name: torch.cat(values).double().cpu().numpy() for name, values in heads.items()}


def in_the_ranking(search: Floats, factors: Floats, heads: Mapping[str, Floats], weights: RerankWeights) -> Order:
    """The order of a search in which these models read: the cross-encoder orders the first candidates anew."""
    best = float(np.abs(search).max(initial=0.0))
    total = weights.fused * search / best if best else np.zeros_like(search)
    total = total + factors * weights.encoder * clipped_z_scores(heads[VECTOR])
    total = total + factors * weights.late * clipped_z_scores(heads[LATE])
    order = ordered(total)
    first = order[:CODE_READ]
    read = total[first] + factors[first] * weights.code * clipped_z_scores(heads[PAIRS][first])
    return np.concatenate([first[ordered(read)], order[CODE_READ:]])


def ordered(scores: Floats) -> Order:
    """Candidates by score; those of equal score keep their order."""
    return np.argsort(-scores, kind="stable")


def judged(order: Order, gold: npt.NDArray[np.bool_], missed: int) -> list[float]:
    """The measures of one ranking."""
    ranks = tuple((np.flatnonzero(gold[order]) + 1).tolist())
    ranking = JudgedRanking(ranks, len(ranks) + missed)
    return [metric(name)(ranking) for name in MEASURES]


def judge_model(model: Bert | None, found: CandidateSet, device: str) -> Values:
    """The measures of every case by each head and in the ranking; of the search alone without a model."""
    rows: dict[str, list[list[float]]] = {}
    readable = Readable.of(found, device)
    for case in range(found.cases):
        part = slice(int(found.case_start[case]), int(found.case_start[case + 1]))
        search, factors = found.score[part].astype(np.float64), found.factor[part].astype(np.float64)
        orders = {SEARCH: ordered(search)}
        if model is not None:
            heads = scores_of(model, readable, case)
            orders = {name: ordered(scores) for name, scores in heads.items()}
            orders[SUM] = in_the_ranking(search, factors, heads, RerankWeights())
        for name, order in orders.items():
            rows.setdefault(name, []).append(judged(order, found.gold[part], int(found.missed[case])))
    return {name: np.array(values) for name, values in rows.items()}


def summary(sets: Sequence[Floats], names: Sequence[str], minus: Sequence[Floats] | None = None) -> dict[str, Any]:
    """Means of the sets' means with 95 % intervals, by resampling cases within each set; of differences to `minus`."""
    values = sets if minus is None else [ours - theirs for ours, theirs in zip(sets, minus, strict=True)]
    chance = np.random.default_rng(0)
    draws = np.mean([_resampled(one, chance) for one in values], axis=0)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    report = {"mean": np.mean([one.mean(axis=0) for one in values], axis=0), "low": low, "high": high}
    found: dict[str, Any] = {name: _rounded(one) for name, one in report.items()}
    if minus is None:
        found["sets"] = {name: _rounded(one.mean(axis=0)) for name, one in zip(names, values, strict=True)}
    return found


def _resampled(values: Floats, chance: np.random.Generator) -> Floats:
    means: Floats = values[chance.integers(0, len(values), (_DRAWS, len(values)))].mean(axis=1)
    return means


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), 4) for value in values]


def judge_models(
    models: Sequence[Path], candidates: Sequence[Path], *, full: bool = False, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """A report on several models. Each but the first is also compared with the first, case by case.

    Models compute as their int8 graphs would, or with `full` in full precision. Raises UsageError and ModelError for
    what is not there.
    """
    if not candidates:
        raise UsageError("there are no candidates: write them with `trackdown train candidates`")
    sets = {path.name.removesuffix(".00").removesuffix(ENDING): read_candidates(path) for path in candidates}
    if empty := [name for name, found in sets.items() if not found.cases]:
        raise UsageError(f"{empty[0]} has no case: write it again with `trackdown train candidates`")
    names, device = list(sets), chosen_device()
    torch.set_float32_matmul_precision("highest")
    report: dict[str, Any] = {
        "measures": list(MEASURES),
        "cases": {name: found.cases for name, found in sets.items()},
        "precision": "full" if full else "int8",
        "search": summary([judge_model(None, found, device)[SEARCH] for found in sets.values()], names),
        "models": {},
    }
    first: list[Values] = []
    for folder in models:
        model = _opened(folder, full).to(device)
        values = [judge_model(model, found, device) for found in sets.values()]
        first = first or values
        rows = {name: summary([one[name] for one in values], names) for name in values[0]}
        if values is not first:
            for name, row in rows.items():
                row["against the first"] = summary([one[name] for one in values], names, [one[name] for one in first])
        report["models"][str(folder)] = rows
        say(f"{folder}: " + "; ".join(f"{name} {_spelled(row['mean'])}" for name, row in rows.items()))
    return report


def _opened(folder: Path, full: bool) -> Bert:
    state, _ = load_base(folder)
    torch.manual_seed(0)  # heads that a checkpoint does not have begin at random
    try:
        model = from_checkpoint(state).eval()
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"{folder} has no BERT ({error})") from None
    model.round_to_int8(not full)
    return model


def _spelled(means: Sequence[float]) -> str:
    return "/".join(f"{mean:.3f}".lstrip("0") for mean in means)


def main(arguments: Sequence[str] | None = None) -> None:
    """`python -m trackdown.lab.train.judge MODELS --candidates FILES`: `trackdown train judge` with torch and numpy."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--candidates", type=Path, nargs="+", required=True)
    parser.add_argument("--full", action="store_true", help="full precision instead of int8")
    parser.add_argument("--json", type=Path, help="file for the report")
    given = parser.parse_args(arguments)
    try:
        report = judge_models(given.models, given.candidates, full=given.full)
    except TrackdownError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    text = json.dumps(report, indent=1)
    if given.json is not None:
        given.json.write_text(text + "\n", "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
