"""Mines repositories in parallel: pairs or records, with issues that people wrote or a language model writes.

Files that are complete are skipped, and a repository that fails is reported while the others go on.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from trackdown.errors import GitError, TrackdownError, UsageError
from trackdown.lab import PATIENCE, JobResult, MinedRepository, run_jobs
from trackdown.lab.benches import QUERY, read_parquet
from trackdown.lab.mine.changes import commits_here, newest_first, read_patches
from trackdown.lab.mine.harvest import Harvest, HarvestLimits, has_harvest, write_harvest
from trackdown.lab.mine.issue_writer import NO_ANSWER, CommitText, IssueWriter, new_identifiers
from trackdown.lab.mine.pairs import chosen_batches, harvest, open_history
from trackdown.lab.mine.parquet_table import is_complete, sweep
from trackdown.lab.mine.records import write_records
from trackdown.repository import BlobReader, Git
from trackdown.types import Progress, no_progress
from trackdown.units import EXTRACTOR_VERSION

FORMAT = 4
"""Of the files; raise it when the same history would now give other rows."""

RECORDS = "records.parquet"
_BATCH = 256


@dataclass(frozen=True, slots=True)
class MiningPlan:
    """What to make of each repository, pairs or records, and where. `rewritten` restricts it to these commits.

    The texts of `pull_requests` are those of pull requests, not of issues.
    """

    out: Path
    records: bool = False
    limits: HarvestLimits = field(default_factory=HarvestLimits)
    negatives: int = 0
    rewritten: Mapping[str, str] | None = None
    pull_requests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MiningJob:
    """One repository."""

    place: MinedRepository
    wanted: MiningPlan


@dataclass(slots=True)
class MiningReport:
    """What came of a repository. `passed_over` names the files that were there already.

    `unanswered` queries were to be rewritten and are not: another run asks for those, and writes the files again.
    """

    repository: str
    seconds: float = 0.0
    commits: int = 0
    documents: int = 0
    examples: dict[str, int] = field(default_factory=dict)
    records: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)
    unanswered: int = 0


def mine_all(
    places: Sequence[MinedRepository],
    wanted: MiningPlan,
    workers: int,
    *,
    patience: float = PATIENCE,
    heard: Callable[[MiningJob, str, int, int | None], None] | None = None,
    writer: IssueWriter | None = None,
) -> Generator[JobResult[MiningJob, MiningReport]]:
    """Mine repositories in parallel processes, and give each as it is ready.

    With a `writer`, which rewrites the queries of commits, they are mined one after the other in this process: there
    is one model and one budget.

    Closed or interrupted, it leaves finished repositories in place and nothing of the others. Raises UsageError when
    the folder cannot be written to.
    """
    try:
        wanted.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {wanted.out}: {error.strerror}") from None
    jobs = [MiningJob(place, wanted) for place in places]
    try:
        if writer is None:
            yield from run_jobs(jobs, mine, workers, patience=patience, heard=heard)
        else:
            yield from (_mine_here(job, writer, heard) for job in jobs)
    finally:
        for place in places:
            sweep(wanted.out, place.stem)


def _mine_here(
    job: MiningJob, writer: IssueWriter, heard: Callable[[MiningJob, str, int, int | None], None] | None
) -> JobResult[MiningJob, MiningReport]:
    def progress(step: str, done: int, total: int | None) -> None:
        if heard is not None:
            heard(job, step, done, total)

    try:
        return JobResult(job, mine(job, progress, writer))
    except TrackdownError as error:
        return JobResult(job, None, str(error), error.exit_code)


def mine(job: MiningJob, progress: Progress = no_progress, writer: IssueWriter | None = None) -> MiningReport:
    """Mine one repository in this process. Raises what opening and reading it raises."""
    started = time.monotonic()
    place, wanted = job.place, job.wanted
    found = MiningReport(str(place))
    sweep(wanted.out, place.stem)
    _, git, head = open_history(place.path)
    about: dict[str, Any] = {"format": FORMAT, "repository": str(place), "head": head}
    if wanted.rewritten is not None:
        about["rewritten"] = _digest(wanted.rewritten)
    if not wanted.records:
        _mine_pairs(job, git, about, found, progress, writer)
    else:
        path = wanted.out / f"{place.stem}.{RECORDS}"
        if is_complete(path, about):
            found.passed_over.append(path.name)
        else:
            chosen = wanted.rewritten
            batches = newest_first(git, head, batch=_BATCH) if chosen is None else chosen_batches(git, chosen)
            done = write_records(git, batches, place.owner, place.name, path, about, progress)
            found.records, found.commits = done.rows, max(found.commits, done.commits)
            found.dropped |= {f"record: {rule}": count for rule, count in done.dropped.items()}
    found.seconds = time.monotonic() - started
    return found


def _mine_pairs(
    job: MiningJob,
    git: Git,
    about: Mapping[str, Any],
    found: MiningReport,
    progress: Progress,
    writer: IssueWriter | None,
) -> None:
    place, wanted = job.place, job.wanted
    made_of = {**about, "limits": asdict(wanted.limits), "negatives": wanted.negatives, "extractor": EXTRACTOR_VERSION}
    if writer is not None:
        made_of["rewriter"] = writer.id
    if has_harvest(wanted.out, place.stem, made_of):
        found.passed_over += [f"{place.stem}.documents.parquet", f"{place.stem}.examples.parquet"]
        return
    taken = harvest(place.path, str(place), wanted.limits, progress, wanted.rewritten, wanted.pull_requests)
    if writer is not None:
        found.unanswered = rewrite_examples(git, taken, writer, progress)
        if found.unanswered:
            made_of["unanswered"] = found.unanswered
    write_harvest(wanted.out, place.stem, taken, made_of, negatives=wanted.negatives, progress=progress)
    found.documents, found.commits = len(taken.documents), taken.looked_at
    found.examples = dict(Counter(example.kind for example in taken.examples))
    found.dropped |= dict(taken.dropped.most_common())


def _digest(rewritten: Mapping[str, str]) -> str:
    lines = "".join(f"{commit} {text}\n" for commit, text in sorted(rewritten.items()))
    return hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()[:16]


_BATCH = 256


def rewrite_examples(git: Git, found: Harvest, writer: IssueWriter, progress: Progress = no_progress) -> int:
    """Fill `rewritten` of the examples of commits that have none. Returns for how many there was no answer."""
    todo = [number for number, one in enumerate(found.examples) if one.kind == "commit" and not one.rewritten]
    before = writer.done.kept[NO_ANSWER]
    with BlobReader(git) as blobs:
        for first in range(0, len(todo), _BATCH):
            batch = todo[first : first + _BATCH]
            told = _told(git, blobs, found, batch)
            for number, issue in zip(batch, writer.write(told, progress), strict=True):
                found.examples[number] = replace(found.examples[number], rewritten=issue)
    return writer.done.kept[NO_ANSWER] - before


def _told(git: Git, blobs: BlobReader, found: Harvest, batch: list[int]) -> list[CommitText]:
    commits = [found.examples[number].commit for number in batch]
    parents = {listed.oid: listed.parents for listed in commits_here(git, commits)}
    patches = read_patches(git, commits)
    told = []
    for number, commit in zip(batch, commits, strict=True):
        try:
            parent = next(iter(parents.get(commit, ())), None)
            names = new_identifiers(git, blobs, parent, patches.get(commit, ()))
        except GitError:
            names = frozenset()
        told.append(CommitText(found.examples[number].message, names))
    return told


ISSUE, PULL_REQUEST = "issue", "pr"
"""The column of issues that people wrote; without it that of rewritten messages is read."""
_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def read_rewritten(paths: Sequence[Path]) -> tuple[dict[str, str], frozenset[str]]:
    """Commit → query, of all files, and the commits whose query is the text of a pull request.

    Raises UsageError for a file that cannot be read or holds no such row.
    """
    found: dict[str, str] = {}
    pull_requests: set[str] = set()
    for path in paths:
        before = len(found)
        rows = read_parquet(path, ("commit_id",))
        column = ISSUE if rows and ISSUE in rows[0] else QUERY
        if rows and column not in rows[0]:
            raise UsageError(f"{path} has no column {ISSUE} or {QUERY}; it has {', '.join(rows[0])}")
        for row in rows:
            commit, text = row["commit_id"], row[column]
            if isinstance(commit, str) and _FULL_ID.fullmatch(commit) and isinstance(text, str) and text.strip():
                if commit not in found and row.get("kind") == PULL_REQUEST:
                    pull_requests.add(commit)
                found.setdefault(commit, text.strip())
        if len(found) == before:
            raise UsageError(f"{path} has no commit with a rewritten message")
    return found, frozenset(pull_requests)
