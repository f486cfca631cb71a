"""The plugin for Vim and Neovim: real editors without a screen, whose quickfix lists are read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo

PLUGIN = Path(__file__).parents[2] / "editors" / "vim" / "plugin" / "trackdown.vim"
EDITORS = {
    "vim": ["vim", "-Nu", "NONE", "-n", "-i", "NONE", "-es"],
    "nvim": ["nvim", "--clean", "--headless", "-n", "-es"],
}
LIST = (
    "call writefile([json_encode({'title': getqflist({'title': 1}).title, 'entries': "
    "map(getqflist(), '[bufname(v:val.bufnr), v:val.lnum, v:val.text]')})], $ANSWER)"
)

pytestmark = pytest.mark.slow


@pytest.fixture(params=list(EDITORS))
def editor(request: pytest.FixtureRequest) -> list[str]:
    words = EDITORS[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return words


def edited(editor: list[str], shop: Repo, program: Path, *commands: str, expect: int = 0) -> Any:
    """What the quickfix list has after some commands."""
    answer = shop.root.parent / "answer.json"
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "ANSWER": str(answer)}
    script = [word for line in (f"source {PLUGIN}", *commands, LIST, "qall!") for word in ("-c", line)]
    done = subprocess.run(
        [*editor, *script, "issue.txt"], cwd=shop.root, env=environment, capture_output=True, text=True
    )
    assert answer.exists(), done.stdout + done.stderr
    return json.loads(answer.read_text())


def test_a_search_fills_the_quickfix_list(editor: list[str], shop: Repo, command: Path) -> None:
    found = edited(editor, shop, command, "Trackdown who signs 'the cookie'?")
    assert found["title"] == "Trackdown: who signs 'the cookie'?"
    name, line, text = found["entries"][0]
    assert (Path(name).name, line in (1, 2), text) == ("session.py", True, "sign_cookie")


def test_an_issue_is_the_file_or_a_range_of_its_lines(editor: list[str], shop: Repo, command: Path) -> None:
    found = edited(editor, shop, command, "TrackdownIssue")
    assert found["title"] == "Trackdown: The cookie is not signed"
    assert found["entries"][0][2] == "sign_cookie"
    found = edited(editor, shop, command, "3TrackdownIssue")
    assert found["title"].startswith("Trackdown: After sign_cookie")


def test_an_entry_leads_to_its_line(editor: list[str], shop: Repo, command: Path) -> None:
    at = "call writefile([json_encode([expand('%:t'), line('.')])], $ANSWER . '.at')"
    edited(editor, shop, command, "Trackdown load_cookie", "cfirst", at)
    assert json.loads((shop.root.parent / "answer.json.at").read_text()) == ["session.py", 5]


def test_a_failure_is_told_and_leaves_the_list_alone(editor: list[str], shop: Repo, command: Path) -> None:
    told = "call writefile([json_encode(execute('messages'))], $ANSWER . '.told')"
    found = edited(editor, shop, command, "let g:trackdown_command = ['trackdown', '--nonsense']", "Trackdown x", told)
    assert found["entries"] == []
    assert "--nonsense" in (shop.root.parent / "answer.json.told").read_text()


def test_grep_with_the_program_as_grepprg(editor: list[str], shop: Repo, command: Path) -> None:
    settings = "set grepprg=trackdown\\ search\\ --format\\ lines grepformat=%f:%l:%m shellpipe=>%s"
    found = edited(editor, shop, command, settings, "silent grep 'sign the cookie'")
    assert found["entries"][0][2] == "sign_cookie"
