"""The ways to name an issue, and what a remote's URL leads to."""

from __future__ import annotations

import pytest

from trackdown.trackers import IssueReference, Project, parse_reference, project_of_remote

GITHUB = "https://github.com"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5049", IssueReference(5049)),
        ("#5049", IssueReference(5049)),
        (" #007 ", IssueReference(7)),
        ("!12", IssueReference(12, merge=True)),
        ("pallets/flask#5049", IssueReference(5049, path="pallets/flask")),
        ("group/sub/deep/project!12", IssueReference(12, True, "group/sub/deep/project")),
        ("github.com/pallets/flask#5049", IssueReference(5049, False, "pallets/flask", GITHUB)),
        ("git.example.org:8443/a/b#1", IssueReference(1, False, "a/b", "https://git.example.org:8443")),
        ("my.org/project#3", IssueReference(3, path="my.org/project")),
        (f"{GITHUB}/pallets/flask/issues/5049", IssueReference(5049, False, "pallets/flask", GITHUB)),
        (f"{GITHUB}/pallets/flask/issues/5049#issuecomment-1", IssueReference(5049, False, "pallets/flask", GITHUB)),
        (f"{GITHUB}/pallets/flask/pull/12/files?w=1", IssueReference(12, True, "pallets/flask", GITHUB, "github")),
        ("HTTPS://GitHub.com/o/issues/issues/5", IssueReference(5, False, "o/issues", GITHUB)),
        (
            "https://gitlab.example.org/a/b/c/-/issues/5",
            IssueReference(5, False, "a/b/c", "https://gitlab.example.org", "gitlab"),
        ),
        ("https://g.org/a/b/-/issues/incident/5", IssueReference(5, False, "a/b", "https://g.org", "gitlab")),
        ("https://g.org/a/b/-/work_items/5", IssueReference(5, False, "a/b", "https://g.org", "gitlab")),
        ("https://g.org/a/b/merge_requests/5", IssueReference(5, True, "a/b", "https://g.org", "gitlab")),
        ("https://codeberg.org/a/b/pulls/5", IssueReference(5, True, "a/b", "https://codeberg.org", "gitea")),
        ("http://127.0.0.1:3000/a/b/issues/5", IssueReference(5, False, "a/b", "http://127.0.0.1:3000")),
        ("https://user:secret@github.com/a/b/issues/5", IssueReference(5, False, "a/b", GITHUB)),
    ],
)
def test_names_of_issues(text: str, expected: IssueReference) -> None:
    assert parse_reference(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "#0",
        "#",
        "12345678901",
        "-5",
        "5.0",
        "bug.md",
        "issues/5049.md",
        "flask#5049",
        "a/b#",
        "a/b #5",
        "a/../b#5",
        "C:/a/b#5",
        "host:port/a/b#5",
        "https://github.com/pallets/flask",
        "https://github.com/pallets/flask/discussions/5",
        "https://github.com/pallets/flask/issues",
        "https://github.com/flask/issues/5",
        "https://github.com/a/b c/issues/5",
        "https://ho st/a/b/issues/5",
        "https://bücher.example/a/b/issues/5",
        "ftp://github.com/a/b/issues/5",
        "file:///a/b/issues/5",
        "https://github.com/../b/issues/5",
        "#5049\n#5050",
        "https://g.org/" + "a/" * 2000 + "issues/5",
    ],
)
def test_what_names_no_issue(text: str) -> None:
    assert parse_reference(text) is None


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/pallets/flask.git", "https://github.com pallets/flask"),
        ("https://user:token@github.com/pallets/flask/", "https://github.com pallets/flask"),
        ("git@github.com:pallets/flask.git", "https://github.com pallets/flask"),
        ("ssh://git@ssh.github.com:443/pallets/flask.git", "https://github.com pallets/flask"),
        ("ssh://git@git.example.org:2222/a/b/c.git", "https://git.example.org a/b/c"),
        ("git://git.example.org/a/b", "https://git.example.org a/b"),
        ("git.example.org:a/b", "https://git.example.org a/b"),
        ("https://git.example.org:443/a/b", "https://git.example.org a/b"),
        ("http://127.0.0.1:3000/a/b.git", "http://127.0.0.1:3000 a/b"),
        ("https://[::1]:3000/a/b", "https://[::1]:3000 a/b"),
    ],
)
def test_remotes_on_a_host(url: str, name: str) -> None:
    found = project_of_remote(url)
    assert found is not None and f"{found.server} {found.path}" == name


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/flask.git",
        "../flask",
        "file:///srv/flask",
        "C:\\src\\flask",
        "https://github.com/flask",
        "x" * 3000,
        "https://github.com/a/b?c",
        "git@host:repo.git",
        "https://github.com/a/../b",
        "ext::sh -c x",
    ],
)
def test_remotes_that_name_no_project(url: str) -> None:
    assert project_of_remote(url) is None


def test_what_a_name_lacks_comes_from_the_remote() -> None:
    origin = Project("https://gitlab.example.org", "shop/web")
    assert IssueReference(5).within(origin) == IssueReference(5, False, "shop/web", "https://gitlab.example.org")
    assert IssueReference(5).within(None) is None
    named = IssueReference(5, path="a/b").within(origin)
    assert named is not None and named.project == Project("https://gitlab.example.org", "a/b")
    public = IssueReference(5, path="a/b").within(None)
    assert public is not None and public.project == Project(GITHUB, "a/b")
    whole = IssueReference(5, False, "a/b", GITHUB)
    assert whole.within(origin) == whole
