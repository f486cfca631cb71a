"""An issue's name → its text, as a query for the repositories that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trackdown.engine.issues.kept_issues import drop_copies, keep, kept
from trackdown.errors import GitError, TrackerUnavailable, UsageError
from trackdown.repository import Source
from trackdown.settings import tracker_variables
from trackdown.store import Store
from trackdown.trackers import IssueReference, Project, TrackedIssue, fetch, parse_reference, project_of_remote
from trackdown.types import SearchResults

_ORIGIN = "origin"
_LONGEST_TITLE = 100


@dataclass(frozen=True, slots=True)
class IssueText:
    """An issue as a query, its title, and notes that say what was fetched."""

    title: str
    text: str
    notes: tuple[str, ...]

    def noted(self, answer: SearchResults) -> SearchResults:
        """An answer to this query, with the notes before its own."""
        return replace(answer, notes=(*self.notes, *answer.notes))


def names_issue(text: str) -> bool:
    """Whether a text is nothing but the name of an issue: a number, `owner/repo#5049` or an address."""
    return parse_reference(text) is not None


def fetch_issue(
    sources: Sequence[Source],
    store: Store,
    name: str,
    *,
    comments: bool = False,
    variables: Mapping[str, str] | None = None,
    only_own: bool = False,
) -> IssueText:
    """Fetch the issue with a name such as `5049`, `!12`, `owner/repo#5049` or its address.

    A number alone is one of the `origin` remote of the sources; a path without a host is on that remote's host, or on
    github.com. If the tracker cannot be reached, a copy in the store serves. With `only_own`, only issues of the
    sources' own remotes are fetched. Raises UsageError, TrackerError and TrackerUnavailable.
    """
    reference = parse_reference(name)
    if reference is None:
        raise UsageError(f"{name[:200]!r} names no issue: give 5049, #5049, !12, owner/repo#5049 or its address")
    origins = list(dict.fromkeys(filter(None, (_project_of(source, _ORIGIN) for source in sources))))
    found = reference.within(origins[0] if len(origins) == 1 else None)
    if found is None:
        raise _no_origin(reference, sources, origins)
    if only_own and found.project not in _own(sources):
        raise UsageError(f"{_shown(found)} is not an issue of a repository that is served here")
    variables = tracker_variables() if variables is None else variables
    issue, note = _fetched_or_kept(store, found, comments, variables, may_ask=not only_own)
    own_number = found.mark if found.project in origins else ""
    return IssueText(issue.title, issue.text(own_number), (note,))


def forget_issues(store: Store, source: Source) -> None:
    """Remove the copies of the issues of a source's own project."""
    project = _project_of(source, _ORIGIN)
    if project is not None:
        drop_copies(store, project)


def _project_of(source: Source, remote: str) -> Project | None:
    """The project that a remote of a source leads to; None if there is no such remote, or it is not on a host."""
    if source.git is None:
        return None
    try:
        return project_of_remote(source.git.text("remote", "get-url", remote))
    except GitError:
        return None


def _own(sources: Sequence[Source]) -> set[Project | None]:
    """The projects that the sources were cloned from, or forked from."""
    return {_project_of(source, remote) for source in sources for remote in (_ORIGIN, "upstream")} - {None}


def _no_origin(reference: IssueReference, sources: Sequence[Source], origins: Sequence[Project]) -> UsageError:
    names = ", ".join(source.name for source in sources)
    why = f"{names} have several" if len(origins) > 1 else f"{names} has no `{_ORIGIN}` remote on a code host"
    return UsageError(
        f"whose issue is {reference.mark}? {why}: name it as owner/repo{reference.mark}, or by its address"
    )


def _fetched_or_kept(
    store: Store, reference: IssueReference, comments: bool, variables: Mapping[str, str], *, may_ask: bool
) -> tuple[TrackedIssue, str]:
    """The issue, and a note that says where it came from."""
    name = _shown(reference)
    try:
        issue = fetch(reference, comments=comments, variables=variables, may_ask=may_ask)
    except TrackerUnavailable as error:
        copy = kept(store, name)
        if copy is None:
            raise
        issue = copy.issue() if comments else replace(copy.issue(), comments=())
        why = str(error).rpartition(": ")[0] or str(error)  # what to do about it is done
        return issue, f"{why}; used the copy of {_described(name, issue)} from {copy.date}"
    keep(store, name, issue)
    return issue, f"fetched {_described(name, issue)}"


def _described(name: str, issue: TrackedIssue) -> str:
    """An issue in a note: its name, its title, and how much of it there is."""
    title = issue.title if len(issue.title) <= _LONGEST_TITLE else f"{issue.title[: _LONGEST_TITLE - 1]}…"
    read, there = len(issue.comments), max(len(issue.comments), issue.comment_count)
    comments = f"{read} of {there} comments" if there else "no comments"
    kind = "a merge or pull request" if issue.merge else "an issue"
    return f"{name}, {json.dumps(title, ensure_ascii=False)} ({', '.join(filter(None, (kind, issue.state, comments)))})"


def _shown(reference: IssueReference) -> str:
    """The name of an issue with its host, for people and as the key of its copy."""
    assert reference.project is not None
    return f"{reference.project.name}{reference.mark}"
