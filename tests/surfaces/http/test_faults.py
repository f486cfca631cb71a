"""What goes wrong around a server: a repository that vanishes, a full disk, damage, an indexer that is killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.conftest import Repo
from tests.faults.grown import grow
from tests.surfaces.conftest import build_shop
from tests.surfaces.http.serving import problem, serving
from tests.surfaces.program import wait_for
from trackdown.engine import SharedRepositories
from trackdown.settings import Settings

pytestmark = pytest.mark.slow

Open = Callable[..., SharedRepositories]


def search(client: httpx.Client, query: str = "session cookie", **asked: str) -> httpx.Response:
    return client.get("/v1/search", params={"query": query, **asked})


def test_a_repository_that_is_deleted_is_told_and_the_others_are_served(open_shared: Open, tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    other = Repo(tmp_path / "other")
    other.commit("Begin", {"a.py": "def session_cookie():\n    pass\n"})
    with serving(open_shared(shop.root, other.root)) as client:
        assert search(client, repository="shop").json()["results"]
        shutil.rmtree(shop.root)
        assert wait_for(lambda: search(client, repository="shop").status_code == 503)
        answer = search(client, repository="shop")
        problem(answer, 503, "repository", "shop")
        assert int(answer.headers["retry-after"]) >= 1
        both = search(client)
        assert both.status_code == 200 and [one["path"] for one in both.json()["results"]] == ["a.py"]
        assert any("shop" in note for note in both.json()["notes"])
        assert client.get("/v1/unit", params={"path": "web/session.py", "repository": "shop"}).status_code in (404, 503)
        entries = {one["repository"]: one for one in client.get("/v1/status").json()["repositories"]}
        assert entries["shop"]["problem"] and not entries["other"]["problem"]
        assert search(client, repository="other").status_code == 200
        build_shop(shop.root)
        assert wait_for(lambda: search(client, repository="shop").status_code == 200), "it is there again"


def test_an_indexer_that_is_killed_does_not_take_the_server_with_it(settings: Settings, tmp_path: Path) -> None:
    grown = grow(tmp_path / "grown", files=150, commits=300)
    with SharedRepositories([grown.root], settings=settings) as shared, serving(shared) as client:
        shared.start()
        killed = 0

        def kill_workers() -> bool:
            nonlocal killed
            for child in _workers():
                os.kill(child, signal.SIGKILL)
                killed += 1
            return killed > 0

        assert wait_for(kill_workers), "no worker process was seen"
        assert client.get("/health").status_code == 200
        assert search(client).status_code in (200, 503)
        assert wait_for(lambda: search(client).status_code == 200), "it does not come back"
        assert wait_for(lambda: not search(client).json()["partial"] and search(client).json()["results"])


def _workers() -> list[int]:
    """Processes that the program has started in this one, and not what the tests have."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        try:
            children = [int(child) for child in (task / "children").read_text().split()]
            found += [child for child in children if b"\0trackdown." in Path(f"/proc/{child}/cmdline").read_bytes()]
        except OSError:
            continue
    return found


def test_the_first_index_is_told_of_and_answers_come_from_what_is_ready(settings: Settings, tmp_path: Path) -> None:
    grown = grow(tmp_path / "grown", files=300, commits=300)
    with SharedRepositories([grown.root], settings=settings) as shared, serving(shared) as client:
        before = client.get("/v1/repositories").json()["repositories"][0]
        assert (before["ready"], before["phase"]) == (False, "starting")
        shared.start()
        seen = []

        def ready() -> bool:
            state = client.get("/v1/repositories").json()["repositories"][0]
            seen.append(state["indexing"])
            return bool(state["ready"])

        assert wait_for(ready)
        assert any(one and one["step"] for one in seen), "nothing was told of the work"
        assert search(client).json()["results"] and not search(client).json()["partial"]


def test_an_edit_is_found_by_the_next_search(open_shared: Open, tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    with serving(open_shared(shop.root)) as client:
        shop.write("web/coupon.py", "def redeem_coupon(code):\n    return code\n")
        assert wait_for(lambda: "web/coupon.py" in search(client, "redeem coupon").text)
        assert client.get("/v1/unit?path=web/coupon.py").json()["text"].startswith("def redeem_coupon")
