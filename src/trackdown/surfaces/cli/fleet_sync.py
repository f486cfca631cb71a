"""`trackdown fleet sync`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from trackdown.errors import TrackdownError
from trackdown.fleet import ClusterOptions, SyncOptions, SyncReport, read_fleet
from trackdown.fleet import sync as sync_fleet
from trackdown.settings import load_settings
from trackdown.surfaces.cli.fleet_options import fleet_option
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line

EXAMPLES = """\b
Examples:
  trackdown fleet sync
  trackdown fleet sync --workers 8 --memory 4096
  trackdown fleet sync --scheduler tcp://10.0.0.5:8786
"""


@click.command(epilog=EXAMPLES)
@fleet_option
@click.option(
    "--scheduler",
    default="",
    metavar="URL",
    help="Build on this Dask cluster (tcp://host:8786). Its workers need the extra fleet and access to the place.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 256),
    default=min(os.cpu_count() or 1, 4),
    show_default=True,
    help="How many local processes build; 0 builds in this one, without Dask.",
)
@click.option(
    "--memory",
    type=click.IntRange(256, 1 << 20),
    default=2048,
    show_default=True,
    metavar="MB",
    help="The memory of one local worker. A worker that needs more is restarted.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1, 86_400),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="How long one repository may take.",
)
@click.option("--rebuild", is_flag=True, help="Build everything again, as if nothing were there.")
@format_option
def sync(fleet: Path, scheduler: str, workers: int, memory: int, timeout: float, rebuild: bool, style: str) -> None:
    """Fetch and index the repositories that changed, and publish them.

    Readers see the previous state until everything is ready. A repository that fails is tried once more and then
    reported; its published version stays. What is built is kept, even if this process ends early.
    """
    options = SyncOptions(ClusterOptions(scheduler, workers, memory), timeout, rebuild)

    def on_link(link: str) -> None:
        print(f"Dask's dashboard: {link}", file=sys.stderr)

    with TerminalProgress(fleet.stem) as progress:
        report = sync_fleet(read_fleet(fleet), load_settings(), options, progress=progress, on_link=on_link)
    if style == "json":
        print_json(report)
    else:
        _print(report)
    if report.problems:
        every = len({*report.problems, *report.built, *report.reused})
        raise TrackdownError(
            f"{len(report.problems)} of {every} repositories failed: `trackdown fleet status` says why"
        )


def _print(report: SyncReport) -> None:
    for name, message in sorted(report.problems.items()):
        print(f"failed  {one_line(name)}: {one_line(message)}")
    for name in report.removed:
        print(f"removed  {one_line(name)}")
    print(
        f"Manifest {report.number}: {report.repositories} repositories, {report.units} units, "
        f"{human_bytes(report.bytes)}; built {len(report.built)} in {report.seconds:.1f} s"
    )
    if report.collected.objects:
        print(f"Removed {report.collected.objects} old objects, {human_bytes(report.collected.bytes)}")
