"""A repository that was opened at a subfolder shows nothing of the rest, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.engine import SharedRepositories
from trackdown.errors import UsageError
from trackdown.settings import Settings

Opener = Callable[[Path | str], trackdown.Repository]
KEYS = """from public.api import Door


class Vault(Door):
    def unlock_everything(self, secret_value):
        return self.open_door(secret_value)
"""
API = """from secret import keys


class Door:
    def open_door(self, secret_value):
        return secret_value


class Window(Door):
    def unlock_window(self, secret_value):
        return self.open_door(keys.Vault().unlock_everything(secret_value))
"""


@pytest.fixture
def house(repo: Repo) -> Repo:
    repo.commit("Begin with keys", {"secret/keys.py": KEYS, "public/api.py": API, "public/more.py": "x = 1\n"})
    repo.commit("Change the keys", {"secret/keys.py": f"{KEYS}\n# 2\n", "public/api.py": f"{API}\n# 2\n"})
    return repo


@pytest.fixture
def shared(house: Repo, settings: Settings) -> Iterator[SharedRepositories]:
    with SharedRepositories([house.root / "public"], settings=settings) as shared:
        shared.start()
        assert shared.wait_ready(seconds=30)
        yield shared


def test_no_source_of_the_rest_is_read(shared: SharedRepositories) -> None:
    assert shared.unit("public/api.py", symbol="Window").start_line == 9
    for path in ("secret/keys.py", "secret/kes.py"):
        with pytest.raises(UsageError, match="not an indexed file") as refused:
            shared.unit(path)
        assert "keys.py" not in str(refused.value).replace(path, "")


def test_relatives_and_what_reads_alike_are_of_the_subfolder(shared: SharedRepositories) -> None:
    found = shared.related("public/api.py:5", k=50)
    relatives = (*found.callers, *found.callees, *found.siblings, *found.subclasses, *found.bases)
    shown = {one.path for one in relatives} | {one.path for one in found.similar}
    shown |= {one.path for one in found.changes_together}
    assert shown and all(path.startswith("public/") for path in shown)
    assert [one.symbol for one in found.subclasses] == ["Window"]
    with pytest.raises(UsageError, match="not an indexed file"):
        shared.related("secret/keys.py:5")


def test_the_graph_ends_at_the_subfolder(shared: SharedRepositories) -> None:
    found = shared.graph("Door", depth=5)
    ends = {end.path for edge in found.edges for end in (edge.source, edge.target)}
    assert {node.path for node in found.nodes} | ends == {"public/", "public/api.py", "public/more.py"}
    assert [node.path for node in shared.graph(".").starts] == ["public/"]
    for target in ("secret/keys.py", "secret/keys.py:5", "secret/keys.py:Vault", "secret", "Vault", "keys.py", "Valt"):
        with pytest.raises(UsageError) as refused:
            shared.graph(target)
        assert "unlock_everything" not in str(refused.value) and "nearest: secret" not in str(refused.value)
    with pytest.raises(UsageError) as refused:
        shared.graph("unlock_everythin")
    assert "unlock_everything" not in str(refused.value)


def test_past_commits_name_files_of_the_subfolder_alone(shared: SharedRepositories) -> None:
    found = shared.history("change the keys")
    assert {path for commit in found for path in commit.files} == {"public/api.py", "public/more.py"}


def test_the_python_api_is_confined_too_unless_told_otherwise(house: Repo, open_repo: Opener) -> None:
    opened = open_repo(house.root / "public")
    with pytest.raises(UsageError):
        opened.unit("secret/keys.py")
    opened.confined = False
    assert opened.unit("secret/keys.py").path == "secret/keys.py"
    assert "Vault" in [one.symbol for one in opened.related("public/api.py:5").subclasses]
    assert opened.graph("Vault").starts[0].path == "secret/keys.py"


def test_a_single_file_is_a_place_of_its_own(house: Repo, open_repo: Opener) -> None:
    opened = open_repo(house.root / "public" / "api.py")
    assert opened.unit("public/api.py", "Door").kind == "class"
    with pytest.raises(UsageError):
        opened.unit("public/more.py")
    assert {node.path for node in opened.graph("Door", depth=4).nodes} == {"public/api.py"}
