"""The graph around a place: how it is named, how far a walk goes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import Neighbourhood
from trackdown.errors import EmptyRepository, UnknownRevision, UsageError
from trackdown.graph.walks import MOST_NODES

Opener = Callable[[Path | str], trackdown.Repository]

BASE = """class Base:
    def load(self):
        return decode(self.text)


def decode(text):
    return text.strip()
"""
SHOP = """from web.base import Base, decode


class Shop(Base):
    def open(self):
        return self.load()

    def close(self):
        def bolt():
            return decode("x")

        return bolt()


def load():
    return Shop().open()
"""


@pytest.fixture
def web(repo: Repo) -> Repo:
    """Two modules: one imports, calls and inherits from the other."""
    repo.commit("Begin", {"web/base.py": BASE, "README.md": "# Web\n"})
    repo.commit("Open a shop", {"web/shop.py": SHOP, "web/sub/odd.lua": "function f() return 1 end\n"})
    return repo


@pytest.fixture
def opened(web: Repo, open_repo: Opener) -> trackdown.Repository:
    return open_repo(web.root)


def starts(answer: Neighbourhood) -> list[str]:
    return [node.id for node in answer.starts]


def edges(answer: Neighbourhood) -> set[tuple[str, str, str]]:
    """Each edge as (source, type, target), by symbols, or by paths where there are none."""
    return {
        (edge.source.symbol or edge.source.path, edge.type, edge.target.symbol or edge.target.path)
        for edge in answer.edges
    }


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("web/shop.py", ["web/shop.py"]),
        ("./web//shop.py", ["web/shop.py"]),
        ("web/shop.py:1", ["web/shop.py"]),
        ("web/shop.py:4", ["web/shop.py:Shop:4"]),
        ("web/shop.py:6", ["web/shop.py:Shop.open:5"]),
        ("web/shop.py:10", ["web/shop.py:Shop.close.bolt:9"]),
        ("web/shop.py:006", ["web/shop.py:Shop.open:5"]),
        ("web/shop.py:Shop.open", ["web/shop.py:Shop.open:5"]),
        ("web/shop.py:open", ["web/shop.py:Shop.open:5"]),
        ("web/shop.py:Shop.open:5", ["web/shop.py:Shop.open:5"]),
        ("web/", ["web/"]),
        ("web", ["web/"]),
        ("web/sub", ["web/sub/"]),
        (".", ["/"]),
        ("Shop", ["web/shop.py:Shop:4"]),
        ("Shop.open", ["web/shop.py:Shop.open:5"]),
        ("Shop::open", ["web/shop.py:Shop.open:5"]),
        ("Shop#open()", ["web/shop.py:Shop.open:5"]),
        ("close.bolt", ["web/shop.py:Shop.close.bolt:9"]),
        ("bolt", ["web/shop.py:Shop.close.bolt:9"]),
        ("load", ["web/shop.py:load:15"]),
        ("base.py", ["web/base.py"]),
    ],
)
def test_a_place_is_found_however_it_is_named(opened: trackdown.Repository, target: str, expected: list[str]) -> None:
    assert starts(opened.graph(target)) == expected


def test_a_path_may_be_named_from_the_current_folder(
    web: Repo, opened: trackdown.Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(web.root / "web")
    for target in ("shop.py", "./shop.py", "../web/shop.py", f"{web.root}/web/shop.py"):
        assert starts(opened.graph(target)) == ["web/shop.py"]
    assert starts(opened.graph("shop.py:5")) == ["web/shop.py:Shop.open:5"]
    assert starts(opened.graph(".")) == ["web/"]
    assert starts(opened.graph(str(web.root))) == ["/"]


def test_several_places_of_one_name_are_all_starts_and_that_is_said(web: Repo, open_repo: Opener) -> None:
    more = {f"more/m{number}.py": "class Till:\n    def count(self):\n        pass\n" for number in range(5)}
    web.commit("More", more)
    opened = open_repo(web.root)
    found = opened.graph("Till.count")
    assert starts(found) == [f"more/m{number}.py:Till.count:2" for number in range(5)]
    (note,) = found.notes
    assert "Till.count matches 5 places" in note and "more/m0.py:2" in note and "and 2 more" in note
    with pytest.raises(UsageError, match="no file, folder, class or function 'Till'"):
        open_repo(web.root / "web").graph("Till")  # confined to its subfolder
    begun = open_repo(web.root / "web")
    begun.confined = False
    assert starts(begun.graph("Till")) == [f"more/m{number}.py:Till:1" for number in range(5)]
    web.write("web/till.py", "class Till:\n    pass\n")
    assert starts(begun.graph("Till")) == ["web/till.py:Till:1"], "what is below is preferred"
    assert len(open_repo(web.root).graph("Till").starts) == 6


def test_several_files_of_one_name_are_all_starts(web: Repo, open_repo: Opener) -> None:
    web.commit("More", {"a/util.py": "A = 1\n", "b/util.py": "B = 1\n"})
    found = open_repo(web.root).graph("util.py")
    assert starts(found) == ["a/util.py", "b/util.py"] and "matches 2 files" in found.notes[0]


def test_a_line_between_functions_stands_for_its_file_and_that_is_said(opened: trackdown.Repository) -> None:
    assert opened.graph("web/shop.py:1").notes == (
        "line 1 of web/shop.py is not in a function or class: this is its file",
    )


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Shop.opn", ["'Shop.opn'", "nearest: Shop.open"]),
        ("shop", ["nearest: Shop"]),
        ("web/shp.py", ["'web/shp.py'", "nearest: web/shop.py"]),
        ("web/shp.py:3", ["web/shp.py is not an indexed file", "nearest: web/shop.py"]),
        ("web/shop.py:0", ["has no line 0", "1 to 16"]),
        ("web/shop.py:17", ["1 to 16", "no line 17"]),
        ("web/shop.py:999999999", ["no line 999999999"]),
        ("web/shop.py:Shop.opn", ["web/shop.py has no 'Shop.opn'", "nearest: Shop.open"]),
        ("web/shop.py:-1", ["web/shop.py has no '-1'"]),
        ("web/shop.py:", ["web/shop.py has no ''"]),
        ("web/shop.py:Shop.open:6", ["web/shop.py has no 'Shop.open:6'"]),
        (":7", ["has no file, folder, class or function ':7'"]),
        ("qqqqqqqqqqqq", ["'qqqqqqqqqqqq'"]),
        ("../..", ["'../..'"]),
        ("", ["is not a target"]),
        (" \t", ["is not a target"]),
        ("nul\0byte", ["is not a target"]),
        ("x" * 5000, ["has no file"]),
        ("...", ["'...'"]),
    ],
)
def test_an_unknown_place_is_refused_with_the_nearest_names(
    opened: trackdown.Repository, target: str, words: list[str]
) -> None:
    with pytest.raises(UsageError) as refused:
        opened.graph(target)
    for word in words:
        assert word in str(refused.value)


def test_edges_of_all_types_lead_both_ways(opened: trackdown.Repository) -> None:
    assert edges(opened.graph("Shop")) == {
        ("web/shop.py", "contains", "Shop"),
        ("Shop", "contains", "Shop.open"),
        ("Shop", "contains", "Shop.close"),
        ("Shop", "inherits", "Base"),
        ("load", "invokes", "Shop"),
    }
    decode = edges(opened.graph("decode", edges=["invokes", "imports"]))
    assert {("Base.load", "invokes", "decode"), ("Shop.close.bolt", "invokes", "decode")} <= decode
    assert ("web/shop.py", "imports", "decode") in decode


def test_edges_and_directions_and_sureness_can_be_chosen(opened: trackdown.Repository) -> None:
    assert edges(opened.graph("Shop", edges=["inherits"])) == {("Shop", "inherits", "Base")}
    assert edges(opened.graph("Shop", edges=["inherits"], direction="in")) == set()
    assert edges(opened.graph("Base", edges=["inherits"], direction="in")) == {("Shop", "inherits", "Base")}
    assert edges(opened.graph("Shop.open", edges=["invokes"], direction="out")) == {
        ("Shop.open", "invokes", "Base.load")
    }
    hows = {edge.how for edge in opened.graph("Shop", hows=["exact"]).edges}
    assert hows == {"exact"}
    assert opened.graph("Shop", edges=["inherits", "inherits"]).edges == opened.graph("Shop", edges=["inherits"]).edges


def test_depth_counts_edges_and_nodes_come_nearest_first(opened: trackdown.Repository) -> None:
    chain = [
        [node.symbol for node in opened.graph("load", depth, edges=["invokes"], direction="out").nodes]
        for depth in (1, 2, 3)
    ]
    assert set(chain[0]) == {"load", "Shop", "Shop.open"}
    assert chain[1][:3] == chain[0] and set(chain[1][3:]) == {"Base.load"}
    assert chain[2][-1] == "decode"


def test_a_folder_contains_folders_and_files(opened: trackdown.Repository) -> None:
    found = edges(opened.graph("web"))
    assert found == {
        ("/", "contains", "web/"),
        *(("web/", "contains", f"web/{name}") for name in ("base.py", "shop.py", "sub/")),
    }
    assert {node.kind for node in opened.graph("web").nodes} == {"directory", "file"}


def test_imports_that_go_in_a_circle_end(repo: Repo, open_repo: Opener) -> None:
    ring = {
        f"m{number}.py": f"import m{(number + 1) % 4}\n\n\ndef f{number}():\n    f{number}()\n" for number in range(4)
    }
    repo.commit("A ring", ring)
    found = open_repo(repo.root).graph("m0.py", 20, edges=["imports"], direction="out")
    assert edges(found) == {(f"m{number}.py", "imports", f"m{(number + 1) % 4}.py") for number in range(4)}
    assert not found.cut


def test_what_is_too_much_is_cut_and_that_is_said(repo: Repo, open_repo: Opener) -> None:
    code = "\n".join(f"def f{number}():\n    pass\n" for number in range(MOST_NODES + 50))
    repo.commit("Much", {"much.py": code})
    opened = open_repo(repo.root)
    found = opened.graph("much.py")
    assert found.cut and len(found.nodes) == MOST_NODES
    assert "cut at 2,000 places" in found.notes[0]
    assert all(edge.source in found.nodes and edge.target in found.nodes for edge in found.edges[:50])
    few = opened.graph("f7")
    assert not few.cut and few.notes == ()


def test_a_name_in_too_many_files_is_cut_in_time_and_that_is_said(repo: Repo, open_repo: Opener) -> None:
    callers = {f"z/far{n}.py": "from a.target import poll\n\n\ndef f():\n    poll()\n" for n in range(60)}
    repo.commit("Polls", {"a/target.py": "def poll():\n    pass\n", **callers})
    opened = open_repo(repo.root)
    late = opened.graph("poll", 3, edges=["invokes"], seconds=0.0)
    assert late.partial and late.cut and 0 < len(late.edges) < 60
    assert len(late.notes) == 1 and "incomplete" in late.notes[0] and "within 0 seconds" in late.notes[0]
    for seconds in (None, 600.0):
        whole = opened.graph("poll", edges=["invokes"], seconds=seconds)
        assert len(whole.edges) == 60 and whole.notes == () and not whole.partial and not whole.cut


def test_more_starts_than_fit_are_cut(repo: Repo, open_repo: Opener) -> None:
    body = "\n".join(f"class C{number}:\n    def same(self): pass\n" for number in range(MOST_NODES + 5))
    repo.commit("Much", {"much.py": body})
    found = open_repo(repo.root).graph("same", edges=["inherits"])
    assert len(found.starts) == len(found.nodes) == MOST_NODES and found.cut


def test_a_past_state_has_the_graph_it_had_then(opened: trackdown.Repository) -> None:
    assert edges(opened.graph("Base", at="HEAD~1")) == {
        ("web/base.py", "contains", "Base"),
        ("Base", "contains", "Base.load"),
    }
    with pytest.raises(UsageError, match="'Shop'"):
        opened.graph("Shop", at="HEAD~1")
    assert starts(opened.graph("Shop", at="HEAD")) == ["web/shop.py:Shop:4"]
    with pytest.raises(UnknownRevision):
        opened.graph("Shop", at="no-such")


def test_an_edit_is_seen_at_once(web: Repo, opened: trackdown.Repository) -> None:
    assert ("Shop", "inherits", "Base") in edges(opened.graph("Shop"))
    web.write("web/shop.py", SHOP.replace("class Shop(Base)", "class Shop"))
    assert ("Shop", "inherits", "Base") not in edges(opened.graph("Shop"))
    web.write("web/new.py", "from web.shop import Shop\n\n\nclass Kiosk(Shop):\n    pass\n")
    assert ("Kiosk", "inherits", "Shop") in edges(opened.graph("Shop"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, "between 1 and 20, not 0"),
        ({"depth": -1}, "between 1 and 20"),
        ({"depth": 10**9}, "between 1 and 20"),
        ({"edges": ["calls"]}, "unknown edge type 'calls'; known are contains, imports, invokes, inherits"),
        ({"edges": []}, "at least one edge type"),
        ({"direction": "up"}, "unknown direction 'up'"),
        ({"hows": ["surely"]}, "unknown how 'surely'; known are exact, scoped, name"),
        ({"hows": []}, "at least one how"),
    ],
)
def test_what_there_is_not_is_refused(opened: trackdown.Repository, options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        opened.graph("Shop", **options)  # type: ignore[arg-type]


def test_a_language_without_resolved_references_is_named(opened: trackdown.Repository) -> None:
    by_name = "Lua: calls, imports and base classes are matched by name only"
    assert opened.graph("web/sub/odd.lua").notes == opened.related("web/sub/odd.lua").notes == (by_name,)
    assert opened.graph("web/sub/odd.lua", edges=["contains"]).notes == ()
    assert opened.graph("README.md").notes == ()


def test_a_language_that_nobody_resolves_is_named(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Zig", {"a.zig": "pub fn run() void {}\n", "b.py": "def run():\n    pass\n"})
    opened = open_repo(repo.root)
    none = "Zig: calls, imports and base classes are not resolved"
    assert opened.graph("a.zig").notes == opened.related("a.zig:1").notes == (none,)
    assert opened.graph("b.py").notes == opened.related("b.py").notes == ()
    repo.write("a.zig", "pub fn run() void { stop(); }\n")
    assert none in opened.impact().notes
    repo.write("a.zig", "pub fn run() void {}\n")
    repo.write("b.py", "def run():\n    return 1\n")
    assert none not in opened.impact().notes


def test_repositories_without_commits_and_without_files(tmp_path: Path, open_repo: Opener) -> None:
    fresh = Repo(tmp_path / "fresh")
    with pytest.raises(EmptyRepository):
        open_repo(fresh.root).graph(".")
    fresh.write("web/base.py", BASE)
    found = open_repo(fresh.root).graph("Base.load", edges=["invokes"])
    assert edges(found) == {("Base.load", "invokes", "decode")}
    assert found.snapshots[0].commit is None
    bare = Repo(tmp_path / "bare.git", bare=True)
    with pytest.raises(EmptyRepository):
        open_repo(bare.root).graph(".")


def test_a_bare_repository_has_a_graph(web: Repo, tmp_path: Path, open_repo: Opener) -> None:
    web.git("clone", "-q", "--bare", str(web.root), str(tmp_path / "bare.git"))
    found = open_repo(tmp_path / "bare.git").graph("web/shop.py:4", edges=["inherits"])
    assert edges(found) == {("Shop", "inherits", "Base")}
