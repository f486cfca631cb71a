"""Commits as git has them: messages, authors, changes, renames, whatever their bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import children
from trackdown.errors import GitError
from trackdown.repository.git import Git
from trackdown.repository.history import (
    CommitFacts,
    CommitRef,
    PathChange,
    list_commits,
    read_commits,
    root_commits,
    shallow_commits,
)
from trackdown.repository.source import open_source

LINES = "".join(f"line {number}\n" for number in range(30))


def git_at(place: Path) -> Git:
    found = open_source(place).git
    assert found is not None
    return found


def history(repo: Repo, tip: str = "HEAD") -> list[CommitFacts]:
    git = git_at(repo.root)
    return list(read_commits(git, list_commits(git, repo.git("rev-parse", tip))))


def write_commit(repo: Repo, head: bytes, message: bytes) -> str:
    """Put a commit into the repository, byte for byte, on top of the last one."""
    tree, parent = repo.git("rev-parse", "HEAD^{tree}"), repo.git("rev-parse", "HEAD")
    data = f"tree {tree}\nparent {parent}\n".encode() + head + b"\n\n" + message
    oid = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=data)
    repo.git("update-ref", "HEAD", oid)
    return oid


HEAD = b"author Ada <ada@example.org> 1600000000 +0000\ncommitter Ada <ada@example.org> 1600000000 +0000"


def test_the_facts_of_plain_commits(repo: Repo) -> None:
    first = repo.commit("Begin\n\nWith a body.\n", {"a.py": "a\n", "b.py": LINES})
    (repo.root / "b.py").unlink()
    second = repo.commit("Second", {"a.py": "a2\n", "c.py": "c\n"})
    added = [PathChange("A", b"a.py"), PathChange("A", b"b.py")]
    changed = [PathChange("M", b"a.py"), PathChange("D", b"b.py"), PathChange("A", b"c.py")]
    assert history(repo) == [
        CommitFacts(first, [], 1_600_000_060, "Ada", "Begin\n\nWith a body.", added),
        CommitFacts(second, [first], 1_600_000_120, "Ada", "Second", changed),
    ]


def test_renames_with_and_without_edits_and_from_folder_to_folder(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": LINES, "old/b.py": LINES.upper(), "c.py": "short\n"})
    repo.git("mv", "a.py", "z.py")
    repo.git("mv", "old", "new")
    repo.commit("Move", {"z.py": LINES + "more\n"})
    assert history(repo)[1].changes == [
        PathChange("R", b"new/b.py", b"old/b.py"),
        PathChange("R", b"z.py", b"a.py"),
    ]


def test_the_users_settings_do_not_change_what_is_found(repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.commit("Begin", {"x.py": "x\n"})
    repo.commit("Begin", {"a.py": LINES, "b.py": "b\n"})
    repo.git("mv", "a.py", "z.py")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.git("config", "-f", ".gitmodules", "submodule.sub.ignore", "all")
    repo.commit("Move and add a submodule")
    before = history(repo)
    assert PathChange("A", b"sub") in before[1].changes
    for name, value in {
        "diff.renames": "false",
        "diff.renameLimit": "0",
        "diff.ignoreSubmodules": "all",
        "diff.orderFile": "order",
        "diff.relative": "true",
        "log.showRoot": "false",
        "log.date": "relative",
        "format.pretty": "oneline",
        "core.quotePath": "true",
        "i18n.logOutputEncoding": "latin-1",
        "log.decorate": "full",
        "log.mailmap": "true",
        "notes.displayRef": "refs/notes/*",
        "color.ui": "always",
    }.items():
        repo.git("config", name, value)
    repo.write("order", "z.py\na.py\n")
    repo.write(".mailmap", "Grace <ada@example.org>\n")
    repo.git("notes", "add", "-m", "A note", "HEAD")
    repo.git("replace", "--graft", "HEAD")
    assert history(repo) == before


def test_merges_are_listed_and_passed_over(repo: Repo) -> None:
    base = repo.commit("Begin", {"a.py": "a\n"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"b.py": "b\n"})
    repo.git("checkout", "-q", "main")
    main = repo.commit("Main", {"c.py": "c\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Join", "side")
    merge = repo.git("rev-parse", "HEAD")
    listed = list_commits(git_at(repo.root), merge)
    assert [commit.oid for commit in listed if commit.is_merge] == [merge]
    assert listed[-1] == CommitRef(merge, (main, side))
    read = history(repo)
    assert {commit.oid for commit in read} == {base, side, main}
    assert all(len(commit.changes) == 1 for commit in read)


def test_ancestors_come_first_and_known_ones_are_not_listed(repo: Repo) -> None:
    commits = [repo.commit(f"Commit {number}", {"a.py": f"{number}\n"}) for number in range(6)]
    git = git_at(repo.root)
    assert [listed.oid for listed in list_commits(git, commits[-1])] == commits
    assert [listed.oid for listed in list_commits(git, commits[4], [commits[1], commits[2]])] == commits[3:5]
    assert list_commits(git, commits[2], [commits[5]]) == []
    with pytest.raises(GitError):
        list_commits(git, commits[2], ["1" * 40])


def test_commits_are_read_in_the_order_asked_for(repo: Repo) -> None:
    commits = [repo.commit(f"Commit {number}", {"a.py": f"{number}\n"}) for number in range(4)]
    git = git_at(repo.root)
    listed = {commit.oid: commit for commit in list_commits(git, commits[-1])}
    wanted = [commits[2], commits[0], commits[3]]
    assert [commit.oid for commit in read_commits(git, [listed[oid] for oid in wanted])] == wanted
    assert list(read_commits(git, [])) == []


def test_all_first_commits_are_found(repo: Repo) -> None:
    first = repo.commit("Begin", {"a.py": "a\n"})
    repo.git("checkout", "-q", "--orphan", "other")
    second = repo.commit("Another beginning", {"b.py": "b\n"})
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "Join", "main")
    assert root_commits(git_at(repo.root), repo.git("rev-parse", "HEAD")) == sorted([first, second])


def test_an_empty_commit_has_a_message_and_no_changes(repo: Repo) -> None:
    repo.commit("Begin")
    repo.commit("Nothing", {"a.py": "a\n"})
    repo.commit("Nothing again")
    assert [(commit.message, len(commit.changes)) for commit in history(repo)] == [
        ("Begin", 0),
        ("Nothing", 1),
        ("Nothing again", 0),
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", ""),
        (b"\n\n  \n", ""),
        (b"no newline", "no newline"),
        ("größe 工 🙂".encode(), "größe 工 🙂"),
        (b"bad \xff\xfe bytes \xc3", "bad \ufffd\ufffd bytes \ufffd"),
        (b"control \x01\x07\x1b[31m\x7f\x85 signs", "control \x01\x07\x1b[31m\x7f\ufffd signs"),
        (b"carriage\r\nreturn\r", "carriage\r\nreturn"),
        (b"0123456789012345678901234567890123456789\nR100\nM", "0123456789012345678901234567890123456789\nR100\nM"),
        (b"word " * 400_000, ("word " * 400_000).strip()),
        (b"x" * 3_000_000, "x" * 3_000_000),
        (b"up to here\0and not further", "up to here"),
    ],
    ids=["none", "blank", "no newline", "utf-8", "invalid", "control", "crlf", "like ids", "long", "one word", "nul"],
)
def test_messages_of_any_bytes(repo: Repo, raw: bytes, message: str) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    odd = write_commit(repo, HEAD, raw)
    after = repo.commit("After", {"b.py": "b\n"})
    read = history(repo)
    assert (read[1].oid, read[1].message, read[1].changes) == (odd, message, [])
    assert (read[2].oid, read[2].changes) == (after, [PathChange("A", b"b.py")])


def test_a_message_in_a_declared_encoding_is_read_in_it(repo: Repo) -> None:
    repo.commit("Begin")
    write_commit(repo, HEAD + b"\nencoding ISO-8859-1", "größe".encode("latin-1"))
    write_commit(repo, HEAD + b"\nencoding no-such-thing", "größe".encode())
    assert [commit.message for commit in history(repo)[1:]] == ["größe", "größe"]


@pytest.mark.parametrize(
    ("line", "author", "time"),
    [
        (b"author Ada Lovelace <a@b> 1600000000 +0000", "Ada Lovelace", 1_600_000_000),
        ("author Ærøskøbing 工 <a@b> 5 +0100".encode(), "Ærøskøbing 工", 5),
        (b"author \xff\xfe <a@b> 5 +0000", "\ufffd\ufffd", 5),
        (b"author  <> 5 +0000", "", 5),
        (b"author Ada <a@b> 99999999999999999999999 +0000", "Ada", 253_402_300_799),
        (b"author Ada <a@b> -5 +0000", "Ada", 0),
        (b"author Ada <a@b> never", "Ada", 0),
        (b"author Ada", "", 0),
        (b"", "", 0),
    ],
)
def test_authors_and_times_of_any_kind(repo: Repo, line: bytes, author: str, time: int) -> None:
    repo.commit("Begin")
    write_commit(repo, line + b"\ncommitter Ada <a@b> 5 +0000" if line else b"committer Ada <a@b> 5 +0000", b"Odd\n")
    odd = history(repo)[1]
    assert (odd.author, odd.message) == (author, "Odd")
    assert odd.time == time


@pytest.mark.parametrize(
    "name",
    [b"caf\xe9.py", b"new\nline.py", b"\n", b"M", b"R100", b'"q".py', b" ", b"0" * 40, b"a" * 200, b"deep/er/\xff/x"],
)
def test_paths_of_any_bytes(repo: Repo, name: bytes) -> None:
    place = os.fsencode(repo.root) + b"/" + name
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w") as stream:
        stream.write(LINES)
    repo.commit("Begin")
    os.rename(place, place + b"2")
    repo.commit("Move")
    repo.commit("After", {"after.py": "x\n"})
    assert [commit.changes for commit in history(repo)] == [
        [PathChange("A", name)],
        [PathChange("R", name + b"2", name)],
        [PathChange("A", b"after.py")],
    ]


def test_type_changes_and_links_are_changes(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to("b.py")
    repo.commit("Link")
    assert history(repo)[1].changes == [PathChange("T", b"a.py")]


def test_a_bare_repository_and_a_linked_worktree_read_the_same(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": LINES})
    repo.git("mv", "a.py", "b.py")
    tip = repo.commit("Move")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    for place in (tmp_path / "side", tmp_path / "bare.git"):
        git = git_at(place)
        assert list(read_commits(git, list_commits(git, tip))) == history(repo)


def test_a_reader_that_is_dropped_midway_ends_its_program(repo: Repo) -> None:
    repo.commit("Begin")
    for _ in range(3):
        write_commit(repo, HEAD, b"x" * 1_000_000)
    git = git_at(repo.root)
    before = children()
    stream = read_commits(git, list_commits(git, repo.git("rev-parse", "HEAD")))
    assert next(iter(stream)).message == "Begin"
    assert len(children() - before) == 1
    del stream
    assert children() == before


def test_a_repository_that_is_not_shallow_has_no_boundary(repo: Repo) -> None:
    repo.commit("Begin")
    assert shallow_commits(git_at(repo.root)) == frozenset()
