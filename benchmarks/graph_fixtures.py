"""How the graph's edges compare with those that people checked, for every language that has a fixture.

python benchmarks/graph_fixtures.py [--json RESULT]        (from the project's folder)
"""

from __future__ import annotations

import sys
from pathlib import Path

from measure import keep, new_parser

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.graph.programs import agreement


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    arguments = parser.parse_args()
    fixtures = Path(__file__).parents[1] / "tests" / "graph" / "fixtures"
    answer = {}
    for folder in sorted(path.parent for path in fixtures.glob("*/edges.txt")):
        found = agreement(folder)
        answer[folder.name] = {
            "edges": found.right + len(found.missed),
            "precision": round(found.precision, 4),
            "recall": round(found.recall, 4),
        }
        print(folder.name, answer[folder.name])
    keep({"languages": answer}, arguments.json)


if __name__ == "__main__":
    main()
