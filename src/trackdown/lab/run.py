"""Search every task in every mode, on all cores, and write what was found to a run file.

Tasks go to worker processes in small bundles of one repository, in the order of their commits, so that neighbours share
what is indexed. A task that cannot be searched becomes a row that says why, and is tried again when the run goes on;
what is wrong with the store ends the run.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from itertools import chain, zip_longest

from trackdown.engine import Corpus, Pregenerated, RankedPlace, Repository, has_llm, llm_ended, open_llm, rank
from trackdown.engine import open as open_repository
from trackdown.errors import (
    LlmError,
    MissingObject,
    QueryError,
    StoreError,
    TrackdownError,
    UnknownRevision,
    UsageError,
)
from trackdown.lab.cases import CodeLocation
from trackdown.lab.clone import commit_times
from trackdown.lab.run_plan import BenchPlan
from trackdown.lab.runs import MAX_STORED_QUERY_CHARS, MS_DIGITS, SCORE_DIGITS, WITHOUT_ANSWER, Row, RunFile
from trackdown.lab.tasks import Bench, Task
from trackdown.lab.workers import end_with_parent, interrupts_held
from trackdown.pipeline import SearchPlan
from trackdown.settings import Settings
from trackdown.types import Progress, no_progress

_BUNDLE, _LARGEST_BUNDLE = 6, 24
_REASONS: tuple[tuple[type[TrackdownError], str], ...] = (
    (UnknownRevision, "commit not in the clone"),
    (MissingObject, "objects missing in the clone"),
)


def run_bench(
    bench: Bench,
    plan: BenchPlan,
    file: RunFile,
    *,
    jobs: int = 0,
    strict: bool = False,
    progress: Progress = no_progress,
) -> list[Row]:
    """All rows of a bench, in its own order: those that the file has already, and new ones as they are found.

    With a language model one process searches: there is one budget. A ranking without its answer is left out
    (WITHOUT_ANSWER); when it can be asked nothing more the run ends, and what is left is found when it goes on. With
    `strict` the first case that cannot be scored raises UsageError. An interruption leaves the file resumable. Raises
    UsageError when the file has a case with another query, truth or state than the bench.
    """
    _check_ids(bench)
    if strict and bench.skipped:
        first = bench.skipped[0]
        raise UsageError(f"case {first.id!r}: {first.reason} {first.detail}".rstrip())
    file.add(_skipped_rows(bench, plan, file))
    todo = _todo(bench, plan, file)
    plan = _with_rewrites(bench, plan, todo)
    done = len(bench.tasks) - len(todo)
    progress("search", done, len(bench.tasks))
    asking = has_llm(plan.settings) and any(options.asks_llm for _, options in plan.modes)
    with closing(_search_all(todo, plan, 1 if asking else jobs or os.cpu_count() or 1)) as found:
        for rows in found:
            file.add(rows)
            bad = next((row for row in rows if row.skipped), None)
            if strict and bad is not None:
                raise UsageError(f"case {bad.id!r}: {bad.skipped}")
            done += len({row.id for row in rows})
            progress("search", done, len(bench.tasks))
    order = [*(task.id for task in bench.tasks), *(case.id for case in bench.skipped)]
    return [file.rows[id_, name] for name, _ in plan.modes for id_ in order]


def _check_ids(bench: Bench) -> None:
    """Adapters leave out duplicates, and say so; two tasks of one name here would overwrite each other."""
    seen: set[str] = set()
    for id_ in (*(task.id for task in bench.tasks), *(case.id for case in bench.skipped)):
        if id_ in seen:
            raise UsageError(f"{bench.name}: the id {id_!r} appears twice")
        seen.add(id_)


def _skipped_rows(bench: Bench, plan: BenchPlan, file: RunFile) -> list[Row]:
    return [
        Row(
            case.id,
            name,
            bench=bench.name,
            level=bench.level,
            repository=case.repository,
            query=case.detail[:MAX_STORED_QUERY_CHARS],
            skipped=case.reason,
            config=plan.config,
        )
        for case in bench.skipped
        for name, _ in plan.modes
        if (case.id, name) not in file.rows or file.rows[case.id, name].skipped
    ]


Work = tuple[Task, tuple[str, ...]]


def _todo(bench: Bench, plan: BenchPlan, file: RunFile) -> list[Work]:
    """Each task with the modes in which it has not been searched, or could not be."""
    todo = []
    for task in bench.tasks:
        digest = _digest(task)
        missing = []
        for name, _ in plan.modes:
            row = file.rows.get((task.id, name))
            if row is None or row.skipped:
                missing.append(name)
            elif row.task not in ("", digest):
                known = f"{file.path} has case {task.id!r} with another query, truth or state"
                raise UsageError(f"{known}: name another file or remove it")
        if missing:
            todo.append((task, tuple(missing)))
    return todo


def _digest(task: Task) -> str:
    """What a task asks and expects, wherever its repository lies."""
    return hashlib.sha256(repr(replace(task, place="")).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _with_rewrites(bench: Bench, plan: BenchPlan, todo: Sequence[Work]) -> BenchPlan:
    """Take in the rewrites that a bench brings along, before workers search; nothing where no mode wants them."""
    if not bench.rewrites or not todo or not any(options.rewritten for _, options in plan.modes):
        return plan
    from trackdown.engine import take_rewrites

    with open_repository(todo[0][0].place, settings=plan.settings) as opened:
        return replace(plan, rewriter=take_rewrites(opened.corpus(), f"{bench.name}'s texts", bench.rewrites))


def _search_all(todo: Sequence[Work], plan: BenchPlan, jobs: int) -> Generator[list[Row]]:
    """Rows of bundles, as they are ready."""
    bundles = list(_bundles(todo))
    if jobs == 1 or len(bundles) < 2:
        try:
            yield from (search_bundle(bundle, plan) for bundle in bundles)
        finally:
            _opened.cache_clear()  # a caller's own process is no place to keep repositories open
        return
    # Workers share the cores by themselves: models that took several threads each would wait for one another.
    plan = replace(plan, settings=replace(plan.settings, threads=plan.settings.threads or 1))
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(jobs, len(bundles)), multiprocessing.get_context("spawn"), end_with_parent)
    running: set[Future[list[Row]]] = set()
    try:
        with interrupts_held():
            running |= {pool.submit(search_bundle, bundle, plan) for bundle in bundles}
        while running:
            ready, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
            running -= ready
    except BrokenProcessPool:
        raise TrackdownError("a worker process died (out of memory?): run again to continue where it stopped") from None
    finally:
        if running:
            for worker in set(multiprocessing.active_children()) - others:
                worker.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def _bundles(todo: Sequence[Work]) -> Iterator[list[Work]]:
    """Tasks by repository and commit, cut into bundles; bundles of different repositories take turns."""
    by_place: dict[str, list[Work]] = {}
    for work in todo:
        by_place.setdefault(work[0].place, []).append(work)
    queues = [list(_cut(_in_order_of_commits(place, works))) for place, works in by_place.items()]
    queues.sort(key=len, reverse=True)
    yield from (bundle for bundle in chain.from_iterable(zip_longest(*queues)) if bundle is not None)


def _cut(works: Sequence[Work]) -> Iterator[list[Work]]:
    """Bundles of about equal size. Tasks of one state stay together, unless they are very many."""
    bundle: list[Work] = []
    for work in works:
        if len(bundle) >= _LARGEST_BUNDLE or (len(bundle) >= _BUNDLE and bundle[-1][0].at != work[0].at):
            yield bundle
            bundle = []
        bundle.append(work)
    if bundle:
        yield bundle


def _in_order_of_commits(place: str, works: Sequence[Work]) -> list[Work]:
    """Oldest state first; what git does not know comes last and fails by itself."""
    times = commit_times(place, {work[0].at for work in works if work[0].at})
    return sorted(works, key=lambda work: (times.get(work[0].at or "", 1 << 62), work[0].at or ""))


def search_bundle(bundle: Sequence[Work], plan: BenchPlan) -> list[Row]:
    """Search tasks one after the other in this process."""
    return [row for task, modes in bundle for row in _search(task, modes, plan)]


def _search(task: Task, modes: Sequence[str], plan: BenchPlan) -> list[Row]:
    """One row for each mode."""
    blank = Row(
        task.id,
        "",
        gold=task.gold,
        bench=plan.bench,
        level=task.level,
        repository=task.repository,
        query=task.query[:MAX_STORED_QUERY_CHARS],
        category=task.category,
        config=plan.config,
        task=_digest(task),
    )
    asking = any(options.asks_llm for mode, options in plan.modes if mode in modes)
    ended = llm_ended(plan.settings) if asking else None
    if ended is not None:
        return [replace(blank, mode=mode, skipped=f"{WITHOUT_ANSWER}{ended}") for mode in modes]
    try:
        repository = _opened(task.place, plan.settings)
        prepared = repository.corpus(task.at)
        if any(options.deep for mode, options in plan.modes if mode in modes):
            repository.deepen(prepared)
        rows = []
        # Once for nothing: what a first search opens would else be booked on the mode that comes first.
        _ranked(prepared, task, plan.modes[0][1].without_llm(), plan)
        for mode, options in plan.modes:
            if mode not in modes:
                continue
            started = time.perf_counter()
            try:
                places = _ranked(prepared, task, options, plan)
            except LlmError as error:
                rows.append(replace(blank, mode=mode, skipped=f"{WITHOUT_ANSWER}{error}"))
                continue
            ms = (time.perf_counter() - started) * 1000
            ranked = tuple(CodeLocation(place.path, place.symbol) for place in places)
            scores = tuple(round(place.score, SCORE_DIGITS) for place in places)
            rows.append(replace(blank, mode=mode, ranked=ranked, scores=scores, ms=round(ms, MS_DIGITS)))
        return rows
    except StoreError:
        raise
    except TrackdownError as error:
        reason = next((text for kind, text in _REASONS if isinstance(error, kind)), str(error))
        return [replace(blank, mode=mode, skipped=reason) for mode in modes]


def _ranked(prepared: Corpus, task: Task, options: SearchPlan, plan: BenchPlan) -> list[RankedPlace]:
    """The ranking of one mode; empty for a query that holds nothing to search for, which is a miss."""
    chosen = replace(
        options,
        level=task.level,
        k=task.depth,
        roles=task.roles,
        among=task.among,
        folders=(task.folder,) if task.folder else (),
    )
    try:
        generated = Pregenerated(task.exemplars, plan.rewriter, plan.pairs)
        asker = open_llm(plan.settings, prepared.facts) if options.asks_llm else None
        found = rank(prepared, task.query, chosen, task.seen_from, llm=asker, pregenerated=generated)
    except QueryError:
        return []
    if asker is not None and not asker.dry_run and any(cost.unanswered for cost in asker.counts):
        raise LlmError(asker.stopped or "it had no answer")  # its ranking is another mode's
    return found


@lru_cache(maxsize=4)
def _opened(place: str, settings: Settings) -> Repository:
    """Repositories stay open between bundles; the engine keeps their indexes at hand."""
    return open_repository(place, settings=settings)
