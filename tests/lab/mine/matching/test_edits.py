"""What commits did to sources, on real repositories."""

from __future__ import annotations

from tests.conftest import Repo
from trackdown.lab.mine.filters import MASS_CHANGE
from trackdown.lab.mine.matching.edits import (
    MANY_FILES,
    NO_SOURCE,
    NOT_COMPARED,
    edited_functions,
    is_source,
    modified_sources,
    path_changes,
)
from trackdown.repository import BlobReader, CommitRef, open_source

CODE = "class Pool:\n    def read(self):\n        return 1\n\n\ndef save():\n    return 2\n"


def test_sources_are_the_projects_own_code() -> None:
    assert is_source("src/pool.py") and is_source("lib/Contest.java") and is_source("Classes/Label.m")
    for path in (
        "tests/test_pool.py",
        "Castle.Windsor.Tests/Resolver.cs",
        "src/ArrayResolverTestCase.cs",
        "vendor/x.c",
        "vendor/x.m",
        "style.css",
        "docs/conf.py",
        "README.md",
        ".github/run.py",
    ):
        assert not is_source(path), path


def test_changes_of_commits_and_merges_against_their_first_parent(repo: Repo) -> None:
    base = repo.commit("Begin", {"a.py": CODE, "b.py": CODE, "gone.py": CODE})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"a.py": CODE.replace("1", "3")})
    (repo.root / "gone.py").unlink()
    repo.commit("More", {"new ä.py": CODE})
    repo.git("checkout", "-q", "main")
    other = repo.commit("Main", {"b.py": CODE.replace("2", "4")})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    merge = CommitRef(repo.git("rev-parse", "HEAD"), (other,))
    git = open_source(repo.root).git
    assert git is not None
    missing = CommitRef("1" * 40, ("2" * 40,))
    changes = path_changes(git, [merge, CommitRef(other, (base,)), missing, CommitRef(base, ())])
    assert changes == {
        merge.oid: [("M", "a.py"), ("D", "gone.py"), ("A", "new ä.py")],
        other: [("M", "b.py")],
    }
    with BlobReader(git) as blobs:
        functions = edited_functions(git, blobs, [merge, CommitRef(other, (base,))])
    assert functions == {merge.oid: {"read"}, other: {"save"}}


def test_a_fix_modifies_a_few_sources() -> None:
    assert modified_sources([("M", "b.py"), ("M", "a.py"), ("M", "tests/x.py"), ("A", "c.py")]) == (
        ("a.py", "b.py"),
        "",
    )
    assert modified_sources(None)[1] == NOT_COMPARED
    assert modified_sources([("A", "a.py"), ("M", "README.md")])[1] == NO_SOURCE
    assert modified_sources([("M", f"{n}.py") for n in range(3)], most_files=2)[1] == MANY_FILES
    assert modified_sources([("M", "a.py"), *(("M", f"tests/{n}.py") for n in range(40))])[1] == MASS_CHANGE
    assert modified_sources([("M", "a.py"), *(("D", f"{n}.py") for n in range(5))])[1] == MASS_CHANGE
