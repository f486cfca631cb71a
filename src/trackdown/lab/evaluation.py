"""Rows of one mode → its scores, per case and on average."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trackdown.lab.measure.judged import Judged, judge
from trackdown.lab.measure.metrics import metric
from trackdown.lab.runs import Row, by_mode

STANDARD_METRICS = (
    "MRR", "MAP", "P@1", "P@5", "P@10", "P@20", "R@1", "R@5", "R@10", "R@20", "R@100",
    "Acc@1", "Acc@3", "Acc@5", "Acc@10", "Acc@20", "Hit@1", "Hit@5", "Hit@10", "nDCG@5", "nDCG@10",
)  # fmt: skip
NO_GOLD = "no gold"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every scored case of one mode, in one order. `skipped` counts those that were not scored, by reason."""

    label: str
    ids: tuple[str, ...]
    judged: tuple[Judged, ...]
    repositories: tuple[str, ...] = ()
    ms: tuple[float, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def values(self, name: str) -> list[float]:
        """A metric of every case."""
        measure = metric(name)
        return [measure(judged) for judged in self.judged]

    def mean(self, name: str) -> float:
        """A metric on average; 0 when there is no case."""
        values = self.values(name)
        return sum(values) / len(values) if values else 0.0

    def as_dict(self, names: Sequence[str] = STANDARD_METRICS) -> dict[str, float]:
        """Several metrics on average."""
        return {name: self.mean(name) for name in names}

    @property
    def mrr(self) -> float:
        return self.mean("MRR")

    def recall(self, k: int) -> float:
        """Recall within the first k."""
        return self.mean(f"R@{k}")

    def of_repository(self, repository: str) -> Evaluation:
        """The cases of one repository."""
        chosen = [number for number, name in enumerate(self.repositories) if name == repository]
        return Evaluation(
            self.label,
            tuple(self.ids[number] for number in chosen),
            tuple(self.judged[number] for number in chosen),
            tuple(repository for _ in chosen),
            tuple(self.ms[number] for number in chosen),
        )


def why_not_scored(row: Row) -> str:
    """Why a row does not count; an empty text when it does. Where nothing should be found, nothing can be measured."""
    return row.skipped or ("" if row.gold else NO_GOLD)


def evaluation(label: str, rows: Iterable[Row]) -> Evaluation:
    """Judge the rows of one mode."""
    rows = list(rows)
    scored = [row for row in rows if not why_not_scored(row)]
    return Evaluation(
        label,
        tuple(row.id for row in scored),
        tuple(judge(row.ranked, row.gold) for row in scored),
        tuple(row.repository for row in scored),
        tuple(row.ms for row in scored),
        dict(Counter(filter(None, map(why_not_scored, rows)))),
    )


def evaluations(rows: Iterable[Row]) -> list[Evaluation]:
    """One evaluation per mode, in the order in which modes first occur."""
    return [evaluation(mode, found) for mode, found in by_mode(rows).items()]
