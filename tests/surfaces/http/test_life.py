"""`trackdown serve` as its users start it: a process that listens, is told to stop, and runs out of room."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Repo
from tests.faults.grown import grow
from tests.surfaces.http.serving import TOKEN, problem
from tests.surfaces.program import Program, Run, alive, finish, wait_for
from trackdown.installation import install_hint

pytestmark = pytest.mark.slow

MARK = "TRACKDOWN_TEST_MARK"


@pytest.fixture
def marked(program: Program, tmp_path: Path) -> Program:
    """The program with a store of the test's own; its processes carry a mark."""
    return program.having(**{MARK: str(tmp_path)})


class Process:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], headers: dict[str, str]) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, finish(process).err
        self.told: dict[str, Any] = json.loads(line)
        self.client = httpx.Client(base_url=self.told["url"], headers=headers, timeout=120)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> Run:
        """Tell it to stop, and wait until it has."""
        self.process.send_signal(sign)
        return finish(self.process, 20)


@contextmanager
def started(
    program: Program, *arguments: str | Path, token: str = "", before: Callable[[], None] | None = None
) -> Iterator[Process]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    process = program.start("serve", *arguments, "--port", "0", "--format", "json", preexec_fn=before)
    try:
        server = Process(process, headers)
        with server.client:
            yield server
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_and_ends_cleanly(marked: Program, shop: Repo, sign: signal.Signals, tmp_path: Path) -> None:
    with started(marked, shop.root) as server:
        assert server.told["repositories"] == ["shop"] and server.told["token"] is False
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", server.told["url"])
        assert server.client.get("/health").json()["status"] == "ok"
        assert wait_for(lambda: server.client.get("/v1/repositories").json()["repositories"][0]["ready"])
        assert server.client.get("/v1/search?query=cookie").json()["results"]
        ended = server.stop(sign)
        assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert wait_for(lambda: not alive(MARK, str(tmp_path))), "processes are left"


def test_what_runs_is_answered_before_it_ends(marked: Program, tmp_path: Path) -> None:
    grown = grow(tmp_path / "grown", files=400, commits=600)
    with started(marked, grown.root) as server:
        answers: list[httpx.Response] = []
        asking = threading.Thread(
            target=lambda: answers.append(server.client.get("/v1/search?query=cookie%20session")), daemon=True
        )
        asking.start()
        time.sleep(0.3)  # the first index takes longer, and the search waits for a second of it
        assert not answers
        ended = server.stop()
        asking.join(10)
        assert ended.code == 0 and ended.err == "", ended.err
        assert [answer.status_code for answer in answers] == [200], answers[0].text
    assert wait_for(lambda: not alive(MARK, str(tmp_path))), "processes are left"


def test_a_connection_that_only_waits_does_not_hold_it_up(marked: Program, shop: Repo) -> None:
    with started(marked, shop.root) as server:
        address = httpx.URL(server.told["url"])
        with socket.create_connection((address.host, address.port or 80)):
            assert server.stop().code == 0


def test_a_full_disk_is_507_until_there_is_room_again(marked: Program, tmp_path: Path) -> None:
    grown = grow(tmp_path / "grown", files=150, commits=200)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40 << 10, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    with started(marked, grown.root, before=limited) as server:
        assert wait_for(lambda: server.client.get("/v1/search?query=cookie").status_code == 507)
        problem(server.client.get("/v1/search?query=cookie"), 507, "store-full", "free some space")
        told = server.client.get("/v1/repositories").json()["repositories"][0]
        assert "full" in told["problem"] and not told["ready"]
        assert server.client.get("/health").status_code == 200
        room = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, room)
        assert wait_for(lambda: server.client.get("/v1/search?query=cookie").json().get("results"))
        assert server.stop().code == 0


def test_tokens_come_from_a_file_or_the_environment_and_are_never_told(
    marked: Program, shop: Repo, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    ways: list[tuple[Program, list[str]]] = [
        (marked, ["--token-file", str(file)]),
        (marked.having(TRACKDOWN_TOKEN=TOKEN), []),
    ]
    for program, options in ways:
        with started(program, shop.root, *options, "--log", token=TOKEN) as server:
            assert server.told["token"] is True
            assert server.client.get("/v1/search?query=whispered").status_code == 200
            assert (
                server.client.get("/v1/search?query=whispered", headers={"Authorization": "Bearer no"}).status_code
                == 401
            )
            ended = server.stop()
            assert ended.code == 0
            assert "GET /v1/search 200" in ended.err and "GET /v1/search 401" in ended.err
            assert TOKEN not in ended.err and "whispered" not in ended.err


def test_a_token_that_others_can_read_is_told(marked: Program, shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o644)
    with started(marked, shop.root, "--token-file", "token") as server:
        assert server.stop().err == "note: other users of this machine can read token\n"


def test_a_log_line_is_one_line(marked: Program, shop: Repo) -> None:
    with started(marked, shop.root, "--log") as server:
        server.client.get("/%0aforged%20line%1b[31m")
        lines = server.stop().err.splitlines()
        assert len(lines) == 1 and "\x1b" not in lines[0] and lines[0].endswith(" ms")


def test_wrong_usage_is_told_in_one_line(marked: Program, shop: Repo, tmp_path: Path) -> None:
    for name, content in (("short", b"short"), ("binary", b"\xff" * 40)):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    marked("serve", shop.root, "--host", "0.0.0.0").refused(2, "0.0.0.0", "--token-file", "TRACKDOWN_TOKEN")
    marked("serve", shop.root, "--token-file", "short").refused(2, "16")
    marked("serve", shop.root, "--token-file", "binary").refused(2, "binary")
    marked("serve", shop.root, "--token-file", "none").refused(2, "none", "No such file")
    marked("serve", shop.root, "--reports", "none").refused(2, "none")
    marked("serve", "no/such/path").refused(1, "no/such/path")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        marked("serve", shop.root, "--port", port).refused(2, port, "already in use")


def test_what_is_not_installed_is_named_with_the_line_that_installs_it(
    marked: Program, shop: Repo, tmp_path: Path
) -> None:
    fake = tmp_path / "lacking" / "fastapi"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'fastapi'\", name='fastapi')")
    path = f"{fake.parent}:{os.environ.get('PYTHONPATH', '')}"
    marked.having(PYTHONPATH=path)("serve", shop.root).refused(2, "fastapi", install_hint("serve"))
