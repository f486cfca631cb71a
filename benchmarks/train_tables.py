"""What each part of the training recipe is worth, as Markdown, from the logs of its runs.

python benchmarks/train_tables.py [--results benchmarks/results/train] [--part dev]

A line is a variant: MRR on held-out repositories, of commits and where there are any of issues, then on the candidate
lists of one set of development issues the model alone and its best sum with the search. The weight of that sum was
chosen on the same issues.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results" / "train"
MEASURES = ("Acc@5", "Acc@10", "MRR")
SCORES = {"encoder": "encoder", "relevance": "cross-encoder"}
RUNS = {
    "run-1-recipe.json": {"vectors": "run 1, vectors", "both": "run 1, vectors and pairs"},
    "run-2-longer-pairs.json": {"more": "run 2, longer pairs"},
    "run-3-teacher.json": {
        "teacher as it comes": "the teacher as it comes",
        "teacher": "run 3, the teacher",
        "vectors": "run 3, vectors, taught",
        "both": "run 3, vectors and pairs, taught",
    },
}
ISSUES = "run-4-issues.json"
ISSUES_RUN = {
    "teacher": "run 4, the teacher of vectors",
    "reader": "run 4, the teacher of pairs",
    "vectors": "run 4, vectors",
    "both": "run 4, vectors and pairs",
}
Step = Mapping[str, Any]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=FOLDER)
    parser.add_argument("--part", choices=["lite-dev", "dev"], default="dev")
    arguments = parser.parse_args()
    ablations = steps(arguments.results / "ablations.json")
    tables = (
        variants_table(ablations, arguments.part),
        variants_table(whole_runs(arguments.results), arguments.part),
        variants_table(issues_run(arguments.results / ISSUES), arguments.part),
        static_table(
            ablations,
            {
                "run 1": steps(arguments.results / "run-1-recipe.json"),
                "run 3 (packaged)": steps(arguments.results / "run-3-teacher.json"),
            },
        ),
        mixes_table(steps(arguments.results / "mixes.json"), arguments.part),
    )
    print("\n\n".join("\n".join(table) for table in tables))


def steps(path: Path) -> list[Step]:
    """What a run wrote, in its order."""
    found: list[Step] = json.loads(path.read_text("utf-8"))["steps"]
    return found


def whole_runs(folder: Path) -> Iterator[Step]:
    """The judged steps of the long runs, under names that tell them apart."""
    for file, names in RUNS.items():
        for step in steps(folder / file):
            if step["what"] in names:
                yield {**step, "what": names[step["what"]]}


def issues_run(path: Path) -> Iterator[Step]:
    """The judged steps of the run with issues, after the models that it began with."""
    first, *others = steps(path)
    yield {"what": "run 3, as packaged", **first["base"]}
    yield from ({**step, "what": ISSUES_RUN[step["what"]]} for step in others if step["what"] in ISSUES_RUN)


def variants_table(found: Iterator[Step] | Sequence[Step], part: str) -> list[str]:
    """A line for each variant and score; first of all the search without a model."""
    judged = [step for step in found if step.get("lists")]
    search = chosen(judged[0]["lists"], part, "encoder")[0]
    issues = ["issues"] if any("issue MRR" in step for step in judged) else []
    lines = [
        row(
            "variant",
            "",
            "held-out MRR",
            *issues,
            *(f"{name} alone" for name in MEASURES),
            "weight",
            *(f"{name} in the sum" for name in MEASURES),
            "commit MRR",
        ),
        row(*["---"] * (11 + len(issues))),
        row(f"search only ({part})", *[""] * (6 + len(issues)), *(number(search[name]) for name in MEASURES), ""),
    ]
    for step in judged:
        for score, name in SCORES.items():
            if any(line["score"] == score for line in step["lists"]):
                lines.append(variant_row(step, part, score, name))
    return lines


def variant_row(step: Step, part: str, score: str, name: str) -> str:
    """One score of a variant. MRR over documents is the encoder's, that over past commits the cross-encoder's."""
    _, alone, best = chosen(step["lists"], part, score)
    own = step.get("dev MRR") if score == "encoder" else None
    past = step.get("commit MRR") if score == "relevance" else None
    issues = [number(step["issue MRR"] if score == "encoder" else None)] if "issue MRR" in step else []
    return row(
        step["what"],
        name,
        number(own),
        *issues,
        *(number(alone[one]) for one in MEASURES),
        f"{best['weight']:g}",
        *(number(best[one]) for one in MEASURES),
        number(past),
    )


def chosen(lists: Sequence[Step], part: str, score: str) -> tuple[Step, Step, Step]:
    """The search without the model, the model alone, and their best sum."""
    own = [line for line in lists if line["part"] == part and line["score"] == score]
    (search,) = [line for line in own if line["weight"] == 0.0]
    (alone,) = [line for line in own if line["weight"] == "alone"]
    (best,) = [line for line in own if line["weight"] not in (0.0, "alone")]
    return search, alone, best


def static_table(ablations: Sequence[Step], runs: Mapping[str, Sequence[Step]]) -> list[str]:
    """Static tables by width, then those of whole runs."""
    lines = [row("static table", "held-out MRR"), row("---", "---")]
    for step in ablations:
        if step["what"] == "table":
            how = "distilled" if step["distilled"] else "not distilled"
            lines.append(row(f"{step['dimensions']} dimensions, {how}", number(step["dev_mrr"])))
    lines += [
        row(f"{step['dimensions']} dimensions, {name}", number(step["dev_mrr"]))
        for name, run in runs.items()
        for step in run
        if step["what"] == "table"
    ]
    return lines


def mixes_table(found: Sequence[Step], part: str) -> list[str]:
    """Interpolations of the base and run 1: the encoder alone and at weight 0.75."""
    names = (*(f"{name} alone" for name in MEASURES), *(f"{name} at .75" for name in MEASURES))
    lines = [row("share of run 1", "tokens of a query", "held-out MRR", *names), row(*["---"] * 9)]
    for step in sorted(found, key=lambda step: float(step["share"])):
        encoder = [line for line in step["lists"] if line["part"] == part and line["score"] == "encoder"]
        for tokens in dict.fromkeys(line["query_tokens"] for line in encoder):
            by_weight = {line["weight"]: line for line in encoder if line["query_tokens"] == tokens}
            values = [number(by_weight[weight][name]) for weight in ("alone", 0.75) for name in MEASURES]
            lines.append(row(f"{step['share']:g}", str(tokens), number(step["dev MRR"]), *values))
    return lines


def row(*cells: str) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def number(value: float | None) -> str:
    """Three places without the zero before the point; nothing for nothing."""
    return "" if value is None else f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
