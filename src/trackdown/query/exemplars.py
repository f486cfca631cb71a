"""GAR: let a language model write code as an answer to the query. `augmented.py` adds it to the query.

Mao et al., "Generation-Augmented Retrieval" (2021), as Li, Zhou and Shen (ReCo, 2024) use it for code: few-shot, with
pairs of description and code from the code base itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.models.llm import CodeExample, Completion, LanguageModel, Prompt, code_prompt, extract_code
from trackdown.query.parse import Query
from trackdown.types import Progress, no_progress

STAGE = "exemplars"


def exemplar_prompts(
    query: Query, pairs: Sequence[CodeExample], language: str, context: int, count: int = 1, shown: int = 4
) -> list[Prompt]:
    """One prompt per exemplar, each with `shown` of the pairs: different ones, as long as there are enough."""
    prompts = []
    for number in range(count):
        first = number * shown % max(1, len(pairs))
        chosen = [*pairs[first:], *pairs[:first]][:shown]
        prompts.append(code_prompt(query.text, chosen, language, context, number)[0])
    return prompts


def write_exemplars(
    llm: LanguageModel,
    query: Query,
    pairs: Sequence[CodeExample],
    language: str,
    count: int = 1,
    progress: Progress = no_progress,
) -> tuple[str, ...]:
    """Ask for exemplars. Empty and repeated ones are left out, so there may be none."""
    answers = llm.ask(STAGE, exemplar_prompts(query, pairs, language, llm.context, count), progress)
    return tuple(dict.fromkeys(filter(None, map(_code, answers))))


def _code(answer: Completion | None) -> str:
    return "" if answer is None else extract_code(answer.text)
