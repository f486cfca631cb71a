"""The verdict of the gate: every comparison, whether the candidate passes, and the reasons in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_ROUNDING = 1e-9
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """A repository, or several small ones together: means over its cases, and p-values of "B is worse" and "better"."""

    name: str
    repositories: int
    cases: int
    mean_a: float
    mean_b: float
    worse_permutation: float
    better_permutation: float

    @property
    def difference(self) -> float:
        """What B gains; negative when it loses."""
        return self.mean_b - self.mean_a

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "difference": self.difference}


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A case that only one of the runs scored, and why the other did not."""

    repository: str
    id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.repository}:{self.id} ({self.reason})"


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether candidate B may replace default A.

    `mean_a` and `mean_b` are macro averages over repositories. `groups` are what is tested for losses: each repository
    with enough cases, and the small ones together; `small` shows those one by one. `only_a` and `only_b` are cases that
    one run scored and the other did not; `unscored` counts those that neither did. `chance` is how likely such a gain
    is by chance, over all cases together (permutation test).
    """

    metric: str
    bench: str
    level: str
    mode_a: str
    mode_b: str
    mean_a: float
    mean_b: float
    alpha: float
    groups: tuple[Comparison, ...]
    chance: float = 1.0
    small: tuple[Comparison, ...] = ()
    only_a: tuple[Unpaired, ...] = ()
    only_b: tuple[Unpaired, ...] = ()
    unscored: int = 0

    @property
    def difference(self) -> float:
        """What B gains on the macro average."""
        return self.mean_b - self.mean_a

    @property
    def cases(self) -> int:
        """How many cases were compared."""
        return sum(group.cases for group in self.groups)

    @property
    def repositories(self) -> int:
        """How many repositories were compared."""
        return sum(group.repositories for group in self.groups)

    @property
    def losses(self) -> tuple[Comparison, ...]:
        """The groups that lose significantly."""
        return tuple(group for group in self.groups if group.worse_permutation < self.alpha)

    @property
    def is_better(self) -> bool:
        """Whether B's macro average is better, by more than rounding."""
        return self.difference > _ROUNDING

    @property
    def passed(self) -> bool:
        """Whether B may become a default: a better macro average, no significant loss, no case that only A scored."""
        return self.is_better and not self.losses and not self.only_a

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        may = "may" if self.passed else "may not"
        return f"B ({self.mode_b}) {may} become a default in place of A ({self.mode_a})."

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in sentences; the first is about the average, then come losses, then what was not compared."""
        return (self._of_the_average(), *self._of_losses(), *self._of_what_is_left_out())

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **asdict(self),
            "groups": [group.as_dict() for group in self.groups],
            "small": [repository.as_dict() for repository in self.small],
            "difference": self.difference,
            "cases": self.cases,
            "repositories": self.repositories,
            "losses": [group.name for group in self.losses],
            "passed": self.passed,
            "headline": self.headline,
            "reasons": list(self.reasons),
        }

    def _of_the_average(self) -> str:
        over = f"{self.metric} over {_counted(self.repositories, 'repository', 'repositories')}"
        means = f"{self.mean_a:.4f} → {self.mean_b:.4f} ({self.difference:+.4f})"
        verb = "is better" if self.is_better else "is worse" if self.difference < -_ROUNDING else "is no better"
        doubt = f" A gain like this may well be chance (p = {self.chance:.2f})." if self._is_doubtful else ""
        return f"The macro average of {over} {verb}: {means}.{doubt}"

    @property
    def _is_doubtful(self) -> bool:
        return self.is_better and self.chance >= self.alpha

    def _of_losses(self) -> list[str]:
        if not self.losses:
            return [f"No group loses significantly (permutation test, p < {self.alpha:g})."]
        return [
            f"{group.name} loses significantly on {_counted(group.cases, 'case', 'cases')}: {group.mean_a:.4f} → "
            f"{group.mean_b:.4f} ({group.difference:+.4f}, permutation test, p = {group.worse_permutation:.4f})."
            for group in self.losses
        ]

    def _of_what_is_left_out(self) -> list[str]:
        sentences = [
            f"{_counted(len(cases), 'case was', 'cases were')} scored in {run} only and not compared: {_named(cases)}."
            for run, cases in (("A", self.only_a), ("B", self.only_b))
            if cases
        ]
        if self.unscored:
            sentences.append(f"{_counted(self.unscored, 'case was', 'cases were')} scored in neither run.")
        return sentences


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _named(cases: Sequence[Unpaired]) -> str:
    named = ", ".join(map(str, cases[:_NAMED]))
    return f"{named} and {len(cases) - _NAMED:,} more" if len(cases) > _NAMED else named


_HEAD = ("", "cases", "A", "B", "B − A", "p worse", "p better")


def verdict_lines(verdict: GateVerdict) -> list[str]:
    """The verdict, its reasons and a table of what was compared."""
    table = [_HEAD, *map(_cells, verdict.groups)]
    table += [("  " + cells[0], *cells[1:]) for cells in map(_cells, verdict.small)]
    table.append(
        (
            f"macro average ({verdict.repositories})",
            f"{verdict.cases}",
            f"{verdict.mean_a:.4f}",
            f"{verdict.mean_b:.4f}",
            f"{verdict.difference:+.4f}",
            *[""] * 2,
        )
    )
    about = (verdict.metric, verdict.bench, f"{verdict.level} level" if verdict.level else "")
    return [
        verdict.headline,
        *(f"- {reason}" for reason in verdict.reasons),
        "",
        f"{', '.join(filter(None, about))}; A is {verdict.mode_a}, B is {verdict.mode_b}",
        *_aligned(table),
    ]


def _cells(group: Comparison) -> tuple[str, ...]:
    chances = (group.worse_permutation, group.better_permutation)
    means = (f"{group.mean_a:.4f}", f"{group.mean_b:.4f}", f"{group.difference:+.4f}")
    return group.name, f"{group.cases}", *means, *(f"{chance:.4f}" for chance in chances)


def _aligned(table: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(table)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
