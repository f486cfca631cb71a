"""Patterns of ignore files: the same meaning as git's, and never slow."""

from __future__ import annotations

import random
import time

import pytest

from tests.conftest import Repo
from trackdown.repository.patterns import MAX_WILDCARDS, IgnorePatterns, PathPatterns

_PIECES = [
    "a",
    "b",
    "*",
    "**",
    "/",
    "?",
    "[ab]",
    "[!a]",
    "[a-b]",
    "\\a",
    ".",
    "!",
    "#",
    " ",
    "[[:alpha:]]",
    "**/",
    "/**/",
]
_NAMES = ["a", "b", "ab", "ba", "aab", ".a", "a.b", "#a", "!a", "*", "a "]


def ignored_on_the_way(patterns: IgnorePatterns, path: str) -> bool:
    """Whether a path or a folder above it is ignored: git looks no further below an ignored folder."""
    parts = path.split("/")
    folders = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return any(patterns.ignores(folder, is_folder=True) for folder in folders) or bool(patterns.ignores(path))


def test_random_patterns_ignore_what_git_ignores(repo: Repo) -> None:
    chance = random.Random(7)
    for _ in range(60):
        lines = ["".join(chance.choices(_PIECES, k=chance.randint(1, 6))) for _ in range(chance.randint(1, 3))]
        if any("**" in line.replace("**/", "").replace("/**", "") for line in lines):
            continue  # git itself reads `b**/**` as `b` and then `**/**`
        repo.write(".gitignore", "\n".join(lines) + "\n")
        paths = sorted({"/".join(chance.choices(_NAMES, k=chance.randint(1, 4))) for _ in range(60)})
        asked = "".join(f"./{path}\0" for path in paths).encode()
        try:
            told = repo.git("check-ignore", "--no-index", "-z", "--stdin", stdin=asked)
        except AssertionError:
            told = ""  # the exit code says that none is ignored
        patterns = IgnorePatterns("\n".join(lines) + "\n")
        mine = [path for path in paths if ignored_on_the_way(patterns, path)]
        assert mine == sorted(name[2:] for name in told.split("\0") if name), lines


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 40 + "*b", "a" * 255),
        ("*a" * 2000 + "*b", "a" * 255),
        ("*" + "?" * 200 + "*b", "a" * 255),
        (("*" + "a" * 100) * 30 + "b", "a" * 255),
        ("[ab]*" * 60 + "c", "ab" * 120),
        ("**/a/" * 15 + "b", "a/" * 60 + "x"),
        ("**/*a*a*b/" * 9 + "b", "aaaaaa/" * 60 + "x"),
        ("**/" + "*a/" * 30 + "b", "a/" * 100 + "x"),
        ("/".join(["**"] * 200), "a/" * 100 + "x"),
    ],
)
def test_no_pattern_explodes(line: str, path: str) -> None:
    started = time.process_time()
    IgnorePatterns(f"{line}\n").ignores(path)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("line", ["name{}", "*.ending{}", "/folder/name{}", "*part{}*", "a/**/*b{}*"])
def test_a_hundred_thousand_patterns_are_quick(line: str) -> None:
    text = "".join(line.format(number) + "\n" for number in range(100_000))
    started = time.process_time()
    patterns = IgnorePatterns(text)
    for number in range(200):
        patterns.ignores(f"src/package{number}/module{number}.py")
    assert time.process_time() - started < 2


def test_names_and_endings_have_no_limit_and_wildcards_do() -> None:
    plain = IgnorePatterns("".join(f"name{n}\n*.ending{n}\n/deep/path{n}\n" for n in range(5000)))
    assert plain.dropped == 0
    assert plain.ignores("x/name4999") and plain.ignores("x.ending4999") and plain.ignores("deep/path4999")
    wild = IgnorePatterns("".join(f"*part{n}.*\n" for n in range(MAX_WILDCARDS + 3)))
    assert wild.dropped == 3
    assert wild.ignores(f"a-part{MAX_WILDCARDS - 1}.b") and not wild.ignores(f"a-part{MAX_WILDCARDS + 1}.b")


def test_a_line_longer_than_any_path_is_passed_over() -> None:
    patterns = IgnorePatterns("*" * 5000 + "\n" + "x" * 5000 + "\n#" + "x" * 5000 + "\nkept\n" + " " * 5000)
    assert patterns.dropped == 2
    assert (patterns.ignores("kept"), patterns.ignores("other")) == (True, None)


def test_a_match_of_the_path_outweighs_one_of_a_folder_above() -> None:
    patterns = IgnorePatterns("!data/keep.py\ndata/\n")
    assert (patterns.ignores("data/keep.py"), patterns.ignores("data/other.py")) == (False, True)
    assert IgnorePatterns("build/\n!build/keep/\n").ignores("build/keep/deep/x") is False


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a/b.py", True),
        ("*.py", "b.pyc", False),
        ("web", "src/web/a.py", True),
        ("web/", "src/web/a.py", True),
        ("web/", "src/web", False),  # a file
        ("web", "src/website/a.py", False),
        ("src/web", "src/web/a.py", True),
        ("src/web", "lib/src/web/a.py", True),
        ("/src/web", "lib/src/web/a.py", False),
        ("./src/web", "src/web/a.py", True),
        ("src/**/b.py", "src/x/y/b.py", True),
        ("**/b.py", "b.py", True),
        ("#a.py", "x/#a.py", True),
        ("!a.py", "x/!a.py", True),
        ("my notes", "x/my notes/a.py", True),
        ("app/[slug]", "app/[slug]/page.tsx", True),
        ("app/[slug]", "app/s/page.tsx", True),
        ("/app/[...all]/*.tsx", "app/[...all]/page.tsx", True),
        ("app/\\[slug]", "app/s/page.tsx", False),
    ],
)
def test_what_somebody_types_matches_at_any_depth(pattern: str, path: str, matches: bool) -> None:
    patterns = PathPatterns([pattern])
    assert patterns.matches(path) is matches and not patterns.broken


def test_of_several_patterns_one_is_enough_and_none_match_nothing() -> None:
    assert PathPatterns(["*.js", "!x", "web"]).matches("web/a.py")
    assert not PathPatterns([]).matches("web/a.py")
    assert PathPatterns(["[a", "a.py", "/", "", "x" * 5000, "a/" * 40 + "*"]).broken == [
        "[a",
        "/",
        "",
        "x" * 5000,
        "a/" * 40 + "*",
    ]
