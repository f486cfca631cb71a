"""BM25 on text-to-code sets by several ways to cut text into tokens: where ours and published figures part.

python benchmarks/whitespace_bm25.py DATA [--sets mbpp,mbjp,conala] [--json results/text2code-tokens.json]

DATA is a folder with mbpp.jsonl, mbjp.json and conala-test.json, as ReCo uses them. Every way ranks the same snippets
with the same formula (Lucene's BM25 by bm25s, k1 = 0.9, b = 0.4, the defaults of Pyserini, which ReCo's paper names);
only the tokens differ. `lucene` does what Pyserini's default analyzer does: words by Unicode's rules, which keep
`find_volume` and `self.name` whole, lower case, 33 stop words, Porter's stems (Snowball's form, which differs from
Lucene's in the endings -bly and -logy). `trackdown` is this program's own search
in the mode `bm25`, also with the names of functions and variables replaced (AdvTest's normalisation). One comment of
MBJP repeats its problem and is left out by our reader; as published, it answers to every `Write a function to find`.
Prints MRR × 100; equal scores rank in the order of the data, and what shares no token is not found.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import snowballstemmer
from measure import keep, new_parser

from trackdown.lab.benches.text2code import SET_NAMES, read_text2code
from trackdown.lab.evaluations import evaluation
from trackdown.lab.run import search_bundle
from trackdown.lab.run_plan import plan
from trackdown.lab.tasks import Bench
from trackdown.settings import load_settings
from trackdown.units.tokens import terms, words

PUBLISHED = {"mbpp": 12.6, "mbjp": 11.3, "conala": 52.6}
"""BM25 in table 1 of ReCo's paper."""

Tokenizer = Callable[[str], list[str]]
stem: Callable[[str], str] = cache(snowballstemmer.stemmer("porter").stemWord)

_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
# Unicode's word boundaries (UAX 29) as far as code needs them: `_` joins all, `.` `'` and `:` join letters, and `.` `'`
# `,` and `;` join digits.
_UNICODE_WORD = re.compile(r"\w+(?:(?:(?<=[^\W\d_])[.:'’](?=[^\W\d_])|(?<=\d)[.,;'](?=\d))\w+)*")
_PUNCTUATION = re.compile(r"\w+|[^\w\s]")


def lucene_words(text: str) -> list[str]:
    """What Lucene's StandardTokenizer gives, without the possessive 's and in lower case."""
    return [re.sub(r"['’]s$", "", word.lower()) for word in _UNICODE_WORD.findall(text)]


def lucene(text: str) -> list[str]:
    """What Pyserini's default analyzer gives."""
    return [stem(word) for word in lucene_words(text) if word not in _STOP_WORDS]


def identifier_parts(text: str) -> list[str]:
    """This program's terms: each identifier whole, and its parts."""
    return [term for word in words(text) for term in terms(word)]


WAYS: dict[str, Tokenizer] = {
    "white space, case kept": str.split,
    "white space": lambda text: text.lower().split(),
    "white space and punctuation, case kept": _PUNCTUATION.findall,
    "white space and punctuation": lambda text: _PUNCTUATION.findall(text.lower()),
    "lucene without stop words and stems": lucene_words,
    "lucene": lucene,
    "whole identifiers": lambda text: [word.lower() for word in words(text)],
    "whole identifiers, stems": lambda text: [stem(w.lower()) for w in words(text) if w.lower() not in _STOP_WORDS],
    "parts of identifiers": identifier_parts,
    "parts of identifiers, stems": lambda text: [stem(t) for t in identifier_parts(text) if t not in _STOP_WORDS],
}


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default=",".join(PUBLISHED))
    arguments = parser.parse_args()
    chosen = [name for name in SET_NAMES if name in arguments.sets.split(",")]
    answer = {name: measure(name, arguments.data) for name in chosen}
    print(json.dumps(answer, indent=2, ensure_ascii=False))
    keep({"MRR x 100": answer}, arguments.json)


def measure(name: str, data: Path) -> dict[str, Any]:
    """MRR by every way, and of this program, on one set."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bench = read_text2code(name, data, folder, normalise_names=False, strict=True)
        files = sorted(Path(bench.tasks[0].place).glob("[0-9]*"))
        snippets = [path.read_text("utf-8") for path in files]
        number = {path.name: place for place, path in enumerate(files)}
        answers = [number[task.gold[0].path] for task in bench.tasks]
        queries = [task.query for task in bench.tasks]
        ways = {way: 100 * mrr(queries, snippets, answers, cut) for way, cut in WAYS.items()}
        if name == "mbjp":
            ways["lucene, all comments left in"] = 100 * mrr(queries, raw_solutions(bench, data), answers, lucene)
        ways["trackdown"] = 100 * searched(bench, folder / "store")
        if name != "mbjp":
            bench = read_text2code(name, data, folder, normalise_names=True, strict=True)
            ways["trackdown, names normalised"] = 100 * searched(bench, folder / "store")
    shown: dict[str, Any] = {way: round(value, 1) for way, value in ways.items()}
    return {"queries": len(queries), "snippets": len(snippets), "published BM25": PUBLISHED.get(name), **shown}


def raw_solutions(bench: Bench, data: Path) -> list[str]:
    """MBJP's solutions as they were published, in the order of the questions."""
    path = data / "mbjp.json" if data.is_dir() else data
    solutions = {item["task_id"].lower(): item["canonical_solution"] for item in json.loads(path.read_text("utf-8"))}
    return [solutions[task.id] for task in bench.tasks]


def mrr(queries: Sequence[str], snippets: Sequence[str], answers: Sequence[int], cut: Tokenizer) -> float:
    """The mean reciprocal rank of the answers among the snippets."""
    return sum(reciprocal_ranks(queries, snippets, answers, cut)) / len(queries)


def reciprocal_ranks(
    queries: Sequence[str], snippets: Sequence[str], answers: Sequence[int], cut: Tokenizer
) -> list[float]:
    """Of every query the reciprocal rank of its answer among the snippets; 0 where they share no token."""
    index = bm25s.BM25(method="lucene", k1=0.9, b=0.4)
    index.index([cut(snippet) for snippet in snippets], show_progress=False)
    found = []
    for query, answer in zip(queries, answers, strict=True):
        known = [token for token in cut(query) if token in index.vocab_dict]
        scores = index.get_scores(known) if known else np.zeros(len(snippets))
        own = scores[answer]
        before = int(np.sum(scores > own)) + int(np.sum(scores[:answer] == own))
        found.append(1 / (1 + before) if own > 0 else 0.0)
    return found


def searched(bench: Bench, store: Path) -> float:
    """The mean reciprocal rank of this program's own search."""
    way = plan(bench, ["bm25"], load_settings(store=store))
    return evaluation("bm25", search_bundle([(task, ("bm25",)) for task in bench.tasks], way)).mrr


if __name__ == "__main__":
    main()
