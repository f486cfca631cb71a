"""`trackdown search --issue` with the name of an issue: fetched from a code host on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.surfaces.conftest import build_shop
from tests.surfaces.program import Program, paths
from tests.trackers.code_host import CodeHost, code_host, gitlab_issue, sends

COOKIE = ("The session cookie is not signed", "Anybody can change the cookie of a session.")


@pytest.fixture(scope="module")
def module_host() -> Iterator[CodeHost]:
    with code_host() as host:
        yield host


@pytest.fixture(scope="module")
def cloned(module_host: CodeHost, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in a clone of the shop, which is indexed."""
    folder = tmp_path_factory.mktemp("by-name")
    shop = build_shop(folder / "shop")
    shop.git("remote", "add", "origin", f"{module_host.url}/group/sub/shop.git")
    program = Program(folder / "store", shop.root, {"XDG_CONFIG_HOME": str(folder), "TRACKDOWN_MODELS": "none"})
    assert program("index").code == 0
    return program


@pytest.fixture
def host(module_host: CodeHost) -> CodeHost:
    """A GitLab with an issue, a merge request, and nothing asked yet."""
    module_host.pages.clear()
    module_host.seen.clear()
    page = module_host.has("gitlab", 5, gitlab_issue(*COOKIE, user_notes_count=1), project="group/sub/shop")
    module_host.pages[f"{page}/notes"] = sends([{"body": "The cart's total price is wrong, too.", "system": False}])
    module_host.has("gitlab", 6, gitlab_issue("Sum up the total"), project="group/sub/shop", merge=True)
    return module_host


@pytest.fixture
def program(cloned: Program, host: CodeHost) -> Program:
    return cloned.having(GITLAB_HOST=host.url, GITLAB_TOKEN="s3cret", GITHUB_TOKEN="other", GITHUB_SERVER_URL=None)


@pytest.mark.parametrize("name", ["5", "#5", "group/sub/shop#5", "{url}/group/sub/shop/-/issues/5"])
def test_an_issue_by_name(program: Program, host: CodeHost, name: str) -> None:
    answer = program("search", "--issue", name.format(url=host.url), "--format", "json").json()
    assert paths(answer)[0] == "web/session.py"
    assert answer["query"] == "\n\n".join([*COOKIE, "#5"])
    assert answer["notes"][0] == (
        f'fetched {host.host}/group/sub/shop#5, "{COOKIE[0]}" (an issue, open, 0 of 1 comments)'
    )
    assert [asked.token for asked in host.seen] == ["Bearer s3cret"]


def test_comments_and_merge_requests(program: Program, host: CodeHost) -> None:
    run = program("search", "--issue", "5", "--comments")
    assert "note: fetched" in run.err and "1 of 1 comments" in run.err and "Cart.total" in run.out
    run = program("search", "--issue", "!6", "-k", "1")
    assert "a merge or pull request" in run.err and "Cart.total" in run.out


def test_a_file_wins_but_not_over_a_number_with_a_mark(program: Program, host: CodeHost) -> None:
    (program.folder / "5").write_text("the total price of the cart\n")
    (program.folder / "#5").write_text("the total price of the cart\n")
    (program.folder / "6").mkdir()
    assert program("search", "--issue", "5", "--format", "json").json()["query"] == "the total price of the cart\n"
    assert host.seen == []
    assert program("search", "--issue", "#5", "--format", "json").json()["query"].startswith(COOKIE[0])
    program("search", "--issue", "6").refused(1, "has no group/sub/shop#6", "a merge request is written !12")
    for name in ("5", "#5"):
        (program.folder / name).unlink()


def test_without_a_network(program: Program, host: CodeHost, tmp_path: Path) -> None:
    program("search", "--issue", "5")
    with code_host() as gone:
        pass
    offline = program.having(HTTP_PROXY=None, http_proxy=None)
    offline("search", "--issue", f"{gone.url}/a/b/-/issues/5").refused(1, f"cannot reach {gone.host}", "network")
    page = next(iter(host.pages))
    host.pages[page] = lambda visit: visit.connection.shutdown(socket.SHUT_RDWR)
    run = program("search", "--issue", "5")
    assert run.code == 0 and "cannot reach" in run.err and "used the copy of" in run.err and "sign_cookie" in run.out
    fresh = replace(program, store=tmp_path / "other")
    fresh("search", "--issue", "5").refused(1, "cannot reach", host.host)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("7", 1, ["has no group/sub/shop#7"]),
        ("nowhere.md", 2, ["cannot read the issue 'nowhere.md'"]),
        ("https://example.org/some/page", 2, ["is not the address of an issue"]),
        ("https://bitbucket.org/a/b/issues/1", 1, ["bitbucket.org is not known as GitHub"]),
    ],
)
def test_refusals_are_one_line(program: Program, name: str, code: int, words: list[str]) -> None:
    program("search", "--issue", name).refused(code, *words)


def test_an_address_as_a_query_is_words_and_a_note_says_so(program: Program, host: CodeHost) -> None:
    run = program("search", f"{host.url}/group/sub/shop/-/issues/5", "--effort", "fast")
    assert run.code == 0 and "note: the query is the address of an issue: --issue fetches its text" in run.err
    assert host.seen == []


def test_a_folder_without_origin(program: Program, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\n")
    program.within(tmp_path)("search", "--issue", "5").refused(2, "whose issue is #5?", "`origin`")
    program("search", "cookie", "--comments").refused(2, "--comments needs --issue")
