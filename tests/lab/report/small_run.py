"""Two modes on three cases of two repositories, small enough to compute by hand, and one case that was skipped."""

from __future__ import annotations

from trackdown.lab.cases import CodeLocation
from trackdown.lab.runs import Row

F, G, H, K = CodeLocation("a.py", "f"), CodeLocation("b.py", "g"), CodeLocation("b.py", "h"), CodeLocation("", "k")
OTHER = tuple(CodeLocation("o.py", f"other{number}") for number in range(20))
FOUND_K = CodeLocation("z.py", "Class.k")


def row(
    case: str, mode: str, ranked: tuple[CodeLocation, ...], gold: tuple[CodeLocation, ...], ms: float, repository: str
) -> Row:
    """One row; scores fall with the rank."""
    scores = tuple(1.0 / rank for rank in range(1, len(ranked) + 1))
    return Row(case, mode, ranked, scores, ms, gold, "hand", "function", repository, f"query of {case}", config="c")


def small_run() -> list[Row]:
    """Reciprocal ranks: x 1, 1/2, 0; y 1/2, 1, 1/4. The first two cases are of one repository."""
    return [
        row("c1", "x", (F, *OTHER), (F,), 10.0, "one"),
        row("c2", "x", (OTHER[0], G, *OTHER[1:]), (G, H), 20.0, "one"),
        row("c3", "x", OTHER, (K,), 30.0, "two"),
        row("c1", "y", (OTHER[0], F, *OTHER[1:]), (F,), 40.0, "one"),
        row("c2", "y", (G, OTHER[0], H, *OTHER[1:]), (G, H), 50.0, "one"),
        row("c3", "y", (*OTHER[:3], FOUND_K, *OTHER[3:]), (K,), 60.0, "two"),
        Row("c4", "x", repository="two", skipped="commit not in the clone"),
        Row("c4", "y", repository="two", skipped="commit not in the clone"),
    ]
