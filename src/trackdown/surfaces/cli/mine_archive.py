"""`trackdown mine archive`: issues of a tracker's archive and the commits that resolved them → a table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from trackdown.lab import MinedRepository
    from trackdown.lab.mine import MatchReport

_FILE = click.Path(path_type=Path)
_DAY = 86_400
_BARE_DATE = re.compile(r"\d{4}-?\d\d-?\d\d|[A-Za-z]+ \d{1,2}, \d{4}")
_STYLES = ("fixes", "key", "trac", "bug", "title")
_KINDS = {"issue": "issues", "pr": "pull requests"}
_SIGNS = {
    "names_file": "name a file that was changed",
    "plan": "tell of a change already made",
    "names_function": "name a function that was edited",
    "names_functions": "name several of those",
}
_HELP = """\b
Adapters:
  github-json  JSON of GitHub's API, a file per issue or lists; backups, too
  jira         JSON of Jira, a file per issue or searches
  trac         ticket pages of Trac, as HTML or as Markdown of a migration
  bugzilla     pages or XML of Bugzilla, a file per bug
  redmine      issue pages of Redmine
  youtrack     XML of YouTrack, a file per issue
  table        CSV, JSON Lines or Parquet with a row per issue
  swe          JSON Lines of SWE-bench and its like

\b
How commits name issues (--references):
  fixes        `fixes #12`, `closes #12`, `resolves owner/name#12`
  key          `KEY-12` anywhere in the message
  trac         `Trac #12: …`, `#12: …`, `ticket #12`, `issue: #12`, and as fixes
  bug          `bug 1234`, `fix for #1234`, the address of a Bugzilla, and as fixes
  title        the subject is the title of the issue, whose number nobody names

\b
Examples:
  trackdown mine archive jira-archive ~/src/alloy --adapter jira --only 'data/ALOY/*' --out tidev+alloy.parquet
  trackdown mine archive bugs.jquery.com ~/src/jquery --adapter trac --revision gh-pages --until 2014-12-31 \
--out jquery+jquery.parquet
  trackdown mine archive backup ~/src/bitcoin --adapter github-json --pull-requests --out bitcoin+bitcoin.parquet
"""


@click.command(short_help="An archive of issues → a table with the commits that resolved them.", epilog=_HELP)
@click.argument("archive", type=_FILE)
@click.argument("repository", type=_FILE)
@click.option("--adapter", required=True, metavar="NAME", help="The format of the archive, see below.")
@click.option("--out", type=_FILE, required=True, help="The Parquet file to write.")
@click.option("--revision", default="", help="Of an archive in git: the commit or branch to read (default: HEAD).")
@click.option("--only", multiple=True, metavar="GLOB", help="Read only these paths of the archive; * spans folders.")
@click.option(
    "--references", type=click.Choice(_STYLES), help="How commits name issues (default: as the adapter says)."
)
@click.option("--pattern", default="", metavar="REGEX", help="How commits name issues: the first group is the id.")
@click.option("--since", default="", metavar="DATE", help="Leave out older commits.")
@click.option(
    "--until",
    default="",
    metavar="DATE",
    help="Leave out newer commits, for example after a move to a tracker that reuses the numbers.",
)
@click.option("--pull-requests", is_flag=True, help="Add merged pull requests, as rows of the kind `pr`.")
@click.option(
    "--most-files",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Leave out fixes that modify more source files than this.",
)
@click.option(
    "--most-named",
    type=click.IntRange(0),
    metavar="N",
    help="Leave out issues that name more than N of the edited functions.",
)
@click.option("--layout", default="", help="How REPOSITORY's path spells its name, e.g. '{owner}+{name}/repo'.")
@click.option("--exclude", type=_FILE, help="owner/name per line: refuse to mine any of these.")
@format_option
def archive(
    archive: Path,
    repository: Path,
    adapter: str,
    out: Path,
    revision: str,
    only: tuple[str, ...],
    layout: str,
    exclude: Path | None,
    style: str,
    **wanted: Any,
) -> None:
    """Match the issues of ARCHIVE with the commits of REPOSITORY that resolved them.

    ARCHIVE is a file, a folder, or a git repository whose files hold the issues, bare mirrors included. A commit
    resolves an issue if its message or its pull request says so, within the issue's life. The table has one row per
    issue, for `mine pairs --issues` and `mine issues`. Issues that contain a patch or link to the fix are left out;
    the report counts those that name a changed file or function. Fixes that modify no source file or too many are left
    out, too.
    """
    from trackdown.lab.mine import Archive, adapter_named, match_archive

    source = Archive(archive, adapter_named(adapter), revision, only)
    place = _place(repository, layout, exclude)
    with TerminalProgress(str(place)) as progress:
        report = match_archive(source, place, _plan(out, **wanted), progress)
    if style == "json":
        print_json({"out": str(out), **report.as_dict()})
    else:
        _show(report, out)


def _place(repository: Path, layout: str, exclude: Path | None) -> MinedRepository:
    from trackdown.lab import check_allowed, find_repositories, read_names

    (place,) = find_repositories([str(repository)], None, layout)
    if exclude is not None:
        check_allowed([place], read_names(exclude))
    return place


def _plan(out: Path, since: str, until: str, references: str | None, pattern: str, **limits: Any) -> Any:
    from trackdown.lab.mine import MatchPlan, check_pyarrow

    check_pyarrow()
    if references and pattern:
        raise UsageError("--references and --pattern exclude each other")
    return MatchPlan(
        out, references or "", pattern, since=_seconds("since", since), until=_last_second("until", until), **limits
    )


def _seconds(option: str, date: str) -> int | None:
    from trackdown.lab.mine import seconds_of

    found = seconds_of(date) if date else None
    if date and found is None:
        raise UsageError(f"--{option} is a date such as 2014-12-31, not {date!r}")
    return found


def _last_second(option: str, date: str) -> int | None:
    """A day without a time of day lasts until its end."""
    found = _seconds(option, date)
    return found + _DAY - 1 if found is not None and _BARE_DATE.fullmatch(date.strip()) else found


def _show(report: MatchReport, out: Path) -> None:
    rows = sum(report.rows.values())
    kinds = ", ".join(f"{_KINDS[kind]}: {count}" for kind, count in report.rows.items())
    click.echo(f"{rows} rows ({kinds}) of {report.repository} in {out}, from {report.issues} issues of the archive")
    for sign, count in sorted(report.gives_away.items(), key=lambda item: [*_SIGNS].index(item[0])):
        click.echo(f"  {_SIGNS[sign]}: {count} ({count / rows:.1%})")
    if report.unreadable:
        click.echo(f"  could not be read: {report.unreadable}")
    if report.outside:
        click.echo(f"  commits name issues that the archive lacks: {report.outside}")
    for rule, count in report.dropped.most_common():
        click.echo(f"  left out, {rule}: {count}")
