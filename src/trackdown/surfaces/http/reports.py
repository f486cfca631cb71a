"""Reports of evaluations: files of one folder, served as they are."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from starlette.responses import Response

from trackdown.errors import UsageError
from trackdown.surfaces.http.problems import HttpProblem
from trackdown.surfaces.http.response_models import ReportEntry

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A report is a page with its own script. The sandbox gives it an origin of its own: it cannot use this server."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,200}")
_LARGEST = 64 << 20
_MOST = 1000


class Reports:
    """The folder of reports. Only plain files directly in it, with a known suffix; links are not followed."""

    def __init__(self, folder: Path | None) -> None:
        """Raises UsageError if the folder does not exist."""
        if folder is not None and not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r} to serve reports from")
        self._folder = folder

    def entries(self) -> list[ReportEntry]:
        """List the files, newest first; none if the folder is gone."""
        if self._folder is None:
            return []
        found: list[ReportEntry] = []
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    kind = _media_type(entry.name)
                    if kind is None or not entry.is_file(follow_symlinks=False):
                        continue
                    info = entry.stat(follow_symlinks=False)
                    found.append(ReportEntry(entry.name, info.st_size, info.st_mtime, kind))
        except OSError:
            return []
        return sorted(found, key=lambda one: (-one.modified, one.name))[:_MOST]

    def answer(self, name: str) -> Response:
        """Return one file. Raises HttpProblem if there is none of that name."""
        kind = _media_type(name)
        if self._folder is None or kind is None:
            raise _missing(name)
        try:
            descriptor = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            raise _missing(name) from None
        try:
            info = os.fstat(descriptor)
            if not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST:
                raise _missing(name)
            with open(descriptor, "rb", closefd=False) as stream:
                content = stream.read(_LARGEST)
        finally:
            os.close(descriptor)
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
        return Response(content, media_type=kind, headers=headers)


def _media_type(name: str) -> str | None:
    return MEDIA_TYPES.get(os.path.splitext(name)[1].lower()) if _NAME.fullmatch(name) else None


def _missing(name: str) -> HttpProblem:
    return HttpProblem(404, "not-found", f"there is no report {name[:200]!r}: see /v1/reports")
