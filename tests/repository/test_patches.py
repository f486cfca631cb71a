"""Unified diffs as git prints them: every kind of head, and texts that come out as git's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Repo
from trackdown.repository import FilePatch, Hunk, apply_patch, fitted_patch, parse_patch

SMALL = """\
diff --git a/a.py b/a.py
index 111..222 100644
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two
+zwei
 three
"""


def diff(repo: Repo, *options: str) -> list[FilePatch]:
    return parse_patch(repo.git("diff", "-M", *options, "HEAD^", "HEAD") + "\n")


def test_a_hunk_tells_both_sides_and_their_line_numbers() -> None:
    (patch,) = parse_patch(SMALL)
    assert (patch.old_path, patch.new_path, patch.regular) == ("a.py", "a.py", True)
    (hunk,) = patch.hunks
    assert hunk.old_lines == ["one", "two", "three"] and hunk.new_lines == ["one", "zwei", "three"]
    assert (hunk.removed(), hunk.added()) == ([2], [2])
    assert apply_patch(patch, "one\ntwo\nthree\nfour") == "one\nzwei\nthree\nfour"


def test_new_deleted_renamed_binary_and_changed_mode(repo: Repo) -> None:
    lines = "".join(f"line {number}\n" for number in range(20))
    repo.commit("first", {"gone.py": "a\nb\n", "old.py": lines, "b.bin": b"\0\1", "run.sh": "x\n", "empty.py": ""})
    (repo.root / "gone.py").unlink()
    (repo.root / "empty.py").unlink()
    (repo.root / "old.py").rename(repo.root / "new.py")
    (repo.root / "run.sh").chmod(0o755)
    repo.commit("second", {"b.bin": b"\0\2", "new.py": lines.replace("line 3\n", "line drei\n"), "made.py": "c\n"})
    by_paths = {(patch.old_path, patch.new_path): patch for patch in diff(repo)}
    assert set(by_paths) == {
        ("gone.py", None),
        ("empty.py", None),
        ("old.py", "new.py"),
        ("b.bin", "b.bin"),
        ("run.sh", "run.sh"),
        (None, "made.py"),
    }
    assert not by_paths["b.bin", "b.bin"].hunks
    assert by_paths["old.py", "new.py"].hunks[0].removed() == [4]
    assert apply_patch(by_paths["gone.py", None], "a\nb\n") == ""
    assert apply_patch(by_paths[None, "made.py"], "") == "c\n"


def test_binary_data_in_the_patch_is_passed_over(repo: Repo) -> None:
    repo.commit("first", {"b.bin": b"\0\1", "z.py": "a\n"})
    repo.commit("second", {"b.bin": b"\0\2" * 50, "z.py": "b\n"})
    assert [patch.old_path for patch in diff(repo, "--binary")] == ["b.bin", "z.py"]


@pytest.mark.parametrize("name", ["mit leer zeichen.py", "umläut.py", 'qu"ote.py', "tab\there.py", "back\\slash.py"])
@pytest.mark.parametrize("quote", ["true", "false"])
def test_odd_paths_come_out_as_they_are_on_disk(repo: Repo, name: str, quote: str) -> None:
    repo.git("config", "core.quotePath", quote)
    repo.commit("first", {name: "a\n", "mode " + name: "a\n"})
    (repo.root / ("mode " + name)).chmod(0o755)
    repo.commit("second", {name: "b\n"})
    assert {patch.old_path for patch in diff(repo)} == {name, "mode " + name}


def test_an_odd_path_is_renamed(repo: Repo) -> None:
    repo.commit("first", {"ein ümlaut.py": "a\n" * 20})
    repo.git("mv", "ein ümlaut.py", 'no"w.py')
    repo.commit("second")
    assert [(patch.old_path, patch.new_path) for patch in diff(repo)] == [("ein ümlaut.py", 'no"w.py')]


def test_links_and_submodules_are_no_regular_files(repo: Repo) -> None:
    repo.commit("first", {"a.py": "a\n"})
    (repo.root / "link").symlink_to("a.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.git("add", "link")
    repo.git("commit", "-qm", "second")
    assert {(patch.new_path, patch.regular) for patch in diff(repo)} == {("link", False), ("sub", False)}


def test_a_copy_leaves_its_origin_alone(repo: Repo) -> None:
    repo.commit("first", {"a.py": "a\n" * 20})
    repo.commit("second", {"copy.py": "a\n" * 20})
    assert diff(repo, "-C", "--find-copies-harder") == [FilePatch(None, "copy.py")]


def test_a_patch_in_a_mail_with_a_signature() -> None:
    text = f"From 1234\nSubject: [PATCH] x\n\n---\n a.py | 2 +-\n\n{SMALL}-- \n2.43.0\n\n"
    assert parse_patch(text) == parse_patch(SMALL)


def test_a_plain_diff_without_gits_lines() -> None:
    text = "--- a.py\t2024-01-01 00:00\n+++ a.py\t2024-01-02 00:00\n@@ -1 +1 @@\n-a\n+b\n"
    twice = text + text.replace("a.py", "b.py")
    assert [(patch.old_path, patch.hunks) for patch in parse_patch(twice)] == [
        ("a.py", (Hunk(1, 1, ("-a", "+b")),)),
        ("b.py", (Hunk(1, 1, ("-a", "+b")),)),
    ]


def test_blank_context_whose_space_was_cut_off() -> None:
    text = SMALL.replace("-1,3 +1,3", "-1,4 +1,4").replace(" one\n", " one\n\n")
    assert apply_patch(parse_patch(text)[0], "one\n\ntwo\nthree\n") == "one\n\nzwei\nthree\n"


def test_a_removed_line_of_dashes_is_not_the_next_file() -> None:
    text = "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- x\n-y\n+++ z\n+w\n"
    assert apply_patch(parse_patch(text)[0], "-- x\ny\n") == "++ z\nw\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SMALL.replace("-1,3 +1,3", "-1,4 +1,4"), "short of what its head says"),
        (SMALL.replace("-1,3 +1,3", "-1,2 +1,2"), "more lines than its head says"),
        (SMALL.replace("-1,3 +1,3", "-1,3 +1,2"), "more lines than its head says"),
        (SMALL.replace("@@ -1,3 +1,3 @@", "@@ what @@"), "head of a hunk cannot be read"),
        (SMALL.replace("\n-two", "\n?two"), "short of what its head says"),
        (SMALL.replace("diff --git", "diff --cc"), "combined diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"),
        ("diff --git a/one b/other\nold mode 100644\nnew mode 100755\n", "cannot tell the paths"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_patch(text)


@pytest.mark.parametrize("text", ["one\nTWO\nthree\n", "one\ntwo\n", ""])
def test_a_patch_for_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a\.py: the hunk at line 1 was made for another text"):
        apply_patch(parse_patch(SMALL)[0], text)


def test_a_hunk_that_other_changes_moved_is_found_where_it_stands() -> None:
    far, near = "one\ntwo\nthree\n", "0\none\ntwo\nthree\n"
    text = near + "4\n5\n" + far
    (hunk,) = fitted_patch(parse_patch(SMALL)[0], text).hunks
    assert (hunk.removed(), hunk.added()) == ([3], [3])
    assert apply_patch(parse_patch(SMALL)[0], text) == text.replace("two", "zwei", 1)
    two = SMALL + "@@ -4,0 +5 @@\n+new\n@@ -11 +12,2 @@\n-eleven\n+elf\n+elfeinhalb\n"
    first, second, third = fitted_patch(parse_patch(two)[0], near + "\n" * 5 + "eleven\n").hunks
    assert (first.removed(), second.added(), third.removed(), third.added()) == ([3], [6], [10], [11, 12])


def test_carriage_returns_and_a_mark_at_the_beginning_do_no_harm() -> None:
    assert apply_patch(parse_patch(SMALL)[0], "\ufeffone\r\ntwo\r\nthree\r\n") == "\ufeffone\r\nzwei\nthree\r\n"


texts = st.lists(st.sampled_from(["a", "b", "c", "", " ", "-- x", "++ y", "\\ z", "@@ -1 +1 @@", "d\r"]), max_size=12)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=texts, new=texts, ends=st.tuples(st.booleans(), st.booleans()), context=st.sampled_from(["-U0", "-U1", "-U3"])
)
def test_git_diff_round_trip(
    tmp_path: Path, old: list[str], new: list[str], ends: tuple[bool, bool], context: str
) -> None:
    before, after = (
        "\n".join(lines) + ("\n" if lines and end else "") for lines, end in zip((old, new), ends, strict=True)
    )
    (tmp_path / "old").write_bytes(before.encode())
    (tmp_path / "new").write_bytes(after.encode())
    command = ["git", "diff", "--no-index", context, "--inter-hunk-context=0", "old", "new"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True).stdout.decode()
    patches = parse_patch(printed)
    if before == after:
        assert patches == []
        return
    (patch,) = patches
    assert apply_patch(patch, before) == after
    old_lines, new_lines = before.split("\n"), after.split("\n")
    for hunk in patch.hunks:
        removed = [line[1:] for line in hunk.lines if line[0] == "-"]
        added = [line[1:] for line in hunk.lines if line[0] == "+"]
        assert [old_lines[number - 1] for number in hunk.removed()] == removed
        assert [new_lines[number - 1] for number in hunk.added()] == added
