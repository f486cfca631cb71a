"""`trackdown fleet search`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from trackdown.errors import UsageError
from trackdown.fleet import FleetReader, FleetRepositories, FleetSearch, Place, read_fleet
from trackdown.settings import load_settings
from trackdown.surfaces.cli.answer_formats import AnswerOutput, answer_options
from trackdown.surfaces.cli.fleet_options import fleet_option, groups_option
from trackdown.surfaces.cli.issue_text import read_issue
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.search_options import MakeRequest, search_options
from trackdown.surfaces.cli.suggestions import QueryCommand

EXAMPLES = """\b
Examples:
  trackdown fleet search "where is the session cookie signed?"
  trackdown fleet search --issue bug.md --repositories 10 --format json
  trackdown fleet search "retry with backoff" --language go --group payments
  trackdown fleet search "parse the header" --repository requests
"""


@click.command(cls=QueryCommand, epilog=EXAMPLES)
@click.argument("query", required=False)
@click.option("--issue", metavar="FILE", help="Search for the text of this file; - reads standard input.")
@fleet_option
@click.option("--repository", "only", multiple=True, metavar="NAME", help="Only in this repository. Repeatable.")
@groups_option
@click.option(
    "--repositories",
    "look_into",
    type=int,
    metavar="N",
    help="How many repositories to look into. Default: 5 (fast), 4 (balanced) or 8 (thorough).",
)
@search_options
@answer_options
def search(
    query: str | None,
    issue: str | None,
    fleet: Path,
    only: tuple[str, ...],
    groups: tuple[str, ...],
    look_into: int | None,
    request: MakeRequest,
    model: dict[str, Any],
    explain: bool,
    output: AnswerOutput,
) -> None:
    """Find the code for an issue or a question in all repositories.

    The tables of the fleet say which repositories most likely have the answer; these are searched as `trackdown search`
    does. A note says which were looked into and which were not. What was searched stays in a local cache.
    """
    if (query is None) == (issue is None):
        raise UsageError("give either a QUERY or --issue FILE")
    text = (query or "").strip() if issue is None else read_issue(issue)
    if text is None:
        raise UsageError("--issue takes a file here: a fleet fetches no issues")
    if output.blames or output.opens:
        raise UsageError("--blame and --open need a clone: search it with `trackdown search`")
    settings = load_settings(**model)
    found = read_fleet(fleet)
    for group in groups:
        if group not in found.groups:
            raise UsageError(f"the fleet has no group {group!r}; it has {', '.join(found.groups)}")
    reader = FleetReader(Place(found.address), settings, groups or None)
    with FleetRepositories(reader, settings) as repositories, TerminalProgress(fleet.stem) as progress:
        asked = output.asking_for(request(text or ""))
        answer = repositories.search(asked, fleet=FleetSearch(only, look_into), progress=progress)
    replace(output, names_repositories=True).print(answer, (), None)


for option in search.params:
    if option.name in ("at", "opens", "blames"):  # they need a clone: named, they get a message that says so
        option.hidden = True  # type: ignore[attr-defined]
