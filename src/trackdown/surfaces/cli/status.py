"""`trackdown status`."""

from __future__ import annotations

from dataclasses import asdict

import click

from trackdown.surfaces.cli.options import format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line
from trackdown.types import ImportState

EXAMPLES = """\b
Examples:
  trackdown status
  trackdown status ~/src/flask --format json
"""


@click.command(epilog=EXAMPLES)
@click.argument("place", default=".", metavar="[PATH]")
@format_option
def command(place: str, style: str) -> None:
    """Show what is indexed and how large it is. Builds nothing."""
    (repository,) = open_all([place])
    status = repository.status()
    if style == "json":
        print_json(asdict(status))
        return
    print_notes(status.notes)
    commit = f"{status.commit[:10]}{' with uncommitted changes' if status.dirty else ''}" if status.commit else "none"
    rows = {
        "repository": f"{one_line(status.repository)} ({status.kind})",
        "commit": commit,
        "index": "up to date"
        if status.ready
        else "not up to date: the next search or `trackdown index` will update it",
        "files": f"{status.files} in; left out: " + _counts(status.excluded),
        "languages": _counts(status.languages),
        "units": str(status.units),
        **({"deep index": status.deep.sentence()} if status.deep is not None else {}),
        "commits": str(status.commits),
        "index size": human_bytes(status.index_bytes),
        **({"imported": _imported(status.imported)} if status.imported is not None else {}),
        "store": f"{one_line(status.store)} ({human_bytes(status.store_bytes)})",
    }
    for name, value in rows.items():
        print(f"{name + ':':<12} {value}")


def _imported(found: ImportState) -> str:
    use = "in use" if found.used else "not in use: the present index was computed here, or is not ready"
    return f"commit {found.commit[:10]} from {one_line(found.origin)}, digest {found.digest[:16]} ({use})"


def _counts(counts: object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
