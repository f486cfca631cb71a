"""`trackdown rewrite`."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path

import click

from trackdown.engine import RewriteReport, llm_cost, read_pairs
from trackdown.settings import Settings
from trackdown.surfaces.cli.llm_cost import print_llm_cost
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import at_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import one_line

_SECONDS_BETWEEN_LINES = 15.0

EXAMPLES = """\b
Examples:
  trackdown rewrite --llm embedded --limit 100
  trackdown rewrite ~/src/app --llm https://llm.example.org/v1 --llm-model writer --estimate-cost
"""


@click.command(epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[PATH]...")
@at_option
@click.option("--times", type=int, default=1, show_default=True, help="How many rewrites every function gets.")
@click.option("--limit", type=int, metavar="N", help="Make at most N rewrites now; a later run continues.")
@click.option(
    "--examples",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help='Lines {"query", "code"} to show the model, instead of documented functions from the code itself.',
)
@llm_options
@format_option
def command(
    places: tuple[str, ...],
    at: str | None,
    times: int,
    limit: int | None,
    examples: Path | None,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    style: str,
) -> None:
    """Let a language model rewrite code, so that `search --reco` finds more.

    The model sums up every function in a sentence and writes it again from that alone (ReCo). Rewrites are kept: an
    interrupted run continues where it stopped, and after an edit only new code is rewritten.
    """
    pairs = () if examples is None else read_pairs(examples)
    repositories = open_all(places, **llm_overrides(llm, llm_model, dry_run))
    reports: list[object] = []
    in_vain = False
    for repository in repositories:
        with TerminalProgress(repository.source.name) as progress:
            shown = _WithCost(progress, repository.settings)
            found = repository.rewrite(at, times, limit, pairs=pairs, progress=shown)
        print_notes(found.notes)
        in_vain |= bool(found.outcome.unanswered) and not found.outcome.made and not found.dry_run
        if style == "text":
            print(_told(found))
        reports.append(
            {
                "repository": found.repository,
                "model": found.model,
                "dry_run": found.dry_run,
                **asdict(found.outcome),
                "notes": found.notes,
            }
        )
    cost = llm_cost(repositories[0].settings)
    if style == "json":
        print_json({"repositories": reports, "llm": cost})
    else:
        print_llm_cost(cost)
    if in_vain:
        raise click.exceptions.Exit(1)  # a note has said why nothing was answered


class _WithCost:
    """Progress that regularly says what has been spent, so that nobody is surprised at the end."""

    def __init__(self, progress: TerminalProgress, settings: Settings) -> None:
        self._progress = progress
        self._settings = settings
        self._last = time.monotonic()
        self._made: tuple[int, int | None] = (0, None)

    def __call__(self, step: str, done: int, total: int | None) -> None:
        self._progress(step, done, total)
        if step == "rewrite":
            self._made = (done, total)
        if self._made[1] is None or time.monotonic() - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = time.monotonic()
        cost = llm_cost(self._settings)
        if cost:
            spent = cost["total"]
            money = f", {spent['money']:.4f} spent" if spent["money"] else ""
            tokens = spent["tokens_in"] + spent["tokens_out"]
            print(f"{self._made[0]} of {self._made[1]} rewrites, {tokens:,} tokens{money}", file=sys.stderr)


def _told(found: RewriteReport) -> str:
    outcome = found.outcome
    if found.dry_run:
        return f"{one_line(found.repository)}: {outcome.left} of {outcome.wanted} rewrites still to make"
    parts = [f"{outcome.made} rewrites made", f"{outcome.had} already existed"]
    parts += [f"{outcome.failed} answers were unusable"] if outcome.failed else []
    parts += [f"{outcome.cut} units were cut to fit the model"] if outcome.cut else []
    parts += [f"{outcome.left} are left for another run"] if outcome.left else []
    return f"{one_line(found.repository)}: {', '.join(parts)}"
