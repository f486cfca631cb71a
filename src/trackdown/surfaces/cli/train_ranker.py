"""`trackdown train ranker`: fit the trees that rank candidates."""

from __future__ import annotations

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
@click.option("--out", type=_PATH, help="Folder for the fitted ranker.")
@format_option
def ranker(
    cases: tuple[Path, ...],
    repos: Path,
    layout: str,
    level: Any,
    data: Path,
    jobs: int,
    out: Path | None,
    style: str,
) -> None:
    """Fit the ranker to issues and the patches that resolved them.

    Each repository is judged by trees that were fitted to the others. Use repositories that trained no model, because
    a model would know their issues. `trackdown mine issues` makes cases of tables of issues.
    """
    from trackdown.lab.train import train_ranker

    with TerminalProgress(str(data)) as progress:
        report = train_ranker(cases, repos, layout, level, data, load_settings(), out=out, jobs=jobs, progress=progress)
    if style == "json":
        print_json(report.as_dict())
        return
    print(f"{report.cases} cases of {report.repositories} repositories, {level} level, each left out of its fit")
    names = list(next(iter(report.found.values())))
    print(f"{'all gold among the first':<26}" + "".join(f"{name.removeprefix('Acc@'):>8}" for name in names))
    for what, shares in report.found.items():
        print(f"{what:<26}" + "".join(f"{shares[name]:>8.3f}" for name in names))
