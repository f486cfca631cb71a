"""A bench that is killed or interrupted leaves nothing running, and goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lab.benches.issues import Clones, many_issues
from tests.lab.made_tasks import timeless
from tests.surfaces.program import Program, alive, finish, wait_for
from trackdown.lab.runs import Row, read_run


class Disturbed:
    """A bench of many states, the rows that it has when nothing happens, and how to start it."""

    def __init__(self, root: Path) -> None:
        clones = Clones(root)
        self._data = clones.write(*many_issues(clones))
        self._clones = clones.folder
        self.cases = 60
        self._root = root
        undisturbed = self.program("undisturbed")
        run = undisturbed(*self.command(undisturbed))
        assert run.code == 0, run.err
        self.rows = timeless(read_run(self.run_file(undisturbed)))

    def program(self, name: str) -> Program:
        (self._root / name).mkdir()
        return Program(self._root / name / "store", self._root / name, {"TRACKDOWN_TEST_MARK": str(self._root / name)})

    def run_file(self, program: Program) -> Path:
        return program.folder / "run.jsonl"

    def command(self, program: Program) -> list[str | Path]:
        return [
            "bench",
            "swe",
            self._data,
            "--repos",
            self._clones,
            "--modes",
            "bm25,commits",
            "--run-file",
            self.run_file(program),
            "--jobs",
            "2",
        ]

    def start(self, program: Program) -> subprocess.Popen[bytes]:
        return program.start(*self.command(program))

    def found(self, program: Program) -> list[Row]:
        return read_run(self.run_file(program)) if self.run_file(program).exists() else []


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Disturbed:
    return Disturbed(tmp_path_factory.mktemp("disturbed"))


def survivors(program: Program) -> list[str]:
    return alive("TRACKDOWN_TEST_MARK", str(program.variables["TRACKDOWN_TEST_MARK"]))


def test_the_bench_is_what_the_tests_take_it_for(disturbed: Disturbed) -> None:
    assert len(disturbed.rows) == 2 * disturbed.cases and not any(row.skipped for row in disturbed.rows)


def test_killed_in_the_middle_it_goes_on_to_the_same_rows(disturbed: Disturbed) -> None:
    program = disturbed.program("killed")
    rows = 0
    for _ in range(2):
        process = disturbed.start(program)
        assert wait_for(lambda: len(disturbed.found(program)) > rows)  # noqa: B023 - called at once
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        orphans = survivors(program) if not wait_for(lambda: not survivors(program)) else []
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert orphans == []
        rows = len(disturbed.found(program))
    assert 0 < rows < 2 * disturbed.cases, "it was over before it was killed"
    with disturbed.run_file(program).open("ab") as stream:
        stream.write(b'{"id": "shop-29", "mode": "bm25", "ran')  # as a kill in the midst of writing leaves it
    run = program(*disturbed.command(program), "--format", "json")
    assert run.json()["cases"] == disturbed.cases
    assert f"{rows} rankings were reused from" in run.err
    assert timeless(read_run(disturbed.run_file(program), cut_short_is_fine=False)) == disturbed.rows


def test_interrupted_it_says_so_in_one_line_and_leaves_nothing_running(disturbed: Disturbed) -> None:
    program = disturbed.program("interrupted")
    process = disturbed.start(program)
    assert wait_for(lambda: disturbed.found(program))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
    run = finish(process)
    assert (run.code, run.out, run.err) == (130, "", "trackdown: interrupted\n")
    assert wait_for(lambda: not survivors(program)), survivors(program)
    assert len(disturbed.found(program)) < 2 * disturbed.cases
    assert program(*disturbed.command(program)).code == 0
    assert timeless(disturbed.found(program)) == disturbed.rows


@pytest.mark.parametrize("delay", [0.05, 0.15])
def test_workers_that_are_just_starting_say_nothing_when_interrupted(disturbed: Disturbed, delay: float) -> None:
    program = disturbed.program(f"starting {delay}")
    process = disturbed.start(program)
    assert wait_for(lambda: sum("spawn_main" in line for line in survivors(program)) > 1)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    run = finish(process)
    assert (run.code, run.out, run.err) == (130, "", "trackdown: interrupted\n")
    assert wait_for(lambda: not survivors(program)), survivors(program)


def test_a_worker_that_dies_is_told_and_costs_its_bundle_only(disturbed: Disturbed) -> None:
    program = disturbed.program("worker")
    process = disturbed.start(program)
    assert wait_for(lambda: disturbed.found(program))
    victim = next(
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if b"spawn_main" in _read(folder / "cmdline") and str(program.folder).encode() in _read(folder / "environ")
    )
    os.kill(victim, signal.SIGKILL)
    finish(process).refused(1, "a worker process died", "continue where it stopped")
    assert wait_for(lambda: not survivors(program)), survivors(program)
    assert program(*disturbed.command(program)).code == 0
    assert timeless(disturbed.found(program)) == disturbed.rows


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
