"""Answers for other programs: lines, paths, Markdown, SARIF, and an editor that opens the first result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program
from trackdown.surfaces.cli.editor import editor_command
from trackdown.surfaces.cli.markdown import as_markdown, code_span, plain_text
from trackdown.types import LineMatch, Result, SearchResults

QUERY = ("search", "where does the session cookie get the secret", "-k", "3")


def test_lines_are_path_line_and_symbol(ready: Program) -> None:
    run = ready(*QUERY, "--format", "lines")
    assert run.code == 0 and run.err == ""
    lines = run.out.splitlines()
    assert lines[0] == "web/session.py:9:Session.sign_cookie" and len(lines) == 3
    assert all(len(line.split(":")) == 3 for line in lines)


def test_a_file_has_the_text_of_its_line_instead_of_a_symbol(ready: Program) -> None:
    run = ready("search", "value self.secret", "--level", "file", "-k", "1", "--format", "lines")
    assert run.out == "web/session.py:9:return value + self.secret\n"


def test_paths_can_be_opened_from_the_current_folder(ready: Program, shop: Repo) -> None:
    inside = ready.within(shop.root / "web")(*QUERY, "-l")
    assert inside.out.splitlines()[0] == "session.py"
    outside = ready.within(shop.root.parent)(*QUERY, shop.root, "-l")
    assert outside.out.splitlines()[0] == "shop/web/session.py"
    elsewhere = ready.within(Path("/"))(*QUERY, shop.root, "--format", "lines")
    assert elsewhere.out.startswith(f"{shop.root}/web/session.py:9:".removeprefix("/"))


def test_files_are_listed_once(ready: Program) -> None:
    run = ready("search", "session cookie", "-l")
    assert len(run.out.splitlines()) == len(set(run.out.splitlines())) >= 2
    two = ready("search", "session cookie", "-l", "-k", "2").out.splitlines()
    assert len(two) == 2 and two == run.out.splitlines()[:2]  # -k counts files
    ready("search", "session", "-l", "--format", "json").refused(2, "-l or --format")


def test_markdown_has_a_numbered_list_with_code(ready: Program, shop: Repo) -> None:
    text = ready(*QUERY, "--format", "markdown").out
    assert "\n1. `web/session.py:7-9` `Session.sign_cookie` (" in text
    assert "\n   ```python\n   7      def sign_cookie(self, value: str) -> str:\n" in text
    assert "\n   9          return value + self.secret\n   ```\n" in text
    assert f"Searched `shop` at `{shop.git('rev-parse', 'HEAD')[:12]}`." in text


def test_markdown_of_hostile_text_mentions_nobody_and_ends_no_fence() -> None:
    assert plain_text("by @ada, #12, GH-3, a#4 <img> *x* [y](z) !5") == (
        r"by @&#8203;ada, #&#8203;12, GH-&#8203;3, a#&#8203;4 \<img\> \*x\* \[y\](z) \!5"
    )
    assert "https:&#8203;//" not in plain_text("http://x") and "http://&#8203;x" in plain_text("http://x")
    assert code_span("a`b``c") == "``` a`b``c ```" and code_span("@ada") == "`@ada`"
    matches = (LineMatch(3, "````` @ada\x1b"),)
    result = Result(1, "r", "a\n`b.py", "f", "function", "c", 1, 9, 1.0, "", (), "says @ada", line=3, matches=matches)
    text = as_markdown(SearchResults("q", "function", (result,)))
    assert "\n   ``````c\n   3  ````` @ada\ufffd\n   ``````" in text and "says @&#8203;ada" in text
    assert "``` a\ufffd`b.py:1-9 ```".replace("```", "``") in text


REQUIRED: dict[str, set[str]] = {
    "runs": {"tool"},
    "driver": {"name"},
    "rules": {"id"},
    "results": {"message"},
    "invocations": {"executionSuccessful"},
    "toolExecutionNotifications": {"message"},
    "message": {"text"},
    "shortDescription": {"text"},
}
"""What the schema of SARIF 2.1.0 requires of the objects that we write."""


def check_required(value: Any, name: str = "") -> None:
    if isinstance(value, list):
        for item in value:
            check_required(item, name)
    elif isinstance(value, dict):
        assert REQUIRED.get(name, set()) <= set(value), name
        for key, item in value.items():
            check_required(item, key)


def test_sarif_has_what_the_standard_requires(ready: Program, shop: Repo) -> None:
    log = ready(*QUERY, "--format", "sarif").json()
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    check_required(log)
    (run,) = log["runs"]
    assert run["tool"]["driver"]["rules"][0]["id"] == run["results"][0]["ruleId"]
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": f"{shop.root.as_uri()}/"}}
    best = run["results"][0]
    assert best["level"] == "note" and best["message"]["text"].startswith("Session.sign_cookie: ")
    assert 0 <= best["rank"] <= 100
    (location,) = best["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "web/session.py", "uriBaseId": "%SRCROOT%"}
    region = physical["region"]
    text = (shop.root / "web/session.py").read_text().splitlines()[region["startLine"] - 1]
    assert text[region["startColumn"] - 1 : region["endColumn"] - 1] == "secret"
    assert physical["contextRegion"] == {"startLine": 7, "endLine": 9}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Session.sign_cookie", "kind": "function"}]


def test_sarif_of_an_odd_path_is_a_uri(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"a b/grüße#1.py": "def sign_cookie():\n    return 1\n"})
    log = program("search", "sign cookie", repo.root, "--format", "sarif").json()
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "a%20b/gr%C3%BC%C3%9Fe%231.py"


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vim", ["vim", "+7", "/r/a b.py"]),
        ("/usr/bin/nano -l", ["/usr/bin/nano", "-l", "+7", "/r/a b.py"]),
        ("code --wait", ["code", "--wait", "--goto", "/r/a b.py:7"]),
        ("emacsclient -nw", ["emacsclient", "-nw", "+7", "/r/a b.py"]),
        ("hx", ["hx", "/r/a b.py:7"]),
        ("subl", ["subl", "/r/a b.py:7"]),
        ("pycharm", ["pycharm", "--line", "7", "/r/a b.py"]),
        ("ed", ["ed", "/r/a b.py"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor: str, arguments: list[str]) -> None:
    assert editor_command(Path("/r/a b.py"), 7, {"EDITOR": editor}) == arguments
    assert editor_command(Path("/r/a b.py"), 7, {"VISUAL": editor, "EDITOR": "other"}) == arguments


def script(folder: Path, name: str, code: int = 0) -> Path:
    """An editor that writes down how it was called."""
    place = folder / name
    place.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/called"\nexit {code}\n')
    place.chmod(0o755)
    return place


def test_open_starts_the_editor_at_the_best_line(ready: Program, shop: Repo, tmp_path: Path) -> None:
    run = ready.having(VISUAL=None, EDITOR=str(script(tmp_path, "vim")))(*QUERY, "--open")
    assert run.code == 0 and " 1  web/session.py" in run.out
    assert (tmp_path / "called").read_text().splitlines() == ["+9", f"{shop.root}/web/session.py"]


def test_the_editor_found_on_the_path_is_used(tmp_path: Path) -> None:
    script(tmp_path, "nano")
    assert editor_command(Path("/r/a.py"), 7, {"PATH": str(tmp_path)}) == ["nano", "+7", "/r/a.py"]


def test_what_cannot_be_opened_is_said_in_one_line(ready: Program, tmp_path: Path) -> None:
    failing = ready.having(VISUAL=str(script(tmp_path, "vim", code=3)))(*QUERY, "-l", "--open")
    assert failing.code == 1 and "ended with exit code 3" in failing.err
    missing = ready.having(VISUAL="/no/such/editor")(*QUERY, "--open")
    assert missing.code == 2 and "cannot start the editor '/no/such/editor'" in missing.err
    past = ready.having(VISUAL="true")(*QUERY, "--at", "HEAD", "--open")
    assert past.code == 2 and "--open needs files on disk" in past.err
