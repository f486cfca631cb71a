"""`trackdown impact`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import click

from trackdown.engine import Change
from trackdown.errors import NoSuchPath, UsageError
from trackdown.surfaces.cli.answer_formats import AnswerOutput, answer_options
from trackdown.surfaces.cli.options import at_option, count_option, exclude_option, open_all
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.types import LEVELS, Level

_LONGEST_FILE = 16 << 20
_NOTHING = (
    "Nothing found: what changed leads to no other files, except those that are left out (trackdown index --dry-run "
    "shows which are never indexed)."
)

EXAMPLES = """\b
Examples:
  trackdown impact
  trackdown impact --staged
  trackdown impact main..feature ~/src/flask
  trackdown impact fix.patch --level function
  gh pr diff 123 | trackdown impact - --format json
"""


@click.command(epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="[REV..REV | PATCH | -] [PATH]")
@click.option("--staged", is_flag=True, help="Ask about the changes in git's index.")
@count_option
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="file",
    show_default=True,
    help="What to rank: files, functions, classes, or both of these (symbol).",
)
@at_option
@exclude_option
@click.option("--explain", is_flag=True, help="Show each reason with its share of the score.")
@answer_options
def command(
    arguments: tuple[str, ...],
    staged: bool,
    k: int,
    level: Level,
    at: str | None,
    exclude: tuple[str, ...],
    explain: bool,
    output: AnswerOutput,
) -> None:
    """Find what else has to change with a diff.

    By default the diff is what differs from HEAD, untracked files included. REV..REV is what differs between two
    commits, REV...REV what the second changed since it left the first. PATCH is a file with a unified diff, `-` reads
    one from standard input; it may be applied already or not.

    Answers come from past commits (what changed together), from callers, overriding methods and imports, from the names
    of tests, and from the words of the diff. What the diff has changed already is left out.
    """
    change, places = _asked(arguments, staged)
    (repository,) = open_all(places)
    repository.confined = False  # PATH says where to begin: a change has effects in the whole repository
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.impact(change, k, level, at, exclude, progress=progress)
    output = replace(output, nothing=_NOTHING)
    output.print(answer, [repository], at or _last_revision(change))


def _last_revision(change: Change) -> str | None:
    """The revision that a range leads to, unless it is what is on disk."""
    last = (change.revisions or "").rpartition("..")[2].lstrip(".")
    return last if last not in ("", "HEAD") else None


def _asked(arguments: tuple[str, ...], staged: bool) -> tuple[Change, list[str]]:
    """What is asked about, and the repository's place. A folder can only be the place."""
    rest = list(arguments)
    if len(rest) > 2:
        raise UsageError("give one change and one PATH at most (see `trackdown impact --help`)")
    if not rest or (len(rest) == 1 and (os.path.isdir(rest[0]) or "://" in rest[0])):
        return Change(staged=staged), rest
    what = rest.pop(0)
    if what == "-":
        return Change(patch=_read(sys.stdin.fileno(), what), name="standard input", staged=staged), rest
    if os.path.isfile(what):
        return Change(patch=_read(what, what), name=what, staged=staged), rest
    if ".." in what and not what.startswith(("./", "../", "/")):
        return Change(revisions=what, staged=staged), rest
    raise NoSuchPath(f"{what} is neither a patch nor REV..REV (for one commit, write {what}^..{what})")


def _read(place: str | int, name: str) -> str:
    try:
        with open(place, "rb", closefd=isinstance(place, str)) as stream:
            data = stream.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"cannot read the patch {name!r}: {error.strerror}") from None
    if len(data) > _LONGEST_FILE:
        raise UsageError(f"the patch {name!r} has more than {_LONGEST_FILE >> 20} MiB: ask about a part of it")
    return data.decode("utf-8", "surrogateescape")
