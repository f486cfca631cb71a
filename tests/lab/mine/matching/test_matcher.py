"""From an archive and a real repository to the table, as a function and as a command."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from tests.conftest import Repo
from trackdown.errors import UsageError
from trackdown.lab import MinedRepository
from trackdown.lab.mine.archives.files import Archive
from trackdown.lab.mine.archives.issue import AUTO
from trackdown.lab.mine.archives.registry import ADAPTERS
from trackdown.lab.mine.matching.matcher import match_archive
from trackdown.lab.mine.matching.plan import MatchPlan, MatchReport
from trackdown.lab.mine.matching.references import REFERENCE_STYLES
from trackdown.lab.mine.training import read_rewritten
from trackdown.surfaces.cli.main import main
from trackdown.surfaces.cli.mine import command

CODE = "def load(path):\n    return open(path)\n\n\ndef save_all(path):\n    return 1\n"
BODY = (
    "A file with an umlaut in its name cannot be read. It fails at once, on every system that we have, since yesterday."
)


def changed(number: int) -> str:
    return CODE.replace("return 1", f"return {number}")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A history in which commits resolve issues in several ways."""
    repo = Repo(tmp_path_factory.mktemp("repos") / "shop")
    repo.commit("Begin", {"shop.py": CODE, "util.py": CODE, "README.md": "Shop\n"})
    repo.commit("Read umlauts, fixes #1", {"shop.py": changed(2), "tests/test_shop.py": "def test(): pass\n"})
    repo.commit("Say more, fixes #2", {"README.md": "A shop\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Prepare", {"util.py": changed(3)})
    repo.commit("Lock, closes #3", {"shop.py": changed(4)})
    repo.git("checkout", "-q", "main")
    repo.commit("Meanwhile", {"README.md": "Our shop\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #20 from x", "side")
    repo.commit("Count pages (#21)", {"util.py": changed(5)})
    repo.commit("Fix the rest (fixes #5, fixes #6, fixes #7, fixes #8, fixes #9)", {"util.py": changed(6)})
    return repo


def issue(number: int, **more: Any) -> dict[str, Any]:
    """An issue that lives as long as the repository does."""
    when = [datetime.fromtimestamp(1_600_000_000 + day * 86_400, UTC).isoformat() for day in (0, 2)]
    text = {"title": f"Umlauts {number}", "body": f"{BODY} Case {number}."}
    return {"number": number, "state": "closed", "created_at": when[0], "closed_at": when[1], **text, **more}


def archive(folder: Path, *issues: dict[str, Any], **files: str) -> Archive:
    folder.mkdir(exist_ok=True)
    for one in issues:
        (folder / f"{one['number']}.json").write_text(json.dumps(one))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(content)
    return Archive(folder, ADAPTERS["github-json"])


def match(shop: Repo, found: Archive, **plan: Any) -> tuple[list[dict[str, Any]], MatchReport]:
    out = found.place.parent / "table.parquet"
    place = MinedRepository(shop.root, "some", "shop", ("some/shop",))
    report = match_archive(found, place, MatchPlan(out, **plan))
    return pyarrow.parquet.read_table(out).to_pylist(), report


def test_commits_merges_and_pull_requests_resolve_issues(shop: Repo, tmp_path: Path) -> None:
    pulls = [
        issue(20, pull_request={}, title="Lock"),
        issue(21, pull_request={}, title="Count pages", body=f"Fixes #4. {BODY}"),
    ]
    rows, report = match(shop, archive(tmp_path / "x", issue(1), issue(3), issue(4), *pulls))
    found = {row["issue_id"]: row for row in rows}
    assert {number: row["files"] for number, row in found.items()} == {
        "1": ["shop.py"],
        "3": ["shop.py", "util.py"],
        "4": ["util.py"],
    }
    subjects = {number: shop.git("log", "-1", "--format=%s", row["commit_id"]) for number, row in found.items()}
    assert subjects == {
        "1": "Read umlauts, fixes #1",
        "3": "Merge pull request #20 from x",
        "4": "Count pages (#21)",
    }
    first = found["1"]
    assert first["issue"] == f"Umlauts 1\n\n{BODY} Case 1." and first["title"] == "Umlauts 1"
    assert (first["kind"], first["edited_after"], first["names_file"], first["plan"]) == (
        "issue",
        "unknown",
        False,
        False,
    )
    assert first["created_at"].startswith("2020-09-13")
    assert (report.issues, report.pull_requests, report.rows) == (3, 2, {"issue": 3})
    assert report.dropped == {}
    assert set(read_rewritten([tmp_path / "table.parquet"])[0]) == {row["commit_id"] for row in rows}


def test_every_issue_is_a_row_or_counted_by_a_rule(shop: Repo, tmp_path: Path) -> None:
    issues = [
        issue(1),
        issue(2),
        issue(3, title="Umlauts 1", body=f"{BODY}  Case 1."),
        issue(4, state="open"),
        issue(5, state="open"),
        issue(6, state_reason="not_planned"),
        issue(7, body="Short."),
        issue(8, created_at="2030-01-01T00:00:00Z", closed_at=None),
        issue(9, body=f"{BODY} See https://github.com/o/n/commit/0123456"),
    ]
    rows, report = match(shop, archive(tmp_path / "x", *issues, broken="{", again=json.dumps(issue(1))))
    assert [row["issue_id"] for row in rows] == ["1"]
    assert report.dropped == {
        "no source file modified": 1,
        "same text as another": 1,
        "no commit names it": 1,
        "still open": 1,
        "not resolved as fixed": 1,
        "fewer than 80 characters of prose": 1,
        "no commit within its life": 1,
        "links to a commit": 1,
        "its id was read before": 1,
    }
    assert report.unreadable == 1 and report.issues == 1 + sum(report.dropped.values())


def test_texts_that_give_the_fix_away(shop: Repo, tmp_path: Path) -> None:
    told = issue(1, body=f"{BODY} I think save_all in shop.py is wrong. I have fixed it.")
    found = archive(tmp_path / "x", told, issue(4), issue(3, body=f"{BODY} See https://x.org/o/n/pull/20."))
    rows, report = match(shop, found)
    assert [(row["names_file"], row["plan"]) for row in rows] == [(True, True)]
    assert report.gives_away == {"names_file": 1, "plan": 1, "names_function": 1}
    assert report.dropped == {"no commit names it": 1, "links to the fix": 1}
    with pytest.raises(UsageError, match="names too many of the edited functions: 1"):
        match(shop, found, most_named=0)


def test_pull_requests_on_request(shop: Repo, tmp_path: Path) -> None:
    pulls = [issue(20, pull_request={}), issue(21, pull_request={}), issue(22, pull_request={})]
    rows, report = match(shop, archive(tmp_path / "x", issue(3), *pulls), pull_requests=True)
    assert [(row["issue_id"], row["kind"], row["files"]) for row in rows] == [
        ("3", "issue", ["shop.py", "util.py"]),
        ("21", "pr", ["util.py"]),
    ]
    assert report.dropped == {
        "pr: pull request was not merged": 1,
        "pr: pull request resolves an issue of the table": 1,
    }


def test_a_pattern_and_limits(shop: Repo, tmp_path: Path) -> None:
    found = archive(tmp_path / "x", issue(21), issue(3), issue(1))
    rows, _ = match(shop, found, pattern=r"\(#(\d+)\)")
    assert [row["issue_id"] for row in rows] == ["21"]
    with pytest.raises(UsageError, match="no commit within its life: 2"):
        match(shop, found, until=1_500_000_000)
    assert match(shop, found, most_files=1)[1].dropped["too many source files modified"] == 1


def test_issues_that_commits_name_by_their_title(shop: Repo, tmp_path: Path) -> None:
    titles = ["Read umlauts, fixes #1", "Lock, closes #3, twice", "Lock, closes #3, twice"]
    issues = [issue(100 + n, title=title) for n, title in enumerate(titles)]
    rows, report = match(shop, archive(tmp_path / "x", *issues), style="title")
    assert [(row["issue_id"], row["files"]) for row in rows] == [("100", ["shop.py"])]
    assert report.dropped == {"no commit names it": 2}


def test_issues_of_several_repositories(shop: Repo, tmp_path: Path) -> None:
    rows = [
        {"id": n, "title": f"Umlauts {n}", "body": f"{BODY} {n}", "repo": repo}
        for n, repo in ((1, "Some/Shop"), (3, "a/b"))
    ]
    (tmp_path / "issues.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = Archive(tmp_path / "issues.jsonl", ADAPTERS["table"])
    table, report = match(shop, found)
    assert [row["issue_id"] for row in table] == ["1"] and report.dropped == {"issue of another repository": 1}
    with pytest.raises(UsageError, match="has no known owner/name"):
        match_archive(found, MinedRepository(shop.root, "", "shop"), MatchPlan(tmp_path / "y.parquet"))


def test_rows_of_other_repositories_neither_close_issues_nor_count_twice(shop: Repo, tmp_path: Path) -> None:
    kinds = ((4, "issue", "some/shop"), (3, "issue", "some/shop"), (21, "pr", "a/b"), (1, "issue", "a/b"))
    rows = [
        {"id": n, "title": f"Umlauts {n}", "body": f"{BODY} {n}. Fixes #4.", "kind": kind, "repo": repo}
        for n, kind, repo in kinds
    ]
    (tmp_path / "issues.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    table, report = match(shop, Archive(tmp_path / "issues.jsonl", ADAPTERS["table"]), pull_requests=True)
    assert [row["issue_id"] for row in table] == ["3"]
    assert report.dropped == {
        "issue of another repository": 1,
        "pr: issue of another repository": 1,
        "no commit names it": 1,
    }
    assert (report.issues, report.pull_requests, report.outside) == (3, 1, 7)


def test_nothing_is_left_behind_when_nothing_matches(shop: Repo, tmp_path: Path) -> None:
    message = r"none of the 1 issues of .* matches a commit of some/shop \(no commit names it: 1\)"
    with pytest.raises(UsageError, match=message):
        match(shop, archive(tmp_path / "x", issue(404)))
    with pytest.raises(UsageError, match="holds no issue"):
        match(shop, archive(tmp_path / "y", broken="{"))
    with pytest.raises(UsageError, match="holds no issue that the adapter jira can read"):
        match(shop, Archive(tmp_path / "x", ADAPTERS["jira"]))
    assert not list(tmp_path.glob("*table*")) and not list(tmp_path.glob(".*"))


def test_an_interrupt_leaves_the_last_table_and_nothing_else(shop: Repo, tmp_path: Path) -> None:
    found = archive(tmp_path / "x", issue(1))
    match(shop, found)
    before = (tmp_path / "table.parquet").read_bytes()

    def interrupt(step: str, done: int, total: int | None) -> None:
        if step == "match":
            raise KeyboardInterrupt

    place = MinedRepository(shop.root, "some", "shop", ("some/shop",))
    with pytest.raises(KeyboardInterrupt):
        match_archive(found, place, MatchPlan(tmp_path / "table.parquet"), interrupt)
    assert (tmp_path / "table.parquet").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"x", "table.parquet"}


def test_a_table_that_names_the_commits(shop: Repo, tmp_path: Path) -> None:
    meanwhile, count = (shop.git("log", "-1", "--format=%H", f"--grep={text}") for text in ("^Begin", "^Count"))
    commits = [(1, count), (2, "f" * 40), (3, meanwhile)]
    rows = [{"id": f"x{n}", "title": f"Umlauts {n}", "body": f"{BODY} {n}", "commit": commit} for n, commit in commits]
    (tmp_path / "issues.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    table, report = match(shop, Archive(tmp_path / "issues.jsonl", ADAPTERS["table"]))
    assert [(row["issue_id"], row["commit_id"]) for row in table] == [("X1", count)]
    assert report.dropped == {"no commit names it": 1, "commit cannot be compared": 1}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["archive", *map(str, arguments)])


def test_the_command_says_what_it_wrote(shop: Repo, tmp_path: Path) -> None:
    folder = archive(tmp_path / "x", issue(1), issue(2), issue(21, pull_request={}), broken="{").place
    out = tmp_path / "table.parquet"
    told = run(folder, shop.root, "--adapter", "github-json", "--out", out, "--pull-requests").stdout
    assert told.splitlines() == [
        f"2 rows (issues: 1, pull requests: 1) of shop in {out}, from 2 issues of the archive",
        "  could not be read: 1",
        "  commits name issues that the archive lacks: 6",
        "  left out, no source file modified: 1",
    ]
    found = json.loads(run(folder, shop.root, "--adapter", "github-json", "--out", out, "--format", "json").stdout)
    assert found["rows"] == {"issue": 1} and found["out"] == str(out) and found["outside"] == 6


@pytest.mark.parametrize(
    ("until", "is_found"),
    [("2020-09-13", True), ("September 13, 2020", True), ("2020-09-12", False), ("2020-09-13 00:00", False)],
)
def test_until_a_date_includes_that_day(shop: Repo, tmp_path: Path, until: str, is_found: bool) -> None:
    folder, out = archive(tmp_path / "x", issue(1)).place, tmp_path / "table.parquet"
    run(folder, shop.root, "--adapter", "github-json", "--out", out, "--until", until)
    assert out.exists() == is_found


@pytest.mark.parametrize(
    ("replaced", "message"),
    [
        ({0: "gone"}, "no such file or folder: gone"),
        ({1: "gone"}, "no such file or folder: gone"),
        ({1: "."}, "is a plain folder"),
        ({3: "git"}, "there is no adapter 'git': choose one of github-json, jira, trac"),
        ({6: "--since", 7: "soon"}, "--since is a date such as 2014-12-31, not 'soon'"),
        ({6: "--pattern", 7: "("}, "is not a regular expression"),
        ({6: "--revision", 7: "main"}, "is not a git repository: it has no revision 'main'"),
    ],
)
def test_wrong_input_gives_one_line(
    shop: Repo,
    tmp_path: Path,
    replaced: dict[int, str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    archive(tmp_path / "x", issue(1))
    arguments = ["x", str(shop.root), "--adapter", "github-json", "--out", "y.parquet", "--format", "text"]
    for place, text in replaced.items():
        arguments[place] = text
    assert main(["mine", "archive", *arguments]) != 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and message in lines[0]
    assert not (tmp_path / "y.parquet").exists()


def test_an_excluded_repository_is_refused(shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("repos/shop\n")
    folder = archive(tmp_path / "x", issue(1)).place
    refused = run(folder, shop.root, "--adapter", "jira", "--out", tmp_path / "y", "--exclude", tmp_path / "list.txt")
    assert "cannot tell whether" in str(refused.exception)


def test_the_help_lists_every_adapter_and_style() -> None:
    text = " ".join(run("--help").stdout.split())
    assert "Issues that contain a patch or link to the fix are left out; the report counts those that name" in text
    for name, adapter in ADAPTERS.items():
        assert f"{name} {adapter.about}" in text
        assert adapter.style in (*REFERENCE_STYLES, AUTO)
    for name, about in REFERENCE_STYLES.items():
        assert f"{name} {about}" in text
    assert f"[{'|'.join(REFERENCE_STYLES)}]" in text
