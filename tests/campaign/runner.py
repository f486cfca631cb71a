"""Runs the campaign: cases of every class, by seed, with a journal from which a run that was cut goes on.

    python -m tests.campaign [--cases 3000] [--only CLASS] [--seed N] [--journal FILE] [--json FILE]

Each case is a function of its class and its seed alone: `--only damage --seed 123` repeats one.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.campaign.classes import CLASSES
from tests.campaign.judge import Judge, fingerprint
from tests.campaign.leftover_processes import adopting_orphans, end_leftovers, living_children
from tests.campaign.outcomes import AT_THE_END, Outcome, is_dirty, keep, read_journal, state_of_code
from tests.campaign.report import table
from tests.campaign.scene import CaseRun, Ground, Scene, build_scene


def run_case(kind: str, seed: int, scene: Scene, run: CaseRun | None = None, code: str = "") -> Outcome:
    """Run one case in a folder of its own, and look at what it leaves behind."""
    judge, started, steps = Judge(scene.known), time.monotonic(), list[str]()
    with adopting_orphans():
        before, expected = fingerprint(scene.repo.root), living_children() | scene.processes
        with tempfile.TemporaryDirectory(dir=scene.folder, prefix=f"{kind}-", ignore_cleanup_errors=True) as folder:
            ground = Ground(seed, random.Random(f"{kind} {seed}"), Path(folder), scene, judge, steps)
            _guarded(judge, partial(run or CLASSES[kind].run, ground))
            for command in end_leftovers(expected | scene.processes):
                judge.fail(f"left running: {command}")
        judge.expect(fingerprint(scene.repo.root) == before, "the repository was changed")
    seconds = round(time.monotonic() - started, 2)
    problems = tuple(judge.problems)
    return Outcome(kind, seed, "; ".join(steps), judge.verdict, problems, seconds, judge.fired, code)


def _guarded(judge: Judge, run: Callable[[], None]) -> None:
    try:
        run()
    except (TimeoutError, subprocess.TimeoutExpired):
        judge.fail("no answer in 30 seconds")
    except Exception as error:  # a fault of the campaign is a failed case, not the end of the run
        judge.fail(f"the case itself failed: {type(error).__name__}: {error}")


def end_scene(scene: Scene, code: str = "") -> list[Outcome]:
    """End what cases have shared, and return what was wrong with how it ended."""
    found = []
    for kind, end in scene.at_end:
        judge, started, expected = Judge(scene.known), time.monotonic(), living_children() | scene.processes
        with adopting_orphans():
            _guarded(judge, partial(end, judge))
            for command in end_leftovers(expected):
                judge.fail(f"left running: {command}")
        seconds = round(time.monotonic() - started, 2)
        if judge.problems:
            problems = tuple(judge.problems)
            found.append(Outcome(kind, AT_THE_END, "the end", judge.verdict, problems, seconds, True, code))
    scene.at_end.clear()
    return found


def planned(cases: int, kinds: Iterable[str], first: int = 1) -> Iterator[tuple[str, int]]:
    """The cases of a run, classes taking turns: a run that is cut has a bit of everything."""
    shares = {kind: CLASSES[kind].share for kind in kinds}
    total = sum(shares.values())
    counts = {kind: max(1, round(cases * share / total)) for kind, share in shares.items()}
    turns = [((number + 0.5) / counts[kind], kind, first + number) for kind in shares for number in range(counts[kind])]
    for _, kind, seed in sorted(turns):
        yield kind, seed


def main() -> int:
    """Run, print the table, and return 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, help="how many, over all classes; 3000, or one per class with --seed")
    parser.add_argument("--only", action="append", choices=list(CLASSES), help="only this class; may be repeated")
    parser.add_argument("--seed", type=int, help="the first seed; the journal is not read")
    parser.add_argument("--journal", type=Path, default=Path("campaign.jsonl"), help="where finished cases are kept")
    parser.add_argument("--json", type=Path, help="write the table to this file")
    options = parser.parse_args()
    kinds, code = options.only or list(CLASSES), state_of_code()
    repeats = options.seed is not None
    journal = None if repeats else options.journal
    done = read_journal(journal, code) if journal is not None else {}
    cases = options.cases or (len(kinds) if repeats else 3000)
    wanted = list(planned(cases, kinds, options.seed if repeats else 1))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: our programs would, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end and folders go
    with tempfile.TemporaryDirectory(prefix="trackdown-campaign-", ignore_cleanup_errors=True) as folder:
        outcomes = [outcome for case, outcome in done.items() if case in set(wanted) or case[1] == AT_THE_END]
        outcomes += _run([case for case in wanted if case not in done], Path(folder), journal, code)
    text, values = table(outcomes)
    print(text)
    if options.json:
        failures = [asdict(one) for one in outcomes if one.problems]
        about = {"date": time.strftime("%Y-%m-%d"), "commit": code, "dirty": is_dirty(code)}
        options.json.write_text(json.dumps(about | {"classes": values, "failures": failures}, indent=1) + "\n")
    return 1 if any(one.problems for one in outcomes) else 0


def _run(cases: list[tuple[str, int]], folder: Path, journal: Path | None, code: str) -> list[Outcome]:
    if not cases:
        return []
    scene, outcomes = build_scene(folder), list[Outcome]()
    scene.processes |= living_children()

    def add(outcome: Outcome) -> None:
        outcomes.append(outcome)
        keep(outcome, journal)
        if outcome.problems:
            print(f"FAILED {outcome.kind} {outcome.seed} ({outcome.what}): {'; '.join(outcome.problems)}", flush=True)

    try:
        for number, (kind, seed) in enumerate(cases, 1):
            add(run_case(kind, seed, scene, code=code))
            if sys.stderr.isatty():
                print(f"\r{number} of {len(cases)} {kind:12} {seed:6}", end="", file=sys.stderr, flush=True)
    finally:
        for outcome in end_scene(scene, code):
            add(outcome)
    return outcomes
