"""`trackdown train ranker`: fit the trees that rank candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress

_PATH = click.Path(path_type=Path)


@click.command(short_help="Fit the trees that rank candidates.")
@click.option("--cases", type=_PATH, multiple=True, required=True, help="Issues, as for `bench swe`. Repeatable.")
@click.option("--repos", type=_PATH, required=True, help="Folder with the repositories.")
@click.option("--layout", default="{owner}/{name}", show_default=True, help="Where a repository is in that folder.")
@click.option("--level", type=click.Choice(["function", "file"]), default="function", show_default=True)
@click.option("--data", type=_PATH, required=True, help="Folder for collected features; a second run continues there.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Repositories at a time.")
@click.option("--judge", type=_PATH, multiple=True, help="Issues to judge it by that take no part. Repeatable.")
@click.option("--out", type=_PATH, help="Folder for the fitted ranker.")
@format_option
def ranker(
    cases: tuple[Path, ...],
    repos: Path,
    layout: str,
    level: Any,
    data: Path,
    jobs: int,
    judge: tuple[Path, ...],
    out: Path | None,
    style: str,
) -> None:
    """Fit the ranker to issues and the patches that resolved them.

    Each repository is judged by trees that were fitted to the others. Use repositories that trained no model, because
    a model would know their issues. `trackdown mine issues` makes cases of tables of issues.
    """
    from trackdown.lab.train import train_ranker

    with TerminalProgress(str(data)) as progress:
        report = train_ranker(
            cases, repos, layout, level, data, load_settings(), judged_on=judge, out=out, jobs=jobs, progress=progress
        )
    if style == "json":
        print_json(report.as_dict())
        return
    print(f"{report.cases} cases of {report.repositories} repositories, {level} level, each left out of its fit")
    _print_table(report.found)
    for name, found in report.judged.items():
        print(f"\n{found['cases']} cases of {name}, which took no part in the fit")
        differences = {measure: interval[0] for measure, interval in found["difference"].items()}
        sides = {what: shares for what, shares in found.items() if what not in ("cases", "difference")}
        _print_table(sides | {"difference": differences})


def _print_table(rows: Mapping[str, Mapping[str, float]]) -> None:
    names = list(next(iter(rows.values())))
    print(f"{'all gold among the first; MRR':<32}" + "".join(f"{name.removeprefix('Acc@'):>8}" for name in names))
    for what, shares in rows.items():
        print(f"{what:<32}" + "".join(f"{shares[name]:>8.3f}" for name in names))
