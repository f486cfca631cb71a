"""One build: what a task may ask for, and what ends it."""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.fleet.fleets import SmallFleet, needs_extra, places
from tests.rerank.tiny_models import make_models
from trackdown.fleet import Place, read_fleet
from trackdown.fleet.building import TIMED_OUT, BuildTask
from trackdown.fleet.manifest import read_latest

pytestmark = needs_extra
BUILD = """import pickle, sys
from trackdown.fleet import building
building._LAST_RESORT = 0.5
building.build(pickle.load(sys.stdin.buffer), worker_folder=sys.argv[1])
"""


@pytest.mark.slow
def test_a_worker_whose_build_does_not_end_ends_with_all_that_it_started(fleet: SmallFleet, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # git waits for its answer
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/app.git"
        task = BuildTask("app", url, "0" * 40, "0" * 40, 512, False, "none", read_fleet(fleet.file).address, 0.5)
        command = [sys.executable, "-c", BUILD, str(tmp_path)]
        done = subprocess.run(command, input=pickle.dumps(task), capture_output=True, timeout=60)
        assert done.returncode == TIMED_OUT, done.stderr
        left = [one for one in psutil.process_iter(["cmdline"]) if url in (one.info["cmdline"] or [])]
        assert not [one for one in left if one.status() != psutil.STATUS_ZOMBIE]


def test_a_deep_index_is_built_and_published_where_it_is_asked_for(fleet: SmallFleet, tmp_path: Path) -> None:
    fleet.settings = replace(fleet.settings, models=str(make_models(tmp_path / "models")))
    fleet.sync()
    fleet.file.write_text(fleet.file.read_text().replace('path = "shop"', 'path = "shop"\ndeep = true'), "utf-8")
    assert fleet.sync().built == ("shop",)
    parts = {
        name: one.built.parts for name, one in read_latest(Place(read_fleet(fleet.file).address)).repositories.items()
    }
    assert "deep" in parts["shop"] and "deep" not in parts["bank"] + parts["maps"]
    with fleet.opened() as opened:
        found = opened.search("autograph the biscuit", repository="shop", mode="deep")
        assert places(found) == [("shop", "web/session.py", "sign_cookie")]
        assert found.deep is not None and found.deep.ready
