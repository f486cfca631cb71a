"""What `--issue` names: a file, standard input, or an issue of a tracker."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from trackdown.errors import QueryError, UsageError

F = TypeVar("F", bound=Callable[..., Any])
_LONGEST_FILE = 4 << 20


def issue_options(command: F) -> F:
    """`--issue NAME` and `--comments`."""
    for option in (
        click.option("--comments", is_flag=True, help="With --issue: also read the comments of a fetched issue."),
        click.option(
            "--issue",
            metavar="ISSUE",
            help="Take the query from a file, from standard input with `-`, or from a tracker: 5049, #5049 or !12 of "
            "the `origin` remote, owner/repo#5049, or an address on GitHub, GitLab, Gitea or Forgejo. A file of that "
            "name wins, except over #5049.",
        ),
    ):
        command = option(command)
    return command


def fetch_issues_option(command: F) -> F:
    """`--fetch-issues`, of servers."""
    text = (
        "Let clients name issues of the served repositories, which are fetched from their hosts (origin and upstream). "
        "Without it nothing is fetched."
    )
    return click.option("--fetch-issues", is_flag=True, help=text)(command)


def is_address(query: str) -> bool:
    """Whether a query is nothing but the address of an issue."""
    if "://" not in query:
        return False
    from trackdown.engine import names_issue

    return names_issue(query)


def read_issue(place: str) -> str | None:
    """The text of a file or of standard input; None if `place` names an issue of a tracker. Raises UsageError."""
    from trackdown.engine import names_issue

    is_name = names_issue(place)
    if is_name and (place[:1] in "#!" or not os.path.exists(place) or os.path.isdir(place)):
        return None
    try:
        if place == "-":
            data = sys.stdin.buffer.read(_LONGEST_FILE)
        else:
            with open(place, "rb") as stream:
                data = stream.read(_LONGEST_FILE)
    except OSError as error:
        if "://" in place:
            raise UsageError(
                f"{place!r} is not the address of an issue, a pull request or a merge request on GitHub, GitLab, "
                "Gitea or Forgejo"
            ) from None
        raise UsageError(f"cannot read the issue {place!r}: {error.strerror}") from None
    if b"\0" in data[:8192]:
        raise QueryError(f"the issue {place!r} is not text: it looks like a binary file")
    return data.decode("utf-8", "replace")
