"""The walk over a snapshot's units: code → one sentence → code again, and every batch is kept before the next begins.

Li, Zhou and Shen (ReCo, 2024): a model that is asked to rewrite changes too little, so it writes from its own summary.
A unit's text that has been rewritten by the same rewriter is never asked for again, so a walk that was interrupted goes
on where it stopped, and after an edit only new texts cost something.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trackdown.index.corpus import Texts
from trackdown.index.rewrite_facts import rewriter_id
from trackdown.models.llm.code_generation import (
    PROMPTS_VERSION,
    SUMMARY_TOKENS,
    CodeExample,
    code_prompt,
    extract_code,
    extract_summary,
    summary_prompt,
)
from trackdown.models.llm.prompt import LanguageModel, Prompt
from trackdown.types import Progress, no_progress
from trackdown.units.docstrings import split_docstring

SUMMARIES, CODE = "summaries", "rewrites"
"""Stages, as their cost is booked."""
STEP = "rewrite"
BATCH = 8
SHOWN_PAIRS = 4
_MOST_SILENT = 2 * BATCH
"""So many units in a row without an answer, and the walk ends: the budget is used up, or nobody is there."""
_ANY_SENTENCE = "{}" + " x" * SUMMARY_TOKENS
"""Stands for a text's summary where nothing is asked and only counted."""

RewriteRow = tuple[str, int, str, str]
"""Digest of a text, number, summary, code."""


@dataclass(frozen=True, slots=True)
class RewriteJob:
    """What is walked: units in their order, the digests of all units' texts, their languages and their source.

    `having` are the numbers of the rewrites that texts have; `pairs` are few-shot examples for a language.
    """

    units: Sequence[int]
    digests: Sequence[str]
    having: Mapping[str, tuple[int, ...]]
    language: Callable[[int], str]
    texts: Texts
    pairs: Callable[[str], Sequence[CodeExample]]


@dataclass(frozen=True, slots=True)
class RewriteCounts:
    """Counts of rewrites: wanted in all, there already, made now, answered in vain, and left for another time.

    `cut` were too long for the model and shown in part. `unanswered` are those of the left that were asked for.
    """

    wanted: int
    had: int
    made: int = 0
    failed: int = 0
    left: int = 0
    cut: int = 0
    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class _RewriteItem:
    unit: int
    digest: str
    number: int


def rewriter_of(llm: LanguageModel, pairs: Sequence[CodeExample] = ()) -> str:
    """The id of the rewriter that a model is when it is asked in our words, with its context, and shown given pairs.

    Pairs that are drawn from the repository itself are no part of it: any edit may draw others, and then everything
    would have to be rewritten. What was rewritten before such an edit stays as good as it was.
    """
    given = [hashlib.sha256(repr(list(pairs)).encode("utf-8", "backslashreplace")).hexdigest()] if pairs else []
    return rewriter_id(llm.name, str(PROMPTS_VERSION), str(llm.context), *given)


def rewrite_units(
    walk: RewriteJob,
    llm: LanguageModel,
    keep: Callable[[Sequence[RewriteRow]], None],
    *,
    times: int = 1,
    limit: int | None = None,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> RewriteCounts:
    """Rewrite what has fewer than `times` rewrites, at most `limit` of them; `keep` gets each batch as it is done.

    In a dry run the model only counts. Raises what the model raises; what was kept by then stays.
    """
    wanted = _wanted(walk, times)
    missing = [item for item in wanted if item.number not in walk.having.get(item.digest, ())]
    todo = missing if limit is None else missing[:limit]
    made = failed = cut = unanswered = silent = 0
    progress(STEP, 0, len(todo))
    for start in range(0, len(todo), BATCH):
        batch = _Batch(walk, llm, todo[start : start + BATCH], progress)
        rows = batch.rows(dry_run=dry_run)
        keep(rows)
        made, failed = made + len(rows), failed + batch.failed
        cut, unanswered = cut + batch.cut, unanswered + batch.silent
        silent = silent + batch.silent if batch.silent == len(batch.items) else 0
        progress(STEP, made + failed, len(todo))
        if silent >= _MOST_SILENT and not dry_run:
            break
    left = len(missing) - made - failed
    return RewriteCounts(len(wanted), len(wanted) - len(missing), made, failed, left, cut, 0 if dry_run else unanswered)


def _wanted(walk: RewriteJob, times: int) -> list[_RewriteItem]:
    """Every text once for each time; the first rewrite of all units comes before the second of any."""
    first: dict[str, int] = {}
    for unit in walk.units:
        if walk.digests[unit]:
            first.setdefault(walk.digests[unit], unit)
    return [_RewriteItem(unit, digest, number) for number in range(times) for digest, unit in first.items()]


class _Batch:
    """Some rewrites that are asked for together.

    `cut` counts units that did not fit, `silent` those without an answer, `failed` those whose answer is of no use or
    whose source is gone.
    """

    def __init__(self, walk: RewriteJob, llm: LanguageModel, items: Sequence[_RewriteItem], progress: Progress) -> None:
        self.items = items
        self.cut = self.silent = self.failed = 0
        self._walk = walk
        self._llm = llm
        self._progress = progress
        self._own: dict[_RewriteItem, str] = {}

    def rows(self, *, dry_run: bool) -> list[RewriteRow]:
        """What was made of the items; nothing for one that cannot be read or had no usable answer."""
        sources = self._walk.texts([item.unit for item in self.items])
        readable = [(item, source) for item, source in zip(self.items, sources, strict=True) if source is not None]
        asked = [self._summary_prompt(item, source) for item, source in readable]
        answers = self._llm.ask(SUMMARIES, asked, self._progress)
        self.silent = answers.count(None)
        if dry_run:
            told = [
                (item, _ANY_SENTENCE.format(item.digest) if answer is None else extract_summary(answer.text))
                for (item, _), answer in zip(readable, answers, strict=True)
            ]
            self._llm.ask(CODE, [self._code_prompt(item, sentence) for item, sentence in told], self._progress)
            return []
        told = [
            (item, sentence)
            for (item, _), answer in zip(readable, answers, strict=True)
            if answer is not None and (sentence := extract_summary(answer.text))
        ]
        asked = [self._code_prompt(item, sentence) for item, sentence in told]
        written = self._llm.ask(CODE, asked, self._progress) if asked else []
        self.silent += written.count(None)
        rows = [
            (item.digest, item.number, sentence, code)
            for (item, sentence), answer in zip(told, written, strict=True)
            if answer is not None and (code := extract_code(answer.text))
        ]
        self.failed = len(self.items) - self.silent - len(rows)
        return rows

    def _summary_prompt(self, item: _RewriteItem, source: str) -> Prompt:
        language = self._walk.language(item.unit)
        self._own[item] = split_docstring(source, language)[1].strip("\n")
        prompt, cut = summary_prompt(source, self._pairs(item, language), language, self._llm.context, item.number)
        self.cut += cut
        return prompt

    def _code_prompt(self, item: _RewriteItem, sentence: str) -> Prompt:
        language = self._walk.language(item.unit)
        return code_prompt(sentence, self._pairs(item, language), language, self._llm.context, item.number)[0]

    def _pairs(self, item: _RewriteItem, language: str) -> list[CodeExample]:
        """Some of the pairs, others for each number. No unit is an example for itself, to be repeated."""
        pairs = [pair for pair in self._walk.pairs(language) if pair.code != self._own[item]]
        first = item.number * SHOWN_PAIRS % max(1, len(pairs))
        return [*pairs[first:], *pairs[:first]][:SHOWN_PAIRS]
