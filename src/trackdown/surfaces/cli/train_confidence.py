"""`trackdown train confidence`: calibrate the probabilities that answers carry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trackdown.errors import TrackdownError
from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from trackdown.lab.train import ConfidenceReport

_PATH = click.Path(path_type=Path)


@click.command(short_help="Calibrate the probabilities of answers.")
@click.option("--cases", type=_PATH, multiple=True, required=True, help="Issues, as for `bench swe`. Repeatable.")
@click.option("--repos", type=_PATH, required=True, help="Folder with the repositories.")
@click.option("--layout", default="{owner}/{name}", show_default=True, help="Where a repository is in that folder.")
@click.option("--data", type=_PATH, required=True, help="Folder for collected answers; a second run continues there.")
@click.option("--jobs", type=click.IntRange(0), default=0, help="Processes; 0 means one per core.")
@click.option("--out", type=_PATH, help="JSON file for the calibration.")
@click.option("--figure", type=_PATH, help="SVG file for the reliability diagram.")
@format_option
def confidence(
    cases: tuple[Path, ...],
    repos: Path,
    layout: str,
    data: Path,
    jobs: int,
    out: Path | None,
    figure: Path | None,
    style: str,
) -> None:
    """Fit the probabilities of answers to issues, and to questions that have no answer.

    The questions without an answer are nonsense, off-topic, and issues of the other repositories in the same language.
    Each repository is judged by a fit to the others.
    """
    from trackdown.lab.train import collect_answers, fit_confidence, read_questions

    with TerminalProgress(str(data)) as progress:
        tasks = read_questions(cases, repos, layout)
        answers = collect_answers(tasks, data, load_settings(), jobs=jobs, progress=progress)
    report = fit_confidence(answers, out)
    if figure is not None:
        _draw(report, figure)
    if style == "json":
        print_json(report.as_dict())
        return
    for line in confidence_lines(report):
        print(line)


def confidence_lines(report: ConfidenceReport) -> list[str]:
    """What a report says, for a terminal."""
    counts = ", ".join(f"{count} {kind}" for kind, count in report.counts.items())
    lines = [f"Questions: {counts}", f"{'':<20}{'answers':>9}{'right':>8}{'ECE':>8}{'Brier':>8}{'AUROC':>8}"]
    for name, one in {**report.scores, "single results": report.results}.items():
        lines.append(f"{name:<20}{one.count:>9}{one.share:>8.3f}{one.ece:>8.3f}{one.brier:>8.3f}{one.auroc:>8.3f}")
    weak, strong = report.calibration.weak, report.calibration.strong
    lines.append(f"Weak below {weak:.3f}, strong from {strong:.3f} on. Called weak:")
    return [*lines, *(f"  {name:<24}{share:>6.1%}" for name, share in report.weak.items())]


def _draw(report: ConfidenceReport, path: Path) -> None:
    from trackdown.lab.report import reliability_diagram

    try:
        path.write_text(reliability_diagram(report.scores), "utf-8")
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None
