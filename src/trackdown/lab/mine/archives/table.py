"""Tables with a row per issue: CSV, JSON Lines or Parquet. Columns are known by the names that exports give them.

An id and a title are needed. Bug sets may also name the commit that fixed a bug, or the files that it changed.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from trackdown.errors import UsageError
from trackdown.lab.mine.archives.issue import (
    AUTO,
    FIXED,
    LARGEST_ISSUE,
    OPEN,
    REJECTED,
    UNKNOWN,
    Adapter,
    ArchivedIssue,
    normal_id,
    readable,
    tidy,
)
from trackdown.lab.mine.parquet_table import check_pyarrow

COLUMNS = {
    "id": ("id", "issueid", "bugid", "issuekey", "key", "number", "issuenumber"),
    "title": ("title", "summary", "subject", "shortdesc"),
    "body": ("body", "description", "text", "report", "details"),
    "created": ("created", "createdat", "opened", "openedat", "creationts", "reporttime", "createddate"),
    "closed": ("closed", "closedat", "resolved", "resolvedat", "resolutiondate"),
    "state": ("state", "status"),
    "resolution": ("resolution",),
    "kind": ("kind", "type"),
    "commit": ("commit", "commitid", "fixcommit", "commitsha", "sha", "revision"),
    "files": ("files", "goldfiles", "changedfiles"),
    "repository": ("repository", "repo"),
}
"""Field → the names of columns that hold it, best first, without case, blanks and signs."""

_FIXED = frozenset("fixed done resolved closed completed verified merged implemented".split())
_REJECTED = frozenset("wontfix invalid duplicate rejected worksforme notaproblem notplanned cannotreproduce".split())
_UNRESOLVED = frozenset({"unresolved", "none"})
_BATCH = 1000
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

Row = Mapping[str, Any]


def read_table(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The issues of a table. Raises UsageError for one without a column for ids or titles.

    Each row of JSON Lines has columns of its own. One that lacks these cannot be read; it is an error if all lack them.
    """
    ending = path.lower().rpartition(".")[2]
    rows = {"csv": _csv_rows, "jsonl": _json_rows, "ndjson": _json_rows, "parquet": _parquet_rows}[ending](stream)
    rows_vary = ending in ("jsonl", "ndjson")
    columns: dict[str, str] = {}
    first_error: UsageError | None = None
    for row in rows:
        if row is None:
            yield None
            continue
        try:
            columns = _columns(row, path) if rows_vary or not columns else columns
        except UsageError as error:
            if not rows_vary:
                raise
            first_error = first_error or error
            yield None
            continue
        yield readable(_issue, {field: row.get(column) for field, column in columns.items()})
    if first_error is not None and not columns:
        raise first_error


def _columns(row: Row, path: str) -> dict[str, str]:
    known = {re.sub(r"[\W_]+", "", name.lower()): name for name in row if isinstance(name, str)}
    found = {
        field: known[next(name for name in names if name in known)]
        for field, names in COLUMNS.items()
        if not known.keys().isdisjoint(names)
    }
    for field in ("id", "title"):
        if field not in found:
            raise UsageError(f"{path} has no column for the {field} of an issue ({', '.join(COLUMNS[field])})")
    return found


def _issue(row: Row) -> ArchivedIssue | None:
    number, title = _text(row, "id"), _text(row, "title")
    if not number or not title:
        return None
    commit = _text(row, "commit").lower()
    return ArchivedIssue(
        id=normal_id(number),
        title=title,
        body=tidy(_text(row, "body")),
        created=_text(row, "created"),
        closed=_text(row, "closed"),
        outcome=_outcome(_text(row, "state"), _text(row, "resolution")),
        is_pull=_text(row, "kind").lower() in ("pr", "pull", "pull request"),
        commits=(commit,) if _COMMIT.fullmatch(commit) else (),
        files=_files(row.get("files")),
        repository=_text(row, "repository"),
    )


def _outcome(state: str, resolution: str) -> str:
    """How an issue ended: what was resolved in a way that we don't know was not fixed."""
    states = {re.sub(r"[\W_]+", "", part.lower()) for part in re.split(r"[/,(]", resolution or state)} - {""}
    if not states:
        return UNKNOWN
    if states & _REJECTED:
        return REJECTED
    if states & _FIXED:
        return FIXED
    return REJECTED if resolution and not states & _UNRESOLVED else OPEN


def _text(row: Row, field: str) -> str:
    value = row.get(field)
    return "" if value is None else str(value).strip()


def _files(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"[\n;,]+", value)
    return tuple(filter(None, (str(path).strip() for path in value))) if isinstance(value, list) else ()


def _csv_rows(stream: BinaryIO) -> Iterator[Row | None]:
    csv.field_size_limit(LARGEST_ISSUE)
    with io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="") as text:
        rows = csv.DictReader(line.replace("\0", "") for line in text)
        while True:
            try:
                row = next(rows, None)
            except csv.Error:
                yield None
                continue
            if row is None:
                return
            yield row


def _json_rows(stream: BinaryIO) -> Iterator[Row | None]:
    while line := stream.readline(LARGEST_ISSUE):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield row if isinstance(row, dict) else None


def _parquet_rows(stream: BinaryIO) -> Iterator[Row | None]:
    check_pyarrow()
    import pyarrow
    import pyarrow.parquet

    try:
        for batch in pyarrow.parquet.ParquetFile(stream).iter_batches(batch_size=_BATCH):
            yield from batch.to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise ValueError(str(error)) from None


TABLE = Adapter(
    "table",
    "CSV, JSON Lines or Parquet with a row per issue",
    (".csv", ".jsonl", ".ndjson", ".parquet"),
    AUTO,
    read_table,
    has_pulls=True,
)
