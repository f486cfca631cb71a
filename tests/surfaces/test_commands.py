"""Every command as text and as JSON: what the contract promises is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.surfaces.program import Program, paths

ANSWER = ["query", "level", "partial", "notes", "snapshots", "timings_ms", "confidence", "deep", "results"]
RESULT = [
    "rank",
    "repository",
    "path",
    "symbol",
    "kind",
    "language",
    "start_line",
    "end_line",
    "score",
    "why",
    "reason",
    "probability",
    "role",
    "line",
    "matches",
]

KIN = ["callers", "callees", "siblings", "subclasses", "bases"]


def test_search_as_json_has_the_fields_of_the_contract_and_no_others(ready: Program, shop: Repo) -> None:
    run = ready("search", "where is the session cookie signed?", "--format", "json")
    answer = run.json()
    assert run.err == ""
    assert list(answer) == ANSWER
    assert answer["query"] == "where is the session cookie signed?"
    assert (answer["level"], answer["partial"], answer["notes"]) == ("function", False, [])
    head = shop.git("rev-parse", "HEAD")
    assert answer["snapshots"] == [{"repository": "shop", "commit": head, "dirty": False}]
    assert answer["timings_ms"] and all(value >= 0 for value in answer["timings_ms"].values())
    sure = answer["confidence"]
    assert sure["verdict"] in ("strong", "likely", "weak") and 0 < sure["probability"] < 1 and sure["why"]
    chances = [result["probability"] for result in answer["results"]]
    assert chances == sorted(chances, reverse=True) and 0 < chances[0] < 1
    for result in answer["results"]:
        assert list(result) == RESULT
        assert result["why"] and all(list(why) == ["signal", "value", "text", "numbers"] for why in result["why"])
        assert not any(why["numbers"] for why in result["why"])
        assert sum(why["value"] for why in result["why"]) == pytest.approx(result["score"])
    assert [result["rank"] for result in answer["results"]] == list(range(1, len(answer["results"]) + 1))
    best = answer["results"][0]
    assert (best["repository"], best["path"], best["symbol"]) == ("shop", "web/session.py", "Session.sign_cookie")
    assert (best["kind"], best["language"], best["start_line"], best["end_line"]) == ("method", "python", 7, 9)
    lines = (shop.root / "web/session.py").read_text().splitlines()
    assert best["line"] == 7
    assert [match["line"] for match in best["matches"]] == [7, 8]
    for match in best["matches"]:
        assert match["text"] == lines[match["line"] - 1]
        assert [match["text"][start:end] for start, end in match["spans"]]


def test_search_as_text_shows_place_reasons_and_numbered_lines(ready: Program) -> None:
    run = ready("search", "session cookie signed", "-k", "1")
    lines = run.out.splitlines()
    assert (run.code, run.err) == (0, "")
    assert re.fullmatch(r"(Strong|Likely|Weak) answer \(\d+%\): .+\.", lines[0]) and lines[1] == ""
    assert re.fullmatch(r" 1  web/session.py:7-9  Session.sign_cookie  \d+%", lines[2])
    changed = 'file changed by "Sign the session cookie against tampering" (2020)'
    assert lines[3].startswith(f"    name has cookie, session, sign; {changed}")
    assert sum("file changed by" in line for line in lines) == 1
    assert "          7  def sign_cookie(self, value: str) -> str:" in lines


def test_explain_shows_reasons_in_full_and_the_time_of_each_stage(ready: Program) -> None:
    query = ["search", "session cookie signed", "-k", "1", "--explain"]
    lines = ready(*query, "--effort", "thorough").out.splitlines()
    assert lines[3].startswith("    name has cookie, session, sign; ")
    assert any(line.startswith("    lexical ") and "name has cookie, session, sign (cookie " in line for line in lines)
    assert " ms: check " in lines[-1]
    for result in ready(*query, "--format", "json").json()["results"]:
        assert all(why["numbers"] for why in result["why"])


def test_count_bounds_the_answer(ready: Program) -> None:
    assert len(ready("search", "session", "-k", "2", "--format", "json").json()["results"]) == 2


def test_levels_rank_functions_classes_and_files(ready: Program) -> None:
    kinds = {}
    for level in ("function", "class", "file"):
        answer = ready("search", "session cookie", "--level", level, "--format", "json").json()
        assert answer["level"] == level
        kinds[level] = {result["kind"] for result in answer["results"]}
    assert kinds["function"] <= {"function", "method"} and kinds["class"] == {"class"} and kinds["file"] == {"file"}


def test_a_class_is_shown_with_its_best_method_and_the_numbers_of_their_lines(ready: Program, shop: Repo) -> None:
    run = ready("search", "dict part split load", "--level", "class", "-k", "1")
    assert run.out.splitlines()[-3:] == [
        "          4  class Session:",
        "    …    11      def load(self, text: str) -> dict[str, str]:",
        '         12          return dict(part.split("=") for part in text.split(";"))',
    ]


def test_no_tests_leaves_tests_out(ready: Program) -> None:
    query = ["search", "test sign cookie", "--format", "json"]
    assert "tests/test_session.py" in paths(ready(*query).json())
    without = paths(ready(*query, "--no-tests").json())
    assert without and "tests/test_session.py" not in without


def test_at_searches_a_past_state_with_the_history_it_had(ready: Program, shop: Repo) -> None:
    query = ["search", "read legacy session cookie", "--format", "json"]
    now = ready(*query).json()
    then = ready(*query, "--at", "old").json()
    assert "web/legacy.py" not in paths(now)
    assert paths(then)[0] == "web/legacy.py"
    assert then["snapshots"] == [{"repository": "shop", "commit": shop.git("rev-parse", "old"), "dirty": False}]
    assert "against tampering" in str(now) and "against tampering" not in str(then), "the future leaked"


def test_a_subfolder_restricts_the_answer_and_paths_stay_relative_to_the_root(ready: Program, shop: Repo) -> None:
    answer = ready("search", "total session items", "lib", "--format", "json").json()
    assert set(paths(answer)) == {"lib/cart.js"}
    inside = ready.within(shop.root / "lib")("search", "total session items", "--format", "json").json()
    assert inside["results"] == answer["results"]
    one_file = ready("search", "cookie header", "web/session.py", "--format", "json").json()
    assert set(paths(one_file)) == {"web/session.py"}


def test_from_a_subfolder_related_and_graph_show_the_whole_repository(ready: Program, shop: Repo) -> None:
    inside = ready.within(shop.root / "lib")
    found = inside("related", "../web/session.py:8", "--format", "json").json()
    assert found["location"] == "web/session.py:8" and found["siblings"]
    nodes = inside("graph", "Session", "--format", "json").json()["nodes"]
    assert "web/session.py" in [node["path"] for node in nodes]


def test_several_folders_of_a_repository_are_searched_as_one(ready: Program) -> None:
    both = ready("search", "total session items", "lib", "web", "web/session.py", "--format", "json").json()
    assert {"lib/cart.js", "web/session.py"} == set(paths(both))
    places = [(result["path"], result["start_line"]) for result in both["results"]]
    assert len(places) == len(set(places))
    assert len(both["snapshots"]) == 1


def test_several_repositories_are_searched_as_one(program: Program, shop: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "bank")
    other.commit("Begin", {"vault.py": "def sign_cookie_of_vault():\n    return 'cookie'\n"})
    answer = program("search", "sign cookie", shop.root, other.root, "--format", "json").json()
    assert {info["repository"] for info in answer["snapshots"]} == {"shop", "bank"}
    assert {result["repository"] for result in answer["results"]} == {"shop", "bank"}
    likely = [result["probability"] for result in answer["results"]]
    assert likely == sorted(likely, reverse=True)
    text = program("search", "sign cookie", shop.root, other.root)
    assert "  bank:vault.py:1-2  sign_cookie_of_vault" in text.out


def test_an_issue_comes_from_a_file_or_from_standard_input(ready: Program, tmp_path: Path) -> None:
    issue = "The cart's total is wrong\n\n`Cart.total` in lib/cart.js ignores the price.\n"
    (tmp_path / "issue.md").write_text(issue)
    from_file = ready("search", "--issue", tmp_path / "issue.md", "--format", "json").json()
    from_pipe = ready("search", "--issue", "-", ".", "--format", "json", stdin=issue).json()
    assert from_file["query"] == from_pipe["query"] == issue
    assert from_file["results"] == from_pipe["results"]
    assert from_file["results"][0]["symbol"] == "Cart.total"


def test_nothing_found_is_said_on_stderr_and_is_no_failure(ready: Program) -> None:
    run = ready("search", "xylophone")
    assert (run.code, run.out) == (0, "") and run.err.startswith("Nothing found.")
    assert ready("search", "xylophone", "--format", "json").json()["results"] == []


def test_index_says_what_it_holds_and_status_agrees(program: Program, shop: Repo) -> None:
    before = program("status", shop.root, "--format", "json").json()
    assert (before["ready"], before["units"], before["files"]) == (False, 0, 4)
    run = program("index", shop.root)
    assert run.code == 0 and run.out.startswith("shop: 4 files, ") and "6 commits" in run.out
    (indexed,) = program("index", shop.root, "--format", "json").json()
    status = program("status", shop.root, "--format", "json").json()
    assert indexed["ready"] is status["ready"] is True
    assert {key: indexed[key] for key in ("files", "units", "commits", "languages", "kind", "commit")} == {
        key: status[key] for key in ("files", "units", "commits", "languages", "kind", "commit")
    }
    assert (status["kind"], status["commits"], status["languages"]["python"]) == ("worktree", 6, 2)
    text = program("status", shop.root)
    assert text.err == "" and "index:       up to date\n" in text.out and f"{program.store} (" in text.out


def test_dry_run_lists_what_is_in_and_what_is_left_out_and_builds_nothing(program: Program, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "mixed")
    repo.write(".env.local", "PASSWORD=x\n")
    repo.commit("All sorts", {"a.py": "x = 1\n", "b.png": b"\x89PNG\0", "yarn.lock": "x\n", "c.bin.py": b"a\0b"})
    run = program("index", repo.root, "--dry-run")
    assert run.out.splitlines() == [
        "mixed: 1 file in (1 python)",
        "mixed: 4 files out (2 binary, 1 generated, 1 secret)",
        "in   a.py  python",
        "out  .env.local  secret",
        "out  b.png  binary",
        "out  c.bin.py  binary",
        "out  yarn.lock  generated",
    ]
    (report,) = program("index", repo.root, "--dry-run", "--format", "json").json()
    assert report["included"] == [{"path": "a.py", "language": "python"}]
    assert {item["path"]: item["reason"] for item in report["excluded"]}["b.png"] == "binary"
    assert not program("status", repo.root, "--format", "json").json()["ready"]


def test_history_finds_past_commits_with_present_names(ready: Program, shop: Repo) -> None:
    answer = ready("history", "total price of the cart", "-k", "2", "--format", "json").json()
    assert list(answer) == ["query", "notes", "snapshots", "partial", "commits"]
    best = answer["commits"][0]
    assert (best["rank"], best["subject"], best["files"]) == (1, "Sum up the cart's total price", ["lib/cart.js"])
    assert (best["date"], best["author"], best["repository"]) == ("2020-09-13", "Ada", "shop")
    assert best["commit"] == shop.git("log", "--format=%H", "--grep=Sum up")
    text = ready("history", "total price of the cart", "-k", "1")
    assert text.out.splitlines()[0] == f" 1  {best['commit'][:10]}  2020-09-13  Sum up the cart's total price"
    assert "    lib/cart.js" in text.out.splitlines()


def test_related_finds_what_reads_alike_and_what_changes_together(ready: Program) -> None:
    answer = ready("related", "web/session.py:8", "--format", "json").json()
    assert (answer["location"], answer["symbol"]) == ("web/session.py:8", "Session.sign_cookie")
    assert "tests/test_session.py" in [result["path"] for result in answer["similar"]]
    together = {item["path"]: item["commits"] for item in answer["changes_together"]}
    assert together == {"tests/test_session.py": 1, "README.md": 1}
    assert "      in 1 of 2 commits; latest " in ready("related", "web/session.py:8").out
    kin = {name: [one["symbol"] for one in answer[name]] for name in KIN}
    assert kin == {
        "callers": ["test_sign_cookie"],
        "callees": [],
        "siblings": ["Session.load"],
        "subclasses": [],
        "bases": [],
    }
    assert answer["callers"][0] == {
        "path": "tests/test_session.py",
        "symbol": "test_sign_cookie",
        "kind": "function",
        "start_line": 4,
        "end_line": 5,
        "how": "exact",
        "through": "",
    }
    text = ready("related", "web/session.py:8")
    assert "\nCalled by\n    tests/test_session.py:4-5  test_sign_cookie\n\nIn the same class or file\n" in text.out
    assert text.out.startswith("Near web/session.py:8 (Session.sign_cookie)\n") and "\nSimilar code\n" in text.out


def test_clear_frees_the_store_and_leaves_the_files_alone(program: Program, shop: Repo) -> None:
    program("index", shop.root)
    run = program("clear", shop.root, "--format", "json").json()
    assert run["cleared"] == "shop" and run["freed_bytes"] > 0
    assert not program("status", shop.root, "--format", "json").json()["ready"]
    program("index", shop.root)
    assert program("clear", "--all").out.startswith("Cleared everything: ")
    assert not list(program.store.rglob("*.arrays"))
    assert shop.git("status", "--porcelain") == ""


def test_version(program: Program) -> None:
    run = program("--version")
    assert (run.code, run.out) == (0, f"trackdown, version {trackdown.__version__}\n")


def test_clear_says_that_answers_of_language_models_stay(program: Program) -> None:
    told = " ".join(program("clear", "--help").out.split())
    assert "Language models' answers" in told and "--all removes them" in told
