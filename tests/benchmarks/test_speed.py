"""What the speed benchmark asks of this program."""

from __future__ import annotations

import json
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import Repo

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_a_query_may_begin_like_an_option(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries are cut from messages of commits, in which lists are common."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    repo.commit("Begin", {"cookie.py": "def sign_cookie():\n    return 1\n"})
    tool = import_module("speed").Trackdown(tmp_path, repo.root)
    for command in (tool.search("- sign the cookie"), tool.fast("-sign --the cookie")):
        done = subprocess.run(command, env=tool.environment, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["results"][0]["path"] == "cookie.py"
