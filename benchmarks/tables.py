"""The tables of benchmarks/README.md that show result files, written from those files.

python benchmarks/tables.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. With --check nothing is written, and the exit status
is 1 if a table differs from what the result files say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER / "README.md"
RESULTS = FOLDER / "results"
PART = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
DEFAULT = "… + encoder@100 + code reranker@20"
MODES = {
    "bm25": "bm25",
    "bm25+mentions+commits": "lexical hybrid",
    "dense": "static vectors alone",
    "hybrid": "hybrid, with static vectors",
    "hybrid+rerank@20": "… + encoder@20 + code reranker@20",
    "hybrid+rerank": DEFAULT,
    "hybrid+encoder@100+code-reranker@20": DEFAULT,
}
Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows for every mode of some result files: (what the row is called, the file), the metrics, and one's interval."""

    name: str
    rows: Sequence[tuple[str, str]]
    metrics: Sequence[str]
    interval: str = "MRR"
    figures: str = "modes"
    """`modes` are means over cases, `macro` means over repositories."""

    def lines(self) -> Iterator[str]:
        """The table as Markdown."""
        header = [self.name, "", *self.metrics, f"95 % of {self.interval}"]
        yield row(header)
        yield "|---" * len(header) + "|"
        for title, file in self.rows:
            report = json.loads((RESULTS / f"{file}.json").read_text("utf-8"))
            for mode, values in report[self.figures].items():
                cells = [three_digits(values[metric]) for metric in self.metrics]
                low, high = report["intervals"][mode][self.interval]
                label = f"[{title}](results/{file}.json) ({report['scored'][mode]})"
                yield row([label, MODES[mode], *cells, f"{three_digits(low)}–{three_digits(high)}"])


TABLES = {
    "functions": Table(
        "functions",
        [("lite-dev", "swe-lite-dev-function-packaged")],
        ["Acc@1", "Acc@5", "Acc@10", "R@20", "MRR"],
    ),
    "files": Table(
        "files",
        [("lite-dev", "swe-lite-dev-file-packaged")],
        ["Acc@1", "Acc@3", "Acc@5", "R@10", "MRR"],
    ),
    "cmu": Table(
        "CMU, files",
        [(name, f"cmu-{name}-models") for name in ("django", "react", "redis")],
        ["MAP", "MRR", "P@1", "R@10", "R@100"],
    ),
    "semble": Table(
        "semble, files", [("22 repositories", "semble-models")], ["nDCG@10", "MRR", "P@1"], "nDCG@10", "macro"
    ),
    "history": Table(
        "history, symbols", [("flask, requests, click", "history-past-models")], ["MRR", "R@10", "nDCG@10"]
    ),
    "text2code": Table(
        "text → code",
        [(name, f"text2code-{name}-models") for name in ("mbpp", "conala", "cosqa")],
        ["MRR", "R@1", "R@10"],
    ),
}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a table is out of date")
    check = parser.parse_args().check
    text = PAGE.read_text("utf-8")
    made = with_tables(text)
    if check:
        return int(made != text)
    PAGE.write_text(made, "utf-8")
    return 0


def with_tables(text: str) -> str:
    """A page with its tables written anew."""
    return PART.sub(lambda found: found[1] + "\n".join(TABLES[found[2]].lines()) + "\n" + found[4], text)


def row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def three_digits(value: float) -> str:
    """`.123`, as the page writes shares."""
    return f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    sys.exit(main())
