"""Does structure help? SpIDER's expansion over centres, depth, pool, edges and selectors, on SWE-bench-shaped issues.

python benchmarks/graph_sweep.py DATA.jsonl [DATA.jsonl …] --repos FOLDER [--layout …] --json RESULT [--plot FIGURE.svg]

For each base (bm25: SpISR; hybrid) Recall@20 and Acc@20 of functions, with bootstrap intervals, and milliseconds per
query. It also asks why: how often is a neighbour of the best five gold, and how often the place that it would take?
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measure import describe_run

import trackdown
from trackdown.engine import Prepared, default_plan, rank, with_mode
from trackdown.expand.spider import Expansion
from trackdown.graph.edges import EDGE_TYPES, EdgeType
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.cases import Place
from trackdown.lab.measure.bootstrap import bootstrap_interval
from trackdown.lab.measure.judged import Judged, judge
from trackdown.lab.measure.metrics import metric
from trackdown.lab.tasks import Task
from trackdown.pipeline import SearchPlan
from trackdown.settings import load_settings

BASES = ("bm25", "hybrid")
SPIDER = Expansion(selector="none", each=1000)
METRICS = ("R@20", "Acc@20", "MRR", "Acc@5")


@dataclass(frozen=True, slots=True)
class Variant:
    """One setting of the sweep: in which panel it stands, under which name."""

    panel: str
    name: str
    expansion: Expansion | None


def variants() -> list[Variant]:
    """One parameter at a time, the others as in the paper (C=5, d=4, N=500, contains); what helps most stays."""
    found = [Variant("", "plain", None), Variant("", "none", SPIDER)]
    for threshold in (0.5, 0.7, 0.9):
        chosen = replace(SPIDER, selector="scores", threshold=threshold)
        found.append(Variant("selector", f"scores ≥ {threshold}", chosen))
    for each in (1, 3):
        found.append(Variant("selector", f"best {each}", replace(SPIDER, each=each)))
    found += [Variant("C", str(number), replace(SPIDER, centres=number, each=3)) for number in (1, 3, 5, 10)]
    found += [Variant("d", str(number), replace(SPIDER, depth=number, each=3)) for number in (2, 3, 4)]
    found += [Variant("N", str(number), replace(SPIDER, among=number, each=3)) for number in (30, 50, 100, 200, 500)]
    edges: tuple[EdgeType, ...] = EDGE_TYPES
    for type_ in edges:
        found.append(Variant("edges", type_, replace(SPIDER, edges=(type_,), each=3)))
    found.append(Variant("edges", "calls out", replace(SPIDER, edges=("invokes",), direction="out", each=3)))
    found.append(Variant("edges", "calls in", replace(SPIDER, edges=("invokes",), direction="in", each=3)))
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--every", type=int, default=1, help="take every n-th issue only")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    tasks = [
        task
        for path in arguments.data
        for task in read_swe(path, arguments.repos, arguments.layout, "function").tasks[:: arguments.every]
    ]
    answer = {"issues": len(tasks), "sweep": sweep(tasks), "run": describe_run()}
    arguments.json.write_text(json.dumps(answer, indent=1) + "\n")
    if arguments.plot:
        draw(answer, arguments.plot)


def prepared_states(tasks: Sequence[Task]) -> Iterator[tuple[Task, Prepared]]:
    """Every task with its state, opened."""
    repositories: dict[str, trackdown.Repository] = {}
    for task in tasks:
        repository = repositories.setdefault(task.place, trackdown.open(task.place, settings=load_settings()))
        yield task, repository.prepared(task.at)


def sweep(tasks: Sequence[Task]) -> dict[str, Any]:
    """All variants on all tasks."""
    base_options = {base: replace(with_mode(default_plan(load_settings()), base), k=500) for base in BASES}
    judged: dict[tuple[str, Variant], list[Judged]] = {}
    times: dict[tuple[str, Variant], list[float]] = {}
    chances = Chances()
    for task, prepared in prepared_states(tasks):
        for base, options in base_options.items():
            for variant in variants():
                started = time.perf_counter()
                found = rank(prepared, task.query, replace(options, expansion=variant.expansion))
                times.setdefault((base, variant), []).append((time.perf_counter() - started) * 1000)
                places = [Place(one.path, one.symbol) for one in found]
                judged.setdefault((base, variant), []).append(judge(places, task.gold))
                if base == "hybrid" and variant.expansion is None:
                    chances.look(prepared, task, options, places)
    rows = []
    for (base, variant), found_all in judged.items():
        values = {name: [metric(name)(one) for one in found_all] for name in METRICS}
        rows.append({
            "base": base, "panel": variant.panel, "name": variant.name,
            **{name: round(statistics.mean(values[name]), 4) for name in METRICS},
            "R@20 interval": [round(end, 4) for end in bootstrap_interval(values["R@20"])],
            "Acc@20 interval": [round(end, 4) for end in bootstrap_interval(values["Acc@20"])],
            "p50_ms": round(statistics.median(times[base, variant]), 1),
        })  # fmt: skip
    return {"rows": rows, "why": chances.as_dict()}


class Chances:
    """How often what is near the best five is gold, beside how often a place at the end of the first twenty is."""

    def __init__(self) -> None:
        self._near: dict[str, list[int]] = {}
        self._places = [0, 0]
        self._missed = 0

    def look(self, prepared: Prepared, task: Task, options: SearchPlan, places: Sequence[Place]) -> None:
        """Count for one task."""
        gold = set(task.gold)
        order = {place: number for number, place in enumerate(places, 1)}
        self._places[0] += sum(place in gold for place in places[15:20])
        self._places[1] += len(places[15:20])
        self._missed += sum(order.get(place, 0) > 20 for place in gold)
        ways: tuple[tuple[str, tuple[EdgeType, ...], int], ...] = (
            ("contains, 2", ("contains",), 2), ("contains, 4", ("contains",), 4), ("invokes, 1", ("invokes",), 0),
            ("inherits, 1", ("inherits",), 0), ("imports, 1", ("imports",), 0),
        )  # fmt: skip
        for name, edges, depth in ways:
            expansion = replace(SPIDER, window=500, edges=edges, depth=depth)
            moved = rank(prepared, task.query, replace(options, expansion=expansion))
            near = _drawn([Place(one.path, one.symbol) for one in moved], places)
            outside = [place for place in near if order[place] > 20]
            counts = self._near.setdefault(name, [0, 0])
            counts[0] += sum(place in gold for place in outside)
            counts[1] += len(outside)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "gold per place at ranks 16 to 20": round(self._places[0] / max(1, self._places[1]), 4),
            "gold functions at ranks 21 to 500": self._missed,
            "neighbours of the best five at ranks 21 to 500": {
                name: {"count": total, "gold": right, "gold per neighbour": round(right / max(1, total), 4)}
                for name, (right, total) in self._near.items()
            },
        }


def _drawn(moved: Sequence[Place], before: Sequence[Place]) -> list[Place]:
    """What a reordering put above something that stood above it: the neighbours that were drawn up."""
    order = {place: number for number, place in enumerate(before)}
    drawn, highest = [], len(before)
    for place in reversed(moved):
        if place in order and order[place] > highest:
            drawn.append(place)
        highest = min(highest, order.get(place, highest))
    return drawn


def draw(answer: dict[str, Any], path: Path) -> None:
    """One panel per parameter: Recall@20 with its interval, and the plain ranking as a line."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "trackdown"
    from matplotlib import pyplot

    panels = ("selector", "C", "d", "N", "edges")
    figure, axes = pyplot.subplots(1, len(panels), figsize=(17, 4.2), sharey=True, layout="constrained")
    colours = {"bm25": "#1b58c5", "hybrid": "#23a36b"}
    for axis, panel in zip(axes, panels, strict=True):
        for base, colour in colours.items():
            rows = [row for row in answer["sweep"]["rows"] if row["base"] == base]
            plain = next(row for row in rows if row["name"] == "plain")
            axis.axhline(plain["R@20"], color=colour, linestyle="--", linewidth=1)
            shown = [row for row in rows if row["panel"] == panel]
            names = [row["name"] for row in shown]
            means = [row["R@20"] for row in shown]
            ends = [row["R@20 interval"] for row in shown]
            spread = [[mean - low for mean, (low, _) in zip(means, ends, strict=True)],
                      [high - mean for mean, (_, high) in zip(means, ends, strict=True)]]  # fmt: skip
            axis.errorbar(names, means, yerr=spread, color=colour, marker="o", capsize=3, label=base)
        axis.set_title({"selector": "who picks", "edges": "edges"}.get(panel, panel))
        axis.tick_params(axis="x", rotation=35 if panel in ("selector", "edges") else 0)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("Recall@20 of functions")
    axes[0].legend()
    figure.suptitle(f"Expansion along structure, {answer['issues']} issues; dashed: without it")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
