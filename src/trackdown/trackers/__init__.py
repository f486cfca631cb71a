"""Issue trackers of code hosts: an issue's name → its text, from GitHub, GitLab, Gitea or Forgejo."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.trackers.fetching import fetch
    from trackdown.trackers.issue import TrackedIssue
    from trackdown.trackers.project import Project, project_of_remote
    from trackdown.trackers.reference import IssueReference, parse_reference
    from trackdown.trackers.tokens import token_variables
else:
    __getattr__ = door(__name__)
