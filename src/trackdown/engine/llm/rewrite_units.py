"""`trackdown rewrite`: a language model rewrites the units of a snapshot, or rewrites are imported."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.llm.few_shot import few_shot
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UsageError
from trackdown.index import Corpus, rewriter_id
from trackdown.models.llm import CodeExample, LanguageModel
from trackdown.rewrite import (
    RewriteCounts,
    RewriteJob,
    RewriteRow,
    main_unit,
    rewrite_units,
    rewriter_of,
    units_to_rewrite,
)
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.models.llm import LlmClient

MOST_TIMES = 8
Made = tuple[str, str]
"""A summary and the code that was written from it."""


@dataclass(frozen=True, slots=True)
class RewriteReport:
    """What `trackdown rewrite` did. After a dry run, the cost is an estimate."""

    repository: str
    model: str
    dry_run: bool
    outcome: RewriteCounts
    notes: tuple[str, ...] = ()


def rewrite_repository(
    repository: Repository,
    at: str | None,
    times: int,
    limit: int | None,
    pairs: Sequence[CodeExample],
    progress: Progress,
) -> RewriteReport:
    """See `Repository.rewrite`."""
    from trackdown.engine.llm.configured import WITHOUT_LLM, open_llm

    llm = open_llm(repository.settings, repository.indexes.facts)
    if llm is None:
        raise UsageError(WITHOUT_LLM)
    corpus = repository.corpus(at, progress=progress)
    found = rewrite_snapshot(corpus, llm, times=times, limit=limit, pairs=pairs, progress=progress)
    return replace(found, notes=(*repository.notes_of(corpus), *found.notes))


def rewrite_snapshot(
    corpus: Corpus,
    llm: LlmClient,
    *,
    times: int = 1,
    limit: int | None = None,
    pairs: Sequence[CodeExample] = (),
    progress: Progress = no_progress,
) -> RewriteReport:
    """Rewrite the units that have fewer than `times` rewrites by the model. `pairs` replace examples from the code.

    Raises UsageError and StoreError; finished rewrites are kept.
    """
    dry_run = llm.dry_run
    outcome = _rewrite(corpus, llm, times, limit, dry_run, pairs, progress)
    notes = llm.notes()
    if outcome.unanswered and llm.stopped is not None:
        notes.append(llm.stopped)
    return RewriteReport(corpus.snapshot.info.repository, llm.name, dry_run, outcome, tuple(dict.fromkeys(notes)))


def _rewrite(
    corpus: Corpus,
    llm: LanguageModel,
    times: int,
    limit: int | None,
    dry_run: bool,
    pairs: Sequence[CodeExample],
    progress: Progress,
) -> RewriteCounts:
    if not 1 <= times <= MOST_TIMES:
        raise UsageError(f"units can be rewritten 1 to {MOST_TIMES} times, not {times}")
    if limit is not None and limit < 1:
        raise UsageError(f"the limit must be at least 1 rewrite, not {limit}")
    code, rewrites = corpus.code, corpus.rewrites
    assert rewrites is not None
    rewriter = rewriter_of(llm, pairs)
    name = f"{llm.name} with given examples" if pairs else llm.name
    with SourceReader(corpus.snapshot) as reader:
        texts = partial(reader.units, code)
        job = RewriteJob(
            units_to_rewrite(code),
            rewrites.digests(texts),
            rewrites.having(rewriter),
            lambda unit: code.language(int(code.unit_file[unit])),
            texts,
            (lambda language: pairs) if pairs else few_shot(code, texts),
        )
        keep = partial(rewrites.keep, rewriter, name)
        return rewrite_units(job, llm, keep, times=times, limit=limit, dry_run=dry_run, progress=progress)


def take_rewrites(corpus: Corpus, name: str, made: Mapping[str, Sequence[Made]]) -> str:
    """Import rewrites of whole files, by path; each counts as a rewrite of the file's main unit.

    Returns the rewriter id of exactly these texts. Unknown files are ignored. Raises StoreError.
    """
    rewriter = rewriter_id("texts", _digest(made))
    code, rewrites = corpus.code, corpus.rewrites
    assert rewrites is not None
    with SourceReader(corpus.snapshot) as reader:
        digests = rewrites.digests(partial(reader.units, code))
    having = rewrites.having(rewriter)
    rows: list[RewriteRow] = []
    for path, texts in made.items():
        file = code.files_by_path.get(path)
        unit = main_unit(code, file) if file is not None else None
        if unit is None or not digests[unit]:
            continue
        rows += [
            (digests[unit], number, summary, written)
            for number, (summary, written) in enumerate(texts)
            if number not in having.get(digests[unit], ())
        ]
    if rows:
        rewrites.keep(rewriter, name, rows)
    return rewriter


def _digest(made: Mapping[str, Sequence[Made]]) -> str:
    content = repr(sorted((path, list(texts)) for path, texts in made.items()))
    return hashlib.blake2b(content.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
