"""Faults of the campaign do happen: calls are refused, disks are mended under the same store, servers are watched."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign.interposer import Refusal, lacks_compiler, under
from tests.campaign.judge import Judge
from tests.campaign.refused_io import FAILURES
from tests.campaign.scene import Scene
from tests.campaign.servers import Server, SharedServer
from tests.conftest import Repo
from tests.faults.mounts import MendedDisk, needs_mounts, read_only, roomy, tiny, writable
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import Program

pytestmark = pytest.mark.slow

CALLS = {
    "open": "os.open('x', os.O_RDONLY, dir_fd=here)",
    "read": "os.readv(file, [bytearray(1)])",
    "write": "os.writev(file, [b'ab', b'cd'])",
    "sync": "os.fsync(file)",
    "rename": "os.rename('x', 'y', src_dir_fd=here, dst_dir_fd=here)",
    "mmap": "mmap.mmap(file, 1)",
    "truncate": "os.ftruncate(file, 0)",
    "remove": "os.unlink('x', dir_fd=here)",
    "make": "os.mkdir('z', dir_fd=here)",
    "link": "os.link(below + '/x', below + '/z')",
    "allocate": "os.posix_fallocate(file, 0, 100)",
}
"""A call of each kind that the layer hooks, by the name that is easily forgotten."""


@pytest.mark.skipif(bool(lacks_compiler()), reason="there is no compiler")
@pytest.mark.parametrize("call", list(FAILURES))
def test_every_call_can_be_refused_and_leaves_a_mark(call: str, tmp_path: Path, repo: Repo) -> None:
    below, mark = tmp_path / "below", tmp_path / "mark"
    below.mkdir()
    (below / "x").write_text("content")
    scene = Scene(tmp_path, repo, Program(below, repo.root))
    script = f"""if True:
        import mmap, os, sys
        below = {str(below)!r}
        here, file = os.open(below, os.O_RDONLY), os.open(below + '/x', os.O_RDWR)
        try:
            {CALLS[call]}
        except OSError as error:
            sys.exit(error.errno)"""
    for at, code in ((50, 0), (3 if call == "open" else 1, errno.EIO)):
        layered = under(scene.clean, Refusal(call, at, 1, str(errno.EIO)), scene, mark)
        done = subprocess.run([sys.executable, "-c", script], env=layered.environment(), capture_output=True)
        assert done.returncode == code, (at, done.stderr)
        assert mark.exists() is bool(code)
        (below / "z").rmdir() if (below / "z").is_dir() else (below / "z").unlink(missing_ok=True)
        if (below / "y").exists():
            (below / "y").rename(below / "x")
        (below / "x").write_text("content")


@needs_mounts
def test_the_second_command_sees_what_the_first_left_on_the_disk(tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    program = Program(tmp_path / "store", shop.root, {"TRACKDOWN_MODELS": "none"})
    program.store.mkdir()
    disk = MendedDisk(tiny(program.store, 50_000), roomy(program.store), ("index",), ("status",))
    first, second = disk.run(program, tmp_path / "outputs", 60)
    assert first.code == 0 and "up to date" in second.out, "it looks at another store"
    assert not any(program.store.iterdir()), "the disk was not there"
    full = MendedDisk(tiny(program.store, 40), roomy(program.store), ("index",), ("index", "--format", "json"))
    first, second = full.run(program, tmp_path / "full", 60)
    assert first.code == 1 and "full" in first.err and second.json()[0]["ready"]
    frozen = MendedDisk(read_only(program.store), writable(program.store), ("index",), ("index",))
    first, second = frozen.run(program, tmp_path / "frozen", 60)
    assert first.code == 1 and "TRACKDOWN_STORE" in first.err and second.code == 0


def _server(tmp_path: Path, script: str) -> Server:
    errors = tmp_path / "errors"
    errors.write_text("note: a line\n")
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return Server(process, "http://127.0.0.1:1", errors)


def test_a_server_is_judged_by_what_it_says_and_how_it_ends(tmp_path: Path) -> None:
    server, seen = _server(tmp_path, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"), Judge()
    assert server.judge(seen) and not seen.problems
    with server.errors.open("a") as stream:
        stream.write("Traceback (most recent call last)\nValueError\n")
    assert server.judge(seen) and "the server said: Traceback" in seen.problems[0]
    assert server.judge(seen) and len(seen.problems) == 1, "what was judged is not judged again"
    server.end(seen)
    assert any("the server ended with 3" in problem for problem in seen.problems)


def test_a_server_that_has_died_between_cases_is_a_failure(tmp_path: Path, repo: Repo) -> None:
    scene, seen = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root)), Judge()
    (tmp_path / "store").mkdir()
    dead = _server(tmp_path, "echo ready; sleep 60")
    os.kill(dead.process.pid, signal.SIGKILL)
    dead.process.wait()
    scene.kept["http server"] = dead
    shared = SharedServer("http", "http server", ("no-such-command",), lambda server: True)
    with pytest.raises(AssertionError, match="does not listen"):
        shared.running(scene, seen)
    assert any("the server has ended with -9" in problem for problem in seen.problems)
