"""What a reader of the numbers has to know: where modes were not measured alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trackdown.lab.report.contenders import Contender
from trackdown.lab.report.wording import counted, named


def remarks(contenders: Sequence[Contender], ks: Sequence[int]) -> Iterator[str]:
    """One sentence for each thing that makes numbers of a report less comparable than they look."""
    yield from _other_cases(contenders)
    benches = sorted({name for contender in contenders for name in contender.benches if name})
    if len(benches) > 1:
        yield f"These runs are of different benches: {', '.join(map(named, benches))}."
    levels = sorted({name for contender in contenders for name in contender.levels if name})
    if len(levels) > 1:
        yield f"These runs rank at different levels: {', '.join(map(named, levels))}."
    deepest = max(contender.deepest for contender in contenders)
    if deepest < max(ks):
        yield (
            f"No ranking holds more than {counted(deepest, 'place')}: what is measured at a larger k is measured there."
        )


def _other_cases(contenders: Sequence[Contender]) -> Iterator[str]:
    keys = [{case.key for case in contender.cases} for contender in contenders]
    shared, every = set.intersection(*keys), set.union(*keys)
    if shared == every:
        return
    yield (
        f"Modes did not score the same cases: {len(shared):,} of {counted(len(every), 'case')} were scored by all. "
        "Means are over the cases of each mode; two modes are compared on those that both scored."
    )
    other_truth = len(every) - len({name for name, _ in every})
    if other_truth:
        yield f"For {counted(other_truth, 'case')} another run has other gold: there, nothing is compared."
