"""Mining small real histories: which cases come out, with which truth, by both protocols."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import EmptyRepository, GitError, NoSuchPath, UsageError
from trackdown.lab.cases import Case, CaseFile, CodeLocation, Protocol, read_cases, write_cases
from trackdown.lab.mine.dataset import MinedCases, build_from_git

POOL = """\
class Pool:
    size = 3

    def take(self):
        return self.items.pop()

    def give(self, item):
        self.items.append(item)


def make_pool():
    return Pool()
"""
OTHER = "".join(f"def other{number}():\n    return {number}\n\n\n" for number in range(9))


@pytest.fixture
def history(repo: Repo) -> Repo:
    """Four commits, of which three make cases."""
    repo.commit("Begin with the pool of connections", {"pool.py": POOL, "other.py": OTHER, "CHANGES.md": "# Changes\n"})
    pool = POOL.replace("return self.items.pop()", "return self.items.pop(0)")
    repo.commit("Take the oldest connection first (#1)", {"pool.py": pool, "CHANGES.md": "# Changes\n- first\n"})
    repo.commit("fix typo", {"other.py": OTHER.replace("return 0", "return 10")})
    pool = pool.replace("size = 3", "size = 4") + "\n\ndef close_pool(pool):\n    pool.items.clear()\n"
    repo.commit(
        "Close every connection of a pool\n\nThe size grows too.\n\nSigned-off-by: Ada <ada@example.org>",
        {"pool.py": pool, "tests/test_pool.py": "def test_close():\n    pass\n"},
    )
    return repo


def mined(repo: Repo, **options: object) -> MinedCases:
    return build_from_git(repo.root, **options)  # type: ignore[arg-type]


def truths(found: MinedCases) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    return {case.query: (case.files, [str(place) for place in case.symbols]) for case in found}


def test_the_past(history: Repo) -> None:
    found = mined(history)
    newest, oldest = history.git("rev-parse", "HEAD"), history.git("rev-parse", "HEAD~2")
    assert list(found) == [
        Case(
            newest[:12],
            "Close every connection of a pool",
            ("pool.py",),
            (CodeLocation("pool.py", "Pool"),),
            "git",
            newest,
            "past",
        ),
        Case(
            oldest[:12],
            "Take the oldest connection first",
            ("pool.py",),
            (CodeLocation("pool.py", "Pool.take"),),
            "git",
            oldest,
            "past",
        ),
    ]
    assert (found.looked_at, found.dropped) == (4, {"message without content": 1, "no parent": 1})
    assert len(found) == 2


def test_the_present_knows_what_a_commit_made(history: Repo) -> None:
    assert truths(mined(history, protocol="head")) == {
        "Close every connection of a pool": (
            ("pool.py", "tests/test_pool.py"),
            ["pool.py:Pool", "pool.py:close_pool", "tests/test_pool.py:test_close"],
        ),
        "Take the oldest connection first": (("pool.py",), ["pool.py:Pool.take"]),
        "Begin with the pool of connections": (
            ("other.py", "pool.py"),
            [
                *(f"other.py:other{number}" for number in range(9)),
                "pool.py:Pool",
                "pool.py:Pool.take",
                "pool.py:Pool.give",
                "pool.py:make_pool",
            ],
        ),
    }


def test_whole_messages_as_queries(history: Repo) -> None:
    assert mined(history, query_from="message")[0].query == "Close every connection of a pool\n\nThe size grows too."


def test_no_more_cases_and_commits_than_needed(history: Repo) -> None:
    found = mined(history, max_cases=1)
    assert (len(found), found.looked_at, found.dropped) == (1, 1, {})


def test_tests_prose_and_changelogs(history: Repo) -> None:
    history.commit(
        "Explain how connections are closed", {"docs/pool.md": "Close them.\n", "CHANGES.md": "# All changes\n"}
    )
    history.commit(
        "Explain that closing connections is forever", {"docs/pool.md": "Close it.\n", "tests/test_pool.py": "x = 1\n"}
    )
    files = ("docs/pool.md", "tests/test_pool.py")
    assert mined(history, max_cases=1)[0].files == files
    assert mined(history, max_cases=1, tests=False)[0].files == files[:1]
    assert mined(history, max_cases=1, prose=False)[0].files == files[1:]
    assert mined(history, protocol="head", changelogs=True)[1].files == ("CHANGES.md", "docs/pool.md")
    assert mined(history, tests=False, prose=False).dropped["nothing of it exists"] == 2


def test_renames_are_told_by_the_old_path_in_the_past(history: Repo) -> None:
    history.git("mv", "pool.py", "connections.py")
    moved = (history.root / "connections.py").read_text().replace("return Pool()", "return Pool(4)")
    history.commit("Move pools to a file of connections", {"connections.py": moved})
    assert truths(mined(history, max_cases=1)) == {
        "Move pools to a file of connections": (("pool.py",), ["pool.py:make_pool"])
    }


def test_renames_are_followed_to_the_present(history: Repo) -> None:
    history.git("mv", "pool.py", "connections.py")
    history.commit("Move pools to a file of connections")
    (history.root / "lib").mkdir()
    history.git("mv", "connections.py", "lib/pools.py")
    left = (history.root / "lib/pools.py").read_text().replace("close_pool", "shut_pool")
    history.commit(
        "Move pools into the library, shut them", {"lib/pools.py": left, "pool.py": "# not the same any more\n"}
    )
    found = truths(mined(history, protocol="head"))
    assert found["Move pools to a file of connections"] == (("lib/pools.py",), [])
    assert found["Take the oldest connection first"] == (("lib/pools.py",), ["lib/pools.py:Pool.take"])
    assert found["Close every connection of a pool"][1] == ["lib/pools.py:Pool", "tests/test_pool.py:test_close"]


def test_what_is_gone_is_no_truth_at_the_present(history: Repo) -> None:
    (history.root / "pool.py").unlink()
    history.commit("Throw the pool of connections away")
    found = mined(history, protocol="head")
    assert truths(found).keys() == {"Close every connection of a pool", "Begin with the pool of connections"}
    assert found.dropped["nothing of it exists"] == 2
    past = truths(mined(history, max_cases=1))
    assert past["Throw the pool of connections away"][1] == [
        "pool.py:Pool",
        "pool.py:Pool.take",
        "pool.py:Pool.give",
        "pool.py:make_pool",
        "pool.py:close_pool",
    ]


def test_merges_side_branches_and_duplicates(history: Repo) -> None:
    history.git("checkout", "-qb", "side", "HEAD~1")
    history.commit("Return eleven where one was returned", {"other.py": OTHER.replace("return 1\n", "return 11\n")})
    history.git("checkout", "-q", "main")
    history.git("merge", "-q", "--no-ff", "-m", "Bring the side branch home", "side")
    history.commit("return eleven where one was RETURNED.", {"other.py": OTHER.replace("return 1\n", "return 12\n")})
    found = mined(history)
    assert found[0].query == "return eleven where one was RETURNED."
    assert found.dropped == {"message without content": 1, "merge": 1, "duplicate query": 1, "no parent": 1}
    assert found.looked_at == len(found) + sum(found.dropped.values())


def test_only_what_a_snapshot_takes_in(repo: Repo) -> None:
    first: dict[str, str | bytes] = {
        ".trackdownignore": "vendored/\n!kept.po\n",
        "vendored/a.py": "a = 1\n",
        "kept.po": "1\n",
        "left.po": "1\n",
        "sub/.trackdownignore": "secret.py\n",
        "sub/secret.py": "a = 1\n",
        "sub/open.py": "a = 1\n",
        "logo.bin": b"\0\1",
        "made.py": "# Code generated by x. DO NOT EDIT.\na = 1\n",
        "x.min.js": "1\n",
        "utf16.txt": "1\n".encode("utf-16"),
        "latin.py": "# \xe9\ndef f():\n    return 1\n".encode("latin-1"),
        "bytes\udcff.py": "def g():\n    return 1\n",
    }
    repo.commit("Begin with all kinds of files", first)
    (repo.root / "link.py").symlink_to("made.py")
    repo.commit("wip")
    (repo.root / "link.py").unlink()
    (repo.root / "link.py").symlink_to("latin.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    for path, data in first.items():
        if path not in (".trackdownignore", "sub/.trackdownignore"):
            raw = data.encode() if isinstance(data, str) else data
            repo.write(path, raw.replace(b"1", b"2").replace(b"\1", b"\2"))
    repo.commit("Double every number in files of all kinds")
    files = ("bytes\udcff.py", "kept.po", "latin.py", "sub/open.py", "utf16.txt")
    for protocol in ("past", "head"):
        (case,) = mined(repo, protocol=protocol, max_files=20, max_cases=1)
        assert tuple(sorted(case.files)) == files
        assert set(case.symbols) == {CodeLocation("latin.py", "f"), CodeLocation("bytes\udcff.py", "g")}
        write_cases(repo.root / "cases.jsonl", [case])
        assert read_cases(repo.root / "cases.jsonl") == CaseFile([case])


def test_a_place_below_the_root_keeps_to_itself(history: Repo) -> None:
    history.commit("Test closing of the pool twice", {"tests/test_pool.py": "x = 1\n", "pool.py": "x = 1\n"})
    assert [case.files for case in build_from_git(history.root / "tests")] == [("tests/test_pool.py",)]


def test_a_commit_that_changes_nothing(history: Repo) -> None:
    history.commit("Trigger the build of everything again")
    assert mined(history).dropped["nothing of it exists"] == 1


def test_a_shallow_clone(history: Repo, tmp_path: Path) -> None:
    history.git("clone", "-q", "--depth=2", f"file://{history.root}", str(tmp_path / "shallow"))
    protocols: tuple[Protocol, ...] = ("past", "head")
    for protocol in protocols:
        found = build_from_git(tmp_path / "shallow", protocol=protocol)
        assert [case.query for case in found] == ["Close every connection of a pool"]
        assert found.looked_at == 2
    history.git("clone", "-q", "--depth=1", f"file://{history.root}", str(tmp_path / "one"))
    assert build_from_git(tmp_path / "one").dropped == {"no parent": 1}


def test_a_clone_that_lacks_contents(history: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    history.git("clone", "-q", "--bare", str(history.root), str(bare))
    objects = Repo(bare, bare=True)
    objects.git("config", "gc.auto", "0")
    for pack in list((bare / "objects" / "pack").glob("*.pack")):
        data = pack.read_bytes()
        for file in (bare / "objects" / "pack").iterdir():
            file.chmod(0o644)
            file.unlink()
        objects.git("unpack-objects", "-q", stdin=data)
    gone = history.git("rev-parse", "HEAD~2:pool.py")
    (bare / "objects" / gone[:2] / gone[2:]).unlink()
    found = build_from_git(bare)
    assert len(found) == 0
    assert found.dropped == {"cannot be read": 2, "message without content": 1, "no parent": 1}


def test_the_repositorys_own_configuration_changes_nothing(history: Repo) -> None:
    expected = list(mined(history))
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("color.diff", "always"),
        ("diff.external", "false"),
        ("diff.py.textconv", "false"),
        ("diff.py.binary", "true"),
        ("diff.renames", "false"),
        ("diff.interHunkContext", "5"),
        ("core.quotePath", "true"),
        ("diff.suppressBlankEmpty", "true"),
    ):
        history.git("config", name, value)
    assert list(mined(history)) == expected


@pytest.mark.parametrize("options", [{"max_cases": 0}, {"max_files": 0}, {"protocol": "now"}, {"query_from": "author"}])
def test_wrong_arguments(history: Repo, options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="must be"):
        mined(history, **options)


def test_places_without_a_history(tmp_path: Path, make_repo: Callable[[str], Repo]) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="plain is a plain folder"):
        build_from_git(tmp_path / "plain")
    with pytest.raises(EmptyRepository, match="empty has no commit yet"):
        build_from_git(make_repo("empty").root)
    with pytest.raises(NoSuchPath):
        build_from_git(tmp_path / "none")


def test_progress_and_batches(history: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = mined(history, protocol="head")
    monkeypatch.setattr("trackdown.lab.mine.dataset._BATCH", 1)
    seen: list[tuple[str, int, int | None]] = []
    assert mined(history, protocol="head", progress=lambda *step: seen.append(step)) == expected
    assert seen[-1] == ("mine", 3, 200)


def test_without_git_objects_nothing_hangs(history: Repo) -> None:
    shutil.rmtree(history.root / ".git" / "objects")
    (history.root / ".git" / "objects").mkdir()
    with pytest.raises(GitError):
        mined(history)


def test_a_commit_that_was_picked_again_does_not_become_a_case(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "def open_box():\n    return 1\n"})
    first = repo.commit("Open the purple box slowly", {"a.py": "def open_box():\n    return 2\n"})
    repo.commit("Close the green box quickly", {"a.py": "def open_box():\n    return 3\n"})
    repo.commit("Open the purple box slowly (#12)", {"a.py": "def open_box():\n    return 4\n"})
    mined = build_from_git(repo.root)
    assert [case.commit for case in mined if "purple" in case.query] == [first]
    assert mined.dropped["an earlier commit says the same"] == 1
