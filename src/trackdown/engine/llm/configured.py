"""The configured language model, with its cache, budget and usage."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trackdown.engine.searching.modes import Listed
from trackdown.errors import LlmError, UsageError
from trackdown.models import NONE
from trackdown.models.llm import Budget, Prices, UsageLedger, cost_table
from trackdown.settings import Settings
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models.llm import ChatModel, LlmClient, Recorder, ReplayFile

EMBEDDED = "embedded"
WITHOUT_LLM = "no language model is configured (set --llm or TRACKDOWN_LLM)"
_UNSET = Path()
_OPENING = threading.RLock()
"""The model is opened once per process: two budgets would be twice the budget."""


def has_llm(settings: Settings) -> bool:
    """Whether the settings name a language model, or a file with recorded answers."""
    return settings.llm != NONE or settings.llm_replay != _UNSET


def open_llm(settings: Settings, facts: FactCache) -> LlmClient | None:
    """A client of the language model; None if none is configured. All clients of the same settings share one budget and
    one total, and each has its own notes and usage: open one per search.

    Nothing is loaded or connected before the first question. Raises UsageError for invalid settings and LlmError if the
    model is not available, each with what to do.
    """
    if not has_llm(settings):
        return None
    from trackdown.models.llm import LlmClient

    run = _run(settings)
    replay, notes = (None, ()) if run.replay is None else (run.replay.answers, run.replay.notes)
    return LlmClient(
        run.model,
        facts,
        run.ledger,
        replay=replay,
        recorder=run.recorder,
        dry_run=settings.llm_dry_run,
        notes=notes,
    )


@contextmanager
def asking(settings: Settings) -> Iterator[LlmClient]:
    """A client for work without a repository; answers are cached in the store. Raises UsageError without a model."""
    from trackdown.engine.indexing.fact_cache import StoreFacts
    from trackdown.store import Store

    with closing(Store(settings.store)) as store:
        client = open_llm(settings, StoreFacts(store))
        if client is None:
            raise UsageError("this needs a language model: set --llm or TRACKDOWN_LLM")
        yield client


def llm_name(settings: Settings) -> str:
    """The id of the configured model, without loading it; empty if there is none. Raises as above."""
    return _run(settings).model.name if has_llm(settings) else ""


def llm_ended(settings: Settings) -> str | None:
    """Why this process stopped asking the language model for good; None if it did not. Raises as above."""
    return _run(settings).ledger.ended if has_llm(settings) else None


def llm_cost(settings: Settings) -> dict[str, Any]:
    """The cost table of this process for these settings; empty without a language model."""
    if not has_llm(settings):
        return {}
    run = _run(settings)
    return cost_table(run.model.name, run.ledger.costs(), dry_run=settings.llm_dry_run)


@dataclass(frozen=True, slots=True)
class _Run:
    """Shared by all clients of the same settings."""

    model: ChatModel
    ledger: UsageLedger
    replay: ReplayFile | None
    recorder: Recorder | None


def _run(settings: Settings) -> _Run:
    with _OPENING:
        return _opened(settings)


@lru_cache(maxsize=8)
def _opened(settings: Settings) -> _Run:
    from trackdown.models.llm import Recorder, read_replay

    replay = None if settings.llm_replay == _UNSET else read_replay(settings.llm_replay)
    recorder = None if settings.llm_record == _UNSET else Recorder(settings.llm_record)
    model = _model(settings, replay)
    return _Run(model, UsageLedger(_budget(settings)), replay, recorder)


def _budget(settings: Settings) -> Budget:
    prices = Prices(settings.llm_price_in, settings.llm_price_out)
    is_url = settings.llm.startswith(("http://", "https://"))
    if is_url and settings.llm_money != Settings(store=settings.store).llm_money and prices == Prices():
        raise UsageError(
            "llm_money has no effect without prices: set llm_price_in and llm_price_out, per million tokens"
        )
    return Budget(settings.llm_tokens, settings.llm_money, prices)


def _model(settings: Settings, replay: ReplayFile | None) -> ChatModel:
    """The model itself, not yet loaded."""
    place = settings.llm.strip()
    if place == NONE:
        return _recorded(settings, replay)
    if "://" in place:
        from trackdown.models.llm import Endpoint

        return Endpoint(
            place,
            settings.llm_model,
            settings.llm_key,
            insecure=settings.llm_insecure,
            timeout_s=settings.llm_timeout_s,
            concurrency=settings.llm_concurrency,
            context=settings.llm_context,
        )
    from trackdown.models.llm import packaged_file

    if place == EMBEDDED:
        return _embedded(packaged_file(), settings.llm_context, settings.thread_count)
    if place.lower().endswith(".gguf"):
        return _embedded(Path(place).expanduser(), settings.llm_context, settings.thread_count)
    raise UsageError(
        f"llm is {place!r}, which is not a language model: use none, embedded, the path of a .gguf file, or a URL"
    )


@lru_cache(maxsize=2)
def _embedded(path: Path, context: int, threads: int) -> ChatModel:
    """A model in this process. It is large, so all settings that name it share it."""
    from trackdown.models.llm import Embedded

    return Embedded(path, context=context, threads=threads)


def _recorded(settings: Settings, replay: ReplayFile | None) -> ChatModel:
    """A model that only has recorded answers."""
    from trackdown.models.llm import ReplayOnlyModel

    models = dict(replay.models) if replay is not None else {}
    name = settings.llm_model or (next(iter(models)) if len(models) == 1 else "")
    if not name:
        what = f"answers of {', '.join(models)}: name one with llm_model" if models else "no answers"
        raise UsageError(f"{settings.llm_replay} has {what}")
    if name not in models:
        raise LlmError(f"{settings.llm_replay} has no answers of {name}; it has {', '.join(models) or 'none'}")
    return ReplayOnlyModel(name, settings.llm_replay, settings.llm_context or models[name])


def list_llms(settings: Settings) -> list[Listed]:
    """The configured language model, or the problem with it. Loads nothing."""
    if not has_llm(settings):
        return []
    place = settings.llm if settings.llm != NONE else str(settings.llm_replay)
    try:
        run = _run(settings)
    except (LlmError, UsageError) as error:
        return [Listed(place.rpartition("@")[2], "llm", str(error))]  # the part before an @ may be a secret
    budget = run.ledger.budget
    paid = f" and {budget.money:g}" if budget.prices != Prices() else ""
    what = f"{run.model.context:,} tokens of context; a run may use {budget.tokens:,} tokens{paid}; {place}"
    return [Listed(run.model.name, "llm", what)]
