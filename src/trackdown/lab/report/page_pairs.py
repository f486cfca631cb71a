"""Wins and losses on the page: the first mode against the last, and what the script needs to show any other two."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trackdown.lab.report.page_figures import FULL, figure
from trackdown.lab.report.page_tables import html_table
from trackdown.lab.report.pairs import Pair
from trackdown.lab.report.plots.differences import differences_plot
from trackdown.lab.report.plots.frame import COLOURS
from trackdown.lab.report.summary import Summary
from trackdown.lab.report.tables import called, pairs_table
from trackdown.lab.report.wording import clean_line, probability, signed
from trackdown.pages.markup import Markup, element, joined


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


def default_pair(summary: Summary) -> Pair:
    """The first mode against the last."""
    return next(pair for pair in summary.pairs if pair.first == 0 and pair.second == len(summary.modes) - 1)


def differences(summary: Summary) -> list[float]:
    """First minus last, of every case that both scored, the largest first."""
    both = ((case.answers[0], case.answers[-1]) for case in summary.cases)
    return sorted((a.value - b.value for a, b in both if a is not None and b is not None), reverse=True)


def verdict(summary: Summary, pair: Pair) -> str:
    """A pair in words, as the script writes it too."""
    first, second = summary.modes[pair.first].letter, summary.modes[pair.second].letter
    return (
        f"{first} is better on {pair.wins}, {second} on {pair.losses}, and they are equal on {pair.ties} of "
        f"{pair.cases} cases. Mean difference {signed(pair.difference)}, 95 % interval {signed(pair.low)} to "
        f"{signed(pair.high)}; "
        f"p {_equals(pair.p_permutation)} (permutation test), p {_equals(pair.p_t_test)} (t-test)."
    )


def pairs_section(summary: Summary) -> Markup:
    """The two that are chosen, their differences, and a table of all pairs."""
    found = differences(summary)
    choices = (_choice(summary, "first", "First mode", 0),
               _choice(summary, "second", "Second mode", len(summary.modes) - 1))  # fmt: skip
    controls = element("div", *choices, class_="controls", hidden=True)
    drawn = figure(
        f"{summary.metric} per case",
        "Each case is a bar: how much higher the first mode scores (up) or the second (down). A click opens the query.",
        lambda width: differences_plot(summary, found, width), FULL,
    )  # fmt: skip
    table = element("details", element("summary", "All pairs"), html_table(pairs_table(summary, summary.pairs)),
                    open=len(summary.pairs) <= 6)  # fmt: skip
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
