"""Quality by how many candidates the models read: the hand-set sum over features that `train ranker` collected.

python benchmarks/read_depths.py DATA.jsonl … --features FOLDER [--depths 100/20,200/40] [--json FILE]

A depth is how many candidates the encoder compares and how many the cross-encoder reads, at most as many as were read
when the features were collected. Nothing is searched or read again. Acc@k counts an issue whose gold is not among the
collected candidates as missed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from measure import keep, new_parser

from trackdown.lab.train.hand_set import hand_set_scores
from trackdown.lab.train.ranker_fit import READING
from trackdown.lab.train.ranker_training import found_measures
from trackdown.lab.train.ranking_data import RankingExample, read_ranking_examples

DEPTHS = "40/20,60/20,80/20,100/10,100/15,100/20,100/40,150/20,200/20,200/40"
MEASURES = ("Acc@5", "Acc@10", "MRR")


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--depths", default=DEPTHS)
    arguments = parser.parse_args()
    depths = [tuple(map(int, depth.split("/"))) for depth in arguments.depths.split(",")]
    sets = {path.stem: list(examples_of(path, arguments.features)) for path in arguments.data}
    report = {f"{encoder}/{code}": at_depth(sets, (encoder, code)) for encoder, code in depths}
    for name, found in report.items():
        print(f"{name:<8}" + "  ".join(f"{of} " + "/".join(f"{value:.3f}" for value in found[of]) for of in found))
    cases = {name: len(examples) for name, examples in sets.items()}
    keep({"measures": MEASURES, "cases": cases, "depths": report}, arguments.json)


def examples_of(data: Path, features: Path) -> Iterator[RankingExample]:
    """The examples of a set of issues."""
    ids = {json.loads(line)["instance_id"] for line in data.read_text("utf-8").splitlines()}
    for example in read_ranking_examples(sorted(features.glob("*.function.npz"))):
        if example.id in ids:
            yield example


def at_depth(sets: dict[str, list[RankingExample]], depths: Sequence[int]) -> dict[str, list[float]]:
    """The measures of each set, and their mean over the sets."""
    found = {}
    for name, examples in sets.items():
        each = [found_measures(example, hand_set_scores(example, READING, depths)[-1]) for example in examples]
        found[name] = [round(fmean(values[measure] for values in each), 4) for measure in MEASURES]
    found["mean"] = [round(fmean(column), 4) for column in zip(*found.values(), strict=True)]
    return found


if __name__ == "__main__":
    main()
