"""Rules on paths: names that tell, and .trackdownignore in every folder."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.repository.ignore import IgnoreRules, reason_by_name


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("package-lock.json", "generated"),
        ("deep/down/yarn.lock", "generated"),
        ("Cargo.lock", "generated"),
        ("poetry.lock", "generated"),
        ("uv.lock", "generated"),
        ("go.sum", "generated"),
        ("Gemfile.lock", "generated"),
        ("api_pb2.py", "generated"),
        ("api.pb.go", "generated"),
        ("Form.Designer.cs", "generated"),
        ("tests/__snapshots__/a.snap", "generated"),
        ("jquery.min.js", "minified"),
        ("app.BUNDLE.js", "minified"),
        ("style.css.map", "minified"),
        ("locale/de/django.po", "data"),
        ("table.csv", "data"),
        ("notebook.ipynb", "data"),
        ("logo.svg", "data"),
        ("logo.PNG", "binary"),
        ("a/b.pyc", "binary"),
        ("model.onnx", "binary"),
        ("code.py", ""),
        ("Makefile", ""),
        ("lock.py", ""),
        ("yarn.lock.md", ""),
        ("package.json", ""),
        ("go.mod", ""),
        ("minimal.js", ""),
        ("admin.js", ""),
        ("png", ""),
        ("csv/reader.py", ""),
        ("pb2.py", ""),
    ],
)
def test_names_that_tell(path: str, reason: str) -> None:
    assert reason_by_name(path) == reason


@pytest.mark.parametrize(
    ("pattern", "ignored", "kept"),
    [
        ("a.py", ["a.py", "deep/a.py", "a.py/below"], ["ab.py", "a.pyx"]),
        ("/a.py", ["a.py"], ["deep/a.py"]),
        ("docs/", ["docs/a.md", "deep/docs/a.md"], ["docs"]),
        ("docs/*.md", ["docs/a.md"], ["docs/deep/a.md", "deep/docs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/deep/er/a.md"], ["other/a.md"]),
        ("**/gen", ["gen/a.py", "x/gen/a.py"], ["general/a.py"]),
        ("*.p?", ["a.py", "x/b.pl"], ["a.pyx"]),
        ("[ab].py", ["a.py", "b.py"], ["c.py"]),
        ("\\#x", ["#x"], ["x"]),
        ("\\!x", ["!x"], ["x"]),
        ("# comment", [], ["# comment", "comment"]),
        ("x\r", ["x"], ["y"]),
        ("größe", ["größe/a.py"], ["grosse"]),
    ],
)
def test_the_syntax_is_that_of_gitignore(pattern: str, ignored: list[str], kept: list[str]) -> None:
    rules = IgnoreRules({"": f"{pattern}\n"})
    assert [path for path in ignored if rules.decide(path) != ("ignored", False)] == []
    assert [path for path in kept if rules.decide(path) != ("", False)] == []


def test_the_last_matching_line_decides() -> None:
    rules = IgnoreRules({"": "*.py\n!keep.py\nkeep.py\n!deep/keep.py\n"})
    assert rules.ignores("keep.py") is True
    assert rules.ignores("deep/keep.py") is False
    assert rules.ignores("a.txt") is None


def test_an_ignore_file_further_down_decides_for_its_folder_only() -> None:
    rules = IgnoreRules({"": "*.gen\n", "pkg": "!kept.gen\n/top.py\n", "pkg/deep": "kept.gen\n"})
    assert rules.ignores("kept.gen") is True
    assert rules.ignores("pkg/kept.gen") is False
    assert rules.ignores("pkg/other.gen") is True
    assert rules.ignores("pkg/deep/kept.gen") is True
    assert rules.ignores("pkg/top.py") is True
    assert rules.ignores("pkg/deep/top.py") is None
    assert rules.ignores("pkgs/kept.gen") is True


def test_an_exclamation_mark_brings_back_what_a_name_leaves_out() -> None:
    rules = IgnoreRules({"": "!yarn.lock\n!data/\nsecret.csv\n"})
    assert rules.brings_back
    assert rules.decide("yarn.lock") == ("", True)
    assert rules.decide("data/a.csv") == ("", True)
    assert rules.decide("secret.csv") == ("ignored", False)
    assert rules.decide("other.csv") == ("data", False)
    assert rules.decide("code.py") == ("", False)


def test_without_ignore_files_names_decide() -> None:
    rules = IgnoreRules({})
    assert not rules.brings_back
    assert rules.ignores("a.py") is None
    assert (rules.decide("a.py"), rules.decide("a.png")) == (("", False), ("binary", False))
    assert not IgnoreRules({"": "a\n# !b\n"}).brings_back


def test_a_mark_at_the_beginning_of_the_file_is_no_part_of_the_first_pattern() -> None:
    assert IgnoreRules({"": "\ufeffa.py\n"}).ignores("a.py") is True


@pytest.mark.parametrize("bad", ["!", "\\", "a\\", "[z-a]", "!\\"])
def test_a_line_that_is_no_pattern_is_passed_over(bad: str) -> None:
    rules = IgnoreRules({"": f"first\n{bad}\nlast\n"})
    assert (rules.ignores("first"), rules.ignores("last"), rules.ignores("other")) == (True, True, None)


@given(st.text(alphabet=st.sampled_from("ab.*?[]!\\/#^-{}()|+$ \t\r\n\u2028é&~:"), max_size=40), st.text(max_size=10))
def test_no_ignore_file_breaks_a_search(text: str, path: str) -> None:
    IgnoreRules({"": text, "a": text}).decide(f"a/{path}")


def test_a_note_tells_of_patterns_that_are_not_obeyed() -> None:
    many = "".join(f"*a{number}*\n" for number in range(1002))
    assert IgnoreRules({"": "a*b\n"}).notes == []
    assert IgnoreRules({"": many, "web": many}).notes == [
        ".trackdownignore has too many wildcards or too long lines: 2 patterns are not obeyed",
        "web/.trackdownignore has too many wildcards or too long lines: 2 patterns are not obeyed",
    ]


def test_all_ignore_files_of_a_snapshot_share_one_budget_that_outer_folders_use_first() -> None:
    texts = {"": "kept*by*the*root\n"}
    for depth in range(9, -1, -1):
        texts[f"{'x/' * depth}y"] = "".join(f"{'*a' * 2000}{depth}-{number}\n" for number in range(250))
    started = time.process_time()
    rules = IgnoreRules(texts)
    assert time.process_time() - started < 2
    assert rules.ignores("kept-by-the-root") is True
    assert rules.notes[0] == "y/.trackdownignore has too many wildcards or too long lines: 234 patterns are not obeyed"
    assert [note for note in rules.notes if " 250 patterns " in note] == rules.notes[1:]


def test_many_ignore_files_with_few_patterns_are_bounded_together() -> None:
    few = "".join(f"*a{number}*\n" for number in range(900))
    notes = IgnoreRules({f"f{number}": few for number in range(6)}).notes
    assert [note.split(": ")[1] for note in notes] == [f"{count} patterns are not obeyed" for count in (500, 900)]
