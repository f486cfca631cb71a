"""Is an answer's probability worth anything? Issues, and questions without an answer, that no fit has seen.

python benchmarks/doubt.py ISSUES.jsonl... --repos FOLDER --data FOLDER [--layout ...] [--calibration FILE]
    [--figure FILE] [--json FILE]

Issues are SWE-bench-shaped. Beside them 50 questions are nonsense, 50 are off-topic and 100 are issues of another
repository in the same language. Reports, for functions and files together and apart: expected calibration error in
ten bins of equal mass, Brier score, AUROC, and the shares that are called weak. --calibration judges what
`trackdown train confidence --out` wrote instead of the packaged calibration.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from measure import keep, new_parser

from trackdown.confidence import calibration_of, load_calibration
from trackdown.lab.report import reliability_diagram
from trackdown.lab.train import QUESTIONS, collect_answers, judge_confidence, read_questions
from trackdown.settings import load_settings


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("issues", type=Path, nargs="+")
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--data", type=Path, required=True, help="folder for collected answers, to go on from")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--calibration", type=Path, metavar="FILE")
    parser.add_argument("--figure", type=Path, help="SVG file for the reliability diagram")
    arguments = parser.parse_args()
    tasks = read_questions(arguments.issues, arguments.repos, arguments.layout, QUESTIONS)
    answers = collect_answers(tasks, arguments.data, load_settings(), jobs=arguments.jobs, progress=_tell)
    fitted = arguments.calibration
    calibration = load_calibration() if fitted is None else calibration_of(json.loads(fitted.read_text("utf-8")))
    report = judge_confidence(answers, calibration)
    if arguments.figure is not None:
        arguments.figure.write_text(reliability_diagram(report.scores), "utf-8")
    value = {"issues": [path.name for path in arguments.issues], **report.as_dict()}
    print(json.dumps({name: part for name, part in value.items() if name not in ("answers", "results")}, indent=1))
    for name, one in report.scores.items():
        print(f"{name:<20} {one.count:>6} ECE {one.ece:.3f} Brier {one.brier:.3f} AUROC {one.auroc:.3f}")
    keep(value, arguments.json)
    return 0


def _tell(step: str, done: int, total: int | None) -> None:
    print(f"{step} {done} of {total}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
