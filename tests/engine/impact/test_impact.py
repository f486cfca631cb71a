"""A diff of a small shop leads to what calls, overrides, tests and accompanies the change, and never to itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.engine.impact.conftest import PRICES
from trackdown import Change, Repository, SearchResults
from trackdown.errors import UnknownRevision, UsageError
from trackdown.settings import Settings

ROUNDED_UP = PRICES.replace("rounded(sum(items))", "rounded(sum(items)) + 1")


def reasons(answer: SearchResults) -> dict[str, str]:
    return {f"{one.path}:{one.symbol}".rstrip(":"): "; ".join(why.text for why in one.why) for one in answer}


def test_callers_overriders_and_tests_of_an_uncommitted_change(shop: Repository, built: Repo) -> None:
    built.write("shop/prices.py", ROUNDED_UP)
    answer = shop.impact()
    found = reasons(answer)
    assert answer.query == "uncommitted changes" and answer.level == "file" and answer.confidence is None
    assert "shop/prices.py" not in found and "docs/far.md" not in found
    assert "in pay: calls Prices.total, which changed" in found["shop/checkout.py"]
    assert "in total: overrides Prices.total, which changed" in found["shop/sale.py"]
    assert "in test_total: tests Prices.total, which changed" in found["tests/test_prices.py"]
    assert "by its name the test of shop/prices.py" in found["tests/test_prices.py"]
    assert "in rounded: called by Prices.total, which changed" in found["shop/money.py"]
    for result in answer:
        assert result.score == pytest.approx(sum(why.value for why in result.why))


def test_a_function_that_has_changed_is_no_answer_and_its_neighbours_may_be(shop: Repository, built: Repo) -> None:
    built.write("shop/prices.py", ROUNDED_UP)
    found = reasons(shop.impact(level="function"))
    assert "shop/prices.py:Prices.total" not in found
    assert "calls Prices.total, which changed" in found["shop/checkout.py:pay"]
    assert "changed together" not in found.get("shop/prices.py:Prices.currency", "")


def test_what_changed_together_is_counted_in_commits(shop: Repository, built: Repo) -> None:
    built.write("shop/money.py", "def rounded(value):\n    return round(value, 9)\n")
    built.git("add", "-A")
    answer = shop.impact(Change(staged=True))
    assert answer.query == "staged changes"
    assert "changed together with shop/money.py in 3 of 5 commits" in reasons(answer)["tables/rates.txt"]


def test_commits_of_the_range_are_not_its_past(shop: Repository) -> None:
    answer = shop.impact(Change(revisions="HEAD~2..HEAD~1"))
    assert "changed together with shop/money.py in 3 of 4 commits" in reasons(answer)["tables/rates.txt"]
    with pytest.raises(UsageError, match="nothing has changed between"):
        shop.impact(Change(revisions="HEAD..HEAD"))
    with pytest.raises(UsageError, match="not a range of commits"):
        shop.impact(Change(revisions=".."))
    with pytest.raises(UnknownRevision, match="'nowhere'"):
        shop.impact(Change(revisions="nowhere..HEAD"))


def test_a_name_that_the_change_removes_is_found_where_it_is_still_used(shop: Repository, built: Repo) -> None:
    built.write("shop/prices.py", PRICES.replace("def total", "def whole_sum"))
    found = reasons(shop.impact())
    assert "mentions total, which the change removes" in found["shop/checkout.py"]


def test_an_untracked_file_is_a_change_and_a_deleted_one_has_a_past(shop: Repository, built: Repo) -> None:
    built.write("shop/extra.py", "def more():\n    return Prices().total([])\n")
    found = reasons(shop.impact())
    assert "shop/extra.py" not in found and "total" in found["shop/checkout.py"]
    (built.root / "shop/extra.py").unlink()
    (built.root / "tables/rates.txt").unlink()
    assert "changed together with tables/rates.txt" in reasons(shop.impact())["shop/money.py"]


def test_a_renamed_file_keeps_its_past(shop: Repository, built: Repo) -> None:
    built.git("mv", "tables/rates.txt", "tables/courses.txt")
    found = reasons(shop.impact(Change(staged=True)))
    assert "changed together with tables/rates.txt in 3 of 4 commits" in found["shop/money.py"]
    assert "tables/courses.txt" not in found


def test_a_patch_is_understood_before_and_after_it_is_applied(shop: Repository, built: Repo) -> None:
    built.write("shop/prices.py", ROUNDED_UP)
    patch = built.git("diff") + "\n"
    after = reasons(shop.impact(Change(patch=patch)))
    built.git("checkout", "-q", ".")
    before = shop.impact(Change(patch=patch, name="fix.patch"))
    assert before.query == "fix.patch" and reasons(before) == after and not before.notes
    built.write("shop/prices.py", "# something else\n")
    answer = shop.impact(Change(patch=patch))
    assert any("made for other content of shop/prices.py" in note for note in answer.notes) and answer.results
    past = shop.impact(Change(patch=patch), at="HEAD~1", k=1)
    assert len(past) == 1 and past.snapshots[0].commit == built.git("rev-parse", "HEAD~1")


def test_a_binary_file_counts_by_its_past(shop: Repository, built: Repo) -> None:
    built.write("tables/rates.txt", b"\0\1\2" * 100)
    assert "changed together with tables/rates.txt" in reasons(shop.impact())["shop/money.py"]


def test_filters_and_limits(shop: Repository, built: Repo) -> None:
    built.write("shop/prices.py", ROUNDED_UP)
    assert "tests/test_prices.py" not in reasons(shop.impact(exclude=["tests/"]))
    assert len(shop.impact(k=1)) == 1
    for wrong in ({"k": 0}, {"level": "word"}, {"at": "HEAD"}, {"exclude": ["["]}):
        with pytest.raises(UsageError):
            shop.impact(**wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: nothing has changed"),
        (" \n\n", "is empty: nothing has changed"),
        ("Dear all,\n\nplease see below.\n", "is not a patch: it has no file head"),
        ("\0\0\0", "looks like a binary file"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n-one\n", "not a patch that can be read: line 3"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-one\n+two\n", r"no file that the patch changes \(x.py\)"),
    ],
)
def test_what_is_no_patch_for_this_repository_is_refused(shop: Repository, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        shop.impact(Change(patch=text))


def test_where_nothing_has_changed_or_can(shop: Repository, built: Repo, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no uncommitted changes"):
        shop.impact()
    with pytest.raises(UsageError, match="has no staged changes"):
        shop.impact(Change(staged=True))
    with pytest.raises(UsageError, match="only one"):
        Change(patch="x", staged=True)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.py").write_text("def a(): ...\n")
    subprocess.run(["git", "clone", "-q", "--bare", built.root, tmp_path / "bare.git"], check=True)
    for place, said in (("folder", "a plain folder"), ("bare.git", "a bare repository")):
        with trackdown.open(str(tmp_path / place), settings=settings) as other, pytest.raises(UsageError, match=said):
            other.impact()
    Repo(tmp_path / "new").write("a.py", "def a(): ...\n")
    with (
        trackdown.open(str(tmp_path / "new"), settings=settings) as new,
        pytest.raises(UsageError, match="no commit yet"),
    ):
        new.impact()
    with trackdown.open(str(tmp_path / "bare.git"), settings=settings) as bare:
        assert bare.impact(Change(revisions="HEAD~2..HEAD~1"))
