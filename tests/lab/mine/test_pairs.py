"""Pairs out of small real histories: which queries, which answers, and what is left out."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.mine.test_changes import remove_blob
from trackdown.errors import EmptyRepository, NoSuchPath, UsageError
from trackdown.lab.mine.dataset import NO_PARENT, SAID_BEFORE
from trackdown.lab.mine.filters import MERGE
from trackdown.lab.mine.harvest import SAME_WORDS, Harvest, HarvestLimits, MinedExample
from trackdown.lab.mine.pairs import (
    FOREIGN,
    LIKE_ANOTHER,
    LIKE_ANOTHER_DOCSTRING,
    LIKE_OTHER_CODE,
    MANY_UNITS,
    NO_UNIT,
    SHORT,
    harvest,
)

CART = '''\
class Cart:
    def add(self, item):
        """Put another item into the cart of a customer."""
        self.items.append(item)

    def total(self):
        return sum(item.price for item in self.items)

    def clear(self):
        self.items = []

    def count(self):
        return len(self.items)

    def first(self):
        return self.items[0]
'''


def symbols(found: Harvest, numbers: tuple[int, ...]) -> list[str]:
    return [f"{found.documents[number].path}:{found.documents[number].symbol}" for number in numbers]


def commits(found: Harvest) -> list[MinedExample]:
    return [example for example in found.examples if example.kind == "commit"]


def docstrings(found: Harvest) -> list[MinedExample]:
    return [example for example in found.examples if example.kind == "docstring"]


def test_a_commit_asks_for_what_it_edited_as_it_was(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"shop/cart.py": CART, "README.md": "# Shop\n"})
    changed = CART.replace("return sum(item.price for", "return sum(item.price * item.count for")
    oid = repo.commit(
        "Multiply prices by the count of items (#12)\n\nTotals were wrong.\n\nSigned-off-by: Ada <a@b.c>",
        {"shop/cart.py": changed, "README.md": "# Shop\n\nmore\n", "tests/test_cart.py": "def test(): pass\n"},
    )
    found = harvest(repo.root, "ada/shop")
    (example,) = commits(found)
    assert (example.commit, example.time) == (oid, 1_600_000_120)
    assert example.subject == "Multiply prices by the count of items"
    assert example.message == "Multiply prices by the count of items\n\nTotals were wrong."
    assert example.files == ("README.md", "shop/cart.py", "tests/test_cart.py") and example.rewritten == ""
    assert symbols(found, example.answers) == ["shop/cart.py:Cart.total"]
    assert "item.price for" in found.documents[example.answers[0]].code
    assert len(example.beside) == 4 and not set(example.beside) & set(example.answers)
    assert (found.looked_at, found.dropped[NO_PARENT]) == (2, 1)


def test_a_docstring_asks_for_its_function_without_it(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"shop/cart.py": CART})
    found = harvest(repo.root, "ada/shop")
    (example,) = docstrings(found)
    assert example.subject == "Put another item into the cart of a customer."
    answer = found.documents[example.answers[0]]
    assert answer.code == "    def add(self, item):\n        self.items.append(item)"
    assert {document.symbol for document in found.documents} >= {"Cart.total", "Cart.clear"}


def test_a_renamed_file_keeps_its_identity(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    repo.git("mv", "cart.py", "basket.py")
    repo.commit("Move the cart elsewhere entirely")
    repo.git("mv", "basket.py", "shop_basket.py")
    repo.commit(
        "Empty baskets become lists", {"shop_basket.py": CART.replace("self.items = []", "self.items = list()")}
    )
    found = harvest(repo.root, "ada/shop")
    newest = commits(found)[0]
    assert symbols(found, newest.answers) == ["basket.py:Cart.clear"]
    assert [found.present_path(path) for path in ("cart.py", "basket.py", "shop_basket.py", "x.py")] == [
        "shop_basket.py",
        "shop_basket.py",
        "shop_basket.py",
        "x.py",
    ]


def test_what_is_left_out_is_counted(repo: Repo) -> None:
    many = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(20))
    repo.commit("Begin the shop with a cart", {"cart.py": CART, "many.py": many, "vendor/x.py": CART, "a.txt": "1\n"})
    repo.commit("Rewrite everything that is countable", {"many.py": many.replace("return ", "return 1 + ")})
    repo.commit("Update the vendored copy of shop", {"vendor/x.py": CART.replace("[0]", "[1]")})
    repo.commit("Explain the wares in prose", {"a.txt": "2\n"})
    repo.commit("Take first wares from the end", {"cart.py": CART.replace("[0]", "[-1]")})
    repo.commit("fix: takes first ware from the ends!", {"cart.py": CART.replace("[0]", "[-2]")})
    repo.commit("Clear all wares of customers at once", {"cart.py": CART.replace("= []", "= [1]")})
    repo.commit("Clear all wares of customers at once", {"cart.py": CART.replace("= []", "= [2]")})
    repo.git("checkout", "-qb", "side", "HEAD~1")
    repo.commit("Beside the main branch of shop", {"b.txt": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch side", "side")
    found = harvest(repo.root, "ada/shop")
    assert [example.subject for example in commits(found)] == [
        "Clear all wares of customers at once",
        "fix: takes first ware from the ends!",
    ]
    expected = {MERGE: 1, MANY_UNITS: 1, FOREIGN: 1, NO_UNIT: 3, SAID_BEFORE: 1, LIKE_ANOTHER: 1, NO_PARENT: 1}
    assert {rule: found.dropped[rule] for rule in expected} == expected
    assert found.looked_at == 10 and not any("vendor" in document.path for document in found.documents)


def test_documents_alike(repo: Repo) -> None:
    code = 'def {0}(self):\n    """{1} the session of customers."""\n    return {2}\n\n\n'
    text = code.format("sign", "Sign", "1") + code.format("signs", "Signs", "2") + code.format("close", "Close", "3")
    repo.commit("Begin the shop with sessions", {"a.py": text, "b.py": text})
    repo.commit("Reformat", {"a.py": text.replace("return 1", "return  (1)")})
    repo.commit("Sign sessions of customers twice", {"a.py": text.replace("return 1", "return 11")})
    found = harvest(repo.root, "ada/shop")
    assert sorted(example.subject.replace("Signs", "Sign") for example in docstrings(found)) == [
        "Close the session of customers.",
        "Sign the session of customers.",
    ]
    assert (found.dropped[LIKE_ANOTHER_DOCSTRING], found.dropped[LIKE_OTHER_CODE]) == (2, 2)
    assert found.dropped[SAME_WORDS] == 0


def test_versions_that_differ_in_layout_are_one_document(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    spaced = CART.replace("len(self.items)", "len( self.items )")
    repo.commit("Count wares with spaces around", {"cart.py": spaced})
    repo.commit("Count wares plus one", {"cart.py": spaced.replace("len( self.items )", "len(self.items) + 1")})
    found = harvest(repo.root, "ada/shop")
    first, second = commits(found)
    assert first.answers == second.answers and found.dropped[SAME_WORDS] == 1


def test_limits(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    for number, word in enumerate(["apples", "pears", "plums", "nuts", "figs"], 1):
        repo.commit(f"Change the count of {word} in carts", {"cart.py": CART.replace("[0]", f"[{number}]")})
    assert len(commits(harvest(repo.root, "x", HarvestLimits(cases=2)))) == 2
    few = harvest(repo.root, "x", HarvestLimits(docstrings=0, others=1))
    assert docstrings(few) == [] and len(commits(few)) == 5
    assert harvest(repo.root, "x", HarvestLimits(seconds=0)).looked_at <= 6
    repo.commit(
        "Change the count of dates in carts\n\nPeople who count their wares twice\nget another number.",
        {"cart.py": CART},
    )
    long = harvest(repo.root, "x", HarvestLimits(words=8))
    assert [example.subject for example in commits(long)] == ["Change the count of dates in carts"] and long.dropped[
        SHORT
    ] == 5


def test_the_same_seed_gives_the_same(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    repo.commit("Take first wares from the end", {"cart.py": CART.replace("[0]", "[-1]")})
    assert (
        harvest(repo.root, "x", HarvestLimits(seed=3)).examples
        == harvest(repo.root, "x", HarvestLimits(seed=3)).examples
    )


def test_rewritten_messages_keep_to_their_commits(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART, "other.py": "def other():\n    return 1\n"})
    chosen = repo.commit("wip", {"cart.py": CART.replace("[0]", "[-1]")})
    repo.commit("Clear all wares of customers at once", {"cart.py": CART.replace("= []", "= [1]")})
    repo.git("checkout", "-q", "--detach", "HEAD~2")
    elsewhere = repo.commit("Change another branch of wares", {"other.py": "def other():\n    return 2\n"})
    repo.git("checkout", "-q", "main")
    texts = {
        chosen: "The first ware of a cart is wrong",
        elsewhere: "The other function returns number one",
        "0" * 40: "Not there",
    }
    found = harvest(repo.root, "ada/shop", rewritten=texts)
    assert {example.commit: example.rewritten for example in found.examples} == {
        chosen: "The first ware of a cart is wrong",
        elsewhere: "The other function returns number one",
    }
    (example,) = [example for example in found.examples if example.commit == chosen]
    assert (example.subject, example.rewritten) == ("wip", "The first ware of a cart is wrong")
    assert symbols(found, example.answers) == ["cart.py:Cart.first"]
    assert all(found.documents[number].path == "cart.py" for number in example.beside) and example.beside
    assert found.looked_at == 2


def test_a_merge_that_resolved_an_issue_is_what_it_brought(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    repo.git("checkout", "-q", "-b", "fix")
    repo.commit("wip", {"cart.py": CART.replace("[0]", "[-1]")})
    repo.git("checkout", "-q", "main")
    repo.commit("Say what the shop is", {"README.md": "A shop\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'fix'", "fix")
    merge = repo.git("rev-parse", "HEAD").strip()
    issue = "The first ware is wrong\n\n```\nTraceback\n```"
    (example,) = harvest(repo.root, "ada/shop", rewritten={merge: issue}).examples
    assert (example.files, example.rewritten) == (("cart.py",), issue)


def test_a_mass_change_resolves_nothing_in_particular(repo: Repo) -> None:
    names = [f"cart{number}.py" for number in range(11)]
    repo.commit("Begin the shop with carts", dict.fromkeys(names, CART))
    change = repo.commit("wip", dict.fromkeys(names, CART.replace("[0]", "[-1]")))
    found = harvest(repo.root, "x", rewritten={change: "The first ware of all carts is wrong"})
    assert not found.examples and found.dropped["mass change"] == 1


def test_no_rewritten_commit_is_here(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    found = harvest(repo.root, "x", rewritten={"0" * 40: "Not there"})
    assert (found.examples, found.documents, found.looked_at) == ([], [], 0)


def test_a_missing_blob_costs_one_commit_at_most(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART, "big.csv": "1\n"})
    repo.commit("Take first wares from the end", {"cart.py": CART.replace("[0]", "[-1]"), "big.csv": "data\n"})
    repo.commit("Clear all wares of customers at once", {"cart.py": CART.replace("= []", "= [1]")})
    remove_blob(repo, "HEAD~1:big.csv")
    found = harvest(repo.root, "x")
    assert [symbols(found, example.answers) for example in commits(found)] == [
        ["cart.py:Cart.clear", "cart.py:Cart.first"],
        ["cart.py:Cart.first"],
    ]


def test_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    repo.commit("Take first wares from the end", {"cart.py": CART.replace("[0]", "[-1]")})
    repo.commit("Clear all wares of customers at once", {"cart.py": CART.replace("= []", "= [1]")})
    repo.git("clone", "-q", "--depth=2", f"file://{repo.root}", str(tmp_path / "shallow"))
    found = harvest(tmp_path / "shallow", "x")
    assert [example.subject for example in commits(found)] == ["Clear all wares of customers at once"]
    assert found.dropped[NO_PARENT] == 1 and len(docstrings(found)) == 1


def test_hostile_names_and_bytes(repo: Repo) -> None:
    names = ["tab\there.py", "line\nbreak.py", "by\udcffte.py", 'quo"te.py', "sp ace.py"]
    repo.commit("Begin", {name: CART.encode() + b"# \xff\xfe\n" for name in names})
    for name in names:
        change = CART.replace("[0]", f"[{len(name)}]").encode() + b"# \xff\xfe\n"
        repo.commit(f"Take wares of {name.encode('utf-8', 'replace').decode()!r} first", {name: change})
    found = harvest(repo.root, "x")
    asked = {symbols(found, example.answers)[0] for example in commits(found)}
    assert asked == {f"{name}:Cart.first" for name in names}


def test_what_has_no_history(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="plain folder"):
        harvest(tmp_path / "plain", "x")
    with pytest.raises(NoSuchPath):
        harvest(tmp_path / "none", "x")
    with pytest.raises(EmptyRepository, match="no commit yet"):
        harvest(repo.root, "x")


def test_a_repository_is_only_read(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    hook = repo.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n")
    os.chmod(hook, stat.S_IRWXU)
    before = sorted(str(path) for path in repo.root.rglob("*"))
    harvest(repo.root, "x")
    assert sorted(str(path) for path in repo.root.rglob("*")) == before
