"""Wrong input: one line that says what is wrong, and the exit code of the contract."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program, Run
from trackdown.surfaces.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["search"], 2, ["QUERY", "--issue"]),
        (["search", ""], 2, ["the query is empty"]),
        (["search", " \t\n "], 2, ["the query is empty"]),
        (["search", "?!"], 2, ["no words to search for"]),
        (["search", b"\xff\xfe\x80\x81\x82"], 2, ["not text"]),
        (["search", "cookie", "no/such/folder"], 1, ["no such file or folder: no/such/folder"]),
        (["search", "where", "is", "the", "cookie"], 1, ["no such file or folder: is", "needs quotes"]),
        (["search", "cookie", ".", "no-such"], 1, ["no such file or folder: no-such"]),
        (["search", "cookie", "web/session.py/inside"], 1, ["web/session.py/inside"]),
        (["search", "cookie", "--at", "no-such-rev"], 1, ["no commit, branch or tag 'no-such-rev'"]),
        (["search", "cookie", "--at", ""], 1, ["not a revision"]),
        (["search", "cookie", "--at", "--all"], 1, ["not a revision"]),
        (["search", "cookie", "--at", "HEAD:README.md"], 1, ["HEAD:README.md"]),
        (["search", "cookie", "-k", "0"], 2, ["between 1 and 1000"]),
        (["search", "cookie", "-k", "-7"], 2, ["between 1 and 1000"]),
        (["search", "cookie", "-k", "9" * 30], 2, ["between 1 and 1000"]),
        (["search", "cookie", "-k", "many"], 2, ["'many' is not a valid integer"]),
        (["search", "cookie", "--level", "line"], 2, ["'line'", "function", "class", "file"]),
        (["search", "cookie", "--effort", "none"], 2, ["'none'", "balanced"]),
        (["search", "cookie", "--budget", "50", "--depth", "5"], 2, ["budget", "depth", "one of them"]),
        (["search", "cookie", "--budget", "-1"], 2, ["budget", "-1"]),
        (["search", "cookie", "--budget", "nan"], 2, ["budget", "nan"]),
        (["search", "cookie", "--budget", "soon"], 2, ["'soon'"]),
        (["search", "cookie", "--depth", "0"], 2, ["depth", "not 0"]),
        (["search", "cookie", "--depth", "-2"], 2, ["depth", "not -2"]),
        (["search", "cookie", "--depth", "99999999"], 2, ["depth", "10000"]),
        (["search", "cookie", "--depth", "5", "--no-rerank"], 2, ["reranking"]),
        (["search", "cookie", "--format", "xml"], 2, ["'xml'", "json"]),
        (["search", "cookie", "--no-such-option"], 2, ["--no-such-option", "trackdown search --help"]),
        (["search", "--issue", "no-such-file"], 2, ["cannot read the issue 'no-such-file'", "No such file"]),
        (["search", "--issue", "web"], 2, ["cannot read the issue 'web'", "directory"]),
        (["serch", "cookie"], 2, ["there is no command 'serch'; did you mean search?", "trackdown --help"]),
        (["index", "no-such"], 1, ["no such file or folder: no-such"]),
        (["status", "no-such"], 1, ["no such file or folder: no-such"]),
        (["status", "one", "two"], 2, ["extra argument (two)"]),
        (["history", ""], 2, ["the query is empty"]),
        (["history", "cookie", "-k", "0"], 2, ["between 1 and 1000"]),
        (["history", "cookie", "no-such"], 1, ["no such file or folder: no-such"]),
        (["related"], 2, ["FILE"]),
        (["related", "web"], 2, ["web is a folder", "FILE:LINE"]),
        (["related", ":7"], 2, ["has no file", "':7'"]),
        (["related", "web/session.py:0"], 2, ["no line 0"]),
        (["related", "web/session.py:-1"], 2, ["counted from 1"]),
        (["related", "web/session.py:x"], 2, ["counted from 1"]),
        (["related", "web/session.py:²"], 2, ["counted from 1"]),
        (["related", "web/session.py:" + "1" * 5000], 2, ["counted from 1"]),
        (["related", "web/session.py:999"], 2, ["has only", "lines, not 999"]),
        (["related", "web/no-such.py:1"], 2, ["web/no-such.py is not an indexed file"]),
        (["clear", "no-such"], 1, ["no such file or folder: no-such"]),
        (["completion", "tcsh"], 2, ["'tcsh'", "bash"]),
        (["completion"], 2, ["bash"]),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else str(value),
)
def test_is_refused_in_one_line(
    ready: Program,
    arguments: list[str | bytes],
    code: int,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TRACKDOWN_STORE", str(ready.store))
    monkeypatch.chdir(ready.folder)
    ended = main(list(map(os.fsdecode, arguments)))
    Run(ended, *capsys.readouterr()).refused(code, *words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the query is empty"),
        (b"\n \n", "the query is empty"),
        (bytes(range(256)) * 40, "not text"),
        (b"\0" * 100_000, "not text"),
        (b"cookie " * 2000 + b"\0" * 100_000, "not text"),
        (b"\x80\x81\xfe\xff" * 5000, "not text"),
    ],
    ids=["empty", "blank", "binary", "zeros", "zeros-later", "undecodable"],
)
def test_an_issue_that_is_no_text_is_refused(ready: Program, content: bytes, words: str) -> None:
    ready("search", "--issue", "-", stdin=content).refused(2, words)


def test_an_issue_with_a_few_odd_bytes_is_searched(ready: Program) -> None:
    issue = "Session cookie is n\udcffot signed ".encode("utf-8", "surrogateescape") * 500 + b"\0\0 sign cookie"
    answer = ready("search", "--issue", "-", "--format", "json", stdin=issue).json()
    assert answer["results"][0]["symbol"] == "Session.sign_cookie"


def test_an_issue_of_a_megabyte_is_searched(ready: Program) -> None:
    words = "".join(f"word{number} in `file{number}.py`:\n" for number in range(40_000))
    issue = f"The session cookie is not signed\n\n{words}"
    assert len(issue) > 1_000_000
    answer = ready("search", "--issue", "-", "--format", "json", stdin=issue).json()
    assert answer["results"][0]["symbol"] == "Session.sign_cookie"


def test_an_empty_repository_is_refused_and_says_so(program: Program, repo: Repo) -> None:
    program("search", "cookie", repo.root).refused(1, "repo", "no searchable files")
    program("index", repo.root).refused(1, "repo", "no searchable files")
    program("search", "cookie", repo.root, "--at", "HEAD").refused(1, "'HEAD'")
    bare = Repo(repo.root.parent / "bare.git", bare=True)
    program("search", "cookie", bare.root).refused(1, "no commit yet")


def test_a_repository_without_commits_is_searched_by_its_files(program: Program, repo: Repo) -> None:
    repo.write("a.py", "def sign_cookie():\n    pass\n")
    answer = program("search", "cookie", repo.root, "--format", "json").json()
    assert [result["symbol"] for result in answer["results"]] == ["sign_cookie"]
    assert answer["snapshots"] == [{"repository": "repo", "commit": None, "dirty": True}]


def test_a_folder_that_is_no_repository_is_searched_and_has_no_history(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.py").write_text("def sign_cookie():\n    pass\n")
    answer = program("search", "cookie", folder, "--format", "json").json()
    assert answer["snapshots"] == [{"repository": "plain", "commit": None, "dirty": False}]
    assert [result["path"] for result in answer["results"]] == ["sub/a.py"]
    history = program("history", "cookie", folder)
    assert (history.code, history.out) == (0, "") and "plain has no history" in history.err
    program("search", "cookie", folder, "--at", "HEAD").refused(1, "plain folder", "'HEAD'")


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:9/no/such.git", "file:///no/such.git", "git@127.0.0.1:no/such.git", "ext::sh -c true"]
)
def test_a_url_that_cannot_be_cloned_is_refused(program: Program, url: str) -> None:
    program.having(GIT_SSH_COMMAND="false")("search", "cookie", url).refused(1, url)
    assert not list(program.store.glob("v*/clones/*"))


def test_a_password_in_a_url_is_not_shown(program: Program) -> None:
    run = program("search", "cookie", "https://ada:secret@127.0.0.1:9/x.git")
    assert run.code == 1 and "127.0.0.1:9/x.git" in run.err
    assert "secret" not in run.err


def test_a_missing_git_is_named(program: Program, shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    program.having(PATH=str(tmp_path / "nothing"))("search", "cookie", shop.root).refused(1, "git was not found")


def test_a_git_that_is_too_old_is_named(program: Program, shop: Repo, tmp_path: Path) -> None:
    old = tmp_path / "old" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.17.1\n")
    old.chmod(0o755)
    run = program.having(PATH=f"{old.parent}:/usr/bin:/bin")("search", "cookie", shop.root)
    run.refused(1, "git version 2.17.1 is too old", "2.31")


def test_a_repository_that_git_cannot_read_is_refused(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    (repo.root / ".git" / "config").write_text("[core\nnonsense")
    program("search", "cookie", repo.root).refused(1, "git failed")


def test_settings_that_cannot_be_read_are_named(ready: Program, tmp_path: Path) -> None:
    ready.having(TRACKDOWN_WORKERS="many")("search", "cookie").refused(2, "TRACKDOWN_WORKERS", "'many'")
    ready.having(TRACKDOWN_FUSION="none")("search", "cookie").refused(2, "TRACKDOWN_FUSION", "rrf")
    config = tmp_path / "config" / "trackdown" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("workers = [")
    ready.having(XDG_CONFIG_HOME=str(config.parent.parent))("search", "cookie").refused(2, str(config))


def test_without_a_home_the_store_still_has_its_place(ready: Program, shop: Repo) -> None:
    answer = ready.having(HOME=None, XDG_CONFIG_HOME=None)("search", "cookie", "--format", "json").json()
    assert answer["results"]


def test_the_cause_is_shown_only_on_demand(ready: Program) -> None:
    run = ready("--debug", "search", "cookie", "no-such")
    assert run.code == 1 and "Traceback" in run.err and "NoSuchPath" in run.err


def test_a_deleted_current_folder_is_refused(program: Program, tmp_path: Path) -> None:
    script = f'mkdir "{tmp_path}/gone" && cd "{tmp_path}/gone" && rmdir "{tmp_path}/gone" && trackdown search cookie'
    run = program.shell(script)
    assert run.code == 1 and run.err.count("trackdown: ") == 1 and "unexpected" not in run.err, run.err
