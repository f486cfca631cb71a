"""Run files → a report: a page, Markdown, JSON, or tables for a terminal. All show one and the same summary."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.report.contenders import read_contenders
    from trackdown.lab.report.formats import as_json, as_markdown
    from trackdown.lab.report.page import as_html
    from trackdown.lab.report.reliability import reliability_diagram
    from trackdown.lab.report.summary import Summary, summarize
    from trackdown.lab.report.tables import (
        Table,
        at_k_table,
        by_letters,
        called,
        cases_sentence,
        groups_table,
        pairs_table,
        scores_table,
    )
    from trackdown.lab.report.wording import cut_middle
else:
    __getattr__ = door(__name__)
