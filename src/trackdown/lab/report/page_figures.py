"""Tables and figures of the page. A figure is a plot in several widths, of which the style sheet shows one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.lab.report.axes import series
from trackdown.lab.report.plots import MOST_GROUPS, groups_plot, latency_plot, recall_plot, scores_plot
from trackdown.lab.report.summary import Group, Summary
from trackdown.lab.report.tables import REASONS, Cell, Table, times_table
from trackdown.pages import Markup, breakable, element


def html_table(table: Table) -> Markup:
    """A table with its caption and headings."""
    classes = [_class(number < table.names, column) for number, column in enumerate(table.columns)]
    heads = (
        element("th", column, scope="col", class_=kind) for column, kind in zip(table.columns, classes, strict=True)
    )
    rows = (element("tr", *map(_cell, row, classes)) for row in table.rows)
    written = element(
        "table",
        element("caption", table.title),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="figures",
    )
    return element("div", written, class_="scroll", tabindex="0", role="region", aria_label=table.title)


def _class(is_name: bool, column: str) -> str | None:
    return "name" if is_name else "words" if column == REASONS else None


def _cell(cell: Cell, kind: str | None) -> Markup:
    if kind == "name":
        return element("th", breakable(cell.text), scope="row", class_=kind)
    interval = [element("span", cell.interval, class_="interval")] if cell.interval else []
    return element("td", cell.text, *interval, class_="best" if cell.best else kind)


Sizes = tuple[tuple[str, float], ...]

# Classes of the style sheet, of which it shows one, and the width of the plot in it: text in it keeps its size.
HALF: Sizes = (("half", 540.0), ("narrow", 350.0))
FULL: Sizes = (("full", 1080.0), ("middle", 600.0), ("narrow", 350.0))


def legend(summary: Summary) -> Markup:
    """Which colour and letter is which mode."""
    items = (
        element(
            "li",
            element("span", class_=f"swatch {series(number)}"),
            element("span", mode.letter, class_="letter"),
            " ",
            breakable(mode.label),
        )
        for number, mode in enumerate(summary.modes)
    )
    return element("ul", *items, class_="legend")


def figure(title: str, note: str, draw: Callable[[float], Markup], sizes: Sizes, *more: str) -> Markup:
    """A plot in several widths with its title, a note under it and what else belongs there."""
    caption = element("figcaption", element("strong", title), element("span", note, class_="soft"), *more)
    return element("figure", caption, *(element("div", draw(width), class_=name) for name, width in sizes))


def quality_figures(summary: Summary) -> Markup:
    """The chosen metric by mode, and recall over k."""
    scores = figure(
        f"{summary.metric} by mode",
        "Bars: mean over cases. Lines: its 95 % interval. Diamonds: mean over repositories.",
        lambda width: scores_plot(summary, width),
        HALF,
    )
    recall = figure(
        "Recall over k",
        "How much of the gold is in the first k places.",
        lambda width: recall_plot(summary, width),
        HALF,
        legend(summary),
    )
    return element("div", scores, recall, class_="figures-row")


def latency_figure(summary: Summary) -> Markup:
    """Quality against time, or a sentence if the run files hold no times."""
    if all(mode.p50_ms is None for mode in summary.modes):
        return element("p", "The run files have no times.")
    drawn = figure(
        f"{summary.metric} against time",
        "Dots: the median. Horizontal lines: up to the 95th percentile. Vertical lines: the 95 % interval.",
        lambda width: latency_plot(summary, width),
        HALF,
        legend(summary),
    )
    return element("div", drawn, html_table(times_table(summary)), class_="figures-row")


def repositories_figure(summary: Summary) -> Markup:
    """The chosen metric by repository."""
    return _groups(summary, summary.repositories, "repository")


def categories_figure(summary: Summary) -> Markup:
    """The chosen metric by category."""
    return _groups(summary, summary.categories, "category")


def _groups(summary: Summary, groups: Sequence[Group], title: str) -> Markup:
    left_out = f" The {MOST_GROUPS} with the most cases; the table has all." if len(groups) > MOST_GROUPS else ""
    return figure(
        f"{summary.metric} by {title}",
        f"In parentheses: how many cases.{left_out}",
        lambda width: groups_plot(summary, groups, title, width),
        FULL,
        legend(summary),
    )
