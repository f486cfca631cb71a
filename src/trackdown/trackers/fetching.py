"""Fetch an issue: what each API calls it, and what of its answer counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from trackdown.errors import TrackerError
from trackdown.trackers.client import SECONDS, TrackerClient, ask_without_token
from trackdown.trackers.host_kinds import Tracker, tracker_of
from trackdown.trackers.issue import TrackedIssue
from trackdown.trackers.project import Api
from trackdown.trackers.reference import IssueReference
from trackdown.trackers.tokens import token_for
from trackdown.types import MAX_QUERY_CHARS

_PAGE = 100
_MOST_PAGES = 3
_LONGEST_TITLE = 1000
_BODIES: dict[Api, str] = {"github": "body", "gitlab": "description", "gitea": "body"}
_COUNTS: dict[Api, str] = {"github": "comments", "gitlab": "user_notes_count", "gitea": "comments"}


def fetch(
    reference: IssueReference,
    *,
    comments: bool,
    variables: Mapping[str, str],
    may_ask: bool = True,
    seconds: float = SECONDS,
) -> TrackedIssue:
    """Fetch the issue that a reference with a project names.

    `variables` are those of the environment that name hosts and hold tokens. With `may_ask`, a host of unknown kind is
    asked for it. Raises TrackerError, TrackerUnavailable and, for a token that cannot be sent, UsageError.
    """
    project = reference.project
    assert project is not None
    tracker = tracker_of(project, reference.api, variables, ask_without_token if may_ask else None)
    client = TrackerClient(tracker, token_for(tracker, variables), f"{tracker.path}{reference.mark}", seconds)
    place = _place(tracker, reference)
    issue = _read_issue(client.get(place), tracker, reference)
    return replace(issue, comments=_read_comments(client, place, tracker.api)) if comments else issue


def _place(tracker: Tracker, reference: IssueReference) -> str:
    """The path of an issue in the API. GitHub and Gitea number pull requests among the issues."""
    if tracker.api == "gitlab":
        kind = "merge_requests" if reference.merge else "issues"
        return f"/projects/{quote(tracker.path, safe='')}/{kind}/{reference.number}"
    if tracker.path.count("/") != 1:
        raise TrackerError(f"{tracker.path} is not a project of {tracker.host}: name it as owner/repo")
    return f"/repos/{quote(tracker.path)}/issues/{reference.number}"


def _read_issue(value: Any, tracker: Tracker, reference: IssueReference) -> TrackedIssue:
    """The issue in an answer. Raises TrackerError if there is none."""
    title = value.get("title") if isinstance(value, dict) else None
    body = value.get(_BODIES[tracker.api]) if isinstance(value, dict) else None
    if not isinstance(title, str) or not title.strip() or not isinstance(body, str | None):
        raise TrackerError(f"what {tracker.host} sent for {tracker.path}{reference.mark} is not an issue")
    count, state = value.get(_COUNTS[tracker.api]), value.get("state")
    return TrackedIssue(
        " ".join(title.split())[:_LONGEST_TITLE],
        (body or "")[:MAX_QUERY_CHARS],
        {"opened": "open"}.get(state, state)[:20] if isinstance(state, str) else "",
        reference.merge if tracker.api == "gitlab" else isinstance(value.get("pull_request"), dict),
        count if isinstance(count, int) and 0 <= count < 10**6 else 0,
    )


def _read_comments(client: TrackerClient, place: str, api: Api) -> tuple[str, ...]:
    """The texts of an issue's first comments, without what the tracker itself wrote. Gitea sends all at once.

    Raises TrackerError.
    """
    found: list[str] = []
    name, order = ("notes", "&sort=asc&order_by=created_at") if api == "gitlab" else ("comments", "")
    for page in range(1, _MOST_PAGES + 1):
        listed = client.get(f"{place}/{name}?per_page={_PAGE}&page={page}{order}")
        rows = listed if isinstance(listed, list) else []
        found += [row["body"][:MAX_QUERY_CHARS] for row in rows if _is_comment(row)]
        if api == "gitea" or len(rows) != _PAGE or sum(map(len, found)) > MAX_QUERY_CHARS:
            break
    return tuple(found)


def _is_comment(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("body"), str) and row.get("system") is not True
