"""Which commit last changed each line of a file, as `git blame` tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trackdown.errors import GitError
from trackdown.repository.git import Git, finish

IGNORED_REVISIONS = ".git-blame-ignore-revs"
"""A file at the root with commits that only reformat: their lines are put on the commits before them."""
_LONGEST_RUN = 60.0
_MOST_IGNORED = 500
_HEADER = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+)(?: (\d+))?$")
_REVISION = re.compile(r"^\s*([0-9a-f]{40}(?:[0-9a-f]{24})?)\b", re.M)
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last that datetime can show
_NO_COMMIT = re.compile(r"0+")
_NOT_TRACKED = re.compile(r"no such path .* in |cannot stat path")


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Neighbouring lines that come from one commit; `oid` is empty for lines that are not committed yet.

    `path` is the file's name in that commit, and `original_line` the first line's number there. At a `boundary`, the
    history that git has here ends: the lines may be older.
    """

    first: int
    last: int
    oid: str
    author: str
    time: int
    subject: str
    path: str
    original_line: int
    boundary: bool


def ignored_revisions(text: str) -> tuple[str, ...]:
    """The commits that a file of ignored revisions lists; the rest of a line is a comment."""
    return tuple(dict.fromkeys(_REVISION.findall(text)))[:_MOST_IGNORED]


def blame_lines(
    git: Git,
    path: str,
    first: int,
    last: int,
    revision: str | None,
    content: bytes | None = None,
    ignored: Sequence[str] = (),
) -> list[LineOrigin]:
    """Where some lines of a file come from: of a revision, or of the `content` that the work tree has.

    Lines of a file that git does not track come from no commit. Raises GitError.
    """
    arguments = ["blame", "--no-ignore-revs-file", "--porcelain", "--no-textconv", f"-L{first},{last}"]
    arguments += [f"--ignore-rev={oid}" for oid in ignored]
    arguments += ["--contents", "-"] if content is not None else [revision or "HEAD"]
    process = git.stream(*arguments, "--", path, config=git.without_filters())
    try:
        return _parse(finish(process, content or b"", _LONGEST_RUN, git.work_tree))
    except GitError as error:
        if content is not None and _NOT_TRACKED.search(str(error)):
            return [LineOrigin(first, last, "", "", 0, "", path, first, False)]
        raise


def _parse(output: bytes) -> list[LineOrigin]:
    """Neighbouring lines of one commit become one; what git says of a commit stands at its first line only."""
    told: dict[str, dict[str, str]] = {}
    found: list[LineOrigin] = []
    oid, original, final = "", 0, 0
    fields: dict[str, str] = {}
    for line in output.split(b"\n"):
        if header := _HEADER.match(line):
            oid, original, final = header[1].decode("ascii"), int(header[2]), int(header[3])
            fields = dict(told.get(oid, {}))
        elif line.startswith(b"\t"):
            told[oid] = fields
            _add(found, _origin(oid, original, final, fields))
        else:
            name, _, value = line.decode("utf-8", "replace").partition(" ")
            fields[name] = value
    return found


def _origin(oid: str, original: int, final: int, fields: dict[str, str]) -> LineOrigin:
    time = fields.get("author-time", "0")
    return LineOrigin(
        final,
        final,
        "" if _NO_COMMIT.fullmatch(oid) else oid,
        fields.get("author", ""),
        min(int(time), _LAST_SECOND) if time.isascii() and time.isdigit() else 0,
        fields.get("summary", ""),
        fields.get("filename", ""),
        original,
        "boundary" in fields,
    )


def _add(found: list[LineOrigin], line: LineOrigin) -> None:
    """Add a line, or let the last range grow by it."""
    last = found[-1] if found else None
    if last is not None and last.oid == line.oid and last.last + 1 == line.first and last.path == line.path:
        found[-1] = LineOrigin(
            last.first,
            line.last,
            last.oid,
            last.author,
            last.time,
            last.subject,
            last.path,
            last.original_line,
            last.boundary,
        )
    else:
        found.append(line)
