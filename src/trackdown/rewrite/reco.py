"""Rewrite a snapshot's units: code → one-sentence summary → code again. Each batch is stored before the next begins.

Li, Zhou and Shen (ReCo, 2024): a model that is asked to rewrite changes too little, so it writes from its own summary.
A text is rewritten once per rewriter. So an interrupted job resumes where it stopped, and after an edit only new texts
cost anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trackdown.index import Texts, rewriter_id
from trackdown.models.llm import (
    PROMPTS_VERSION,
    SUMMARY_TOKENS,
    CodeExample,
    LanguageModel,
    Prompt,
    code_prompt,
    extract_code,
    extract_summary,
    summary_prompt,
)
from trackdown.types import Progress, no_progress
from trackdown.units import split_docstring

SUMMARIES, CODE = "summaries", "rewrites"
"""The stages under which cost is recorded."""
STEP = "rewrite"
BATCH = 8
EXAMPLES_SHOWN = 4
_MAX_UNANSWERED = 2 * BATCH
"""The job ends after this many units in a row without an answer: the budget is used up or the model is gone."""
_ANY_SENTENCE = "{}" + " x" * SUMMARY_TOKENS
"""Stands for a text's summary in a dry run, where nothing is asked."""

RewriteRow = tuple[str, int, str, str]
"""(digest of a text, number of the rewrite, summary, code)."""


@dataclass(frozen=True, slots=True)
class RewriteJob:
    """What to rewrite: units in order, the digests of all units' texts, their languages and their source.

    `having` are the numbers of the rewrites that texts already have; `examples` are few-shot examples by language.
    """

    units: Sequence[int]
    digests: Sequence[str]
    having: Mapping[str, tuple[int, ...]]
    language: Callable[[int], str]
    texts: Texts
    examples: Callable[[str], Sequence[CodeExample]]


@dataclass(frozen=True, slots=True)
class RewriteCounts:
    """Counts of rewrites: wanted in all, there before, made now, failed (the answer was unusable), and left undone.

    `cut` texts were too long for the model and shown in part. `unanswered` are those left that were asked for.
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


def rewriter_of(llm: LanguageModel, examples: Sequence[CodeExample] = ()) -> str:
    """The id of a rewriter: the model, its context size, our prompts, and the examples that the user gave.

    Examples from the repository itself are not part of the id: an edit may change them, and then everything would have
    to be rewritten.
    """
    given = []
    if examples:
        content = repr([(one.description, one.code) for one in examples])
        given.append(hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest())
    return rewriter_id(llm.name, str(PROMPTS_VERSION), str(llm.context), *given)


def rewrite_units(
    job: RewriteJob,
    llm: LanguageModel,
    keep: Callable[[Sequence[RewriteRow]], None],
    *,
    times: int = 1,
    limit: int | None = None,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> RewriteCounts:
    """Rewrite units with fewer than `times` rewrites, at most `limit` rewrites; `keep` gets each batch when it is done.

    In a dry run the model only counts. Raises what the model raises; batches that were kept stay.
    """
    wanted = _wanted(job, times)
    missing = [item for item in wanted if item.number not in job.having.get(item.digest, ())]
    todo = missing if limit is None else missing[:limit]
    made = failed = cut = unanswered = unanswered_in_a_row = 0
    progress(STEP, 0, len(todo))
    for start in range(0, len(todo), BATCH):
        batch = _Batch(job, llm, todo[start : start + BATCH], progress)
        rows = batch.rows(dry_run=dry_run)
        keep(rows)
        made, failed = made + len(rows), failed + batch.failed
        cut, unanswered = cut + batch.cut, unanswered + batch.unanswered
        unanswered_in_a_row = unanswered_in_a_row + batch.unanswered if batch.unanswered == len(batch.items) else 0
        progress(STEP, made + failed, len(todo))
        if unanswered_in_a_row >= _MAX_UNANSWERED and not dry_run:
            break
    left = len(missing) - made - failed
    return RewriteCounts(len(wanted), len(wanted) - len(missing), made, failed, left, cut, 0 if dry_run else unanswered)


def _wanted(job: RewriteJob, times: int) -> list[_RewriteItem]:
    """Every text `times` times; the first rewrite of all units comes before the second of any."""
    first: dict[str, int] = {}
    for unit in job.units:
        if job.digests[unit]:
            first.setdefault(job.digests[unit], unit)
    return [_RewriteItem(unit, digest, number) for number in range(times) for digest, unit in first.items()]


class _Batch:
    """Rewrites that are asked for together.

    `cut` counts units that did not fit, `unanswered` those without an answer, and `failed` those with an unusable
    answer or without source.
    """

    def __init__(self, job: RewriteJob, llm: LanguageModel, items: Sequence[_RewriteItem], progress: Progress) -> None:
        self.items = items
        self.cut = self.unanswered = self.failed = 0
        self._job = job
        self._llm = llm
        self._progress = progress
        self._bodies: dict[_RewriteItem, str] = {}

    def rows(self, *, dry_run: bool) -> list[RewriteRow]:
        """The rewrites of the items, without those that cannot be read or had no usable answer."""
        sources = self._job.texts([item.unit for item in self.items])
        readable = [(item, source) for item, source in zip(self.items, sources, strict=True) if source is not None]
        asked = [self._summary_prompt(item, source) for item, source in readable]
        answers = self._llm.ask(SUMMARIES, asked, self._progress)
        self.unanswered = answers.count(None)
        if dry_run:
            summaries = [
                (item, _ANY_SENTENCE.format(item.digest) if answer is None else extract_summary(answer.text))
                for (item, _), answer in zip(readable, answers, strict=True)
            ]
            self._llm.ask(CODE, [self._code_prompt(item, sentence) for item, sentence in summaries], self._progress)
            return []
        summaries = [
            (item, sentence)
            for (item, _), answer in zip(readable, answers, strict=True)
            if answer is not None and (sentence := extract_summary(answer.text))
        ]
        asked = [self._code_prompt(item, sentence) for item, sentence in summaries]
        written = self._llm.ask(CODE, asked, self._progress) if asked else []
        self.unanswered += written.count(None)
        rows = [
            (item.digest, item.number, sentence, code)
            for (item, sentence), answer in zip(summaries, written, strict=True)
            if answer is not None and (code := extract_code(answer.text))
        ]
        self.failed = len(self.items) - self.unanswered - len(rows)
        return rows

    def _summary_prompt(self, item: _RewriteItem, source: str) -> Prompt:
        language = self._job.language(item.unit)
        self._bodies[item] = split_docstring(source, language)[1].strip("\n")
        prompt, cut = summary_prompt(source, self._examples(item, language), language, self._llm.context, item.number)
        self.cut += cut
        return prompt

    def _code_prompt(self, item: _RewriteItem, sentence: str) -> Prompt:
        language = self._job.language(item.unit)
        return code_prompt(sentence, self._examples(item, language), language, self._llm.context, item.number)[0]

    def _examples(self, item: _RewriteItem, language: str) -> list[CodeExample]:
        """A few examples, different ones for each number, and never the unit itself."""
        examples = [one for one in self._job.examples(language) if one.code != self._bodies[item]]
        first = item.number * EXAMPLES_SHOWN % max(1, len(examples))
        return [*examples[first:], *examples[:first]][:EXAMPLES_SHOWN]
