"""A language model orders the best candidates: listwise, in windows that slide from the back to the front.

The model sees the issue and the numbered code of a window, and answers with the numbers in their new order. What it
finds relevant moves on to the next window, which overlaps the last one; so two windows carry a candidate from the end
to the front. With `top` it names the best few of one window instead, as SpIDER's reranker picks three of twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trackdown.models.llm.listwise import DATA_ONLY, ListwiseTask, listwise_prompt, max_passages, parse_numbers
from trackdown.models.llm.prompt import LanguageModel
from trackdown.types import Progress, no_progress

STAGE = "rerank"
"""What its cost is booked under."""
UNITS = 2
"""How many units of a class or file are read."""
_FEWEST = 2
_EXAMPLE = (
    "Login fails when the password holds a colon",
    ("web/cart.py: Cart.total\ndef total(self): ...", "web/login.py: parse_login\ndef parse_login(text): ..."),
)
_ORDER = ListwiseTask(
    f"You order code by how likely it has to change to resolve an issue. {DATA_ONLY}",
    "Order all pieces from 1 to {count}, the one that most likely has to change first. Answer with numbers only.",
    ((*_EXAMPLE, "2, 1"),),
)


@dataclass(frozen=True, slots=True)
class Listwise:
    """How many candidates are ordered, in windows of which size, and by how many each window moves on.

    `top` above 0 asks once, for so many of the best `depth`. `optional` leaves it out without a word where there is no
    language model.
    """

    depth: int = 20
    window: int = 20
    step: int = 10
    top: int = 0
    optional: bool = False


def windows(depth: int, window: int, step: int) -> Iterator[tuple[int, int]]:
    """Where windows begin and end, from the back to the front. The last one is whole and begins at the front."""
    end = depth
    while end > window:
        yield end - window, end
        end -= step
    yield 0, min(depth, window)


def llm_order(
    issue: str,
    pieces: Sequence[str],
    listwise: Listwise,
    asker: LanguageModel,
    tell: Callable[[str], None],
    progress: Progress = no_progress,
) -> list[int]:
    """The places of candidates, given as text, in the model's order.

    An answer that is not numbers of the list leaves its window as it was, which `tell` hears; candidates that an answer
    does not name stay behind those it does, in their former order.
    """
    order = list(range(len(pieces)))
    depth = min(listwise.depth, len(pieces))
    question = _top(listwise.top) if listwise.top else _ORDER
    wanted = depth if listwise.top else listwise.window
    window = min(wanted, max_passages(asker, question))
    if depth < _FEWEST:
        return order
    if window < _FEWEST:
        tell(f"the context of {asker.name} ({asker.context} tokens) is too small to rerank: the order before was kept")
        return order
    asked = unusable = 0
    for start, end in windows(window if listwise.top else depth, window, max(1, listwise.step * window // wanted)):
        inside = order[start:end]
        prompt = listwise_prompt(asker, question, issue, [pieces[place] for place in inside])
        (answer,) = asker.ask(STAGE, [prompt], progress)
        if answer is None:  # the asker's own note says why
            continue
        asked += 1
        numbers = parse_numbers(answer, len(inside))
        if numbers is None:
            unusable += 1
            continue
        named = [inside[number - 1] for number in numbers[: listwise.top or None]]
        order[start:end] = [*named, *(place for place in inside if place not in named)]
    if unusable:
        words = f"{unusable} of {asked} answers of {asker.name} were not numbers of the list"
        tell(f"{words}: the order before was kept there")
    return order


def _top(count: int) -> ListwiseTask:
    return ListwiseTask(
        f"You pick the code that has to change to resolve an issue. {DATA_ONLY}",
        f"Name the {count} of the {{count}} pieces that most likely have to change, the likeliest first. Answer with "
        "numbers only.",
        ((*_EXAMPLE, "2, 1"),),
    )
