"""A served repository's `.trackdown.toml`: read again for each request, and an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.http.serving import serving
from trackdown.engine import SharedRepositories

FILE = ".trackdown.toml"


@pytest.mark.timeout(300)
def test_it_applies_to_the_next_request_and_the_request_goes_first(
    repo: Repo, open_shared: Callable[..., SharedRepositories]
) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie(): pass\n", "vendor/b.py": "def sign_cookie_b(): pass\n"})
    with serving(open_shared(repo.root)) as client:

        def search(**asked: object) -> list[str]:
            answer = client.post("/v1/search", json={"query": "cookie", **asked})
            assert answer.status_code == 200, answer.text
            return [result["path"] for result in answer.json()["results"]]

        assert sorted(search()) == ["a.py", "vendor/b.py"]
        repo.write(FILE, "third_party = false\n")
        assert search() == ["a.py"] and len(search(third_party=True)) == 2
        repo.write(FILE, "k = 1\n")
        assert len(search()) == 1 and len(search(k=2)) == 2
        repo.write(FILE, "token = 'sk-1'\n")
        refused = client.post("/v1/search", json={"query": "cookie"})
        assert refused.status_code == 503 and "may not set token" in refused.text and "sk-1" not in refused.text
        (repo.root / FILE).unlink()
        assert len(search()) == 2


@pytest.mark.timeout(300)
def test_its_errors_and_notes_say_nothing_about_the_servers_folders(
    repo: Repo, make_repo: Callable[[str], Repo], open_shared: Callable[..., SharedRepositories]
) -> None:
    other = make_repo("other")
    for one in (repo, other):
        one.commit("Begin", {"a.py": "def sign_cookie(): pass\n"})

    def broken_files() -> Iterator[str]:
        for text in ("token = 'sk-1'\n", "k = 0\n", "zebra = 1\n", "k = \n", "languages = ['pyhton']\n"):
            repo.write(FILE, text)
            yield text
        (repo.root / FILE).unlink()
        (repo.root / FILE).symlink_to("/etc/passwd")
        yield "a link"
        (repo.root / FILE).unlink()
        (repo.root / FILE).mkdir()
        yield "a folder"

    with serving(open_shared(repo.root, other.root)) as client:
        for what in broken_files():
            alone = client.post("/v1/search", json={"query": "cookie", "repository": "repo"})
            among = client.post("/v1/search", json={"query": "cookie"})
            assert alone.status_code == 503 and among.status_code == 200, what
            for said in (alone.json()["detail"], " ".join(among.json()["notes"])):
                assert f"{FILE} of repo" in said and str(repo.root.parent) not in said, what
                assert str(Path.home()) not in said, what
