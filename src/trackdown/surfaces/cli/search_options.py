"""The switches of a search, for every command that searches."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from trackdown.request import SearchRequest, help_of
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import at_option, exclude_option
from trackdown.types import EFFORTS, LEVELS, Effort, Level

MakeRequest = Callable[[str], SearchRequest]
"""A query → the request with the switches that were given."""


def search_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options; the command gets them as `request`, settings of the language model as `model`, and `explain`."""

    @click.option("-k", type=int, help=help_of("k"))
    @click.option("--level", type=click.Choice(LEVELS), help=help_of("level"))
    @at_option
    @click.option("--effort", type=click.Choice(EFFORTS), help=help_of("effort"))
    @click.option(
        "--budget", type=float, metavar="MS", help=help_of("budget") + " Default: TRACKDOWN_BUDGET_MS, or 10000."
    )
    @click.option("--depth", type=int, metavar="N", help=help_of("depth"))
    @click.option("--rerank/--no-rerank", default=None, help=help_of("rerank"))
    @click.option("--mode", metavar="MODE", help=help_of("mode") + " See `trackdown modes`.")
    @click.option("--adaptive/--no-adaptive", default=None, help=help_of("adaptive"))
    @click.option("--graph/--no-graph", default=None, help=help_of("graph"))
    @click.option("--gar", is_flag=True, help=help_of("gar"))
    @click.option("--reco", is_flag=True, help=help_of("reco"))
    @llm_options
    @click.option("--language", "languages", multiple=True, metavar="NAME", help=help_of("languages") + " Repeatable.")
    @click.option("--folder", default="", metavar="DIR", help=help_of("folder"))
    @exclude_option
    @click.option("--tests/--no-tests", default=None, help=help_of("tests"))
    @click.option("--generated/--no-generated", default=None, help=help_of("generated"))
    @click.option("--third-party/--no-third-party", default=None, help=help_of("third_party"))
    @click.option("--explain", is_flag=True, help=help_of("explain") + " Text also shows the time of each stage.")
    @wraps(command)
    def with_request(
        *arguments: Any,
        k: int | None,
        level: Level | None,
        at: str | None,
        effort: Effort | None,
        budget: float | None,
        depth: int | None,
        rerank: bool | None,
        mode: str | None,
        adaptive: bool | None,
        graph: bool | None,
        gar: bool,
        reco: bool,
        llm: str | None,
        llm_model: str | None,
        dry_run: bool,
        languages: tuple[str, ...],
        folder: str,
        exclude: tuple[str, ...],
        tests: bool | None,
        generated: bool | None,
        third_party: bool | None,
        explain: bool,
        **options: Any,
    ) -> Any:
        def request(query: str) -> SearchRequest:
            return SearchRequest(
                query,
                k=k,
                level=level,
                at=at,
                effort=effort,
                budget=budget,
                depth=depth,
                rerank=rerank,
                mode=mode,
                adaptive=adaptive,
                graph=graph,
                gar=gar,
                reco=reco,
                languages=languages,
                folder=folder,
                exclude=exclude,
                tests=tests,
                generated=generated,
                third_party=third_party,
                explain=explain,
            )

        model = llm_overrides(llm, llm_model, dry_run)
        return command(*arguments, request=request, model=model, explain=explain, **options)

    return with_request
