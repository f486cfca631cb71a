"""Search a repository from Python: python examples/search.py "where is the cookie signed?" [PATH]"""

from __future__ import annotations

import sys

import trackdown


def main(query: str, path: str = ".") -> None:
    """Print the five best functions, what matched in each, and the share of each signal in its score."""
    repository = trackdown.open(path)
    found = repository.search(query, k=5, effort="fast")
    for result in found:
        print(f"{result.rank}. {result.path}:{result.start_line}  {result.symbol}  (score {result.score:.2f})")
        print(f"     {result.reason}")
        print("     " + ", ".join(f"{why.signal} {why.value:.2f}" for why in result.why))
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
