"""Which searches ask a language model, and which make no sense without one."""

from __future__ import annotations

from dataclasses import replace

from trackdown.pipeline import Options

WITHOUT_LLM = "there is no language model here (name one with --llm or TRACKDOWN_LLM)"


def asks_llm(options: Options) -> bool:
    """Whether a search with these options has a use for a language model, where there is one."""
    return options.listwise is not None or options.exemplars > 0 or options.rewritten or _selects(options)


def needs_llm(options: Options) -> bool:
    """Whether it asks for a stage that is a language model's alone."""
    return (options.listwise is not None and not options.listwise.optional) or _selects(options)


def does_without_llm(options: Options) -> bool:
    """Whether a language model was to take part only where there is one: nobody asked for it."""
    optional = options.listwise is None or options.listwise.optional
    return optional and not options.exemplars and not options.rewritten and not _selects(options)


def without_llm(options: Options) -> Options:
    """The same search without a language model."""
    plain = replace(options, listwise=None, exemplars=0, exemplars_only=False, rewritten=False)
    return replace(plain, expansion=None) if _selects(options) else plain


def _selects(options: Options) -> bool:
    return options.expansion is not None and options.expansion.selector == "llm"
