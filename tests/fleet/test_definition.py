"""fleet.toml: what it may say, what is refused, and edits that keep what people wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.fleet import FleetEntry, add_entries, create_fleet, find_members, read_fleet, remove_entries


def written(folder: Path, text: str) -> Path:
    file = folder / "fleet.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "place is missing"),
        ("place = 5", "place must be text"),
        ("place = 'ftp://x/y'", "not 'ftp://x/y'"),
        ("place = 's3://key:secret@bucket'", "keep keys out of the place"),
        ("place = 'file://host/x'", "no absolute path"),
        ("place = 'x'\nplaces = 1", "there is no setting 'places'"),
        ("place = 'x'\nrepositories = 1", r"\[\[repositories\]\] tables"),
        ("place = 'x'\n[[repositories]]\nname = 'a'", "needs one of path, url, glob, listing"),
        ("place = 'x'\n[[repositories]]\npath = 'a'\nurl = 'b'", "needs one of"),
        ("place = 'x'\n[[repositories]]\npath = 'a'\ngroups = ['Böse']", "is not a group"),
        ("place = 'x'\n[[repositories]]\npath = 'a'\ngroups = []", "groups must be a list"),
        ("place = 'x'\n[[repositories]]\npath = 'a'\nmax_file_kb = -1", "max_file_kb must be"),
        ("place = 'x'\n[[repositories]]\npath = 'a'\ndeep = 'yes'", "deep must be true or false"),
        ("place = 'x'\n[[repositories]]\nglob = 'a*'\nname = 'b'", "has no name"),
        ("place = 'x'\ngrace_hours = 'long'", "grace_hours must be"),
        ("place =", "not valid TOML"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        read_fleet(written(tmp_path, text))
    assert "\n" not in str(refused.value).strip()


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="fleet init"):
        read_fleet(tmp_path / "fleet.toml")


def test_a_place_is_relative_to_the_file(tmp_path: Path) -> None:
    assert read_fleet(written(tmp_path, "place = 'here'")).address.url == (tmp_path / "here").as_uri()
    assert read_fleet(written(tmp_path, "place = 's3://bucket/prefix/'")).address.url == "s3://bucket/prefix"


def test_edits_keep_comments_and_order(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    create_fleet(file, "place")
    file.write_text(file.read_text() + "# ours\n[[repositories]]\npath = 'one' # the first\n")
    entry = FleetEntry("url", "https://example.org/two.git", groups=("web",))
    assert add_entries(file, [entry, entry, FleetEntry("path", "one")]) == (entry,)
    assert "# ours" in file.read_text() and "# the first" in file.read_text()
    assert [one.where for one in read_fleet(file).entries] == ["one", "https://example.org/two.git"]
    assert remove_entries(file, ["two"]) == ("two",)
    assert "# the first" in file.read_text() and "two" not in file.read_text()
    with pytest.raises(UsageError, match="has no entry 'two'"):
        remove_entries(file, ["two"])
    with pytest.raises(UsageError, match="already there"):
        create_fleet(file, "place")


def test_entries_are_paragraphs_and_a_glob_is_one(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    create_fleet(file, "place")
    for entry in (FleetEntry("path", "one"), FleetEntry("path", "two"), FleetEntry("glob", "code/*")):
        add_entries(file, [entry])
    assert file.read_text().count("\n\n[[repositories]]\n") == 3 and "\n\n\n" not in file.read_text()
    with pytest.raises(UsageError, match="a glob or a listing is one entry"):
        remove_entries(file, ["three"])
    assert remove_entries(file, ["code/*"]) == ("code/*",)


def test_names_tell_repositories_apart(tmp_path: Path) -> None:
    for owner in ("a", "b"):
        (tmp_path / owner / "lib").mkdir(parents=True)
    (tmp_path / "a" / "tool").mkdir()
    listing = [{"nameWithOwner": "org/app", "url": "https://example.org/org/app"}]
    (tmp_path / "listing.json").write_text(json.dumps(listing))
    text = "place = 'x'\n[[repositories]]\nglob = '*/*'\ngroups = ['one']\n"
    text += "[[repositories]]\npath = 'a/tool'\ngroups = ['two']\n[[repositories]]\nlisting = 'listing.json'\n"
    members = {member.name: member for member in find_members(read_fleet(written(tmp_path, text)))}
    assert list(members) == ["a/lib", "b/lib", "org/app", "tool"]
    assert members["tool"].groups == ("two",)


_OWN = """place = 'x'
[[repositories]]
{broad}
groups = ['everybody']
max_file_kb = 9
[[repositories]]
{own}
groups = ['secret']
at = 'release'
deep = true
"""


@pytest.mark.parametrize(
    ("broad", "own"),
    [
        ("glob = 'repos/*'", "path = 'repos/app'"),
        ("glob = 'linked/*'", "path = 'repos/app'"),
        ("listing = 'listing.json'", "url = 'https://example.org/org/app'"),
        ("listing = 'listing.json'", "url = 'https://example.org/org/app.git/'"),
        ("listing = 'listing.json'", "url = 'git@example.org:org/app.git'"),
        ("listing = 'listing.json'", "url = 'ssh://git@example.org:2222/org/app'"),
        ("listing = 'listing.json'", "url = 'https://me:token@EXAMPLE.org/org/app.git'"),
        ("listing = 'listing.json'", "url = 'https://example.org:443/org/app'"),
        ("glob = 'repos/*'", "path = 'repos/app/.git'"),
    ],
)
@pytest.mark.parametrize("is_first", [False, True])
def test_an_entry_of_its_own_wins_over_a_glob_and_a_listing(
    tmp_path: Path, broad: str, own: str, is_first: bool
) -> None:
    (tmp_path / "repos" / "app").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "repos")
    listing = [{"nameWithOwner": "org/app", "url": "https://example.org/org/app"}]
    (tmp_path / "listing.json").write_text(json.dumps(listing))
    head, one, other = _OWN.format(broad=broad, own=own).split("[[repositories]]")
    text = "[[repositories]]".join([head, other, one] if is_first else [head, one, other])
    (member,) = find_members(read_fleet(written(tmp_path, text)))
    assert (member.groups, member.at, member.deep, member.max_file_kb) == (("secret",), "release", True, None)


def test_two_entries_of_one_repository_must_agree_on_its_groups(tmp_path: Path) -> None:
    (tmp_path / "repos" / "app").mkdir(parents=True)
    text = "place = 'x'\n[[repositories]]\nglob = 'repos/*'\ngroups = ['a', 'b']\n"
    text += "[[repositories]]\nglob = 'repos/a*'\ngroups = {}\n"
    with pytest.raises(
        UsageError, match=r"two entries give .*app different groups, \[a, b\] and \[c\]: .* an entry of its own"
    ):
        find_members(read_fleet(written(tmp_path, text.format("['c']"))))
    (member,) = find_members(read_fleet(written(tmp_path, text.format("['b', 'a']"))))
    assert member.groups == ("a", "b")
    own = text.format("['c']") + "[[repositories]]\npath = 'repos/app'\ngroups = ['d']\n"
    (member,) = find_members(read_fleet(written(tmp_path, own)))
    assert member.groups == ("d",)


def test_a_repository_may_be_published_at_two_revisions_in_different_groups(tmp_path: Path) -> None:
    entry = "[[repositories]]\nurl = 'https://example.org/app{}'\nname = '{}'\nat = '{}'\ngroups = ['{}']\n"
    text = "place = 'x'\n" + entry.format("", "old", "1.x", "all") + entry.format(".git", "new", "2.x", "team")
    members = find_members(read_fleet(written(tmp_path, text)))
    assert [(one.name, one.at, one.groups) for one in members] == [("new", "2.x", ("team",)), ("old", "1.x", ("all",))]


@pytest.mark.parametrize("listing", ["{}", "[1]", '[{"name": "x"}]', "nonsense", '[{"url": "no url"}]'])
def test_a_listing_that_is_none_is_refused(tmp_path: Path, listing: str) -> None:
    (tmp_path / "listing.json").write_text(listing)
    fleet = read_fleet(written(tmp_path, "place = 'x'\n[[repositories]]\nlisting = 'listing.json'\n"))
    with pytest.raises(UsageError, match=r"listing\.json"):
        find_members(fleet)


def test_a_glob_in_the_present_folder_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repos" / "one").mkdir(parents=True)
    written(tmp_path, "place = 'x'\n[[repositories]]\nglob = 'repos/*'\n[[repositories]]\npath = 'repos/one'\n")
    monkeypatch.chdir(tmp_path)
    assert [one.where for one in find_members(read_fleet(Path("fleet.toml")))] == [str(tmp_path / "repos" / "one")]


@pytest.mark.parametrize("entry", ["glob = 'repos/*'", "listing = 'listing.json'"])
def test_an_entry_that_has_no_repositories_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "listing.json").write_text("[]")
    with pytest.raises(UsageError, match="has no repositories"):
        find_members(read_fleet(written(tmp_path, f"place = 'x'\n[[repositories]]\n{entry}\n")))


def test_a_listing_of_githubs_api_gives_what_git_clones(tmp_path: Path) -> None:
    row = {
        "full_name": "org/app",
        "url": "https://api.github.com/repos/org/app",
        "html_url": "https://github.com/org/app",
        "clone_url": "https://github.com/org/app.git",
    }
    (tmp_path / "listing.json").write_text(json.dumps([row]))
    (member,) = find_members(read_fleet(written(tmp_path, "place = 'x'\n[[repositories]]\nlisting = 'listing.json'\n")))
    assert member.where == "https://github.com/org/app.git"


def test_a_listing_of_gitlabs_api_gives_what_git_clones(tmp_path: Path) -> None:
    rows = [
        {
            "id": 278964,
            "name": "App",
            "name_with_namespace": "Org / Team / App",
            "path": "app",
            "path_with_namespace": f"org/{team}/app",
            "ssh_url_to_repo": f"git@gitlab.example.org:org/{team}/app.git",
            "http_url_to_repo": f"https://gitlab.example.org/org/{team}/app.git",
            "web_url": f"https://gitlab.example.org/org/{team}/app",
            "readme_url": f"https://gitlab.example.org/org/{team}/app/-/blob/main/README.md",
            "namespace": {"name": "Team", "web_url": f"https://gitlab.example.org/groups/org/{team}"},
            "_links": {"self": "https://gitlab.example.org/api/v4/projects/278964"},
        }
        for team in ("one", "two")
    ]
    (tmp_path / "listing.json").write_text(json.dumps(rows))
    text = "place = 'x'\n[[repositories]]\nlisting = 'listing.json'\ngroups = ['gitlab']\n"
    assert [(one.name, one.where, one.groups) for one in find_members(read_fleet(written(tmp_path, text)))] == [
        (f"org/{team}/app", f"https://gitlab.example.org/org/{team}/app.git", ("gitlab",)) for team in ("one", "two")
    ]


def test_credentials_of_urls_are_not_shown(tmp_path: Path) -> None:
    text = "place = 'x'\n[[repositories]]\nurl = 'https://me:secret@example.org/app.git'\n"
    (member,) = find_members(read_fleet(written(tmp_path, text)))
    assert "secret" not in member.origin and member.name == "app"


def test_credentials_of_urls_are_in_no_name(tmp_path: Path) -> None:
    urls = [f"https://user:swordfish@{host}.example.org/app" for host in ("one", "two")]
    entries = "".join(f'[[repositories]]\nurl = "{url}"\n' for url in urls)
    (tmp_path / "fleet.toml").write_text('place = "place"\n' + entries, "utf-8")
    fleet = read_fleet(tmp_path / "fleet.toml")
    assert {member.name for member in find_members(fleet)} == {"one.example.org/app", "two.example.org/app"}
    assert not any("swordfish" in entry.to_show().where for entry in fleet.entries)


@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_name_removes_nothing(tmp_path: Path, blank: str) -> None:
    file = written(tmp_path, "place = 'x'\n[[repositories]]\npath = 'one'\n")
    with pytest.raises(UsageError, match="is no name, path or URL"):
        remove_entries(file, [blank])
    assert [entry.where for entry in read_fleet(file).entries] == ["one"]


def test_what_several_entries_end_in_removes_none(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    entries = "".join(f'[[repositories]]\nurl = "https://example.org/{owner}/app"\n' for owner in ("a", "b"))
    file.write_text('place = "place"\n' + entries, "utf-8")
    with pytest.raises(UsageError, match="2 entries that end in 'app'"):
        remove_entries(file, ["app"])
    assert remove_entries(file, ["https://example.org/a/app"])
    assert [entry.where for entry in read_fleet(file).entries] == ["https://example.org/b/app"]


def test_a_new_fleet_that_was_cut_short_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "fleet.toml"

    def ends_halfway(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", ends_halfway)
        patched.setattr(Path, "replace", ends_halfway)
        with pytest.raises(KeyboardInterrupt):
            create_fleet(file, "place")
    assert not file.exists()
    assert create_fleet(file, "place").address.url
