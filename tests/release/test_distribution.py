"""What `make release` built holds what git tracks, and works in an empty environment."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest
from mcp import Client, StdioServerParameters

import trackdown
from tests.conftest import Repo

ROOT = Path(__file__).parents[2]
NAME = f"trackdown-{trackdown.__version__}"
TOOLING = (".ci/", ".github/", ".editorconfig", ".pre-commit-config.yaml")


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    """The files that git knows."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return set(listed.split("\0")) - {""}


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that was built, which must be the only one."""
    (found,) = (ROOT / "dist").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs in a fresh virtual environment."""
    place = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    return place / "bin"


@pytest.fixture(scope="module")
def bare(empty: Path, wheel: Path) -> Path:
    """The environment with the wheel and without extras."""
    return _install(empty, str(wheel))


def _install(programs: Path, what: str) -> Path:
    command = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
    subprocess.run(command, check=True)
    return programs


@pytest.fixture
def cookies(repo: Repo) -> Repo:
    """A small repository with a history."""
    repo.commit(
        "First", {"app.py": "def sign_cookie(value):\n    return value\n", "other.py": "def draw():\n    pass\n"}
    )
    repo.commit("Sign the cookie twice", {"app.py": "def sign_cookie(value):\n    return value + value\n"})
    return repo


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables of a user who has set nothing: packaged models, a store of the test's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRACKDOWN_", "PYTHON"))}
    return kept | {"TRACKDOWN_STORE": str(tmp_path / "store")}


def test_the_sdist_holds_what_git_tracks(tracked: set[str]) -> None:
    with tarfile.open(ROOT / "dist" / f"{NAME}.tar.gz") as archive:
        held = {member.name.removeprefix(f"{NAME}/") for member in archive.getmembers() if member.isfile()}
    assert held - {"PKG-INFO"} == {path for path in tracked if not path.startswith(TOOLING)}


def test_the_wheel_holds_the_package(wheel: Path, tracked: set[str]) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == {path.removeprefix("src/") for path in tracked if path.startswith("src/")}
    for needed in ("models/weights/encoder.onnx", "units/queries/python.scm", "surfaces/web/index.html", "py.typed"):
        assert f"trackdown/{needed}" in held


def test_it_searches_without_extras(bare: Path, cookies: Repo, environment: dict[str, str]) -> None:
    program = str(bare / "trackdown")
    for command in (["--version"], ["index"], ["status"]):
        subprocess.run([program, *command], cwd=cookies.root, env=environment, check=True)
    search = [program, "search", "sign the cookie", "--depth", "10", "--format", "json"]
    found = json.loads(
        subprocess.run(search, cwd=cookies.root, env=environment, check=True, capture_output=True).stdout
    )
    assert found["results"][0]["path"] == "app.py"
    assert {"lexical", "encoder", "code-reranker"} <= {why["signal"] for why in found["results"][0]["why"]}


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_without_an_extra_a_server_says_how_to_get_it(
    bare: Path, command: str, cookies: Repo, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [str(bare / "trackdown"), command],
        cwd=cookies.root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0 and f"trackdown[{command}]" in done.stderr and "Traceback" not in done.stderr


def test_with_extras_the_servers_answer(bare: Path, wheel: Path, cookies: Repo, environment: dict[str, str]) -> None:
    program = str(_install(bare, f"{wheel}[serve,mcp]") / "trackdown")
    serve = [program, "serve", str(cookies.root), "--port", "0"]
    process = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\w.:]+\d", process.stdout.readline())
        assert found is not None
        assert httpx.get(f"{found.group()}/health").status_code == 200
        assert "<title>Trackdown" in httpx.get(found.group()).text
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert "locate_issue" in asyncio.run(_tools(program, cookies.root, environment))


async def _tools(program: str, repository: Path, environment: dict[str, str]) -> set[str]:
    server = StdioServerParameters(command=program, args=["mcp", str(repository)], env=environment)
    async with Client(server) as client:
        return {tool.name for tool in (await client.list_tools()).tools}
