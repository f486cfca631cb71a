"""Which repositories are mined, how their names are known, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.errors import NoSuchPath, UsageError
from trackdown.lab.repositories import MinedRepository, check_allowed, find_repositories, name_by_layout, read_names

LAYOUT = "{owner}+{name}/repo"


def manifest(folder: Path, *entries: dict[str, str]) -> Path:
    path = folder / "manifest.json"
    path.write_text(json.dumps(entries))
    return path


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/ada/shop", "ada/shop"),
        ("https://github.com/ada/shop.git", "ada/shop"),
        ("https://token@github.com/ada/shop.git/", "ada/shop"),
        ("git@github.com:ada/shop.git", "ada/shop"),
        ("ssh://git@example.org:22/group/sub/shop.git", "sub/shop"),
        ("git://example.org/ada/shop.js", "ada/shop.js"),
        ("/srv/git/ada/shop.git", ""),
        ("../ada/shop", ""),
        ("https://example.org/shop.git", ""),
        ("https://example.org/../..", ""),
    ],
)
def test_names_of_remotes(repo: Repo, url: str, name: str) -> None:
    repo.git("config", "remote.origin.url", url)
    place = find_repositories([str(repo.root)])[0]
    assert place.known_as == ((name,) if name else ())
    assert str(place) == (name or "repo") and place.stem == (name or "repo").replace("/", "+")


def test_every_remote_counts_and_origin_names_the_files(repo: Repo) -> None:
    repo.git("config", "remote.abc.url", "https://github.com/upstream/shop")
    repo.git("config", "remote.origin.url", "https://github.com/ada/shop")
    place = find_repositories([str(repo.root)])[0]
    assert place == MinedRepository(repo.root, "ada", "shop", ("ada/shop", "upstream/shop"))


def test_names_by_layout(make_repo: Callable[[str], Repo]) -> None:
    repo = make_repo("mirrors/ada+shop.js/repo")
    assert find_repositories([str(repo.root)], layout=LAYOUT)[0].known_as == ("ada/shop.js",)
    assert find_repositories([str(repo.root)], layout="{owner}/{name}")[0].known_as == ()
    assert name_by_layout(Path("/a/ada+b+c/repo"), LAYOUT) == ""
    assert name_by_layout(Path("/a/ada/b"), "{owner}/{name}") == "ada/b"
    assert name_by_layout(Path("/a/ada/b"), "{name}") == ""
    assert name_by_layout(Path("/"), LAYOUT) == ""
    with pytest.raises(UsageError, match="layout"):
        find_repositories([str(repo.root)], layout="{owner}/{nom}")


def test_names_of_a_manifest(tmp_path: Path, make_repo: Callable[[str], Repo]) -> None:
    make_repo("one")
    make_repo("two")
    listed = manifest(tmp_path, {"name": "ada/shop", "path": "one"}, {"path": "two"})
    assert [(str(place), place.known_as) for place in find_repositories([], listed)] == [
        ("ada/shop", ("ada/shop",)),
        ("two", ()),
    ]


def test_odd_names_are_no_paths(tmp_path: Path, make_repo: Callable[[str], Repo]) -> None:
    make_repo("one")
    for name in ("../../etc/passwd", "../x", "ada/..", "a/b/c", "\n", "ada/sh op"):
        stem = find_repositories([], manifest(tmp_path, {"name": name, "path": "one"}))[0].stem
        assert "/" not in stem and "\n" not in stem and not stem.startswith(".")


def test_what_is_no_repository(tmp_path: Path, repo: Repo) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="plain folder"):
        find_repositories([str(tmp_path / "plain")])
    with pytest.raises(NoSuchPath):
        find_repositories([str(tmp_path / "none")])
    with pytest.raises(UsageError, match="name repositories"):
        find_repositories([])


def test_two_of_one_name(make_repo: Callable[[str], Repo]) -> None:
    places = [str(make_repo(f"mirrors/{name}/repo").root) for name in ("ada+shop", "Ada+Shop")]
    with pytest.raises(UsageError, match="are both Ada/Shop"):
        find_repositories(places, layout=LAYOUT)


def test_reading_a_list(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"\xef\xbb\xbf# held out\r\n\r\nDjango/Django\r\n  ada/shop.git \n")
    assert read_names(path) == {"django/django", "ada/shop"}


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"ada/shop\nnot a name\n", "line 2"),
        (b"ada/shop\nhttps://github.com/a/b\n", "line 2"),
        (b"ada/shop\x00\n", "line 1"),
        (b"ada\n", "line 1"),
        (b"\xff\xfea\x00", "UTF-8"),
        (b"# nothing\n\n", "names no repository"),
        (b"", "names no repository"),
    ],
)
def test_a_damaged_list_is_refused(tmp_path: Path, content: bytes, word: str) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=word):
        read_names(path)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(UsageError, match="cannot read"):
            read_names(path)


def test_excluded_by_any_name_in_any_case() -> None:
    excluded = {"django/django"}
    check_allowed([MinedRepository(Path("a"), "ada", "shop", ("ada/shop",))], excluded)
    fork = MinedRepository(Path("b"), "ada", "django", ("ada/django", "Django/Django"))
    with pytest.raises(UsageError, match="Django/Django must not be mined"):
        check_allowed([fork], excluded)
    check_allowed([fork], excluded, ["django/DJANGO"])
    with pytest.raises(UsageError, match="must not be mined"):
        check_allowed([fork], excluded, ["other/django"])


def test_what_has_no_name_may_be_excluded() -> None:
    with pytest.raises(UsageError, match=r"cannot tell whether .*x is excluded"):
        check_allowed([MinedRepository(Path("x"), "", "x")], {"django/django"})


def test_many_are_not_all_told() -> None:
    places = [MinedRepository(Path(f"p{number}"), "", "x") for number in range(9)]
    with pytest.raises(UsageError, match="p4 and 4 more"):
        check_allowed(places, {"a/b"})
