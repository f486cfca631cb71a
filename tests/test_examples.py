"""The scripts in examples/ run, and each is short."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def cookies(repo: Repo) -> Repo:
    """A repository whose second commit edits the one file that its subject is about."""
    repo.commit(
        "First", {"app.py": "def sign_cookie(value):\n    return value\n", "other.py": "def draw():\n    pass\n"}
    )
    repo.commit("Sign the cookie twice", {"app.py": "def sign_cookie(value):\n    return value + value\n"})
    return repo


@pytest.fixture
def server(cookies: Repo) -> Iterator[str]:
    """The URL of a running `trackdown serve`."""
    command = [sys.executable, "-m", "trackdown", "serve", str(cookies.root), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found.group().rstrip("/.,")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)


def run(script: str, *arguments: str) -> str:
    """What an example prints; it must succeed."""
    command = [sys.executable, str(EXAMPLES / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_search(cookies: Repo) -> None:
    assert run("search.py", "sign the cookie", str(cookies.root)).startswith("1. app.py:1  sign_cookie")


def test_evaluate(cookies: Repo) -> None:
    assert run("evaluate.py", str(cookies.root)) == "Hit@5 1/1\n"


def test_http_client(server: str) -> None:
    shown = run("http_client.py", "sign the cookie", server)
    assert "fast:\n  1. app.py:1  sign_cookie" in shown and "final:\n  1. app.py:1  sign_cookie" in shown


def test_mcp_client(cookies: Repo) -> None:
    shown = run("mcp_client.py", "the cookie is not signed", str(cookies.root))
    assert "locate_issue" in shown.splitlines()[0] and "app.py" in shown


def test_every_example_is_tested_and_short() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == {"search.py", "evaluate.py", "http_client.py", "mcp_client.py"}
    assert all(len((EXAMPLES / name).read_text("utf-8").splitlines()) <= 40 for name in scripts)
