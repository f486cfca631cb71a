"""`trackdown index`."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import at_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line
from trackdown.types import Inventory, RepositoryStatus

EXAMPLES = """\b
Examples:
  trackdown index
  trackdown index ~/src/django --at 4.2
  trackdown index --dry-run | grep '^out'
  trackdown index --watch
  trackdown index --deep
  trackdown index --export flask.shard --at v3.0.0
  trackdown index --import https://ci.example.org/flask.shard
"""


@click.command(epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[PATH]...")
@at_option
@click.option(
    "--deep",
    is_flag=True,
    help="Also let the encoder read all code except tests, so that searches find what says the same in other words. "
    "Takes minutes in a large repository; what is done is kept if you interrupt it.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Count files by language and rule, then list each: in, or out and why. Builds nothing.",
)
@click.option("--watch", is_flag=True, help="Keep running and update the index whenever files change. Ctrl-C stops it.")
@click.option("--export", "export", metavar="FILE", help="Write the index of HEAD, or of --at REV, to FILE.")
@click.option(
    "--import",
    "imported",
    metavar="FILE|URL",
    help="Use an exported index for this clone. An index computed here takes precedence, and other clones don't see "
    "this one.",
)
@click.option("--digest", metavar="HEX", help="Refuse to import an index with another digest.")
@click.option("--insecure", is_flag=True, help="Import over plain http from another machine, too.")
@format_option
def command(
    places: tuple[str, ...],
    at: str | None,
    deep: bool,
    dry_run: bool,
    watch: bool,
    export: str | None,
    imported: str | None,
    digest: str | None,
    insecure: bool,
    style: str,
) -> None:
    """Bring the index up to date, or list the files in it.

    Searching does this by itself; index ahead to spare the first search the wait. Files that .gitignore or
    .trackdownignore name are left out, and so are submodules, LFS pointers, binaries, minified, generated and very
    large files. A `!pattern` in .trackdownignore brings a file back.
    """
    if export is not None or imported is not None:
        from trackdown.surfaces.cli.index_exchange import exchange

        if dry_run or watch or (export is not None and imported is not None):
            raise UsageError("--export, --import, --dry-run and --watch cannot be combined")
        if imported is not None and (deep or at is not None):
            raise UsageError("an exported index has its own commit: --import cannot be combined with --at or --deep")
        exchange(places, export, imported, at=at, deep=deep, digest=digest, insecure=insecure, style=style)
        return
    if digest is not None or insecure:
        raise UsageError("--digest and --insecure go with --import")
    if deep and dry_run:
        raise UsageError("--dry-run builds nothing: it cannot be combined with --deep")
    if watch:
        if dry_run or deep or at is not None:
            raise UsageError(
                "--watch follows the files on disk and computes the deep index when it is idle: it cannot be combined "
                "with --dry-run, --deep or --at"
            )
        from trackdown.surfaces.cli.watch_output import keep_watching

        keep_watching(places, style)
        return
    reports: list[object] = []
    for repository in open_all(places):
        started = time.perf_counter()
        with TerminalProgress(repository.source.name) as progress:
            if dry_run:
                inventory = repository.inventory(at, progress=progress)
                if style == "text":
                    _print_inventory(inventory)
                reports.append(_inventory_json(inventory))
            else:
                status = repository.index(at, deep=deep, progress=progress)
                if style == "text":
                    print_notes(status.notes)
                    _print_status(status, time.perf_counter() - started, deep=deep)
                reports.append(asdict(status))
    if style == "json":
        print_json(reports)


def _print_status(status: RepositoryStatus, seconds: float, *, deep: bool) -> None:
    print(
        f"{one_line(status.repository)}: {status.files} files, {status.units} units, {status.commits} commits, "
        f"{human_bytes(status.index_bytes)} in {seconds:.1f} s"
    )
    if deep and status.deep is not None:
        print(f"{one_line(status.repository)}: the deep index is {status.deep.sentence()}")


def _print_inventory(inventory: Inventory) -> None:
    """Print how many files are in, by language, and out, by rule; then each of them."""
    languages = Counter(language for _, language in inventory.included)
    rules = Counter(item.reason for item in inventory.excluded)
    for where, counts in (("in", languages), ("out", rules)):
        number = counts.total()
        print(f"{one_line(inventory.repository)}: {number} file{'' if number == 1 else 's'} {where}{_counts(counts)}")
    for path, language in inventory.included:
        print(f"in   {one_line(path)}  {language}")
    for item in inventory.excluded:
        print(f"out  {one_line(item.path)}  {item.reason}")


def _counts(counts: Counter[str]) -> str:
    """` (60 python, 3 text)`: the most frequent first; nothing for nothing."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return f" ({', '.join(f'{count} {name}' for name, count in ordered)})" if ordered else ""


def _inventory_json(inventory: Inventory) -> dict[str, object]:
    return {
        "repository": inventory.repository,
        "included": [{"path": path, "language": language} for path, language in inventory.included],
        "excluded": [asdict(item) for item in inventory.excluded],
    }
