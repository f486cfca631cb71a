"""One commit, and what Trackdown makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import UnknownRevision, UsageError

Opener = Callable[[Path | str], trackdown.Repository]
SESSION = """class Session:
    def sign(self, value):
        return value

    def check(self, value):
        return value


def load():
    return Session()
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Add sessions", {"web/session.py": SESSION, "docs/session.md": "Sessions\n", "price.py": "p = 1\n"})
    for number in range(3):
        text = SESSION.replace("return value\n\n", f"return value + {number}\n\n", 1)
        repo.commit(f"Sign the cookie again {number}", {"web/session.py": text, "docs/session.md": f"{number}\n"})
    changed = SESSION.replace("return value\n\n", "return hmac(value)\n\n", 1).replace("def load():", "def store():")
    repo.commit("Sign the cookie with a secret\n\nFixes #12, reverts 1234abc.", {"web/session.py": changed})
    return repo


def test_a_message_with_the_line_ends_of_a_form_has_plain_ones(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "a = 1\n"})
    repo.git("commit", "-q", "--amend", "--cleanup=verbatim", "-m", "Begin (#3)\r\n\r\nWith care.\r\n")
    found = open_repo(repo.root).show("HEAD")
    assert (found.subject, found.message) == ("Begin (#3)", "Begin (#3)\n\nWith care.")


def test_units_issues_companions_and_similar_commits(shop: Repo, open_repo: Opener) -> None:
    found = open_repo(shop.root).show("HEAD")
    assert (found.subject, found.author, found.time[:10]) == ("Sign the cookie with a secret", "Ada", "2020-09-13")
    assert (found.issues, found.names, found.added, found.removed) == (("#12",), ("1234abc",), 2, 2)
    units = [(unit.symbol, unit.change, unit.added, unit.removed) for unit in found.units]
    assert units == [("Session.sign", "modified", 1, 1), ("load", "removed", 0, 1), ("store", "added", 1, 0)]
    assert found.units[0].now is not None and found.units[0].now.start_line == 2 and found.units[1].now is None
    (together,) = found.together
    assert (together.path, together.commits, together.beside) == ("docs/session.md", 4, "web/session.py")
    assert [one.subject for one in found.similar] == [f"Sign the cookie again {number}" for number in (2, 1, 0)]
    assert "\n+        return hmac(value)\n" in found.files[0].diff and found.files[0].cut == 0


def test_files_and_units_have_their_present_places(shop: Repo, open_repo: Opener) -> None:
    before = shop.git("rev-parse", "HEAD")
    shop.git("mv", "web", "site")
    (shop.root / "price.py").unlink()
    shop.commit("Move", {"site/session.py": "import os\n" + (shop.root / "site/session.py").read_text()})
    opened = open_repo(shop.root)
    (file,) = opened.show(before).files
    assert (file.path, file.now) == ("web/session.py", "site/session.py")
    unit = opened.show(before).units[0]
    assert unit.now is not None and (unit.now.path, unit.now.start_line) == ("site/session.py", 3)
    root = opened.show(shop.git("rev-list", "--max-parents=0", "HEAD"))
    assert {file.path: file.now for file in root.files}["price.py"] is None
    moved = {file.path: file for file in opened.show("HEAD").files}["site/session.py"]
    assert (moved.status, moved.old_path) == ("renamed", "web/session.py")


def test_the_diff_is_cut_and_small_files_stay_whole(shop: Repo, open_repo: Opener) -> None:
    long = "".join(f"{number}\n" for number in range(1000))
    shop.commit("Much", {"long.txt": long, "short.txt": "one\n", "wide.txt": "w" * 5000 + "\n"})
    opened = open_repo(shop.root)
    found = {file.path: file for file in opened.show("HEAD", lines=60).files}
    assert found["short.txt"].cut == 0 and found["short.txt"].diff.endswith("+one")
    assert found["long.txt"].cut > 900 and found["long.txt"].added == 1000
    assert "4501 more characters" in found["wide.txt"].diff
    assert sum(len(file.diff.split("\n")) for file in found.values()) <= 60
    without = opened.show("HEAD", lines=0)
    assert all(not file.diff for file in without.files) and without.added == 1002
    assert [file.path for file in opened.show("HEAD", path=["s*.txt"]).files] == ["short.txt"]
    assert "showing 1 of its 3 files" in opened.show("HEAD", path=["s*.txt"]).notes


def test_what_may_be_secret_is_named_but_not_shown(shop: Repo, open_repo: Opener) -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----\n"
    shop.commit("Oops", {".env": "TOKEN=hunter2\n", "notes.txt": key, "inner/plan.md": "hunter2\n", "a.py": "a = 1\n"})
    (shop.root / ".env").unlink()
    (shop.root / "notes.txt").unlink()
    shop.commit("Away with it", {".trackdownignore": "inner/\n"})
    opened = open_repo(shop.root)
    for revision in ("HEAD~1", "HEAD"):
        found = opened.show(revision)
        left = {file.path: file.left_out for file in found.files if file.left_out}
        assert left[".env"] == left["notes.txt"] == "secret"
        assert not any(word in file.diff for file in found.files for word in ("hunter2", "MIIsecret"))
    assert {file.path: file.left_out for file in opened.show("HEAD~1").files}["inner/plan.md"] == "ignored"


def test_a_subfolder_shows_only_its_own_files(shop: Repo, open_repo: Opener) -> None:
    root = shop.git("rev-list", "--max-parents=0", "HEAD")
    found = open_repo(shop.root / "web").show(root)
    assert [file.path for file in found.files] == ["web/session.py"]
    assert {unit.path for unit in found.units} == {"web/session.py"} and found.together == ()


def test_merges_and_commits_of_other_branches_say_so(shop: Repo, open_repo: Opener) -> None:
    shop.git("checkout", "-q", "-b", "side", "HEAD~1")
    side = shop.commit("Elsewhere", {"more.py": "def more():\n    return 1\n"})
    shop.git("checkout", "-q", "main")
    assert "this commit is not part of the history that is searched" in open_repo(shop.root).show(side).notes
    shop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    found = open_repo(shop.root).show("HEAD")
    assert [unit.symbol for unit in found.units] == ["more"] and any("this is a merge" in one for one in found.notes)


def test_an_empty_commit_without_words_has_nothing_to_tell(shop: Repo, open_repo: Opener) -> None:
    shop.commit("...")
    found = open_repo(shop.root).show("HEAD")
    assert (found.files, found.units, found.similar, found.together, found.subject) == ((), (), (), (), "...")


def test_what_names_no_commit_is_refused_in_one_line(shop: Repo, open_repo: Opener) -> None:
    opened = open_repo(shop.root)
    with pytest.raises(UnknownRevision, match=r"^repo has no commit, branch or tag 'beef1234'$"):
        opened.show("beef1234")
    with pytest.raises(UnknownRevision, match=r"#12 is an issue, whose commits `trackdown history` finds$"):
        opened.show("#12")
    with pytest.raises(UnknownRevision):
        opened.show("--output=/tmp/x")
    with pytest.raises(UsageError, match="lines must be between 0 and 20000"):
        opened.show("HEAD", lines=-1)


def test_a_plain_folder_has_no_commits(tmp_path: Path, open_repo: Opener) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("a = 1\n")
    with pytest.raises(UnknownRevision, match="is a plain folder"):
        open_repo(tmp_path / "plain").show("HEAD")
    with pytest.raises(UsageError, match="is a plain folder: it has no commits to blame"):
        open_repo(tmp_path / "plain").blame("a.py:1")
