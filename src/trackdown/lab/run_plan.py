"""What a run searches: modes resolved to plans, and a digest that names the configuration."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trackdown.engine import SWITCHES, WITHOUT_LLM, check_ranker, default_plan, has_llm, llm_name, with_mode
from trackdown.errors import (
    UsageError,
)
from trackdown.lab.tasks import Bench
from trackdown.models import model_shelf
from trackdown.models.llm import CodeExample
from trackdown.pipeline import SearchPlan
from trackdown.repository import HISTORY_VERSION
from trackdown.settings import Settings
from trackdown.units import EXTRACTOR_VERSION
from trackdown.units.references import REFERENCES_VERSION


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """How tasks are searched: the modes, each with its options, and the digest that names the configuration.

    `rewriter` is the id of the rewrites that modes with rewrites search; empty for the language model's own. `pairs`
    are shown to a language model in place of the repository's own.
    """

    bench: str
    modes: tuple[tuple[str, SearchPlan], ...]
    settings: Settings
    config: str
    rewriter: str = ""
    pairs: tuple[CodeExample, ...] = ()


def resolve_modes(modes: Sequence[str], settings: Settings) -> tuple[tuple[str, SearchPlan], ...]:
    """Modes with their options. Raises UsageError for an unknown one, for none, or when one is named twice."""
    if not modes:
        raise UsageError("name at least one mode")
    if len(set(modes)) < len(modes):
        raise UsageError(f"a mode is named twice: {', '.join(modes)}")
    plain = _plain_options(settings)
    found = tuple((mode, with_mode(plain, mode)) for mode in modes)
    for _, options in found:
        check_ranker(options)
    return found


def _plain_options(settings: Settings) -> SearchPlan:
    """What a mode names decides alone: settings about modes would make two columns of one table differ unseen, and so
    would a deep index that happens to be ready.
    """
    return replace(default_plan(replace(settings, mode="hybrid", adaptive=False, graph=False)), deep=False)


def plan(bench: Bench, modes: Sequence[str], settings: Settings, pairs: tuple[CodeExample, ...] = ()) -> BenchPlan:
    """Resolve modes, and name the configuration.

    Raises UsageError as `resolve_modes` does, and for a mode that needs a language model where there is none: its row
    would be another mode's.
    """
    chosen, plain = resolve_modes(modes, settings), _plain_options(settings)
    for name, options in chosen:
        if options.needs_llm and not has_llm(settings):
            raise UsageError(f"mode {name!r}: {WITHOUT_LLM}")
        _check_texts(bench, name, options, settings)
    stages = [with_mode(plain, name) for name in sorted(SWITCHES)]  # what their names stand for may change, too
    versions = (EXTRACTOR_VERSION, REFERENCES_VERSION, HISTORY_VERSION)
    parts = [bench.name, bench.level, repr(plain), repr(stages), str(settings.max_file_kb), repr(versions)]
    parts += _models_of([options for _, options in chosen], settings)
    parts += [bench.texts] if bench.texts else []
    parts += [repr(pairs)] if pairs else []
    config = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    return BenchPlan(bench.name, chosen, settings, config, pairs=pairs)


def _check_texts(bench: Bench, mode: str, options: SearchPlan, settings: Settings) -> None:
    """Refuse a mode whose texts neither come with the bench nor can be written."""
    if options.exemplars and not has_llm(settings) and not any(task.exemplars for task in bench.tasks):
        raise UsageError(f"mode {mode!r} needs exemplars: {WITHOUT_LLM}, and none are given (--llm-texts)")
    if options.rewritten and bench.texts and not bench.rewrites:
        raise UsageError(f"mode {mode!r} needs rewrites, and there are none among the texts that are given")


def _models_of(modes: Sequence[SearchPlan], settings: Settings) -> tuple[str, ...]:
    """The ids of the models that search, where a mode lets any: another model is another configuration."""
    asked = (llm_name(settings),) if has_llm(settings) and any(options.asks_llm for options in modes) else ()
    if not any(_uses_models(options) for options in modes):
        return asked
    return (*model_shelf(settings.models, settings.thread_count).ids(), *asked)


def _uses_models(options: SearchPlan) -> bool:
    reads = options.expansion is not None and options.expansion.selector == "cross-encoder"
    return reads or options.judging is not None or options.goes_deep or bool(dict(options.weights).get("dense"))
