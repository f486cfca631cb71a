"""Runs every pathological source through the workers, as indexing does, and prints what each language cost.

    python -m tests.campaign.grammars [--size 1000000] [--most 40] [--out FILE]

A source fails when it costs more than 8 seconds of processor time, when its last word cannot be found in its facts,
when it is left out, or when a second run gives other facts although no clock interfered.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from tests.campaign.grammar_inputs import SIZES, GrammarInput, grammar_input, languages, shapes
from tests.repository.programs import children
from trackdown.units import worker_process
from trackdown.units.facts import decode
from trackdown.units.pool import extract_all
from trackdown.units.worker import ExtractionJob, ExtractionResult
from trackdown.units.worker_process import NOWHERE

MOST_SECONDS = 8.0
NEEDLE = "needleword"


@dataclass(frozen=True, slots=True)
class GrammarOutcome:
    """What became of one source. `as_text` says why it was not parsed; `failure` is empty when all is well."""

    name: str
    seconds: float
    as_text: str
    cut: bool
    failure: str


def try_inputs(sources: Sequence[GrammarInput]) -> list[GrammarOutcome]:
    """Extract units, then references, and check the facts. Several sources share a worker, and a limit of time."""
    jobs = [ExtractionJob(source.name, b"", "", source.language, True, data=_with_needle(source)) for source in sources]
    done, seconds = _extract(jobs)
    _, more = _extract([msgspec.structs.replace(job, references=True) for job in jobs])
    again = _extract(jobs)[0] if max(source.size for source in sources) <= SIZES[0] else done
    _end_warm_workers()
    taken = max(seconds, more)
    return [_outcome(source.name, done[source.name], again[source.name], taken) for source in sources]


def _end_warm_workers() -> None:
    """End the worker that this process keeps for its next files, as it would end with it."""
    while worker_process._warm:
        worker_process._warm.pop().end()


def _with_needle(source: GrammarInput) -> bytes:
    """The source with a last word, to be looked for in its facts."""
    return source.data[: source.size - len(NEEDLE) - 2] + f"\n{NEEDLE}\n".encode()


def _outcome(name: str, done: ExtractionResult, again: ExtractionResult, seconds: float) -> GrammarOutcome:
    facts = decode(done.facts) if done.facts is not None else None
    failure = ""
    if facts is None or facts.skip:
        failure = "left out"
    elif NEEDLE not in facts.vocabulary:
        failure = "its last word is lost"
    elif seconds > MOST_SECONDS:
        failure = "too slow"
    elif not (done.cut or again.cut) and again != done:
        failure = "two runs differ"
    return GrammarOutcome(name, round(seconds, 2), facts.as_text if facts is not None else "", done.cut, failure)


def _extract(jobs: list[ExtractionJob]) -> tuple[dict[str, ExtractionResult], float]:
    """The results of the jobs by their keys, and the processor time of the worker that ran them."""
    before = _children_seconds()
    done = {result.key: result for results in extract_all(NOWHERE, jobs, 1) for result in results}
    return done, _children_seconds() - before


def _children_seconds() -> float:
    """The processor time of this process's children, ended or not."""
    until = time.monotonic() + 0.05
    with suppress(ChildProcessError):  # forked workers end by themselves, and count once they have been waited for
        while os.waitpid(-1, os.WNOHANG)[0] or time.monotonic() < until:
            time.sleep(0.001)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = sum(_ticks(child) for child in children())
    return used.ru_utime + used.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def _ticks(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def sources(sizes: list[int], wanted: list[str], most: int) -> Iterator[GrammarInput]:
    """Every shape of every wanted language in every size, or `most` shapes of each, evenly chosen."""
    for language in wanted:
        every = shapes(language)
        for shape in (every[number * len(every) // min(most, len(every))] for number in range(min(most, len(every)))):
            for size in sizes:
                yield grammar_input(language, shape, size)


def main() -> int:
    """Run, print one line per language and every failure, and return 1 if there was one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", help="bytes per source; may be repeated")
    parser.add_argument("--language", action="append", help="only this language; may be repeated")
    parser.add_argument("--most", type=int, default=1000, help="shapes per language")
    parser.add_argument("--out", type=Path, help="write the table to this JSON file")
    options = parser.parse_args()
    found: dict[str, list[GrammarOutcome]] = {}
    for source in sources(options.size or list(SIZES), options.language or languages(), options.most):
        (outcome,) = try_inputs([source])
        found.setdefault(source.language, []).append(outcome)
        if outcome.failure:
            print(f"FAILED {outcome.name}: {outcome.failure} ({outcome.seconds} s)", flush=True)
        if sys.stderr.isatty():
            print(f"\r{sum(map(len, found.values()))} {source.name:60}", end="", file=sys.stderr, flush=True)
    rows = {language: _summary(outcomes) for language, outcomes in found.items()}
    for language, row in rows.items():
        print(f"{language:12} " + "  ".join(f"{name} {value}" for name, value in row.items()))
    everything = [outcome for outcomes in found.values() for outcome in outcomes]
    total = _summary(everything)
    print(f"{'all':12} " + "  ".join(f"{name} {value}" for name, value in total.items()))
    if options.out:
        slow = sorted(everything, key=lambda outcome: -outcome.seconds)[:20]
        table = {"date": time.strftime("%Y-%m-%d"), "all": total, "languages": rows, "slowest": list(map(asdict, slow))}
        options.out.write_text(json.dumps(table, indent=1) + "\n")
    return 1 if total["failed"] else 0


def _summary(outcomes: list[GrammarOutcome]) -> dict[str, float]:
    return {
        "inputs": len(outcomes),
        "failed": sum(bool(outcome.failure) for outcome in outcomes),
        "over 5 s": sum(outcome.seconds > 5 for outcome in outcomes),
        "slowest s": max(outcome.seconds for outcome in outcomes),
        "as text by content": sum(bool(outcome.as_text) and not outcome.cut for outcome in outcomes),
        "as text by clock": sum(outcome.cut for outcome in outcomes),
    }


if __name__ == "__main__":
    sys.exit(main())
