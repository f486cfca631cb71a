"""`trackdown rewrite`: a language model rewrites the units of a snapshot; or rewrites come from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.indexing.prepare import Prepared
from trackdown.engine.llm.few_shot import few_shot
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UsageError
from trackdown.index.rewrite_facts import rewriter_id
from trackdown.models.llm.code_generation import CodeExample
from trackdown.models.llm.prompt import LanguageModel
from trackdown.rewrite.reco import RewriteCounts, RewriteJob, RewriteRow, rewrite_units, rewriter_of
from trackdown.rewrite.unit_selection import main_unit, units_to_rewrite
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.models.llm.client import LlmClient

MOST_TIMES = 8
Made = tuple[str, str]
"""A summary and the code that was written from it."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What `trackdown rewrite` did. In a dry run nothing was made, and the cost says what it would take."""

    repository: str
    model: str
    dry_run: bool
    outcome: RewriteCounts
    notes: tuple[str, ...] = ()


def rewriting(
    prepared: Prepared,
    desk: LlmClient,
    *,
    times: int = 1,
    limit: int | None = None,
    pairs: Sequence[CodeExample] = (),
    progress: Progress = no_progress,
) -> Rewriting:
    """Rewrite what has fewer than `times` rewrites by the desk's model. `pairs` are shown in place of the code's own.

    Raises UsageError and StoreError; what was made until then is kept.
    """
    dry_run = desk.dry_run
    outcome = _walked(prepared, desk, times, limit, dry_run, pairs, progress)
    notes = desk.notes()
    if outcome.unanswered and desk.stopped is not None:
        notes.append(desk.stopped)
    return Rewriting(prepared.info().repository, desk.name, dry_run, outcome, tuple(dict.fromkeys(notes)))


def _walked(
    prepared: Prepared,
    asker: LanguageModel,
    times: int,
    limit: int | None,
    dry_run: bool,
    pairs: Sequence[CodeExample],
    progress: Progress,
) -> RewriteCounts:
    if not 1 <= times <= MOST_TIMES:
        raise UsageError(f"units can be rewritten 1 to {MOST_TIMES} times, not {times}")
    if limit is not None and limit < 1:
        raise UsageError(f"the limit must be a number of rewrites above 0, not {limit}")
    code, rewrites = prepared.code, prepared.rewrites
    rewriter = rewriter_of(asker, pairs)
    name = f"{asker.name} with given examples" if pairs else asker.name
    with SourceReader(prepared.snapshot) as snippets:
        texts = partial(snippets.units, code)
        own = few_shot(code, texts)
        walk = RewriteJob(
            units_to_rewrite(code),
            rewrites.digests(texts),
            rewrites.having(rewriter),
            lambda unit: code.language(int(code.unit_file[unit])),
            texts,
            (lambda language: pairs) if pairs else own,
        )
        keep = partial(rewrites.keep, rewriter, name)
        return rewrite_units(walk, asker, keep, times=times, limit=limit, dry_run=dry_run, progress=progress)


def take_rewrites(prepared: Prepared, name: str, made: Mapping[str, Sequence[Made]]) -> str:
    """Keep rewrites of whole files, by path, that were made elsewhere; each stands for the file's main unit.

    Returns the id that these very texts have as a rewriter. Files that are not there do not count. Raises StoreError.
    """
    rewriter = rewriter_id("texts", _digest(made))
    code, rewrites = prepared.code, prepared.rewrites
    with SourceReader(prepared.snapshot) as snippets:
        digests = rewrites.digests(partial(snippets.units, code))
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
    told = repr(sorted((path, list(texts)) for path, texts in made.items()))
    return hashlib.blake2b(told.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
