"""Issues that were matched with the commits that resolved them → cases in SWE-bench's shape.

A table has a row for each issue: `commit_id`, `issue` (title and text) and, if known, `files`, `kind` and `plan`. The
case asks at the commit's first parent, and its patch is what the commit changed there, without tests and prose.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackdown.errors import GitError, TrackdownError, UsageError
from trackdown.lab import find_repository
from trackdown.lab.mine.parquet_table import check_pyarrow
from trackdown.repository import Git, open_source, role_of
from trackdown.types import CODE, Progress, no_progress

_SUFFIX = ".parquet"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ISSUE = "issue"
_LARGEST_PATCH = 200_000


@dataclass(slots=True)
class IssueCases:
    """Cases, and how many rows were dropped by which rule."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def issue_cases(
    tables: Sequence[Path], repos: Path, layout: str, most: int, progress: Progress = no_progress
) -> IssueCases:
    """At most `most` cases from each table, whose file name is `owner+name.parquet`. Which ones is fixed by their ids.

    Pull requests and texts that speak of a change already made are left out: nobody searches with those. Raises
    UsageError for a table that cannot be read or has no clone below `repos`.
    """
    found = IssueCases()
    for number, table in enumerate(tables):
        progress("read", number, len(tables))
        name = table.name.removesuffix(_SUFFIX).replace("+", "/", 1)
        place = find_repository(repos, layout, name)
        if place is None:
            raise UsageError(f"no clone of {name} below {repos}: see --layout")
        source = open_source(place)
        if source.git is None:
            raise UsageError(f"{place} is not a git repository")
        found.rows += _cases_of(name, source.git, _rows(table), most, found.dropped)
    progress("read", len(tables), len(tables))
    return found


def write_issue_cases(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line, as `trackdown bench swe` reads them."""
    aside = path.with_name(f".{path.name}.part")
    aside.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    aside.replace(path)


def _rows(table: Path) -> list[dict[str, Any]]:
    check_pyarrow()
    import pyarrow
    import pyarrow.parquet

    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(table).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(f"cannot read {table}: {error}") from None
    if rows and not {"commit_id", "issue"} <= set(rows[0]):
        raise UsageError(f"{table} has no columns commit_id and issue")
    return rows


def _cases_of(
    name: str, git: Git, rows: Sequence[dict[str, Any]], most: int, dropped: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Cases of one repository, in an order that depends on nothing but the commits' ids."""
    taken = 0
    seen: set[str] = set()
    for row in sorted(rows, key=lambda row: hashlib.sha256(str(row["commit_id"]).encode()).digest()):
        if taken == most:
            return
        commit = row["commit_id"]
        rule = _rule(row) or ("its commit was taken already" if commit in seen else "")
        case = None if rule else _case(name, git, row)
        if rule or case is None:
            dropped[rule or "no code was changed, or its commit is missing"] += 1
            continue
        seen.add(commit)
        taken += 1
        yield case


def _rule(row: Mapping[str, Any]) -> str:
    """Why a row is left out; empty if it is not."""
    if not _COMMIT.fullmatch(str(row["commit_id"])) or not str(row["issue"] or "").strip():
        return "no commit or no text"
    if row.get("kind", _ISSUE) != _ISSUE:
        return "a pull request"
    return "speaks of a change already made" if row.get("plan") else ""


def _case(name: str, git: Git, row: Mapping[str, Any]) -> dict[str, Any] | None:
    commit = row["commit_id"]
    try:
        base = git.text("rev-parse", "--verify", "--quiet", f"{commit}^1").strip()
        files = [path for path in _changed(git, base, commit) if role_of(path) == CODE]
        if not files:
            return None
        patch = git.run("diff", "--no-ext-diff", "--no-color", "--no-renames", base, commit, "--", *files)
    except (GitError, TrackdownError):
        return None
    if len(patch) > _LARGEST_PATCH:
        return None
    return {
        "instance_id": f"{name.replace('/', '__')}-{row.get('issue_id') or commit[:12]}-{commit[:8]}",
        "repo": name,
        "base_commit": base,
        "problem_statement": row["issue"],
        "patch": patch.decode("utf-8", "replace"),
    }


def _changed(git: Git, base: str, commit: str) -> list[str]:
    """The files that a commit modified or removed."""
    names = git.run("diff", "--no-renames", "--diff-filter=MD", "--name-only", "-z", base, commit)
    return [path.decode("utf-8", "replace") for path in names.split(b"\0") if path]
