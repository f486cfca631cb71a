"""Runs the campaign: cases of every class, by seed, with a journal from which a run that was cut goes on.

    python -m tests.campaign [--cases 3000] [--only CLASS] [--seed N] [--journal FILE] [--json FILE]

Each case is a function of its class and its seed alone: `--only damage --seed 123` repeats one.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.campaign.classes import CLASSES
from tests.campaign.judge import Judge, Verdict, end_leftovers, fingerprint, living_children
from tests.campaign.scene import CaseRun, Ground, Scene, build_scene

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case and how it ended. `problems` is empty if it survived."""

    kind: str
    seed: int
    what: str
    verdict: Verdict
    problems: tuple[str, ...]
    seconds: float


def adopt_orphans() -> None:
    """Make processes whose parent dies children of this one, so that none can be left over unseen."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run_case(kind: str, seed: int, scene: Scene, run: CaseRun | None = None) -> Outcome:
    """Run one case in a folder of its own, and look at what it leaves behind."""
    judge, started, steps = Judge(), time.monotonic(), list[str]()
    before, expected = fingerprint(scene.repo.root), living_children() | scene.processes
    with tempfile.TemporaryDirectory(dir=scene.folder, prefix=f"{kind}-", ignore_cleanup_errors=True) as folder:
        ground = Ground(seed, random.Random(f"{kind} {seed}"), Path(folder), scene, judge, steps)
        try:
            (run or CLASSES[kind].run)(ground)
        except (TimeoutError, subprocess.TimeoutExpired):
            judge.fail("no answer in 30 seconds")
        except Exception as error:  # a fault of the campaign is a failed case, not the end of the run
            judge.fail(f"the case itself failed: {type(error).__name__}: {error}")
        for command in end_leftovers(expected | scene.processes):
            judge.fail(f"left running: {command}")
    judge.expect(fingerprint(scene.repo.root) == before, "the repository was changed")
    seconds = round(time.monotonic() - started, 2)
    return Outcome(kind, seed, "; ".join(steps), judge.verdict, tuple(judge.problems), seconds)


def planned(cases: int, kinds: Iterable[str], first: int = 1) -> Iterator[tuple[str, int]]:
    """The cases of a run, classes taking turns: a run that is cut has a bit of everything."""
    shares = {kind: CLASSES[kind].share for kind in kinds}
    total = sum(shares.values())
    counts = {kind: max(1, round(cases * share / total)) for kind, share in shares.items()}
    turns = [((number + 0.5) / counts[kind], kind, first + number) for kind in shares for number in range(counts[kind])]
    for _, kind, seed in sorted(turns):
        yield kind, seed


def read_journal(path: Path) -> dict[tuple[str, int], Outcome]:
    """The cases that are done. A last line that was cut short counts as not done."""
    done = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        row["problems"], row["verdict"] = tuple(row["problems"]), Verdict(row["verdict"])
        done[row["kind"], row["seed"]] = Outcome(**row)
    return done


def table(outcomes: Iterable[Outcome]) -> tuple[str, dict[str, dict[str, object]]]:
    """Return one row per class as text and as values, and the failures with their seeds below the text."""
    rows: dict[str, list[Outcome]] = {kind: [] for kind in CLASSES}
    for outcome in outcomes:
        rows.setdefault(outcome.kind, []).append(outcome)
    lines = [
        f"{'class':12} {'cases':>6} {'survived':>9} {'equal':>6} {'partial':>8} {'refused':>8} {'failed':>7}  seeds"
    ]
    values: dict[str, dict[str, object]] = {}
    failures = []
    for kind, ended in {**rows, "all": [one for many in rows.values() for one in many]}.items():
        count = {verdict: sum(one.verdict is verdict for one in ended) for verdict in Verdict}
        failed = sorted(one.seed for one in ended if one.problems)
        survived = len(ended) - len(failed)
        shown = "" if kind == "all" else " ".join(map(str, failed))
        if ended:
            lines.append(
                f"{kind:12} {len(ended):6} {survived:9} {count[Verdict.EQUAL]:6} {count[Verdict.PARTIAL]:8} "
                f"{count[Verdict.REFUSED]:8} {len(failed):7}  {shown}".rstrip()
            )
        values[kind] = {"cases": len(ended), "survived": survived, "seeds": [] if kind == "all" else failed}
        values[kind] |= {verdict.value: number for verdict, number in count.items()}
        values[kind]["seconds"] = round(sum(one.seconds for one in ended), 1)
        failures += [one for one in ended if one.problems and kind != "all"]
    for one in failures:
        lines.append(f"FAILED {one.kind} {one.seed} ({one.what}): {'; '.join(one.problems)}")
    lines += [f"not run: {kind}: {note}" for kind, of in CLASSES.items() if (note := of.lacks())]
    return "\n".join(lines), values


def main() -> int:
    """Run, print the table, and return 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, help="how many, over all classes; 3000, or one per class with --seed")
    parser.add_argument("--only", action="append", choices=list(CLASSES), help="only this class; may be repeated")
    parser.add_argument("--seed", type=int, help="the first seed; the journal is not read")
    parser.add_argument("--journal", type=Path, default=Path("campaign.jsonl"), help="where finished cases are kept")
    parser.add_argument("--json", type=Path, help="write the table to this file")
    options = parser.parse_args()
    kinds = options.only or list(CLASSES)
    repeats = options.seed is not None
    done = {} if repeats else read_journal(options.journal)
    cases = options.cases or (len(kinds) if repeats else 3000)
    wanted = list(planned(cases, kinds, options.seed if repeats else 1))
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end and folders go
    with tempfile.TemporaryDirectory(prefix="trackdown-campaign-", ignore_cleanup_errors=True) as folder:
        outcomes = [done[case] for case in wanted if case in done]
        outcomes += _run(
            [case for case in wanted if case not in done], Path(folder), None if repeats else options.journal
        )
    text, values = table(outcomes)
    print(text)
    if options.json:
        failures = [asdict(one) for one in outcomes if one.problems]
        report = {"date": time.strftime("%Y-%m-%d"), "classes": values, "failures": failures}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any(one.problems for one in outcomes) else 0


def _run(cases: list[tuple[str, int]], folder: Path, journal: Path | None) -> list[Outcome]:
    if not cases:
        return []
    scene, outcomes = build_scene(folder), []
    scene.processes |= living_children()
    try:
        for number, (kind, seed) in enumerate(cases, 1):
            outcome = run_case(kind, seed, scene)
            outcomes.append(outcome)
            if outcome.problems:
                print(f"FAILED {kind} {seed} ({outcome.what}): {'; '.join(outcome.problems)}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(cases)} {kind:12} {seed:6}", end="", file=sys.stderr, flush=True)
            if journal is not None:
                with journal.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(asdict(outcome)) + "\n")
    finally:
        for end in scene.at_end:
            end()
    return outcomes
