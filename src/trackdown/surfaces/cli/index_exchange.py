"""`trackdown index --export` and `--import`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from trackdown.engine import export_index, import_index
from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line


def exchange(
    places: Sequence[str],
    export: str | None,
    imported: str | None,
    *,
    at: str | None,
    deep: bool,
    digest: str | None,
    insecure: bool,
    style: str,
) -> None:
    """Write the index of a repository to the file `export`, or read it from `imported`, and say so."""
    if len(places) > 1:
        raise UsageError("--export and --import take one repository")
    if imported is None and (digest is not None or insecure):
        raise UsageError("--digest and --insecure go with --import")
    (repository,) = open_all(places)
    started = time.perf_counter()
    with TerminalProgress(repository.source.name) as progress:
        if imported is not None:
            report = import_index(repository, imported, digest=digest, insecure=insecure, progress=progress)
        else:
            assert export is not None
            report = export_index(repository, Path(export), at, deep=deep, progress=progress)
    if style == "json":
        print_json(asdict(report))
        return
    print_notes(report.notes)
    what = f"{report.files} files, {report.units} units, {report.commits} commits, {human_bytes(report.bytes)}"
    seconds = time.perf_counter() - started
    done, way = ("Exported", "to") if imported is None else ("Imported", "from")
    print(f"{done} commit {report.commit[:10]} of {one_line(report.repository)} {way} {one_line(report.place)}")
    print(f"{what} in {seconds:.1f} s, parts: {', '.join(report.parts)}")
    print(f"digest {report.digest}")
