"""`trackdown graph`: every format, files, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.report.page_walk import walk
from tests.surfaces.program import Program, without_escapes

pytestmark = pytest.mark.slow

FIELDS = ["start", "nodes", "edges", "cut", "partial", "notes", "snapshots"]
NODE = ["id", "kind", "path", "symbol", "start_line", "end_line"]
EDGE = ["source", "target", "type", "how"]
METHOD = "web/session.py:Session.sign_cookie:7"


def test_json_has_the_fields_of_the_contract_and_no_others(ready: Program, shop: Repo) -> None:
    run = ready("graph", "Session.sign_cookie", "--format", "json")
    answer = run.json()
    assert run.err == "" and list(answer) == FIELDS
    assert all(list(node) == NODE for node in answer["nodes"]) and all(list(edge) == EDGE for edge in answer["edges"])
    assert (answer["start"], answer["cut"], answer["partial"], answer["notes"]) == ([METHOD], False, False, [])
    assert answer["snapshots"] == [{"repository": "shop", "commit": shop.git("rev-parse", "HEAD"), "dirty": False}]
    assert answer["nodes"][0] == {
        "id": METHOD,
        "kind": "function",
        "path": "web/session.py",
        "symbol": "Session.sign_cookie",
        "start_line": 7,
        "end_line": 9,
    }
    ids = {node["id"] for node in answer["nodes"]}
    assert {end for edge in answer["edges"] for end in (edge["source"], edge["target"])} <= ids
    assert {"source": "web/session.py:Session:4", "target": METHOD, "type": "contains", "how": "exact"} in answer[
        "edges"
    ]
    test = "tests/test_session.py:test_sign_cookie:4"
    assert {"source": test, "target": METHOD, "type": "invokes", "how": "exact"} in answer["edges"]


def test_the_time_it_takes_can_be_limited_or_not(ready: Program) -> None:
    runs = [
        ready("graph", "Session.sign_cookie", *options) for options in ((), ("--seconds", "0"), ("--seconds", "60"))
    ]
    assert {run.out for run in runs} == {runs[0].out} and all((run.code, run.err) == (0, "") for run in runs)
    refused = ready("graph", "Session.sign_cookie", "--seconds", "-1")
    assert refused.code == 2 and "--seconds" in refused.err


def test_text_is_a_tree_with_arrows(ready: Program) -> None:
    run = ready("graph", "Session.sign_cookie")
    lines = run.out.splitlines()
    assert (run.code, run.err) == (0, "")
    assert lines[0] == "Session.sign_cookie  web/session.py:7-9"
    assert "├── ← contains exact  Session  web/session.py:4-12" in lines
    assert "└── ← invokes exact  test_sign_cookie  tests/test_session.py:4-5" in lines


def test_a_terminal_gets_colour_and_no_line_that_is_too_wide(ready: Program) -> None:
    run = ready.on_terminal("graph", "web/session.py", "--depth", "3", columns=50)
    assert run.code == 0 and "\x1b[" in run.out
    plain = without_escapes(run.out).splitlines()
    assert plain[0].startswith("web/session.py") and max(map(len, plain)) <= 50
    bare = ready.having(NO_COLOR="1").on_terminal("graph", "Session")
    assert "\x1b[34m" not in bare.out


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("g.html", "<!DOCTYPE html>"),
        ("g.HTM", "<!DOCTYPE html>"),
        ("g.dot", "digraph"),
        ("g.gv", "digraph"),
        ("g.json", "{"),
        ("g.svg", "<svg"),
        ("g.txt", "Session  web/"),
        ("g", "Session  web/"),
    ],
)
def test_a_file_is_written_as_its_ending_says(ready: Program, tmp_path: Path, name: str, begins: str) -> None:
    run = ready("graph", "Session", "--output", tmp_path / name)
    assert (run.code, run.out) == (0, "")
    assert re.fullmatch(r"wrote .*/g\S* as \w+: \d+ places and \d+ edges\n", run.err)
    assert (tmp_path / name).read_text("utf-8").startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_format_that_is_named_counts_more_than_an_ending(ready: Program, tmp_path: Path) -> None:
    (tmp_path / "g.html").write_text("old")
    assert ready("graph", "Session", "--output", tmp_path / "g.html", "--format", "json").code == 0
    assert json.loads((tmp_path / "g.html").read_text())["start"] == ["web/session.py:Session:4"]
    assert ready("graph", "Session", "--format", "html").out.startswith("<!DOCTYPE html>")


def converter(folder: Path, name: str, script: str) -> Path:
    """A folder for PATH with git and a program that converts pictures."""
    folder.mkdir()
    (folder / "git").symlink_to(shutil.which("git") or "git")
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("name", "reads"), [("rsvg-convert", "<svg"), ("dot", "digraph")])
def test_a_png_is_drawn_by_a_program_that_is_installed(ready: Program, tmp_path: Path, name: str, reads: str) -> None:
    path = converter(tmp_path / "bin", name, "printf '\\211PNG\\r\\n\\032\\n'; exec /bin/cat")
    run = ready.having(PATH=str(path))("graph", "Session", "--output", tmp_path / "g.png")
    assert run.code == 0 and " as png: " in run.err
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n" + reads.encode())


@pytest.mark.parametrize(
    ("name", "script", "words"),
    [
        ("nothing", "", ["rsvg-convert", "Graphviz", ".svg"]),
        ("dot", "echo 'no fonts' >&2; exit 3", ["dot drew no PNG (no fonts)", ".svg"]),
        ("rsvg-convert", "echo text", ["rsvg-convert drew no PNG", ".svg"]),
    ],
)
def test_without_a_picture_nothing_is_written(
    ready: Program, tmp_path: Path, name: str, script: str, words: list[str]
) -> None:
    path = converter(tmp_path / "bin", name, script)
    ready.having(PATH=str(path))("graph", "Session", "--output", tmp_path / "g.png").refused(2, *words)
    assert not (tmp_path / "g.png").exists()


def test_a_terminal_gets_no_png(ready: Program, tmp_path: Path) -> None:
    path = converter(tmp_path / "bin", "dot", "exit 0")
    run = ready.having(PATH=str(path)).on_terminal("graph", "Session", "--format", "png")
    assert run.code == 2 and "--output" in run.out


def test_edges_directions_and_depth_are_heard(ready: Program) -> None:
    run = ready(
        "graph", "web/", "--edges", " contains, imports,", "--direction", "out", "--depth", "2", "--format", "json"
    )
    answer = run.json()
    assert {edge["type"] for edge in answer["edges"]} == {"contains"}
    assert [node["kind"] for node in answer["nodes"]] == ["directory", "file", "class", "function"]
    only = ready(
        "graph", "Session", "--how", "exact", "--edges", "invokes", "--direction", "in", "--format", "json"
    ).json()
    assert [edge["source"] for edge in only["edges"]] == ["tests/test_session.py:test_sign_cookie:4"]


def test_a_past_state_is_shown_as_it_was(ready: Program) -> None:
    answer = ready("graph", "read_legacy_session", "--at", "old", "--format", "json").json()
    assert answer["start"] == ["web/legacy.py:read_legacy_session:1"]
    ready("graph", "read_legacy_session").refused(2, "'read_legacy_session'")


def test_notes_go_to_standard_error_and_into_json(ready: Program) -> None:
    run = ready("graph", "web/session.py:2")
    assert (
        run.code == 0 and run.err == "note: line 2 of web/session.py is not in a function or class: this is its file\n"
    )
    assert ready("graph", "web/session.py:2", "--format", "json").json()["notes"] == [run.err[6:-1]]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, ["SYMBOL|FILE[:LINE]"]),
        ([""], 2, ["is not a target"]),
        (["Sesion"], 2, ["'Sesion'", "nearest: Session"]),
        (["web/session.py:999"], 2, ["1 to 18", "no line 999"]),
        (["web/no-such.py:1"], 2, ["web/no-such.py is not an indexed file"]),
        (["Session", "no-such"], 1, ["no such file or folder: no-such"]),
        (["Session", "--edges", "calls"], 2, ["'calls'", "invokes"]),
        (["Session", "--edges", ","], 2, ["at least one edge type"]),
        (["Session", "--how", "surely"], 2, ["'surely'", "exact"]),
        (["Session", "--direction", "up"], 2, ["'up'", "both"]),
        (["Session", "--depth", "0"], 2, ["between 1 and 20"]),
        (["Session", "--depth", "9" * 30], 2, ["between 1 and 20"]),
        (["Session", "--depth", "deep"], 2, ["'deep' is not a valid integer"]),
        (["Session", "--format", "pdf"], 2, ["'pdf'", "html"]),
        (["Session", "--output", "g.pdf"], 2, ["g.pdf", ".svg", "--format"]),
        (["Session", "--output", "g.tar.gz"], 2, ["the ending .gz", ".svg"]),
        (["Session", "--at", "no-such"], 1, ["'no-such'"]),
        (["Session", "--output", "."], 2, ["it is a folder"]),
        (["Session", "--output", "no/such/g.html"], 2, ["folder does not exist"]),
        (["Session", "--output", "/dev/full"], 2, ["not a plain file"]),
        (["Session", "--output", "x" * 300], 2, ["cannot write"]),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else str(value),
)
def test_wrong_input_is_refused_in_one_line(ready: Program, arguments: list[str], code: int, words: list[str]) -> None:
    ready("graph", *arguments).refused(code, *words)


def test_a_repository_without_commits_or_files(program: Program, repo: Repo) -> None:
    program("graph", ".", repo.root).refused(1, "no searchable files")
    repo.write("a.py", "def f():\n    g()\n\n\ndef g():\n    pass\n")
    answer = program("graph", "f", repo.root, "--edges", "invokes", "--format", "json").json()
    assert [edge["target"] for edge in answer["edges"]] == ["a.py:g:5"]
    assert answer["snapshots"] == [{"repository": "repo", "commit": None, "dirty": True}]


def test_too_much_is_cut_and_that_is_said_in_every_format(program: Program, repo: Repo) -> None:
    repo.commit("Much", {"much.py": "\n".join(f"def f{number}():\n    pass\n" for number in range(2100))})
    answer = program("graph", "much.py", repo.root, "--format", "json").json()
    assert answer["cut"] and len(answer["nodes"]) == 2000 and "cut at 2,000 places" in answer["notes"][0]
    for style in ("text", "dot", "html"):
        run = program("graph", "much.py", repo.root, "--format", style)
        assert run.code == 0 and run.err.startswith("note: cut at 2,000 places")
    assert "cut at 2,000 places" in run.out


def test_imports_that_go_in_a_circle_are_marked(program: Program, repo: Repo) -> None:
    repo.commit("A ring", {"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\n"})
    run = program("graph", "a.py", repo.root, "--edges", "imports", "--depth", "20")
    assert run.out.splitlines() == [
        "a.py",
        "├── ← imports exact  c.py",
        "│   └── ← imports exact  b.py  ↺",
        "└── → imports exact  b.py",
    ]


def test_hostile_names_are_harmless_in_every_format(program: Program, repo: Repo) -> None:
    name = '"><script>alert(1)<\\script>\x1b[31m\u202e\n\\'
    repo.commit("Begin", {f"web/{name}.py": "def load():\n    pass\n", "web/x.py": "def f():\n    pass\n"})
    for style in ("text", "dot", "html"):
        run = program("graph", "web", repo.root, "--format", style, "--depth", "2")
        assert run.code == 0 and not set(run.out) & {"\x1b", "\u202e"}, style
        if style == "html":
            assert len(walk(run.out).scripts) == 2 and "<script>alert" not in run.out
        else:
            assert "script>alert(1)<" in run.out
    paths = [node["path"] for node in program("graph", "web", repo.root, "--format", "json").json()["nodes"]]
    assert f"web/{name}.py" in paths


def test_undecodable_names_are_survived(program: Program, repo: Repo) -> None:
    (repo.root / "caf\udce9.py").write_text("def load():\n    pass\n")
    repo.commit("Begin")
    for style in ("text", "json", "dot", "html"):
        run = program("graph", "load", repo.root, "--format", style)
        assert run.code == 0 and "caf" in run.out
        run.out.encode("utf-8")


def test_a_terminal_shows_so_many_branches_and_says_how_many_there_are(repo: Repo, program: Program) -> None:
    calls = "\n\n".join(f"def caller_{number}():\n    return target()" for number in range(50))
    repo.commit("Call it", {"app.py": f"def target():\n    return 1\n\n\n{calls}\n"})
    arguments = ("graph", "target", str(repo.root), "--edges", "invokes")
    assert "caller_49" in program(*arguments).out
    shown = program.on_terminal(*arguments)
    assert "… and 10 more" in shown.out and shown.out.count("caller_") == 40
