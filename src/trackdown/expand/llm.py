"""SpIDER's selector: a language model sees the issue and a centre's neighbours, and says which belong to it.

One question for each centre, all of them at once; neighbours are numbered, and an answer can only name those numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.models.llm import DATA_ONLY, LanguageModel, ListwiseTask, listwise_prompt, max_passages, parse_numbers
from trackdown.types import Progress, no_progress

STAGE = "select"
"""The stage to which its cost is charged."""
_QUESTION = ListwiseTask(
    f"You find code that has to change, or has to be understood, to resolve an issue. {DATA_ONLY}",
    "Which of the pieces 1 to {count} are relevant for the issue? Answer with their numbers only, the most relevant "
    "first, or with 0 when none is.",
    (
        (
            "Login fails when the password holds a colon",
            ("web/cart.py: Cart.total\ndef total(self): ...", "web/login.py: parse_login\ndef parse_login(text): ..."),
            "2",
        ),
    ),
)


def llm_selector(
    issue: str,
    read: Callable[[Sequence[int]], list[str]],
    llm: LanguageModel,
    note: Callable[[str], None],
    progress: Progress = no_progress,
) -> Callable[[Sequence[Sequence[int]]], list[list[int] | None]]:
    """A function from centres' neighbours to those that belong to the issue; None where no answer could be used.

    `read` returns the text of candidates; `note` receives a note about answers that named no number of the list.
    """

    def select(groups: Sequence[Sequence[int]]) -> list[list[int] | None]:
        most = max_passages(llm, _QUESTION)
        if not most and any(groups):
            note(f"the context of {llm.name} ({llm.context} tokens) is too small to pick neighbours: none moved")
        shown = [list(group[:most]) for group in groups]
        asked = [number for number, group in enumerate(shown) if group]
        prompts = [listwise_prompt(llm, _QUESTION, issue, read(shown[number])) for number in asked]
        found: list[list[int] | None] = [None] * len(groups)
        unusable = 0
        for number, answer in zip(asked, llm.ask(STAGE, prompts, progress) if prompts else (), strict=True):
            chosen = None if answer is None else parse_numbers(answer, len(shown[number]))
            if chosen is not None:
                found[number] = [shown[number][one - 1] for one in chosen]
            elif answer is not None:
                unusable += 1
        if unusable:
            answers = f"{unusable} of {len(prompts)} answers of {llm.name}"
            note(f"{answers} were not a list of the given numbers and were ignored")
        return found

    return select
