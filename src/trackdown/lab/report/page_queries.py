"""The interactive parts of the page: queries that can be opened, and wins and losses of two modes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from trackdown.lab import CodeLocation
from trackdown.lab.report.axes import COLOURS, series
from trackdown.lab.report.contenders import SHOWN
from trackdown.lab.report.page_figures import FULL, figure, html_table, legend
from trackdown.lab.report.plots import differences_plot
from trackdown.lab.report.summary import CaseLine, ModePair, Summary
from trackdown.lab.report.tables import called, pairs_table
from trackdown.lab.report.wording import NONE, clean_line, counted, cut, named, place_name, probability, signed
from trackdown.pages import Markup, clean, element, joined

MOST_QUERIES = 300
_MAX_SHOWN_CHARS = 1000
_LONGEST_LINE = 90
_LONGEST_NAME = 300


def chosen_queries(summary: Summary) -> list[int]:
    """Numbers of the cases that are shown: first those on which modes lie farthest apart; of one mode, the worst."""
    if len(summary.modes) > 1:
        order = sorted(range(len(summary.cases)), key=lambda number: (-summary.cases[number].spread, number))
    else:
        order = sorted(range(len(summary.cases)), key=lambda number: (_only_value(summary.cases[number]), number))
    return order[:MOST_QUERIES]


def queries_section(summary: Summary) -> Markup:
    """All that are shown, closed, with what is needed to order and filter them."""
    numbers = chosen_queries(summary)
    several = len(summary.modes) > 1
    which = f"where modes differ most in {summary.metric}" if several else f"with the lowest {summary.metric}"
    held = (
        f"{counted(len(numbers), 'query')}, first those {which}."
        if len(numbers) == len(summary.cases)
        else f"{len(numbers):,} of {counted(len(summary.cases), 'query')}: those {which}. The others are left out."
    )
    note = (
        f"Each shows the rank of its first gold place in every mode. Open one to see the first {SHOWN} places of each "
        "mode, and gold places at any rank."
    )
    controls = element(
        "div",
        _order(several),
        element("label", "Filter by words", element("input", id="filter", type="search", autocomplete="off")),
        class_="controls",
        hidden=True,
    )
    return joined(
        element("p", held),
        element("p", note, class_="soft"),
        legend(summary),
        controls,
        element("p", "", id="shown", class_="readout", aria_live="polite"),
        element("div", *(_query(summary, number) for number in numbers), id="list"),
    )


def _order(several: bool) -> Markup:
    ways = [("lowest", "lowest score"), ("given", "as in the run file")]
    if several:
        ways = [
            ("apart", "largest difference of the two modes"),
            ("first", "first mode better"),
            ("second", "second mode better"),
            ways[-1],
        ]
    options = (element("option", text, value=name) for name, text in ways)
    return element("label", "Order", element("select", *options, id="order", autocomplete="off"))


def _query(summary: Summary, number: int) -> Markup:
    case = summary.cases[number]
    chips = (
        element("span", f"{mode.letter} {_first_rank(case, place)}", class_=f"chip {series(place)}")
        for place, mode in enumerate(summary.modes)
    )
    summary_line = element(
        "summary",
        element("span", cut(named(case.id), _LONGEST_NAME), class_="case"),
        element("span", *chips, class_="chips"),
        " ",
        element("span", cut(clean_line(case.query), _LONGEST_LINE), class_="soft"),
    )
    facts = " · ".join(filter(None, (clean_line(case.repository), clean_line(case.category))))
    inside = [
        element("p", facts, class_="soft") if facts else "",
        element("pre", cut(clean(case.query), _MAX_SHOWN_CHARS), class_="text") if case.query.strip() else "",
        _places(summary, case),
    ]
    return element("details", summary_line, element("div", *inside), class_="query", id=f"q{number}")


def _places(summary: Summary, case: CaseLine) -> Markup:
    heads = (
        element("th", mode.letter, scope="col", title=mode.label, class_=series(number))
        for number, mode in enumerate(summary.modes)
    )
    rows = [_row(case, place, ranks) for place, ranks in _by_place(case)]
    missed = [place for place in dict.fromkeys(case.gold) if not _is_found(case, place)]
    rows += [_row(case, place, [None] * len(case.answers), missed=True) for place in missed]
    table = element(
        "table",
        element("thead", element("tr", element("th", "Place", scope="col", class_="name"), *heads)),
        element("tbody", *rows),
        class_="places",
    )
    return element("div", table, class_="scroll", tabindex="0", role="group", aria_label="Places and their ranks")


def _by_place(case: CaseLine) -> Iterator[tuple[CodeLocation, list[int | None]]]:
    """Every place that is shown with its rank in each mode, best rank first."""
    found: dict[CodeLocation, list[int | None]] = {}
    for number, answer in enumerate(case.answers):
        for rank, place in answer.seen if answer is not None else ():
            ranks = found.setdefault(place, [None] * len(case.answers))
            if ranks[number] is None:
                ranks[number] = rank
    yield from sorted(found.items(), key=lambda item: min(rank for rank in item[1] if rank is not None))


def _row(case: CaseLine, place: CodeLocation, ranks: list[int | None], *, missed: bool = False) -> Markup:
    hits = [
        answer is not None and rank is not None and rank in answer.ranks
        for answer, rank in zip(case.answers, ranks, strict=True)
    ]
    gold = missed or any(hits)
    sign = [element("span", "gold", class_="gold-sign"), " "] if gold else []
    cells = (
        element("td", "" if rank is None else str(rank), class_="hit" if hit else None)
        for rank, hit in zip(ranks, hits, strict=True)
    )
    name = element("th", *sign, cut(place_name(place), _LONGEST_NAME), scope="row")
    return element("tr", name, *cells, class_="gold" if gold else None)


def _is_found(case: CaseLine, gold: CodeLocation) -> bool:
    """Whether a gold place is in some row already: as itself, or, for a bare name, as a place that ends with it."""
    return any(
        rank in answer.ranks and _answers_to(place, gold)
        for answer in case.answers
        if answer is not None
        for rank, place in answer.seen
    )


def _answers_to(place: CodeLocation, gold: CodeLocation) -> bool:
    return place == gold if gold.path else f".{place.symbol}".endswith(f".{gold.symbol}")


def _first_rank(case: CaseLine, number: int) -> str:
    answer = case.answers[number]
    if answer is None:
        return "not scored"
    return str(answer.ranks[0]) if answer.ranks else NONE


def _only_value(case: CaseLine) -> float:
    return next(answer.value for answer in case.answers if answer is not None)


def pair_data(summary: Summary) -> dict[str, Any]:
    """Values of all cases and figures of all pairs, for the page's script."""
    return {
        "colours": COLOURS,
        "modes": [{"letter": mode.letter, "label": mode.label} for mode in summary.modes],
        "ids": [clean_line(case.id) for case in summary.cases],
        "values": [[None if one is None else round(one.value, 4) for one in case.answers] for case in summary.cases],
        "pairs": [
            {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(pair).items()}
            for pair in summary.pairs
        ],
    }


def default_pair(summary: Summary) -> ModePair:
    """The first mode against the last."""
    return next(pair for pair in summary.pairs if pair.first == 0 and pair.second == len(summary.modes) - 1)


def differences(summary: Summary) -> list[float]:
    """First minus last, of every case that both scored, the largest first."""
    both = ((case.answers[0], case.answers[-1]) for case in summary.cases)
    return sorted((a.value - b.value for a, b in both if a is not None and b is not None), reverse=True)


def verdict(summary: Summary, pair: ModePair) -> str:
    """A pair in words, as the script writes it too."""
    first, second = summary.modes[pair.first].letter, summary.modes[pair.second].letter
    return (
        f"{first} is better on {pair.wins}, {second} on {pair.losses}, and they are equal on {pair.ties} of "
        f"{pair.cases} cases. Mean difference {signed(pair.difference)}, 95 % interval {signed(pair.low)} to "
        f"{signed(pair.high)}; "
        f"p {_equals(pair.p_permutation)} (permutation test)."
    )


def pairs_section(summary: Summary) -> Markup:
    """The two that are chosen, their differences, and a table of all pairs."""
    found = differences(summary)
    choices = (
        _choice(summary, "first", "First mode", 0),
        _choice(summary, "second", "Second mode", len(summary.modes) - 1),
    )
    controls = element("div", *choices, class_="controls", hidden=True)
    drawn = figure(
        f"{summary.metric} per case",
        "Each case is a bar: how much higher the first mode scores (up) or the second (down). Click one to open it.",
        lambda width: differences_plot(summary, found, width),
        FULL,
    )
    table = element(
        "details",
        element("summary", "All pairs"),
        html_table(pairs_table(summary, summary.pairs)),
        open=len(summary.pairs) <= 6,
    )
    against = f"{called(summary.modes[0])} against {called(summary.modes[-1])}."
    names = element("p", against, class_="soft", id="names")
    words = element("p", verdict(summary, default_pair(summary)), class_="verdict", id="verdict", aria_live="polite")
    readout = element("p", "", class_="readout", id="readout")
    return joined(controls, names, words, drawn, readout, table)


def _choice(summary: Summary, name: str, label: str, chosen: int) -> Markup:
    options = (
        element("option", called(mode), value=str(number), selected=number == chosen)
        for number, mode in enumerate(summary.modes)
    )
    return element("label", label, element("select", *options, id=name, autocomplete="off"))


def _equals(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"
