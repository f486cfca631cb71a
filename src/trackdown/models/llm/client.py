"""The client through which stages ask: cache first, then the model, within the budget; every question is counted."""

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

MAX_FAILURES = 3
"""After this many unanswered prompts in a row nothing more is asked: the endpoint hangs or is broken."""
_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds to wait before each retry, unless the model says how long."""
STEP = "ask"
_POLL_SECONDS = 0.2
T = TypeVar("T")
KeyedPrompt = tuple[str, Prompt]
Waiting = Callable[[], None]
"""Called regularly while a caller waits; raises when the caller has been cancelled."""


def sleep(seconds: float, waiting: Waiting) -> None:
    """Sleep; `waiting` may end it by raising."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        waiting()
        time.sleep(min(left, _POLL_SECONDS))
    waiting()


class _Spent(LlmError):
    """The budget has too little left for any question."""


class _TooLarge(NoAnswer):
    """This question doesn't fit into the rest of the budget, which says nothing about the model's health."""


class LlmClient:
    """A `LanguageModel` that never raises for a model's failures: `notes` says what went wrong, `stopped` why nothing
    is asked any more. Each search has its own client, with its own notes and costs; clients share the ledger.

    An answer comes from `facts`, else from `replay` (by digest), else from the model. Every answer is written to
    `facts` and to the `recorder`, if there is one. A `dry_run` counts what would be asked, and asks nothing.
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
        self._cache = CompletionCache(facts)
        self._ledger = ledger
        self._replay = replay or {}
        self._recorder = recorder
        self._sleep = sleep
        self._costs = StageCosts()
        self._problems: Counter[str] = Counter(notes)
        self._stopped: str | None = None
        self._noting = threading.Lock()

    @property
    def name(self) -> str:
        """The model's id."""
        return self._model.name

    @property
    def context(self) -> int:
        """The size of the context window in tokens."""
        return self._model.context

    @property
    def counts(self) -> Costs:
        """The cost of what this client asked so far, by stage."""
        return self._costs.costs()

    def cost(self) -> dict[str, Any]:
        """The cost of what this client asked, as a table for surfaces; empty when it asked nothing."""
        return cost_table(self.name, self.counts, dry_run=self.dry_run)

    @property
    def stopped(self) -> str | None:
        """Why nothing may be asked now, in one line that says what to do; None when something may."""
        return self._ledger.stopped

    def notes(self) -> list[str]:
        """What went wrong since the last call, each problem once with its count, and why asking stopped, if it did."""
        with self._noting:
            notes = [reason if count == 1 else f"{reason} ({count} times)" for reason, count in self._problems.items()]
            stopped, self._stopped = self._stopped, None
            self._problems.clear()
            return [*notes, *([stopped] if stopped is not None else [])]

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        """A completion for each prompt, in order; None where there is none.

        `progress` is also called while the client waits. If it raises, nothing more is asked.
        """
        keys = [prompt.digest(self.name) for prompt in prompts]
        found = self._known(stage, keys)
        self._count(StageCost(stage, cached=sum(key in found for key in keys)))
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
                    self._store(stage, key, answer)
                    found[key] = answer
                waiting()
        return [found.get(key) for key in keys]

    def _known(self, stage: str, keys: Sequence[str]) -> dict[str, Completion]:
        """Completions from the cache or the replay file."""
        found = self._cache.read(dict.fromkeys(keys))
        for key in dict.fromkeys(keys):
            if key not in found and key in self._replay:
                found[key] = self._replay[key]
                self._cache.write(key, found[key])
            if key in found:
                self._record(stage, key, found[key])
        return found

    def _estimate(self, stage: str, prompt: Prompt) -> None:
        """Count what a prompt would cost if its answer were as long as allowed."""
        tokens = likely_tokens(prompt)
        money = self._ledger.budget.prices.of(tokens, prompt.max_tokens)
        self._count(
            StageCost(stage, calls=1, tokens_in=tokens, tokens_out=prompt.max_tokens, money=money)
            if tokens + prompt.max_tokens <= self.context
            else StageCost(stage, unanswered=1)
        )

    def _count(self, cost: StageCost) -> None:
        self._costs.add(cost)
        self._ledger.add(cost)

    def _answers(
        self, stage: str, asked: Sequence[KeyedPrompt], waiting: Waiting
    ) -> Iterator[tuple[str, Completion | None]]:
        """Completions as they come."""
        if self._model.concurrency < 2:
            for key, prompt in asked:
                yield key, self._answer(stage, prompt, waiting)
        else:  # even for one question, so that a cancelled caller need not wait for its end
            threads = min(self._model.concurrency, len(asked))
            yield from _ask_in_threads(asked, partial(self._answer, stage), threads, waiting)

    def _answer(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion | None:
        """One prompt's completion, its cost recorded; None, with the reason noted."""
        stopped = self.stopped
        if stopped is None:
            try:
                return self._ask_with_retries(stage, prompt, waiting)
            except NoAnswer as error:
                with self._noting:
                    self._problems[str(error)] += 1
                is_models_fault = not isinstance(error, PromptTooLong | _TooLarge)
                if is_models_fault and self._ledger.failed() >= MAX_FAILURES:
                    stopped = f"stopped asking after {MAX_FAILURES} questions in a row without an answer: {error}"
                    self._ledger.stop(stopped)
            except LlmError as error:
                stopped = str(error)
                self._ledger.stop(stopped, for_good=isinstance(error, _Spent))
        if stopped is not None:
            with self._noting:
                self._stopped = self._stopped or stopped
        self._count(StageCost(stage, unanswered=1))
        return None

    def _ask_with_retries(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion:
        """The model's completion, with retries. Raises NoAnswer, or LlmError if no prompt will get an answer."""
        tokens, limit = likely_tokens(prompt), prompt.max_tokens
        if tokens + limit > self.context:
            raise PromptTooLong(f"a prompt is too long for {self.name} ({self.context:,} tokens with the answer)")
        for wait_s in _WAITS:
            try:
                return self._ask_once(stage, prompt, waiting)
            except TryAgain as error:
                self._sleep(wait_s if error.wait_s is None else error.wait_s, waiting)
        return self._ask_once(stage, prompt, waiting)

    def _ask_once(self, stage: str, prompt: Prompt, waiting: Waiting) -> Completion:
        """One try, within the budget. What the model is likely to charge for is recorded even if it didn't answer."""
        budget, most, limit = self._ledger.budget, most_tokens(prompt), prompt.max_tokens
        reserved = budget.reserve(most, limit, waiting)
        if reserved is None:
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
            money = budget.settle(reserved, *used)
            self._count(StageCost(stage, calls, 0, 0, *used, seconds, money))

    def _store(self, stage: str, key: str, answer: Completion) -> None:
        self._cache.write(key, answer)
        self._record(stage, key, answer)

    def _record(self, stage: str, key: str, answer: Completion) -> None:
        if self._recorder is not None:
            self._recorder.add(key, self.name, self.context, stage, answer)


def _ask_in_threads(
    asked: Sequence[KeyedPrompt], answer: Callable[[Prompt, Waiting], Completion | None], threads: int, waiting: Waiting
) -> Iterator[tuple[str, Completion | None]]:
    """Completions from several threads, as they come; `waiting` is called in the caller's thread only.

    Threads are daemons: an interrupted program doesn't wait for them, and once the caller has left they ask no more.
    """
    todo: queue.SimpleQueue[KeyedPrompt] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Completion | None] | BaseException] = queue.SimpleQueue()
    left = threading.Event()

    def wanted() -> None:
        if left.is_set():
            raise Cancelled("the caller has stopped waiting for the answer")

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
            got = _next_item(done, waiting)
            if isinstance(got, BaseException):
                raise got
            yield got
    finally:
        left.set()


def _next_item(done: queue.SimpleQueue[T], waiting: Waiting) -> T:
    """The next item of a queue."""
    while True:
        try:
            return done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            waiting()
