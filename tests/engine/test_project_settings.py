"""What a repository's `.trackdown.toml` does to answers, in every kind of place that can be searched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import SharedRepositories, search_all
from trackdown.errors import ProjectFileError, UnknownRevision
from trackdown.settings import Settings

Open = Callable[[Path | str], trackdown.Repository]
FILES = {
    "src/session.py": "def sign_cookie(value):\n    return value\n\n\nclass Signer:\n    cookie = 1\n",
    "vendor/cookies.py": "def sign_cookie_vendored(cookie):\n    return cookie\n",
    "generated/cookies.py": "def cookie_descriptor(cookie):\n    return cookie\n",
    "tests/test_session.py": "def test_sign_cookie():\n    assert True  # cookie\n",
    "web/cookie.js": "function readCookie(name) {\n  return name;\n}\n",
}
FILE = ".trackdown.toml"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Sign the cookie", FILES)
    return repo


def found(repository: trackdown.Repository, **options: Any) -> set[str]:
    return {result.path for result in repository.search("cookie", **options)}


def test_filters_of_the_file_apply_and_the_request_goes_first(shop: Repo, open_repo: Open) -> None:
    opened = open_repo(shop.root)
    assert found(opened) == set(FILES)
    shop.write(FILE, "exclude = ['web/']\ntests = false\ngenerated = false\nthird_party = false\n")
    assert found(opened) == {"src/session.py"}
    assert found(opened, tests=True) == {"src/session.py", "tests/test_session.py"}
    assert found(opened, generated=True, third_party=True) == {
        "src/session.py",
        "generated/cookies.py",
        "vendor/cookies.py",
    }
    assert found(opened, exclude=["src/"]) == set()
    shop.write(FILE, "languages = ['javascript']\n")
    assert found(opened) == {"web/cookie.js"}
    assert "web/cookie.js" not in found(opened, languages=["python"])


def test_the_answer_follows_the_file_at_once_and_the_index_does_not_change(shop: Repo, open_repo: Open) -> None:
    opened = open_repo(shop.root)
    for text, count in (("k = 1\n", 1), ("k = 2\n", 2), ("k = 1\n", 1), ("k = 3\n", 3)):
        shop.write(FILE, text)
        assert len(opened.search("cookie")) == count
        assert len(opened.search("cookie", k=4)) == 4
    (shop.root / FILE).unlink()
    assert found(opened) == set(FILES)


def test_ranking_of_the_file_applies(shop: Repo, open_repo: Open) -> None:
    opened = open_repo(shop.root)
    shop.write(FILE, "level = 'file'\nweight_lexical = 0\nweight_mentions = 0\n")
    answer = opened.search("sign the cookie")
    assert answer.level == "file" and opened.search("cookie", level="class").level == "class"
    lexical = {why.signal for result in answer for why in result.why}
    assert "lexical" not in lexical and "commits" in lexical


def test_a_revision_has_the_settings_that_it_had(shop: Repo, open_repo: Open) -> None:
    shop.commit("Leave the copy out", {FILE: "exclude = ['vendor/']\n"})
    shop.git("tag", "without")
    shop.commit("Leave more out", {FILE: "exclude = ['vendor/', 'web/', 'tests/', 'generated/']\n"})
    opened = open_repo(shop.root)
    assert found(opened) == {"src/session.py"}
    assert found(opened, at="without") == set(FILES) - {"vendor/cookies.py"}
    assert found(opened, at="without~1") == set(FILES)
    assert opened.settings_at("without").exclude == ("vendor/",)
    with pytest.raises(UnknownRevision):
        opened.settings_at("nowhere")


def test_a_bare_repository_has_the_settings_of_its_head(shop: Repo, open_repo: Open, tmp_path: Path) -> None:
    shop.commit("Only the sources", {FILE: "exclude = ['vendor/', 'web/', 'tests/', 'generated/']\n"})
    shop.git("clone", "-q", "--bare", ".", str(tmp_path / "shop.git"))
    (tmp_path / "shop.git" / FILE).write_text("k = 0\n")  # no file of the repository
    assert found(open_repo(tmp_path / "shop.git")) == {"src/session.py"}
    assert found(open_repo((tmp_path / "shop.git").as_uri())) == {"src/session.py"}
    empty = Repo(tmp_path / "empty.git", bare=True)
    assert open_repo(empty.root).settings_at(None).exclude == ()


def test_a_folder_has_the_settings_at_its_root(tmp_path: Path, open_repo: Open) -> None:
    for path, text in FILES.items():
        (tmp_path / "plain" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plain" / path).write_text(text)
    (tmp_path / "plain" / FILE).write_text("exclude = ['vendor/']\n")
    assert found(open_repo(tmp_path / "plain")) == set(FILES) - {"vendor/cookies.py"}


def test_a_subfolder_has_the_settings_of_the_root_and_none_of_its_own(shop: Repo, open_repo: Open) -> None:
    shop.write("src/" + FILE, "k = 0\nllm = 'x'\n")
    shop.write(FILE, "level = 'file'\n")
    assert open_repo(shop.root / "src").search("cookie").level == "file"


def test_several_repositories_have_filters_of_their_own_and_one_number_of_results(
    shop: Repo, make_repo: Callable[[str], Repo], open_repo: Open
) -> None:
    other = make_repo("other")
    other.commit("Sign the cookie", {f"o/{path}": text for path, text in FILES.items()})
    shop.write(FILE, "exclude = ['vendor/']\nk = 1\nlevel = 'file'\n")
    answer = search_all([open_repo(shop.root), open_repo(other.root)], "cookie")
    paths = {(result.repository, result.path) for result in answer}
    assert answer.level == "function" and len(answer) > 2
    assert ("repo", "vendor/cookies.py") not in paths and ("other", "o/vendor/cookies.py") in paths


def test_servers_read_it_for_each_search_and_one_broken_file_does_not_stop_the_others(
    shop: Repo, make_repo: Callable[[str], Repo], settings: Settings
) -> None:
    other = make_repo("other")
    other.commit("Sign the cookie", FILES)
    with SharedRepositories([shop.root, other.root], settings=settings) as served:
        served.start()
        assert served.wait_ready("repo") and served.wait_ready("other")
        shop.write(FILE, "k = 1\nlevel = 'file'\n")
        assert len(served.search("cookie", repository="repo", wait=60)) == 1
        assert served.search("cookie", wait=60).level == "function"
        shop.write(FILE, "models = 'elsewhere'\n")
        with pytest.raises(ProjectFileError, match="may not set models"):
            served.search("cookie", repository="repo", wait=60)
        both = served.search("cookie", wait=60)
        assert {result.repository for result in both} == {"other"} and both.partial
        assert any("may not set models" in note for note in both.notes)
        shop.write(FILE, "k = 2\n")
        assert len(served.search("cookie", repository="repo", wait=60)) == 2


def test_history_related_and_impact_leave_out_what_the_file_excludes(shop: Repo, open_repo: Open) -> None:
    shop.commit("Change the copy", {"vendor/cookies.py": "def sign_cookie_vendored(cookie):\n    return None\n"})
    opened = open_repo(shop.root)
    assert [commit.subject for commit in opened.history("cookie copy")][:1] == ["Change the copy"]
    shop.write(FILE, "exclude = ['vendor/']\n")
    assert "Change the copy" not in [commit.subject for commit in opened.history("cookie copy")]
    assert all("vendor/" not in result.path for result in opened.related("sign_cookie").similar)
    shop.write("src/session.py", FILES["src/session.py"].replace("return value", "return value + 1"))
    assert all("vendor/" not in result.path for result in opened.impact())


def test_links_folders_pipes_and_unreadable_files_are_refused(shop: Repo, open_repo: Open, tmp_path: Path) -> None:
    opened = open_repo(shop.root)
    file = shop.root / FILE
    (tmp_path / "outside.toml").write_text("k = 1\n")
    for target in (tmp_path / "outside.toml", Path("src/session.py"), Path("/dev/zero"), Path("nowhere")):
        file.symlink_to(target)
        with pytest.raises(ProjectFileError, match="is a symbolic link, which is not followed"):
            opened.search("cookie")
        file.unlink()
    file.mkdir()
    with pytest.raises(ProjectFileError, match="is not a file"):
        opened.search("cookie")
    file.rmdir()
    os.mkfifo(file)
    with pytest.raises(ProjectFileError, match="is not a file"):
        opened.search("cookie")
    file.unlink()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ProjectFileError, match="not UTF-8"):
        opened.search("cookie")
    file.write_bytes(b"#" * (1 << 20))
    with pytest.raises(ProjectFileError, match="larger than 16 KB"):
        opened.search("cookie")


def test_links_and_large_files_of_commits_are_refused(shop: Repo, open_repo: Open) -> None:
    (shop.root / FILE).symlink_to("/etc/passwd")
    linked = shop.commit("Link it")
    (shop.root / FILE).unlink()
    large = shop.commit("Fill it", {FILE: "#" * (1 << 20)})
    shop.git("rm", "-q", FILE)
    nested = shop.commit("Nest it", {f"{FILE}/inside": "k = 1\n"})
    opened = open_repo(shop.root)
    with pytest.raises(ProjectFileError, match="symbolic link"):
        opened.search("cookie", at=linked)
    with pytest.raises(ProjectFileError, match="larger than 16 KB"):
        opened.search("cookie", at=large)
    with pytest.raises(ProjectFileError, match="is not a file"):
        opened.search("cookie", at=nested)


@pytest.mark.parametrize(
    ("text", "words"),
    [("languages = ['pyhton']\n", "unknown language 'pyhton'"), ("exclude = ['[a']\n", "is not a pattern of paths")],
)
def test_names_that_mean_nothing_are_refused_with_the_file(shop: Repo, open_repo: Open, text: str, words: str) -> None:
    shop.write(FILE, text)
    with pytest.raises(ProjectFileError) as caught:
        open_repo(shop.root).search("cookie")
    assert str(caught.value).startswith(f"{FILE} of repo: ") and words in str(caught.value)


def test_the_file_can_be_disobeyed(shop: Repo, settings: Settings) -> None:
    from dataclasses import replace

    shop.write(FILE, "nonsense = \n")
    with trackdown.open(shop.root, settings=replace(settings, project_file=False)) as opened:
        assert found(opened) == set(FILES)


def test_an_empty_answer_says_what_the_settings_left_out(shop: Repo, open_repo: Open) -> None:
    shop.write(FILE, "exclude = ['src/', 'web/', 'generated/', 'vendor/']\ntests = false\nlanguages = ['python']\n")
    answer = open_repo(shop.root).search("cookie")
    (note,) = [note for note in answer.notes if note.startswith("the settings")]
    assert note.startswith("the settings leave out src/, web/, generated/, vendor/, tests and search only python")
