"""Every rule with commits that fit and commits that nearly do."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.filters import CommitFilters, is_changelog, is_housekeeping
from trackdown.lab.mine.messages import clean_subject
from trackdown.repository.history import CommitFacts, PathChange


def commit(
    message: str, *, author: str = "Ada", paths: tuple[str, ...] = ("src/a.py",), parents: int = 1
) -> CommitFacts:
    changes = [PathChange("M", path.encode()) for path in paths]
    return CommitFacts("1" * 40, ["2" * 40] * parents, 0, author, message, changes)


def rule(found: CommitFacts, filters: CommitFilters | None = None) -> str | None:
    return (filters or CommitFilters()).fitting_rule(found, clean_subject(found.message))


FITTING = {
    "merge": ["Merge branch 'main' into feature", "Merge pull request #1 from a/b", "Merge remote-tracking branch 'x'"],
    "revert": [
        'Revert "Add the parser for dates"',
        "Revert the change of the parser",
        "Reverted: parser for dates again",
        "Use the old parser for dates\n\nThis reverts commit 1234567890.",
        "Back out the new parser for dates",
    ],
    "release": [
        "Release 1.2.3",
        "v2.0",
        "2.0.0rc1",
        "Bump version number to 1.0.2.dev",
        "start version 3.1",
        "This is 0.2",
        "Back to development: 1.3.dev0",
        "Prepare release",
        "updated changelog",
        "chore: release v1.2",
        "v0.9.0 history",
    ],
    "dependency update": [
        "Bump werkzeug from 2.0.1 to 2.0.2",
        "update dev dependencies",
        "chore(deps): bump lodash to 4.17.21",
        "Update pre-commit hooks to their latest",
        "Updated requirements.txt for the examples",
        "Upgrade github actions",
    ],
    "credits": ["Added myself to AUTHORS", "Add Ada Lovelace to the contributors list", "Update AUTHORS.rst once more"],
    "message without content": [
        "Fix typo",
        "wip",
        "cleanup",
        "Fix tests",
        "fix: bug (#12)",
        "Update README.md",
        "Update src/models/user_session.py",
        "Address review comments",
        "minor fixes and improvements",
        "Fixes #123",
        ".",
        "",
    ],
}

NEAR = [
    "Merge sort must be stable for equal keys",
    "Merge app and request context",
    "Revert to the default encoding when none is given",
    "Release the lock when the worker dies",
    "Version option prints the wrong program name",
    "Bump the retry limit for slow servers",
    "Update the requirements parser when extras are missing",
    "Start the server before opening the browser",
    "Raise the timeout of sessions from 1.5 to 2.5 seconds",
    "Handle missing cookies",
    "fix(parser): crash on empty input",
    "Fix Session.send_request",
    "Authors are sorted by name in the feed",
    "Update models.py to close sessions twice",
]


@pytest.mark.parametrize(("name", "message"), [(name, text) for name, texts in FITTING.items() for text in texts])
def test_a_message_that_fits(name: str, message: str) -> None:
    assert rule(commit(message)) == name


@pytest.mark.parametrize("message", NEAR)
def test_a_message_that_nearly_fits(message: str) -> None:
    assert rule(commit(message)) is None


GOOD = "Close the socket when the pool is full"


@pytest.mark.parametrize(
    "author",
    [
        "dependabot[bot]",
        "dependabot-preview[bot]",
        "renovate-bot",
        "pre-commit-ci[bot]",
        "github-actions",
        "Weblate",
        "GitHub Actions",
        "Hosted Weblate",
        "pyup-bot",
        "some-company-bot",
        "transifex-integration[bot]",
    ],
)
def test_bots(author: str) -> None:
    assert rule(commit(GOOD, author=author)) == "bot"


@pytest.mark.parametrize("author", ["Lowell Abbott", "Marc Cabot", "Botond Kiss", "Cicely", "Travis Oliphant", "Robot"])
def test_people_whose_names_look_like_a_bots(author: str) -> None:
    assert rule(commit(GOOD, author=author)) is None


@pytest.mark.parametrize("message", ["Translated using Weblate (German)", "[pre-commit.ci] auto fixes from hooks"])
def test_messages_of_bots(message: str) -> None:
    assert rule(commit(message)) == "bot"


def test_mass_changes() -> None:
    ten = tuple(f"src/{number}.py" for number in range(10))
    assert rule(commit(GOOD, paths=ten)) is None
    assert rule(commit(GOOD, paths=(*ten, "more.py"))) == "mass change"
    assert rule(commit(GOOD, paths=ten[:3]), CommitFilters(max_files=2)) == "mass change"


def test_housekeeping_only() -> None:
    assert rule(commit(GOOD, paths=("CHANGES.rst", ".github/workflows/test.yml"))) == "housekeeping only"
    assert rule(commit(GOOD, paths=("CHANGES.rst", "src/a.py"))) is None
    assert rule(commit(GOOD, paths=())) is None


@pytest.mark.parametrize(
    "path",
    [
        "CHANGES",
        "CHANGES.rst",
        "docs/changelog.md",
        "NEWS",
        "HISTORY.md",
        "newsfragments/12.bugfix",
        "AUTHORS.rst",
        "changelog/123.bugfix.rst",
        "docs/releases/3.2.txt",
        "CHANGE_LOG.txt",
    ],
)
def test_changelogs(path: str) -> None:
    assert is_changelog(path) and is_housekeeping(path)


@pytest.mark.parametrize(
    "path", ["src/history.py", "changes.py", "docs/news/index.html", "releases/upload.py", "new.md"]
)
def test_files_whose_names_look_like_a_changelogs(path: str) -> None:
    assert not is_changelog(path) and not is_housekeeping(path)


def test_the_first_rule_that_fits_counts() -> None:
    assert rule(commit("wip", author="dependabot[bot]", parents=2)) == "merge"
    assert rule(commit("wip", author="dependabot[bot]")) == "bot"


def test_a_query_is_taken_once() -> None:
    filters = CommitFilters()
    assert rule(commit(GOOD), filters) is None
    assert filters.take(GOOD)
    assert not filters.take(GOOD.upper() + ".")
    assert rule(commit(GOOD.lower()), filters) == "duplicate query"
    assert rule(commit(GOOD + " again"), filters) is None


def test_only_what_is_dropped_is_counted() -> None:
    filters = CommitFilters()
    rule(commit("wip"), filters)
    assert not filters.dropped
    filters.drop("merge")
    assert dict(filters.dropped) == {"merge": 1}
