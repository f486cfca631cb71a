"""Where stages ask: what is kept first, then the model, as far as the budget goes; all of it counted."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trackdown.errors import LlmError, NoAnswer
from trackdown.models.llm.asking import Answer, Prompt
from trackdown.models.llm.chat import ChatModel, PromptTooLong, TryAgain, likely_tokens, most_tokens
from trackdown.models.llm.kept import KeptAnswers
from trackdown.models.llm.ledger import Costs, Ledger, StageCost, as_json, since
from trackdown.models.llm.replay import Recorder
from trackdown.types import FactCache, Progress, no_progress

MOST_FAILURES = 3
"""So many prompts in a row without an answer, and nothing more is asked: the endpoint hangs or is broken."""
_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before a question is asked again, unless the model says how long."""
STEP = "ask"
Asked = tuple[str, Prompt]


class Desk:
    """An `Asker`: never raises for what the model does or does not do. `notes` says what went wrong, and `stopped`
    why nothing is asked any more.

    Answers are taken from `facts`, then from `replay` (by digest), then from the model; every answer goes into `facts`
    and, where there is one, the `recorder`. A `dry_run` counts what would be asked, and asks nothing.
    """

    def __init__(
        self,
        model: ChatModel,
        facts: FactCache,
        ledger: Ledger,
        *,
        replay: Mapping[str, Answer] | None = None,
        recorder: Recorder | None = None,
        dry_run: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.dry_run = dry_run
        self._model = model
        self._kept = KeptAnswers(facts)
        self._ledger = ledger
        self._replay = replay or {}
        self._recorder = recorder
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The model's id."""
        return self._model.name

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""
        return self._model.context

    @property
    def counts(self) -> Costs:
        """What was asked so far in this run, by stage."""
        return self._ledger.costs()

    def cost(self, before: Costs = ()) -> dict[str, Any]:
        """What was asked since `before`, as a table for surfaces; empty when nothing was."""
        return as_json(self.name, since(before, self.counts), dry_run=self.dry_run)

    @property
    def stopped(self) -> str | None:
        """Why nothing is asked any more, in one line that says what to do; None as long as something may be."""
        return self._ledger.stopped

    def notes(self) -> list[str]:
        """What went wrong since it was last told, each once."""
        return self._ledger.notes()

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Answer | None]:
        """An answer for each prompt, in their order; None where there is none."""
        keys = [prompt.digest(self.name) for prompt in prompts]
        found = self._known(stage, keys)
        self._ledger.book(StageCost(stage, cached=sum(key in found for key in keys)))
        missing = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if self.dry_run:
            for prompt in missing.values():
                self._estimate(stage, prompt)
        elif missing:
            progress(STEP, 0, len(missing))
            for done, (key, answer) in enumerate(self._answers(stage, list(missing.items())), 1):
                if answer is not None:
                    self._keep(stage, key, answer)
                    found[key] = answer
                progress(STEP, done, len(missing))
        return [found.get(key) for key in keys]

    def _known(self, stage: str, keys: Sequence[str]) -> dict[str, Answer]:
        """What has been answered before, here or in the file."""
        found = self._kept.read(dict.fromkeys(keys))
        for key in dict.fromkeys(keys):
            if key not in found and key in self._replay:
                found[key] = self._replay[key]
                self._kept.write(key, found[key])
            if key in found:
                self._record(stage, key, found[key])
        return found

    def _estimate(self, stage: str, prompt: Prompt) -> None:
        """Count what a prompt would take: its answer is taken to be as long as it may get."""
        tokens = likely_tokens(prompt)
        money = self._ledger.budget.prices.of(tokens, prompt.max_tokens)
        self._ledger.book(
            StageCost(stage, calls=1, tokens_in=tokens, tokens_out=prompt.max_tokens, money=money)
            if tokens + prompt.max_tokens <= self.context
            else StageCost(stage, unanswered=1)
        )

    def _answers(self, stage: str, asked: Sequence[Asked]) -> Iterator[tuple[str, Answer | None]]:
        """Answers as they come."""
        threads = min(self._model.concurrency, len(asked))
        if threads < 2:
            for key, prompt in asked:
                yield key, self._answer(stage, prompt)
        else:
            yield from _side_by_side(asked, lambda prompt: self._answer(stage, prompt), threads)

    def _answer(self, stage: str, prompt: Prompt) -> Answer | None:
        """One prompt's answer, with its cost booked; None, with the reason noted."""
        if self.stopped is None:
            try:
                answer = self._asked(stage, prompt)
                if answer is not None:
                    return answer
            except NoAnswer as error:
                if self._ledger.failed(str(error), counts=not isinstance(error, PromptTooLong)) >= MOST_FAILURES:
                    self._ledger.stop(f"{MOST_FAILURES} questions in a row had no answer, no more were asked: {error}")
            except LlmError as error:
                self._ledger.stop(str(error))
        self._ledger.book(StageCost(stage, unanswered=1))
        return None

    def _asked(self, stage: str, prompt: Prompt) -> Answer | None:
        """The model's answer, asked again where that may help. None when it may not be asked."""
        tokens, limit = likely_tokens(prompt), prompt.max_tokens
        if tokens + limit > self.context:
            raise PromptTooLong(f"a prompt is too long for {self.name} ({self.context:,} tokens with the answer)")
        for wait_s in (*_WAITS, None):
            try:
                return self._asked_once(stage, prompt)
            except TryAgain as error:
                if wait_s is None:
                    raise
                self._sleep(wait_s if error.wait_s is None else error.wait_s)
        return None

    def _asked_once(self, stage: str, prompt: Prompt) -> Answer | None:
        """One try, within the budget: what the model is likely to charge for is booked even if nothing came of it."""
        budget, most, limit = self._ledger.budget, most_tokens(prompt), prompt.max_tokens
        share = budget.reserve(most, limit)
        if share is None:
            self._ledger.stop(budget.reason(most, limit), for_good=True)
            return None
        used, seconds, calls = (0, 0), 0.0, 0
        try:
            answer = self._model.answer(prompt)
            used, seconds, calls = (answer.tokens_in, answer.tokens_out), answer.seconds, 1
            return answer
        except NoAnswer as error:
            used = (likely_tokens(prompt), limit) if error.charged else used
            raise
        finally:
            money = budget.settle(share, *used)
            self._ledger.book(StageCost(stage, calls, 0, 0, *used, seconds, money))

    def _keep(self, stage: str, key: str, answer: Answer) -> None:
        self._kept.write(key, answer)
        self._record(stage, key, answer)

    def _record(self, stage: str, key: str, answer: Answer) -> None:
        if self._recorder is not None:
            self._recorder.add(key, self.name, self.context, stage, answer)


def _side_by_side(
    asked: Sequence[Asked], answer: Callable[[Prompt], Answer | None], threads: int
) -> Iterator[tuple[str, Answer | None]]:
    """Answers from several threads, as they come. They are daemons: an interrupted program does not wait for them."""
    todo: queue.SimpleQueue[Asked] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Answer | None] | BaseException] = queue.SimpleQueue()
    left = threading.Event()

    def work() -> None:
        while not left.is_set():
            try:
                key, prompt = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((key, answer(prompt)))
            except BaseException as error:
                done.put(error)

    for item in asked:
        todo.put(item)
    for _ in range(threads):
        threading.Thread(target=work, name="trackdown-llm", daemon=True).start()
    try:
        for _ in asked:
            got = done.get()
            if isinstance(got, BaseException):
                raise got
            yield got
    finally:
        left.set()
