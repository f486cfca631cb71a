"""Reading source: of indexed files only, as they were indexed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import RepositoryError, UsageError

Opener = Callable[[Path | str], trackdown.Repository]
SESSION = '''"""Sessions."""


class Session:
    """Keeps what a user did."""

    secret = "s"

    def sign(self, value):
        """Sign."""
        return value + self.secret

    def load(self, text):
        return text


def sign(value):
    return value
'''


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Begin", {"web/session.py": SESSION, ".gitignore": "secret.txt\n", "dos.py": "a = 1\r\nb = 2\r\n"})
    repo.write("secret.txt", "password")
    return repo


@pytest.fixture
def opened(shop: Repo, open_repo: Opener) -> trackdown.Repository:
    return open_repo(shop.root)


def test_a_whole_file(opened: trackdown.Repository, shop: Repo) -> None:
    found = opened.unit("web/session.py")
    assert found.text + "\n" == SESSION
    assert (found.kind, found.symbol, found.language) == ("file", "", "python")
    assert (found.start_line, found.end_line, found.total_lines) == (1, 18, 18)
    assert found.snapshots[0].commit == shop.git("rev-parse", "HEAD") and found.repository == "repo"
    assert opened.unit("dos.py").text == "a = 1\nb = 2"


def test_a_function_a_method_and_a_class(opened: trackdown.Repository) -> None:
    lines = SESSION.split("\n")
    method = opened.unit("web/session.py", "Session.sign")
    assert (method.symbol, method.kind) == ("Session.sign", "method")
    assert method.text == "\n".join(lines[8:11]) and (method.start_line, method.end_line) == (9, 11)
    function = opened.unit("web/session.py", "sign()")
    assert function.kind == "function" and function.text == "\n".join(lines[16:18]) and not function.notes
    whole = opened.unit("web/session.py", "Session")
    assert whole.kind == "class" and whole.text == "\n".join(lines[3:14])
    assert opened.unit("web/session.py", "Session::load").symbol == "Session.load"
    assert opened.unit("web/session.py", "load").symbol == "Session.load"


def test_several_of_a_name_give_the_first_and_a_note(repo: Repo, open_repo: Opener) -> None:
    code = "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n"
    repo.commit("Begin", {"a.py": code})
    found = open_repo(repo.root).unit("a.py", "run")
    assert found.symbol == "A.run" and "2 matches for 'run'" in found.notes[0] and "B.run at line 7" in found.notes[0]


def test_lines(opened: trackdown.Repository) -> None:
    found = opened.unit("web/session.py", lines=(9, 10))
    assert found.numbered() == ' 9      def sign(self, value):\n10          """Sign."""'
    assert (found.kind, found.start_line, found.end_line) == ("lines", 9, 10)
    assert opened.unit("web/session.py", lines=(17, 10**6)).end_line == 18
    for lines in ((0, 3), (3, 2), (-1, 4), (19, 20)):
        with pytest.raises(UsageError):
            opened.unit("web/session.py", lines=lines)
    with pytest.raises(UsageError, match="not both"):
        opened.unit("web/session.py", "sign", (1, 2))


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../repo/web/session.py",
        "web/../web/session.py",
        "web//session.py",
        "./web/session.py",
        "a\0b",
        ".git/config",
        "secret.txt",
        "web",
        "nowhere.py",
        "WEB/session.py",
        "link.py",
        "linked/session.py",
    ],
)
def test_nothing_but_indexed_files_can_be_read(opened: trackdown.Repository, shop: Repo, path: str) -> None:
    (shop.root / "link.py").symlink_to("/etc/passwd")
    (shop.root / "linked").symlink_to("web")
    with pytest.raises(UsageError):
        opened.unit(path)


def test_a_file_that_became_a_link_is_not_followed(opened: trackdown.Repository, shop: Repo, tmp_path: Path) -> None:
    opened.unit("web/session.py")
    outside = tmp_path / "outside.py"
    outside.write_text("def stolen(): pass\n")
    (shop.root / "web/session.py").unlink()
    (shop.root / "web/session.py").symlink_to(outside)
    with pytest.raises(UsageError, match="not an indexed file"):
        opened.unit("web/session.py")


def test_what_changes_all_the_time_is_told(
    opened: trackdown.Repository, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trackdown.engine.navigation import unit_source

    opened.unit("web/session.py")
    monkeypatch.setattr(unit_source, "oid_of_key", lambda key: "0" * 40)
    with pytest.raises(RepositoryError, match="changed while it was being read"):
        opened.unit("web/session.py")


def test_what_is_not_there_comes_with_what_is_nearest(opened: trackdown.Repository) -> None:
    with pytest.raises(UsageError, match=r"nearest: web/session\.py"):
        opened.unit("web/sesion.py")
    with pytest.raises(UsageError, match=r"nearest: Session\.load"):
        opened.unit("web/session.py", "Session.lod")


def test_a_past_state(opened: trackdown.Repository, shop: Repo) -> None:
    shop.commit("Change", {"web/session.py": "def other():\n    pass\n"})
    assert opened.unit("web/session.py").text == "def other():\n    pass"
    assert opened.unit("web/session.py", at="HEAD~1").text + "\n" == SESSION
    assert opened.unit("web/session.py", "sign", at="HEAD~1").start_line == 17


def test_names_of_any_bytes(repo: Repo, open_repo: Opener) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    repo.commit("Begin", {name: "def zebra():\n    pass\n"})
    assert open_repo(repo.root).unit(name, "zebra").path == name
