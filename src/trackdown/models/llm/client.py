"""Where stages ask: what is kept first, then the model, as far as the budget goes; all of it counted."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from trackdown.errors import Cancelled, LlmError, NoAnswer
from trackdown.models.llm.cache import CompletionCache
from trackdown.models.llm.chat import ChatModel, PromptTooLong, TryAgain, likely_tokens, most_tokens
from trackdown.models.llm.ledger import Costs, StageCost, StageCosts, UsageLedger, cost_table
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.models.llm.replay import Recorder
from trackdown.types import FactCache, Progress, no_progress

MOST_FAILURES = 3
"""So many prompts in a row without an answer, and nothing more is asked: the endpoint hangs or is broken."""
_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before a question is asked again, unless the model says how long."""
STEP = "ask"
_POLL_SECONDS = 0.2
T = TypeVar("T")
Asked = tuple[str, Prompt]
Waiting = Callable[[], None]
"""Called now and then by whoever waits; raises when nobody wants the answer any more."""


def sleep(seconds: float, waiting: Waiting) -> None:
    """Wait, unless `waiting` ends it."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        waiting()
        time.sleep(min(left, _POLL_SECONDS))
    waiting()


class _Spent(LlmError):
    """The budget has nothing left for any question."""


class _TooLarge(NoAnswer):
    """The question does not fit what is left of the budget: no fault of the model's."""


class LlmClient:
    """An `Asker`: never raises for what the model does or does not do. `notes` says what went wrong here, and `stopped`
    why nothing is asked any more. Each search has its own, with its own notes and counts; the ledger is shared.

    Answers are taken from `facts`, then from `replay` (by digest), then from the model; every answer goes into `facts`
    and, where there is one, the `recorder`. A `dry_run` counts what would be asked, and asks nothing.
    """

    def __init__(
        self,
        model: ChatModel,
        facts: FactCache,
        ledger: UsageLedger,
        *,
        replay: Mapping[str, Completion] | None = None,
        recorder: Recorder | None = None,
        dry_run: bool = False,
        notes: Sequence[str] = (),
        sleep: Callable[[float, Waiting], None] = sleep,
    ) -> None:
        self.dry_run = dry_run
        self._model = model
        self._kept = CompletionCache(facts)
        self._ledger = ledger
        self._replay = replay or {}
        self._recorder = recorder
        self._sleep = sleep
        self._tally = StageCosts()
        self._problems: Counter[str] = Counter(notes)
        self._stopped: str | None = None
        self._noting = threading.Lock()

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
        """What was asked at this desk so far, by stage."""
        return self._tally.costs()

    def cost(self) -> dict[str, Any]:
        """What was asked at this desk, as a table for surfaces; empty when nothing was."""
        return cost_table(self.name, self.counts, dry_run=self.dry_run)

    @property
    def stopped(self) -> str | None:
        """Why nothing is asked any more, in one line that says what to do; None as long as something may be."""
        return self._ledger.stopped

    def notes(self) -> list[str]:
        """What went wrong at this desk since it was last told, each once with its number; at the end why questions
        were not asked any more, if any were.
        """
        with self._noting:
            told = [reason if count == 1 else f"{reason} ({count} times)" for reason, count in self._problems.items()]
            stopped, self._stopped = self._stopped, None
            self._problems.clear()
            return [*told, *([stopped] if stopped is not None else [])]

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        """An answer for each prompt, in their order; None where there is none. `progress` is called while one is waited
        for, too: where it raises, nothing more is asked.
        """
        keys = [prompt.digest(self.name) for prompt in prompts]
        found = self._known(stage, keys)
        self._book(StageCost(stage, cached=sum(key in found for key in keys)))
        missing = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if self.dry_run:
            for prompt in missing.values():
                self._estimate(stage, prompt)
        elif missing:
            done = 0

            def waiting() -> None:
                progress(STEP, done, len(missing))

            waiting()
            for done, (key, answer) in enumerate(self._answers(stage, list(missing.items()), waiting), 1):  # noqa: B007
                if answer is not None:
                    self._keep(stage, key, answer)
                    found[key] = answer
                waiting()
        return [found.get(key) for key in keys]

    def _known(self, stage: str, keys: Sequence[str]) -> dict[str, Completion]:
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
        self._book(
            StageCost(stage, calls=1, tokens_in=tokens, tokens_out=prompt.max_tokens, money=money)
            if tokens + prompt.max_tokens <= self.context
            else StageCost(stage, unanswered=1)
        )

    def _book(self, cost: StageCost) -> None:
        self._tally.book(cost)
        self._ledger.book(cost)

    def _answers(self, stage: str, asked: Sequence[Asked], waiting: Waiting) -> Iterator[tuple[str, Completion | None]]:
        """Answers as they come."""
        if self._model.concurrency < 2:
            for key, prompt in asked:
                yield key, self._answer(stage, prompt, waiting)
        else:  # one question, too: whoever asked need not wait for it to the end
            threads = min(self._model.concurrency, len(asked))
            yield from _side_by_side(asked, partial(self._answer, stage), threads, waiting)

    def _answer(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion | None:
        """One prompt's answer, with its cost booked; None, with the reason noted."""
        stopped = self.stopped
        if stopped is None:
            try:
                return self._asked(stage, prompt, waiting)
            except NoAnswer as error:
                with self._noting:
                    self._problems[str(error)] += 1
                is_the_models = not isinstance(error, PromptTooLong | _TooLarge)
                if is_the_models and self._ledger.failed() >= MOST_FAILURES:
                    stopped = f"{MOST_FAILURES} questions in a row had no answer, no more were asked: {error}"
                    self._ledger.stop(stopped)
            except LlmError as error:
                stopped = str(error)
                self._ledger.stop(stopped, for_good=isinstance(error, _Spent))
        if stopped is not None:
            with self._noting:
                self._stopped = self._stopped or stopped
        self._book(StageCost(stage, unanswered=1))
        return None

    def _asked(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion:
        """The model's answer, asked again where that may help. Raises NoAnswer, and LlmError when none is to be had."""
        tokens, limit = likely_tokens(prompt), prompt.max_tokens
        if tokens + limit > self.context:
            raise PromptTooLong(f"a prompt is too long for {self.name} ({self.context:,} tokens with the answer)")
        for wait_s in _WAITS:
            try:
                return self._asked_once(stage, prompt, waiting)
            except TryAgain as error:
                self._sleep(wait_s if error.wait_s is None else error.wait_s, waiting)
        return self._asked_once(stage, prompt, waiting)

    def _asked_once(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion:
        """One try, within the budget: what the model is likely to charge for is booked even if nothing came of it."""
        budget, most, limit = self._ledger.budget, most_tokens(prompt), prompt.max_tokens
        share = budget.reserve(most, limit, waiting)
        if share is None:
            refused = _Spent if budget.is_spent() else _TooLarge
            raise refused(budget.reason(most, limit))
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
            self._book(StageCost(stage, calls, 0, 0, *used, seconds, money))

    def _keep(self, stage: str, key: str, answer: Completion) -> None:
        self._kept.write(key, answer)
        self._record(stage, key, answer)

    def _record(self, stage: str, key: str, answer: Completion) -> None:
        if self._recorder is not None:
            self._recorder.add(key, self.name, self.context, stage, answer)


def _side_by_side(
    asked: Sequence[Asked], answer: Callable[[Prompt, Waiting], Completion | None], threads: int, waiting: Waiting
) -> Iterator[tuple[str, Completion | None]]:
    """Answers from several threads, as they come; `waiting` is called here alone. Threads are daemons: an interrupted
    program does not wait for them, and those that are left ask nothing more.
    """
    todo: queue.SimpleQueue[Asked] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Completion | None] | BaseException] = queue.SimpleQueue()
    left = threading.Event()

    def wanted() -> None:
        if left.is_set():
            raise Cancelled("nobody waits for the answer any more")

    def work() -> None:
        while not left.is_set():
            try:
                key, prompt = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((key, answer(prompt, wanted)))
            except BaseException as error:
                done.put(error)

    for item in asked:
        todo.put(item)
    for _ in range(threads):
        threading.Thread(target=work, name="trackdown-llm", daemon=True).start()
    try:
        for _ in asked:
            got = _got(done, waiting)
            if isinstance(got, BaseException):
                raise got
            yield got
    finally:
        left.set()


def _got(done: queue.SimpleQueue[T], waiting: Waiting) -> T:
    """What comes next."""
    while True:
        try:
            return done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            waiting()
