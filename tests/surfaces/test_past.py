"""`trackdown history`, `show` and `blame` in a terminal, in a pipe and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program


def test_history_takes_limits_with_and_without_a_query(ready: Program, shop: Repo) -> None:
    listed = ready("history", "--author", "ada", "-k", "2", "--format", "json").json()
    assert [one["subject"] for one in listed["commits"]] == [
        "Sign the session cookie against tampering",
        "Call the basket a cart",
    ]
    text = ready("history", "session", "--path", "web/legacy.py", shop.root)
    assert "Read old sessions" in text.out and "Drop sessions of the old format" in text.out
    assert "tampering" not in text.out
    here = ready("history", f"{shop.root}/", "-k", "1")
    assert here.out.splitlines()[:2] == [
        f" 1  {shop.git('rev-parse', 'HEAD')[:10]}  2020-09-13  Sign the session cookie against tampering",
        "    Ada",
    ]
    nothing = ready("history", "--until", "2001")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "No commit matches.\n")


def test_show_prints_the_commit_and_what_it_means(ready: Program, shop: Repo) -> None:
    run = ready("show", "HEAD")
    assert (run.code, run.err) == (0, "")
    head = shop.git("rev-parse", "HEAD")
    assert run.out.startswith(f"commit {head}\nAuthor: Ada <ada@example.org>\nDate:   2020-09-13 12:32 UTC\n\n    Sign")
    assert "\n2 files, +6 -1\n    A  tests/test_session.py  +5 -0\n    M  web/session.py  +1 -1\n" in run.out
    assert "    web/session.py:7-9  Session.sign_cookie  (modified, +1 -1, now web/session.py:7)\n" in run.out
    assert "\ndiff --git a/web/session.py b/web/session.py\n" in run.out
    assert "\n-        return value\n+        return value + self.secret\n" in run.out and "\x1b" not in run.out
    assert "diff --git" not in ready("show", head[:8], "--lines", "0").out
    renamed = ready("show", "HEAD~1", "--format", "json").json()
    assert [(one["status"], one["old_path"], one["path"]) for one in renamed["files"]] == [
        ("renamed", "lib/basket.js", "lib/cart.js")
    ]


def test_blame_prints_who_when_and_which_commit(ready: Program, shop: Repo) -> None:
    run = ready("blame", "web/session.py:Session.sign_cookie")
    first, last = shop.git("rev-list", "--max-parents=0", "HEAD")[:10], shop.git("rev-parse", "HEAD")[:10]
    assert run.out.splitlines() == [
        "web/session.py:7-9  Session.sign_cookie",
        f"  7-8  {first}  2020-09-13  Ada  Begin the shop",
        f"    9  {last}  2020-09-13  Ada  Sign the session cookie against tampering",
    ]
    assert ready("blame", "web/session.py:9").out.startswith("web/session.py:9\n")
    answer = ready("blame", "web/session.py:9", "--format", "json").json()
    assert [one["commit"][:10] for one in answer["lines"]] == [last] and answer["lines"][0]["issues"] == []


def test_blame_does_not_repeat_the_issues_that_the_subject_names(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "A = 1\n"})
    repo.commit("Fix the sum (#12)\n\nSee also #1.", {"a.py": "A = 2\n"})
    line = program.within(repo.root)("blame", "a.py:1").out.splitlines()[1]
    assert line.endswith("Fix the sum (#12)  (#1)")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("show", "beef1234"), "trackdown: shop has no commit, branch or tag 'beef1234'\n"),
        (("show", "--lines", "-1", "HEAD"), "trackdown: lines must be between 0 and 20000, not -1\n"),
        (("history", "a", "b", "c"), "trackdown: give one QUERY and one PATH: a query of several words needs quotes\n"),
        (("blame", "web/session.py:99"), "trackdown: web/session.py has no line 99: its lines are 1 to 18\n"),
    ],
)
def test_what_cannot_be_is_one_line(ready: Program, arguments: tuple[str, ...], line: str) -> None:
    run = ready(*arguments)
    assert run.code in (1, 2) and (run.out, run.err) == ("", line)


def test_a_terminal_shows_added_and_removed_lines_in_colour(ready: Program) -> None:
    shown = ready.on_terminal("show", "HEAD").out
    assert "\x1b[32m+        return value + self.secret\x1b[0m" in shown
    assert "\x1b[31m-        return value\x1b[0m" in shown


def test_search_says_who_last_changed_each_result(ready: Program, shop: Repo, tmp_path: Path) -> None:
    head = shop.git("rev-parse", "HEAD")
    text = ready("search", "sign the session cookie", "-k", "1", "--blame")
    changed = f'    changed 2020-09-13 by Ada in {head[:10]} "Sign the session cookie against tampering"'
    assert f"{changed}; 1 earlier commit since 2020-09-13\n" in text.out and text.err == ""
    (result,) = ready("search", "sign the session cookie", "-k", "1", "--blame", "--format", "json").json()["results"]
    assert (result["blame"][0]["commit"], result["blame"][0]["lines"]) == (head, 1)
    ready("search", "cookie", "--blame", "--format", "sarif").refused(2, "--blame is for text and json")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("def sign_cookie():\n    return 1\n")
    plain = ready("search", "cookie", tmp_path / "plain", "--blame")
    assert plain.code == 0 and "sign_cookie" in plain.out
    assert plain.err == "note: no blame: plain is a plain folder: it has no commits to blame\n"
