"""A language model orders the best candidates: listwise, in windows that slide from the back to the front.

The model sees the issue and a window of numbered passages, and answers with the numbers in their new order. Windows
overlap, so a relevant passage moves from window to window up to the front (Sun et al., RankGPT, 2023). With `top` the
model names the best few of a single window instead, as SpIDER's reranker picks three of twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trackdown.models.llm import DATA_ONLY, LanguageModel, ListwiseTask, listwise_prompt, max_passages, parse_numbers
from trackdown.rerank.plan import Listwise
from trackdown.types import Progress, no_progress

STAGE = "rerank"
"""The stage under which its cost is recorded."""
UNITS = 2
"""The number of units read of a class or file."""
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


def windows(depth: int, window: int, step: int) -> Iterator[tuple[int, int]]:
    """Start and end of each window, from the back to the front. The last window is full and begins at the front."""
    end = depth
    while end > window:
        yield end - window, end
        end -= step
    yield 0, min(depth, window)


def llm_order(
    issue: str,
    passages: Sequence[str],
    listwise: Listwise,
    llm: LanguageModel,
    note: Callable[[str], None],
    progress: Progress = no_progress,
) -> list[int]:
    """The places of candidates, given as passages, in the model's order.

    An answer that is not a list of the given numbers leaves its window unchanged and is reported to `note`. Passages
    that an answer doesn't name keep their order, below those it names.
    """
    order = list(range(len(passages)))
    depth = min(listwise.depth, len(passages))
    question = _top(listwise.top) if listwise.top else _ORDER
    wanted = depth if listwise.top else listwise.window
    window = min(wanted, max_passages(llm, question))
    if depth < _FEWEST:
        return order
    if window < _FEWEST:
        note(f"the context of {llm.name} ({llm.context} tokens) is too small to rerank: the order is unchanged")
        return order
    asked = unusable = 0
    for start, end in windows(window if listwise.top else depth, window, max(1, listwise.step * window // wanted)):
        inside = order[start:end]
        prompt = listwise_prompt(llm, question, issue, [passages[place] for place in inside])
        (answer,) = llm.ask(STAGE, [prompt], progress)
        if answer is None:  # its own note says why
            continue
        asked += 1
        numbers = parse_numbers(answer, len(inside))
        if numbers is None:
            unusable += 1
            continue
        named = [inside[number - 1] for number in numbers[: listwise.top or None]]
        order[start:end] = [*named, *(place for place in inside if place not in named)]
    if unusable:
        note(f"{unusable} of {asked} answers of {llm.name} were not a list of the given numbers and were ignored")
    return order


def _top(count: int) -> ListwiseTask:
    return ListwiseTask(
        f"You pick the code that has to change to resolve an issue. {DATA_ONLY}",
        f"Name the {count} of the {{count}} pieces that most likely have to change, the likeliest first. Answer with "
        "numbers only.",
        ((*_EXAMPLE, "2, 1"),),
    )
