"""Relatives of a place: callers, callees, siblings, base classes and subclasses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import Relative
from trackdown.engine.navigation import relations

Opener = Callable[[Path | str], trackdown.Repository]

CODE = """from other import helper


class Base:
    pass


class Session(Base):
    def sign(self, value):
        return self.secret(value)

    def load(self):
        return helper(self.sign(1))

    def secret(self, value):
        return value


class Shop(Session):
    pass


class Guest(Session):
    pass


def top():
    return Session().sign(2)


top()
"""


@pytest.fixture
def opened(repo: Repo, open_repo: Opener) -> trackdown.Repository:
    repo.commit("Begin", {"web.py": CODE, "other.py": "def helper(value):\n    return value\n", "README.md": "# Web\n"})
    return open_repo(repo.root)


def symbols(found: tuple[Relative, ...]) -> list[str]:
    return [one.symbol or one.path for one in found]


def test_a_method_has_callers_callees_siblings_and_the_relatives_of_its_class(opened: trackdown.Repository) -> None:
    found = opened.related("web.py:9")
    assert found.symbol == "Session.sign"
    assert set(symbols(found.callers)) == {"Session.load", "top"}
    assert symbols(found.callees) == ["Session.secret"]
    assert symbols(found.siblings) == ["Session.load", "Session.secret"], "the nearest first"
    assert symbols(found.bases) == ["Base"]
    assert symbols(found.subclasses) == ["Shop", "Guest"]
    assert found.callees[0] == Relative("web.py", "Session.secret", "method", 15, 16, "exact")


def test_a_callee_may_stand_in_another_file(opened: trackdown.Repository) -> None:
    found = opened.related("web.py:12")
    assert {(one.path, one.symbol) for one in found.callees} == {("web.py", "Session.sign"), ("other.py", "helper")}


def test_a_class_has_the_classes_of_its_file_as_siblings(opened: trackdown.Repository) -> None:
    found = opened.related("web.py:8")
    assert symbols(found.siblings) == ["Base", "Shop", "Guest", "top"]
    assert "top" in symbols(found.callers)


def test_a_function_at_the_top_has_no_class(opened: trackdown.Repository) -> None:
    found = opened.related("web.py:28")
    assert found.symbol == "top" and not found.bases and not found.subclasses
    assert [(one.path, one.symbol, one.kind, one.start_line) for one in found.callers] == [("web.py", "", "file", 1)]


def test_a_line_outside_of_all_has_the_relatives_of_its_file(opened: trackdown.Repository) -> None:
    found = opened.related("web.py:31")
    assert symbols(found.callees) == ["top"] and symbols(found.siblings)[0] == "top"
    text = opened.related("README.md:1")
    assert not (text.callers or text.callees or text.siblings or text.bases or text.subclasses)


def test_at_most_k_of_each_and_the_surest_first(repo: Repo, open_repo: Opener) -> None:
    calls = "\n\n".join(f"def call{number}(x):\n    return x.sign(1)" for number in range(9))
    repo.commit("Begin", {"web.py": CODE, "calls.py": calls, "other.py": "def helper(value):\n    return value\n"})
    opened = open_repo(repo.root)
    few = opened.related("web.py:9", k=2)
    assert len(few.callers) == 2 and {one.how for one in few.callers} == {"exact"}
    hows = [one.how for one in opened.related("web.py:9", k=50).callers]
    assert hows == sorted(hows, key=["exact", "scoped", "name"].index)
    assert len(opened.related("web.py:9", k=1).subclasses) == 1


def test_a_symbol_or_a_file_is_a_target_too(opened: trackdown.Repository) -> None:
    assert opened.related("Session.sign").callers == opened.related("web.py:9").callers
    assert opened.related("web.py:Session.sign").symbol == opened.related("sign").symbol == "Session.sign"
    whole = opened.related("web.py")
    assert (whole.location, whole.symbol) == ("web.py", "") and symbols(whole.callees) == ["top"]
    assert symbols(whole.siblings) == ["Base", "Session", "Shop", "Guest", "top"]
    assert symbols(whole.imports) == ["helper"] and not whole.importers
    assert symbols(opened.related("other.py").importers) == ["web.py"]
    assert all(one.path != "web.py" for one in whole.similar), "a file is not similar to its own functions"
    with pytest.raises(trackdown.TrackdownError, match=r"(?s)has no .*Sesion.*Session"):
        opened.related("Sesion")


def test_a_name_of_several_places_says_so(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "def same():\n    pass\n", "b.py": "def same():\n    pass\n"})
    found = open_repo(repo.root).related("same")
    assert (
        found.location == "a.py:1" and "matches 2 places; this is the first, a.py:1. Others: b.py:1" in found.notes[0]
    )


def test_callers_through_a_base_class_say_so_and_are_never_sure(repo: Repo, open_repo: Opener) -> None:
    base = "class Base:\n    def load(self):\n        return 0\n\n\nclass Middle(Base):\n    pass\n\n\n"
    code = base + "class Shop(Middle):\n    def load(self):\n        return super().load()\n\n\n"
    code += "def through(base: Base):\n    return base.load()\n\n\ndef direct(shop: Shop):\n    return shop.load()\n"
    repo.commit("Begin", {"web.py": code})
    found = {one.symbol: (one.how, one.through) for one in open_repo(repo.root).related("Shop.load").callers}
    assert found == {"direct": ("exact", ""), "through": ("scoped", "Base.load")}
    above = open_repo(repo.root).related("Base.load").callers
    assert all(not one.through for one in above)


def test_a_name_in_too_many_files_gets_a_partial_answer(
    repo: Repo, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    callers = {f"z/far{n}.py": "from a.target import poll\n\n\ndef f():\n    poll()\n" for n in range(60)}
    repo.commit("Polls", {"a/target.py": "def poll():\n    pass\n", **callers})
    opened = open_repo(repo.root)
    monkeypatch.setattr(relations.RelativeFinder.__init__, "__defaults__", (0.0,))
    cut = opened.related("poll", k=100)
    assert cut.partial and 0 < len(cut.callers) < 60 and "incomplete" in cut.notes[0]
    monkeypatch.undo()
    whole = opened.related("poll", k=100)
    assert not whole.partial and len(whole.callers) == 60 and whole.notes == ()
