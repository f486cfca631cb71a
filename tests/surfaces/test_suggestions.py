"""A misspelt command, option or variable is answered with what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program


@pytest.fixture
def program(tmp_path: Path, repo: Repo) -> Program:
    repo.commit("Begin", {"a.py": "def sign_cookie(): pass\n"})
    return Program(tmp_path / "store", repo.root)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serach", "x"], ["there is no command 'serach'; did you mean search?"]),
        (["train", "modles"], ["there is no command 'modles'; did you mean models?"]),
        (["mine", "pirs"], ["did you mean pairs?"]),
        (["zebra"], ["there is no command 'zebra' (see `trackdown --help`)"]),
        (["search", "x", "--levle", "file"], ["there is no option '--levle'; did you mean --level?"]),
        (["search", "x", "--no-test"], ["did you mean --no-tests?"]),
        (["config", "--zzzz"], ["there is no option '--zzzz' (see `trackdown config --help`)"]),
    ],
)
def test_commands_and_options(program: Program, arguments: list[str], words: list[str]) -> None:
    program(*arguments).refused(2, *words)


@pytest.mark.parametrize(
    "query", ["-path:tests", "-kind:class sign", "-lang:go cookie", "-sign the cookie", "- sign_cookie"]
)
def test_a_query_may_begin_with_a_minus(program: Program, query: str) -> None:
    answer = program("search", query, "-k", "1", "--format", "json").json()
    assert answer["query"] == query and answer["results"][0]["symbol"] == "sign_cookie"


def test_a_misspelt_short_option_is_still_one(program: Program) -> None:
    program("search", "cookie", "-z").refused(2, "there is no option '-z'")
    assert len(program("search", "-k1", "cookie", "--format", "json").json()["results"]) == 1


def test_a_variable_is_mentioned_once_and_fails_nothing(program: Program) -> None:
    run = program.having(TRACKDOWN_STROE="/nowhere", TRACKDOWN_ZEBRA="1")("search", "cookie", "--format", "json")
    assert run.json()["results"]
    assert run.err.count("TRACKDOWN_STROE is not a setting; did you mean TRACKDOWN_STORE?") == 1
    assert "ZEBRA" not in run.err and "/nowhere" not in run.err


def test_variables_that_are_settings_are_not_mentioned(program: Program) -> None:
    assert program.having(TRACKDOWN_K="3")("search", "cookie").err == program("search", "cookie").err
