"""A search of a fleet: the right repositories first, and in them the answers of `search`."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import trackdown
from tests.fleet.fleets import SOURCES, SmallFleet, needs_extra, places
from trackdown.engine import Change, ServedRepository
from trackdown.errors import FleetError, GitError, StoreFull, UnknownRepository, UnknownRevision, UsageError
from trackdown.fleet import FleetRepositories, reader
from trackdown.types import SearchResults

pytestmark = needs_extra


def others(name: str) -> str:
    """The other repositories of the fleet, as a note names them."""
    return ", ".join(one for one in sorted(SOURCES) if one != name)


@pytest.fixture
def synced(fleet: SmallFleet) -> SmallFleet:
    fleet.sync()
    return fleet


def test_results_are_those_of_search_with_their_repository(synced: SmallFleet) -> None:
    shop = synced.repositories["shop"]
    shop.commit("Sign the session cookie again", {"web/other.py": "def read_cookie(text):\n    return text\n"})
    synced.sync()
    found = synced.search("sign the session cookie", only=("shop",))
    own = trackdown.open(shop.root, settings=synced.settings).search("sign the session cookie", effort="fast")
    assert [replace(one, repository="shop") for one in own] == list(found)
    assert found.confidence == own.confidence and len(found) > 1


def test_the_tables_choose_and_the_answer_says_what_was_looked_into(synced: SmallFleet) -> None:
    asked = {
        "sign the session cookie": "shop",
        "BookTransfer": "bank",
        "where is ledger.go": "bank",
        'it said "no road leads there from here"': "maps",
        "Begin the maps": "maps",
    }
    for query, name in asked.items():
        answer = synced.search(query, look_into=1)
        assert {one.repository for one in answer} <= {name}, query
        assert [info.repository for info in answer.snapshots] == [name]
        assert answer.notes[-1] == f"looked into {name}; not into {others(name)}"


def test_many_repositories_that_were_not_looked_into_are_counted(synced: SmallFleet) -> None:
    for number in range(5):
        synced.repository(f"tool{number}", {"tool.py": f"def tool_{number}():\n    return {number}\n"})
    synced.write(**{name: ["open"] for name in synced.repositories})
    synced.sync()
    assert synced.search("sign the session cookie", look_into=1).notes[-1] == "looked into shop; 7 of 8 were not"
    notes = synced.search("sign the session cookie", only=("shop", "tool1", "tool2"), look_into=1).notes
    assert notes[-1] == "looked into shop; not into tool1, tool2"


def test_languages_and_names_limit_the_choice(synced: SmallFleet) -> None:
    assert {one.repository for one in synced.search("cookie", look_into=1, languages=("go",))} <= {"bank"}
    assert {one.repository for one in synced.search("route cookie", only=("maps", "bank"), look_into=1)} == {"maps"}


def test_a_language_is_known_by_all_its_names(synced: SmallFleet) -> None:
    for query, asked in (("book a transfer lang:golang", ()), ("book a transfer", ("Golang",)), ("lang:.go", ())):
        answer = synced.search(query, languages=asked)
        assert [info.repository for info in answer.snapshots] == ["bank"], query
        assert {one.symbol for one in answer} == {"BookTransfer"}
    with pytest.raises(UsageError, match="unknown language 'klingon'"):
        synced.search("book a transfer", languages=("klingon",))


def test_repositories_without_the_language_take_no_slots(synced: SmallFleet) -> None:
    answer = synced.search("Begin the maps of the shop", look_into=1, languages=("go",))
    assert answer.notes[-1] == "looked into bank; not into maps, shop"
    nowhere = synced.search("Begin the maps of the shop", languages=("rust",))
    assert not nowhere.results and not nowhere.snapshots
    assert nowhere.notes == ("looked into nothing: none of the 3 repositories has a file in these languages",)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("symbol:sign_cookie", "shop"),
        ("symbol:sign_cookie return", "shop"),
        ("path:route.rb kind:function", "maps"),
        ("path:web/*.py", "shop"),
    ],
)
def test_filters_tell_the_repository_as_words_do(synced: SmallFleet, query: str, name: str) -> None:
    answer = synced.search(query, look_into=1)
    assert answer.notes[-1] == f"looked into {name}; not into {others(name)}"
    assert {one.repository for one in answer} == {name}


def test_filters_that_tell_no_repository_are_refused(synced: SmallFleet) -> None:
    assert {one.repository for one in synced.search("kind:function")} == {"bank", "maps", "shop"}
    for query in ("kind:function", "-symbol:sign_cookie", "path:**/*"):
        with pytest.raises(UsageError, match="3 repositories to look into: name a repository or add words"):
            synced.search(query, look_into=2)


def test_groups_limit_everything(synced: SmallFleet) -> None:
    answer = synced.search("book a transfer between accounts", "open")
    assert "bank" not in str(answer)
    assert answer.notes[-1] == "looked into maps, shop, which is all of them"
    for name in ("bank", "nothing"):
        with pytest.raises(UnknownRepository, match=f"there is no repository '{name}' in this fleet"):
            synced.search("transfer", "open", only=(name,))


def test_several_groups_are_searched_together(synced: SmallFleet) -> None:
    synced.repository("tool", {"tool.py": "def transfer_cookie(value):\n    return value\n"})
    synced.write(shop=["open", "team"], bank=["closed"], maps=["open"], tool=["hidden"])
    synced.sync()
    query = "book a transfer or sign the session cookie"
    asked = {("closed", "open", "team"): {"shop", "bank", "maps"}, ("closed", "team"): {"shop", "bank"}}
    for groups, names in asked.items():
        answer = synced.search(query, *groups)
        assert {info.repository for info in answer.snapshots} == names
        assert {place[0] for place in places(answer)} == {"shop", "bank"}
        assert len(places(answer)) == len(set(places(answer)))  # shop is in two tables, and once in the answer
        assert "tool" not in str(answer)
    with synced.opened("closed", "open", "team") as opened, synced.opened("closed", "open") as one_table_less:
        found = opened.search(query, effort="fast")
        assert found.results == one_table_less.search(query, effort="fast").results


def test_other_questions_are_answered_for_one_repository(synced: SmallFleet) -> None:
    with synced.opened() as opened:
        assert "sign_cookie" in opened.unit("web/session.py", repository="shop").text
        assert opened.history("begin", repository="bank").commits[0].subject == "Begin the bank"
        assert opened.status("maps").ready
        assert opened.graph("sign_cookie", repository="shop").nodes
        assert {one.repository for one in opened.history("begin the ledger")} == {"bank", "maps", "shop"}
        with pytest.raises(UsageError, match="name one of the 3 repositories: bank, maps, shop"):
            opened.unit("web/session.py")
        with pytest.raises(UnknownRevision, match="shop has no commit, branch or tag 'nowhere'"):
            opened.show("nowhere", repository="shop")


def test_an_address_is_not_taken_for_nobody(synced: SmallFleet) -> None:
    shop = synced.repositories["shop"]
    for number in range(2):
        shop.commit(f"Round {number}", {"price.py": f"PRICE = {number}\n"})
        shop.git("commit", "-q", "--amend", "--no-edit", "--author", "Eve <eve@shop.example>")
    synced.sync()
    with synced.opened() as opened:
        assert len(opened.history(repository="shop", limits={"author": "eve"}).commits) == 2
        for author in ("eve@shop.example", "shop.example"):
            answer = opened.history(repository="shop", limits={"author": author})
            assert not answer.commits and answer.notes == (
                f"no commit here is by {author!r}: this index has the names of authors, not their addresses; "
                "give a part of a name",
            )


CALLS: dict[str, Callable[[FleetRepositories], object]] = {
    "search": lambda opened: opened.search("sign the cookie", effort="fast", repository="shop").results,
    "history": lambda opened: opened.history("begin", repository="shop").commits,
    "show": lambda opened: opened.show("HEAD", repository="shop").subject,
    "blame": lambda opened: opened.blame("web/session.py:1", repository="shop").lines,
    "related": lambda opened: opened.related("sign_cookie", repository="shop"),
    "graph": lambda opened: opened.graph("sign_cookie", repository="shop").nodes,
    "impact": lambda opened: opened.impact(Change(PATCH), repository="shop").query,
    "unit": lambda opened: opened.unit("web/session.py", repository="shop").text,
    "examples": lambda opened: opened.examples(repository="shop"),
}
PATCH = """--- a/web/session.py
+++ b/web/session.py
@@ -1,3 +1,3 @@
 def sign_cookie(value, secret):
     'Sign the session cookie.'
-    return value + secret
+    return secret + value
"""


@pytest.mark.parametrize("ask", CALLS.values(), ids=CALLS)
def test_a_repository_that_made_room_is_fetched_again(
    synced: SmallFleet, monkeypatch: pytest.MonkeyPatch, ask: Callable[[FleetRepositories], object]
) -> None:
    with synced.opened() as opened:
        expected = ask(opened)
        only = opened._only
        removed: list[ServedRepository] = []

        def only_then_removed(repository: str | None) -> ServedRepository:
            served = only(repository)
            if not removed:
                removed.append(served)
                shutil.rmtree(served.source.root.parent)
            return served

        monkeypatch.setattr(opened, "_only", only_then_removed)
        assert ask(opened) == expected and removed


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space"), GitError("fatal: No space left on device")])
def test_the_cache_makes_room_on_a_full_disk(
    synced: SmallFleet, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    unpack, cache = reader.unpack_commit, synced.folder / "reader" / "fleet"

    def unpack_with_room(*about: Any) -> None:
        if len(list(cache.glob("*/*/ready"))) >= room:
            raise error
        unpack(*about)

    monkeypatch.setattr(reader, "unpack_commit", unpack_with_room)
    room = 2
    with synced.opened() as opened:
        for name, path in (("shop", "web/session.py"), ("bank", "src/ledger.go"), ("maps", "route.rb")):
            assert opened.unit(path, repository=name).text
        room = 0
        with pytest.raises(StoreFull, match="is full: free some space"):
            opened.unit("web/session.py", repository="shop")


def test_what_makes_no_sense_is_refused(synced: SmallFleet, fleet: SmallFleet) -> None:
    with pytest.raises(UsageError, match="leave out `at`"):
        synced.search("x", at="main")
    with pytest.raises(UsageError, match="1 to 100 repositories"):
        synced.search("x", look_into=0)


def test_nothing_is_published_yet(fleet: SmallFleet) -> None:
    with pytest.raises(FleetError, match="fleet sync"):
        fleet.search("cookie")


def test_the_cache_stays_within_its_limit(synced: SmallFleet) -> None:
    synced.settings = replace(synced.settings, store_limit_mb=1)
    big = "\n".join(f"def number_{at}(value):\n    return value + {at}\n" for at in range(3000))
    for name in ("one", "two", "three"):
        synced.repository(name, {"big.py": f"NAME = '{name}'\n" + big})
    synced.write(one=["open"], two=["open"], three=["open"])
    synced.sync()
    with synced.opened() as opened:
        for name in ("one", "two", "three", "one"):
            found = opened.search("number_77", effort="fast", repository=name)
            assert isinstance(found, SearchResults) and places(found)[0] == (name, "big.py", "number_77")
        cached = [folder for at in (synced.folder / "reader" / "fleet").iterdir() for folder in at.iterdir()]
        assert 1 <= sum(folder.is_dir() for folder in cached) < 3
