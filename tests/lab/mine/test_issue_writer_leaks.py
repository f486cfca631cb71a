"""What a query gives away of a change: the share of the names that the change brings in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Repo
from trackdown.lab.mine.changes import read_patches
from trackdown.lab.mine.issue_writer import Name, leak, leaked, new_identifiers
from trackdown.repository.blobs import BlobReader
from trackdown.repository.source import open_source

LOADER = """\
def load(url):
    response = fetch(url)
    return response.body
"""
NEW = '''\
def load(url, retry_limit=3):
    """Waits between attempts patiently."""
    # backoff grows with every attempt
    for attempt in range(retry_limit):
        response = fetch(url)
        if response.isComplete():
            return response.body
    raise TooManyRetries(url)
'''


def names_of(repo: Repo, commit: str) -> frozenset[Name]:
    source = open_source(repo.root)
    assert source.git is not None
    parent = source.resolve(f"{commit}^") if repo.git("rev-list", "--count", commit) != "1" else None
    with BlobReader(source.git) as blobs:
        return new_identifiers(source.git, blobs, parent, read_patches(source.git, [commit])[commit])


def test_names_are_new_when_their_file_did_not_have_them(repo: Repo) -> None:
    repo.commit("Begin", {"loader.py": LOADER, "docs/notes.md": "old\n"})
    commit = repo.commit(
        "Try again",
        {
            "loader.py": NEW,
            "tests/test_loader.py": "def test_patience():\n    pass\n",
            "docs/notes.md": "see Teapot()\n",
        },
    )
    assert names_of(repo, commit) == {
        ("retry", "limit"),
        ("attempt",),
        ("range",),
        ("is", "complete"),
        ("too", "many", "retries"),
    }


def test_a_renamed_file_brings_in_what_its_old_text_lacks(repo: Repo) -> None:
    repo.commit("Begin", {"loader.py": LOADER * 9})
    repo.git("mv", "loader.py", "fetcher.py")
    commit = repo.commit("Move", {"fetcher.py": LOADER * 9 + "\nDEFAULT_AGENT = 'x'\n"})
    assert names_of(repo, commit) == {("default", "agent")}


def test_a_first_commit_brings_in_everything(repo: Repo) -> None:
    assert names_of(repo, repo.commit("Begin", {"loader.py": LOADER})) == {
        ("load",),
        ("url",),
        ("response",),
        ("fetch",),
        ("body",),
    }


NAMES: frozenset[Name] = frozenset({("retry", "limit"), ("attempt",), ("is", "complete"), ("too", "many", "retries")})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("A download fails at once when the server is busy", []),
        ("Add retry_limit", [("retry", "limit")]),
        ("RetryLimit and retryLimit of the loader", [("retry", "limit")]),
        ("There is no limit to retry, nor a retry without limit", []),
        ("There should be a retry limit", [("retry", "limit")]),
        ("It raises TooManyRetries after an attempt", [("attempt",), ("too", "many", "retries")]),
        ("Attempts are many", []),
        ("", []),
    ],
)
def test_a_name_leaks_however_it_is_written(query: str, found: list[Name]) -> None:
    assert leaked(query, NAMES) == found and leak(query, NAMES) == len(found) / 4


def test_where_nothing_is_new_nothing_leaks() -> None:
    assert leak("anything at all", frozenset()) == 0.0


@given(st.text(max_size=60), st.frozensets(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)))
def test_a_leak_is_a_share(query: str, names: frozenset[Name]) -> None:
    assert 0.0 <= leak(query, names) <= 1.0
    if names:
        assert leak(" ".join("_".join(name) for name in names), names) == 1.0
