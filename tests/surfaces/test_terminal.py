"""What a terminal gets and what a pipe gets; and that nothing in a repository can steer a terminal."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faults.grown import grow
from tests.surfaces.program import Program, without_escapes

pytestmark = pytest.mark.slow

BELL, ESCAPE = "\x07", "\x1b"
HOSTILE = [
    "\x1b[31mEVIL",
    "\x1b]0;pwned\x07",
    "\x9b31m",
    "\x1bc",
    "\r",
    "\x08",
    "\x7f",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u061c",
    "\u200b",
    "\u2028",
    "\U000e0041",
]
NAME = "".join(HOSTILE) + "\n 1  forged.py:1-2  forged [red]cookie[/red]"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository whose name, files, code, authors and commits try to steer the terminal."""
    repo = Repo(tmp_path_factory.mktemp("hostile") / f"re\x1b[31mpo\u202e{BELL}")
    code = f"def sign_cookie():\n    return '[red]{''.join(HOSTILE)}'\n"
    for number, path in enumerate([f"web/{NAME}.py", "web/[bold]other.py"]):
        name = "".join(HOSTILE).replace("\r", "")
        repo.commit(f"Sign {name} [red]cookie {number}", {path: code, "web/plain.py": f"# {number}\n{code}"})
        repo.git("commit", "-q", "--amend", "--cleanup=verbatim", "--no-edit", "--author", f"{name} <e@example.org>")
    return repo


def commands(repo: Repo) -> list[list[str]]:
    """Everything that prints something of a repository."""
    plain = f"{repo.root}/web/plain.py:2"
    return [
        ["search", "sign cookie", "."],
        ["search", "sign cookie", ".", "--explain", "--level", "file"],
        ["history", "sign cookie", "."],
        ["show", "HEAD", "."],
        ["related", plain, "."],
        ["blame", plain, "."],
        ["index", ".", "--dry-run"],
        ["index", "."],
        ["status", "."],
        ["related", f"{NAME}:1", "."],
        ["graph", "web", ".", "--depth", "2"],
        ["graph", plain, "."],
        ["graph", NAME, "."],
        ["search", "cookie", NAME],
        ["search", "cookie", "--at", NAME],
        ["clear", "."],
    ]


def test_hostile_content_reaches_no_terminal(program: Program, hostile: Repo) -> None:
    for command in commands(hostile):
        shown = program.within(hostile.root).on_terminal(*command).out
        assert shown, command
        for sequence in HOSTILE[:4] + HOSTILE[5:]:
            assert sequence not in shown, (command, sequence)
        lines = without_escapes(shown).split("\n")
        assert not any("\r" in line or ESCAPE in line for line in lines), command
        assert not any(line.startswith(" 1  forged") for line in lines), command


def test_hostile_content_reaches_no_pipe_as_text(program: Program, hostile: Repo) -> None:
    for command in commands(hostile)[:6]:
        run = program.within(hostile.root)(*command)
        assert run.code == 0 and "[red]" in run.out, command
        assert not re.search(
            r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2028\U000e0041]", run.out
        )
        assert not re.search(r"^ 1  forged", run.out, re.MULTILINE)
        assert run.err == "", command


def test_hostile_names_survive_json_unchanged(program: Program, hostile: Repo) -> None:
    run = program("search", "sign cookie", hostile.root, "--format", "json")
    assert f"web/{NAME}.py" in [result["path"] for result in run.json()["results"]]
    assert run.out.isascii() and not any(sign in run.out for sign in (ESCAPE, BELL, "\r"))


def test_the_sort_of_name_that_a_progress_line_shows_is_harmless(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / f"evil\x1b[31m\u202e{BELL}"
    for number in range(210):
        (folder / f"d{number % 7}").mkdir(parents=True, exist_ok=True)
        (folder / f"d{number % 7}" / f"m{number}.py").write_text(f"def sign_cookie_{number}():\n    pass\n")
    run = program("search", "cookie", folder)
    assert run.err.startswith("Indexing evil") and run.err.count("\n") == 1
    assert not any(sign in run.err for sign in (ESCAPE, BELL, "\u202e"))


def test_a_terminal_gets_colour_and_no_line_that_is_too_wide(ready: Program) -> None:
    run = ready.on_terminal("search", "session cookie signed value text secret", columns=60)
    assert run.code == 0 and f"{ESCAPE}[1;36m 1  web/session.py" in run.out
    plain = without_escapes(run.out).splitlines()
    assert plain[0].startswith("Strong answer") and plain[1]  # the verdict is wrapped
    assert max(map(len, plain)) <= 60


def test_no_color_is_respected(ready: Program) -> None:
    run = ready.having(NO_COLOR="1").on_terminal("search", "session cookie")
    assert "Session.sign_cookie" in run.out and not re.search(r"\x1b\[[0-9;]*3[0-7]", run.out)


def test_a_pipe_gets_plain_text(ready: Program) -> None:
    for command in (["search", "cookie"], ["history", "cookie"], ["related", "web/session.py:8"], ["status"]):
        run = ready(*command)
        assert run.code == 0 and run.out and ESCAPE not in run.out + run.err
        assert run.err == ""


def test_a_long_first_index_shows_bars_on_a_terminal_and_one_line_elsewhere(program: Program, tmp_path: Path) -> None:
    repo = grow(tmp_path / "grown", files=260, commits=2100)
    slow = tmp_path / "slow" / "git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\nsleep 0.4\nexec {shutil.which("git")} "$@"\n')
    slow.chmod(0o755)
    slowly = program.having(PATH=f"{slow.parent}:/usr/bin:/bin")
    run = slowly.on_terminal("search", "sign cookie", repo.root, "-k", "1")
    assert run.code == 0 and "Indexing grown: " in run.out
    assert "Parsing files" in run.out and "260/260" in run.out
    assert "Reading commits" in run.out and "/2100" in run.out
    after = run.out[run.out.rindex("Reading commits") :]
    assert f"{ESCAPE}[?25h" in after, "the cursor stays hidden"
    piped = Program(tmp_path / "other", tmp_path)("search", "sign cookie", repo.root, "-k", "1")
    assert piped.err == "Indexing grown: later searches read only what has changed\n"
    assert "\n 1  part" in piped.out


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_closed_pipe_is_quiet(ready: Program, reader: str) -> None:
    for command in ("search session -k 100 --explain", "search session --format json", "status", "history session"):
        run = ready.shell(f"trackdown {command} | {reader}; echo ${{PIPESTATUS[0]}} >&2")
        assert run.err == "0\n", (command, run.err)


def test_closed_and_full_outputs_are_survived(ready: Program) -> None:
    assert ready.shell("trackdown search cookie >&-") == ready.shell("true")
    assert ready.shell("trackdown search cookie 2>&-").out.splitlines()[2].startswith(" 1  web/session.py")
    full = ready.shell("trackdown search cookie > /dev/full")
    full.refused(1, "cannot write the answer: No space left on device")


def test_an_output_that_knows_only_ascii_is_survived(program: Program, repo: Repo) -> None:
    repo.commit("Begin", {"grüße.py": "def sign_cookie():\n    return 'äöü …'\n"})
    run = program.having(PYTHONIOENCODING="ascii")("search", "sign cookie", repo.root)
    assert (run.code, run.err) == (0, "") and "gr\\xfc\\xdfe.py:1-2  sign_cookie" in run.out
