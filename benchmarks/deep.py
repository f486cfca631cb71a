"""What the deep index costs: seconds, CPU seconds and bytes of a repository's units, and milliseconds of a search.

python benchmarks/deep.py REPOSITORY [--json FILE]

A clone is indexed in a store of its own; then the encoder reads all units outside tests. What units of tests would
cost, too, is estimated from a sample of them. Searches are measured with and without the deep index in one process,
after the models are loaded; the queries are subjects of commits. CPU seconds count all threads, so other work on the
machine changes them little: divided by the number of cores they are what an idle machine takes at best.
"""

from __future__ import annotations

import random
import resource
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import cloned, keep, latest_subjects, name_of, new_parser, spread

import trackdown
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.index import needs_vector, segment_of_deep_vectors
from trackdown.models import model_shelf
from trackdown.rerank import VECTORS, UnitTexts
from trackdown.settings import load_settings
from trackdown.store.ownership import DATABASE

SAMPLE = 300
QUERIES = 12
MODES = {"with": "hybrid+deep", "without": "hybrid+shallow"}


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        settings = load_settings(store=folder / "store")
        with trackdown.open(clone, settings=settings) as repository:
            repository.index()
            report = {"repository": name_of(arguments.repository)} | computing(repository)
            report["bytes"] = sizes(repository)
            report["tests"] = tests_too(repository)
            report["search_ms"] = searches(repository, latest_subjects(clone, QUERIES))
        report["again"] = opened_again(clone, settings)
    for name, value in report.items():
        print(f"{name:15} {value}")
    keep(report, arguments.json)


def computing(repository: trackdown.Repository) -> dict[str, Any]:
    """Let the encoder read, and count what it takes."""
    model_shelf(repository.settings.models, repository.settings.thread_count).encoder()  # loading is not counted
    before = (time.perf_counter(), time.process_time())
    status = repository.index(deep=True)
    assert status.deep is not None and status.deep.ready
    seconds, cpu = time.perf_counter() - before[0], time.process_time() - before[1]
    return {
        "units": status.deep.units,
        "all_units": status.units,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "cpu_ms_per_unit": round(1000 * cpu / status.deep.units, 2),
        "threads": repository.settings.thread_count,
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def sizes(repository: trackdown.Repository) -> dict[str, int]:
    """Bytes of the arrays that a search maps, and of the vectors in the database that they were gathered from."""
    store = repository.store
    arrays = [name for name in store.array_names() if segment_of_deep_vectors(name) is not None]
    with sqlite3.connect(store.folder / DATABASE) as database:
        query = "SELECT sum(length(key) + length(value)) FROM facts WHERE kind = ?"
        (facts,) = database.execute(query, (VECTORS,)).fetchone()
    return {"arrays": sum(map(store.array_size, arrays)), "facts": int(facts or 0)}


def tests_too(repository: trackdown.Repository) -> dict[str, Any]:
    """What units of tests would take in addition, by a sample."""
    corpus = repository.corpus()
    code = corpus.code
    units = np.flatnonzero(code.unit_alive & ~needs_vector(code)).tolist()
    encoder = repository.indexes.models.encoder()
    if not units or encoder is None:
        return {"units": len(units)}
    some = random.Random(0).sample(units, min(SAMPLE, len(units)))
    with SourceReader(corpus.snapshot) as reader:
        texts = UnitTexts(code, partial(reader.units, code))
        openings = [text for text in map(texts.opening, some) if text is not None]
    before = time.process_time()
    encoder.encode(openings, apart=True)
    each = (time.process_time() - before) / len(openings)
    return {"units": len(units), "estimated_cpu_seconds": round(each * len(units), 1)}


def searches(repository: trackdown.Repository, queries: list[str]) -> dict[str, Any]:
    """Milliseconds of a search of fast effort with and without the deep index, and of the retriever alone."""
    found: dict[str, Any] = {}
    repository.search(queries[0], mode=MODES["with"], effort="fast")
    for name, mode in MODES.items():
        totals, laps = [], []
        for query in queries:
            before = time.perf_counter()
            answer = repository.search(query, mode=mode, effort="fast")
            totals.append(1000 * (time.perf_counter() - before))
            laps.append(answer.timings_ms.get("deep", 0.0))
        found[name] = spread(totals, 1)
        if any(laps):
            found["retriever"] = spread(laps, 1)
    return found


def opened_again(clone: Path, settings: Any) -> dict[str, float]:
    """Seconds that the index takes when nothing is left to compute, in a repository that is opened anew."""
    with trackdown.open(clone, settings=settings) as repository:
        before = time.perf_counter()
        repository.index(deep=True)
        return {"seconds": round(time.perf_counter() - before, 2)}


if __name__ == "__main__":
    main()
