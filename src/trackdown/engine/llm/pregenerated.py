"""Texts of a language model that a search uses: exemplars for the query and rewrites of the code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.errors import UsageError
from trackdown.index import Corpus
from trackdown.pipeline import SearchPlan

if TYPE_CHECKING:
    from trackdown.index import RewriteIndex, Texts
    from trackdown.models.llm import CodeExample, LanguageModel


@dataclass(frozen=True, slots=True)
class Pregenerated:
    """Texts written beforehand: exemplars for this query, the rewriter to use, examples to show a model.

    For an empty field, a search uses the texts of its own language model, or the repository's code.
    """

    exemplars: tuple[str, ...] = ()
    rewriter: str = ""
    examples: tuple[CodeExample, ...] = ()


NOTHING = Pregenerated()


def check_exemplars(options: SearchPlan, llm: LanguageModel | None, pregenerated: Pregenerated) -> None:
    """Raise UsageError if a search needs exemplars and has no model to write them, unless it can use rewrites."""
    if llm is None and not pregenerated.exemplars and (options.exemplars_only or not options.rewritten):
        raise UsageError("--gar asks a language model for exemplars: set --llm or TRACKDOWN_LLM")


def examples_of(corpus: Corpus, texts: Texts, given: Sequence[CodeExample]) -> tuple[str, Sequence[CodeExample]]:
    """The language to write in, and pairs of description and code: the `given` ones, else some of the repository's."""
    from trackdown.engine.llm.few_shot import few_shot, main_language

    language = main_language(corpus.code)
    return language, given or few_shot(corpus.code, texts)(language)


def open_rewrites(
    corpus: Corpus, texts: Texts, llm: LanguageModel | None, pregenerated: Pregenerated, note: Callable[[str], None]
) -> RewriteIndex | None:
    """The rewrites to search with: those of a named rewriter, else of the configured model (made with the given
    examples, else without any), else of the rewriter that made most. They always come from one rewriter.

    `note` gets how many units have a rewrite.
    """
    from trackdown.rewrite import units_to_rewrite

    rewrites, rewriter = corpus.rewrites, pregenerated.rewriter
    assert rewrites is not None
    found = rewrites.open(texts, rewriter) if rewriter else None
    if not rewriter and llm is not None:
        from trackdown.rewrite import rewriter_of

        for pairs in dict.fromkeys((pregenerated.examples, ())):
            found = found or rewrites.open(texts, rewriter_of(llm, pairs))
    if found is None and not rewriter:
        found = rewrites.open(texts)
    if found is None:
        note("nothing has been rewritten yet (run `trackdown rewrite`): searched without rewrites")
    else:
        total = max(found.count, len(units_to_rewrite(corpus.code)))
        note(f"{found.count} of {total} units have a rewrite by {rewrites.name(found.rewriter)}")
    return found
