"""What ReCo changes in style, by four metrics, and whether style explains what is found: its paper's two tests on MBPP.

python benchmarks/style.py DATA TEXTS [--without-ids FILE] [--json results/style-mbpp.json]

DATA is mbpp.jsonl or its folder; TEXTS is a folder with mbpp-exemplars.jsonl (code that a language model wrote for each
question) and mbpp-rewrites.jsonl (code that it wrote from its own summary of each answer), lines with `id` and `code`.
FILE lists ids whose questions are left out of a second count; their snippets stay candidates.

1. M(exemplar, rewrite) against M(exemplar, original): the first should be higher where ReCo finds more than GAR. The
   paper compares the means of sixteen runs; here is one run, so queries are compared: does the gain in M go with the
   gain in reciprocal rank?
2. Does the exemplar of the highest M(exemplar, original) find more than any? The paper picks among four exemplars of a
   question. Here is one, so the pick is between it and the rewrite of the answer, which the model wrote in the same way
   but from its summary of the answer in place of the question. Either may be the better one throughout, so a pick is
   also tested against always taking the exemplar. And over queries: does M(exemplar, original) go with the reciprocal
   rank that the exemplar gives? As in the paper, a pick looks at the answer: it tells metrics apart and finds nothing.

Retrieval is BM25 (bm25s, k1 = 0.9, b = 0.4) with N = 1: query + exemplar against code, or against code + rewrite. It is
run with this program's parts of identifiers as tokens, and with what Pyserini's analyzer makes, as in the paper. Names
are weighed by their rarity in all three texts of all questions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import keep, new_parser
from style_figures import METRICS, TERMS, Column, figures, print_figures
from whitespace_bm25 import Tokenizer, identifier_parts, lucene, reciprocal_ranks

from trackdown.lab.benches.records import Refusals, read_records
from trackdown.lab.benches.snippet_sets import read_mbpp
from trackdown.lab.measure.style.cssim import NameWeights, tree_distance, weights_from
from trackdown.lab.measure.style.scores import style_scores
from trackdown.lab.measure.style.snippet import Snippet, read_snippet

WAYS: dict[str, Tokenizer] = {"parts of identifiers": identifier_parts, "lucene": lucene}
PAIRS = (("exemplar", "rewrite"), ("exemplar", "original"), ("rewrite", "original"))


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its answer, an exemplar for it, and the answer rewritten."""

    id: int
    query: str
    original: str
    exemplar: str
    rewrite: str


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--without-ids", type=Path)
    arguments = parser.parse_args()
    items = read_items(arguments.data, arguments.texts)
    snippets = [
        {kind: read_snippet(getattr(item, kind), "python") for kind in ("original", "exemplar", "rewrite")}
        for item in items
    ]
    started = time.perf_counter()
    likeness = measure_styles(snippets)
    seconds = time.perf_counter() - started
    found = {way: retrieve(items, cut) for way, cut in WAYS.items()}
    sets = {"all": list(range(len(items)))}
    if arguments.without_ids is not None:
        left_out = set(map(int, arguments.without_ids.read_text("utf-8").split()))
        sets["without suspect ids"] = [place for place, item in enumerate(items) if item.id not in left_out]
    answer: dict[str, Any] = {
        "sets": {name: figures(places, likeness, found) for name, places in sets.items()},
        "tree distance": judge_the_bound(snippets),
        "ms per comparison": round(1000 * seconds / (len(PAIRS) * len(items)), 1),
    }
    print_figures(answer)
    keep(answer, arguments.json)


def read_items(data: Path, texts: Path) -> list[Item]:
    """All questions with their texts. Ends the program where one is missing, since figures would not compare."""
    exemplars, rewrites = (read_codes(texts / f"mbpp-{kind}.jsonl") for kind in ("exemplars", "rewrites"))
    found = read_mbpp(data, Refusals(data, strict=True))
    items = []
    for question in found.questions:
        number = int(question.id.removeprefix("mbpp/"))
        if number not in exemplars or number not in rewrites:
            raise SystemExit(f"{texts}: no exemplar or no rewrite for {question.id}")
        original = found.snippets[question.answer]
        items.append(Item(number, question.query, original, exemplars[number], rewrites[number]))
    return items


def read_codes(path: Path) -> dict[int, str]:
    """The code of each id."""
    rows = [record for _, record in read_records(path)]
    return {row["id"]: row["code"] for row in rows if not isinstance(row, str)}


def measure_styles(snippets: Sequence[Mapping[str, Snippet]]) -> dict[str, dict[str, Column]]:
    """Every metric and term of all pairs of texts: by pair, then by name, a value for each question."""
    weights = weights_from(snippet.names for one in snippets for snippet in one.values())
    likeness: dict[str, dict[str, Column]] = {}
    for candidate, reference in PAIRS:
        rows = [values(one[reference], one[candidate], weights) for one in snippets]
        likeness[f"{candidate}, {reference}"] = {name: [row[name] for row in rows] for name in (*METRICS, *TERMS)}
    return likeness


def values(reference: Snippet, candidate: Snippet, weights: NameWeights) -> dict[str, float | None]:
    """Every metric, and the terms of CSSim as likeness; None where one does not exist."""
    scores = style_scores(reference, candidate, weights)
    terms = (scores.cssim.variables, scores.cssim.calls, scores.cssim.tree)
    alike = [None if distance is None else 1 - distance for distance in terms]
    return {**scores.metrics(), **dict(zip(TERMS, alike, strict=True))}


def retrieve(items: Sequence[Item], cut: Tokenizer) -> dict[str, list[float]]:
    """The reciprocal rank of every answer: by the query, by GAR, by ReCo, and by GAR with the rewrite as exemplar."""
    places = range(len(items))
    codes = [item.original for item in items]
    both = [f"{item.original}\n{item.rewrite}" for item in items]
    with_exemplar = [f"{item.query}\n{item.exemplar}" for item in items]
    with_rewrite = [f"{item.query}\n{item.rewrite}" for item in items]
    return {
        "query": reciprocal_ranks([item.query for item in items], codes, places, cut),
        "GAR": reciprocal_ranks(with_exemplar, codes, places, cut),
        "ReCo": reciprocal_ranks(with_exemplar, both, places, cut),
        "GAR by the rewrite": reciprocal_ranks(with_rewrite, codes, places, cut),
    }


def judge_the_bound(snippets: Sequence[Mapping[str, Snippet]]) -> dict[str, Any]:
    """How near the bound that stands in for the distance of large trees comes to it, on trees that are not large."""
    pairs = [(one[a].tree, one[b].tree) for one in snippets for a, b in PAIRS[:2]]
    exact = np.array([tree_distance(a, b, exact_steps=1 << 62).value for a, b in pairs])
    bound = np.array([tree_distance(a, b, exact_steps=0).value for a, b in pairs])
    return {
        "pairs": len(pairs),
        "exact by default": sum(tree_distance(a, b).exact for a, b in pairs),
        "most nodes": max(len(tree.labels) for pair in pairs for tree in pair),
        "mean": round(float(exact.mean()), 4),
        "mean of the lower bound": round(float(bound.mean()), 4),
        "largest difference": round(float((exact - bound).max()), 4),
    }


if __name__ == "__main__":
    main()
