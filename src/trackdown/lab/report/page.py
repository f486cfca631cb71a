"""A report as one page: its style, its pictures and its script are in it, and nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib import resources

from trackdown.lab.report.page_figures import (
    categories_figure,
    html_table,
    latency_figure,
    quality_figures,
    repositories_figure,
)
from trackdown.lab.report.page_queries import pair_data, pairs_section, queries_section
from trackdown.lab.report.summary import Summary
from trackdown.lab.report.tables import at_k_table, cases_sentence, cases_table, groups_table, scores_table
from trackdown.lab.report.wording import clean_line, counted, named
from trackdown.pages import Markup, element, joined, script_data

Section = tuple[str, str, Markup]

_METHOD = (
    "Recall (R@k) is the share of gold places within the first k; accuracy (Acc@k) the share of cases with all of "
    "their gold there. Intervals are percentile bootstraps of the mean at 95 % confidence. Macro is the mean of the "
    "means of repositories. p-values are two-sided, from paired tests on the cases that both modes scored, and not "
    "corrected for the number of pairs."
)


def as_html(summary: Summary) -> str:
    """The page as one text with a line's end."""
    style, script = _own_file("page.css"), _own_file("page.js")
    sections = list(_sections(summary))
    body = [
        _header(summary),
        element(
            "nav",
            element("ul", *(element("li", element("a", title, href=f"#{name}")) for name, title, _ in sections)),
            aria_label="Sections",
        ),
        element(
            "main", *(element("section", element("h2", title, id=name), content) for name, title, content in sections)
        ),
        element("footer", element("p", _METHOD)),
        script_data(pair_data(summary), "data"),
        element("script", Markup(script)),
    ]
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="trackdown report"),
        element("title", clean_line(summary.title)),
        element("style", Markup(style)),
    ]
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), element('body', *body), lang='en')}\n"


def _own_file(name: str) -> str:
    return resources.files("trackdown.lab.report").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Only our own style and script, by their digests: were some text of a run to slip through, it could do nothing."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    style_digest, script_digest = digests
    return (
        f"default-src 'none'; style-src 'sha256-{style_digest}'; script-src 'sha256-{script_digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _header(summary: Summary) -> Markup:
    facts = [
        f"bench {', '.join(map(named, summary.benches))}" if summary.benches else "",
        f"level {', '.join(map(named, summary.levels))}" if summary.levels else "",
        counted(len(summary.modes), "mode"),
        counted(len(summary.repositories), "repository") if summary.repositories else "",
    ]
    parts = [
        element("h1", clean_line(summary.title)),
        element("p", cases_sentence(summary)),
        element("p", " · ".join(filter(None, facts)), class_="soft"),
    ]
    if summary.remarks:
        parts.append(element("ul", *(element("li", remark) for remark in summary.remarks), class_="remarks"))
    return element("header", *parts)


def _sections(summary: Summary) -> Iterator[Section]:
    tables = (scores_table(summary), at_k_table(summary, "R"), at_k_table(summary, "Acc"))
    yield "scores", "Scores", joined(quality_figures(summary), *map(html_table, tables))
    if summary.pairs:
        yield "pairs", "Wins and losses", pairs_section(summary)
    yield "time", "Time", latency_figure(summary)
    if len(summary.repositories) > 1:
        table = html_table(groups_table(summary, "repository", summary.repositories))
        yield "repositories", "Repositories", joined(repositories_figure(summary), table)
    if summary.categories:
        table = html_table(groups_table(summary, "category", summary.categories))
        yield "categories", "Categories", joined(categories_figure(summary), table)
    yield "cases", "Cases", html_table(cases_table(summary))
    yield "queries", "Queries", queries_section(summary)
