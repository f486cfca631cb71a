"""A first index that is killed or interrupted at any moment leaves nothing running and nothing wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faults.conftest import Clean, answer
from tests.faults.holdings import facts_in, holdings
from tests.faults.test_side_by_side import processes
from tests.surfaces.program import Program, alive, finish, wait_for

pytestmark = pytest.mark.slow

KILLS = 5
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kills.py"


def survivors(program: Program) -> list[str]:
    """What still runs of a program, by its mark."""
    return alive("TRACKDOWN_TEST_MARK", str(program.variables["TRACKDOWN_TEST_MARK"]))


def test_killed_at_any_moment_it_loses_nothing(grown: Repo, tmp_path: Path) -> None:
    report = tmp_path / "kills.json"
    command = [sys.executable, str(SCRIPT), str(grown.root), "--kills", str(KILLS), "--json", str(report)]
    command += ["--within", "60"]  # a busy machine is no failure
    command += ["--queries", "1"]  # what the store holds is compared byte by byte, too
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    found = json.loads(report.read_text())
    assert done.returncode == 0 and found["failed"] == 0, done.stdout + done.stderr
    assert len(found["kills"]) == KILLS and f"seed {found['seed']}" in done.stdout
    shares = sorted(kill["share"] for kill in found["kills"])
    assert all(part / KILLS <= share <= (part + 1) / KILLS for part, share in enumerate(shares))
    assert found["ended_before_kill"] < KILLS / 2, "the builds were not killed"


@pytest.mark.parametrize("whom", ["the program", "the whole group, as a terminal does"])
@pytest.mark.parametrize("moment", ["parsing", "late"])
def test_interrupted_it_ends_at_once_with_one_line(
    program: Program, grown: Repo, clean: Clean, whom: str, moment: str
) -> None:
    process = program.having(TRACKDOWN_WORKERS="1").start("index", grown.root)
    assert wait_for(lambda: processes(program, "trackdown.units.worker"))
    if moment == "parsing":
        (worker,) = processes(program, "trackdown.units.worker")
        os.kill(worker, signal.SIGSTOP)  # so that the index cannot end before the interrupt comes
    else:
        assert wait_for(lambda: facts_in(program.store) or process.poll() is not None)
    (os.kill if whom == "the program" else os.killpg)(process.pid, signal.SIGINT)
    run = finish(process)
    if moment == "parsing" or run.code:  # a late interrupt may come too late
        assert run.code == 130
        assert run.err.splitlines()[-1] == "trackdown: interrupted"
        assert run.err.count("\n") == 2 and run.err.startswith("Indexing grown: "), run.err
    assert wait_for(lambda: not survivors(program)), survivors(program)
    assert answer(program, grown.root) == clean.answer
    assert holdings(program.store) == clean.holdings


def test_ctrl_c_on_a_terminal_gives_the_terminal_back(program: Program, grown: Repo, clean: Clean) -> None:
    run = program.having(TRACKDOWN_WORKERS="1").on_terminal("index", grown.root, interrupt_at="Indexing grown")
    assert run.code == 130
    assert run.out.rstrip().splitlines()[-1] == "trackdown: interrupted"
    hidden, shown = run.out.rfind("\x1b[?25l"), run.out.rfind("\x1b[?25h")
    assert hidden <= shown, "the cursor stays hidden"
    assert wait_for(lambda: not survivors(program)), survivors(program)
    assert answer(program, grown.root) == clean.answer


def test_workers_that_are_just_starting_say_nothing_when_interrupted(program: Program, grown: Repo) -> None:
    for _ in range(3):
        process = program.start("index", grown.root)
        assert wait_for(lambda: processes(program, "trackdown.units.worker"))
        os.killpg(process.pid, signal.SIGINT)
        run = finish(process)
        assert "Traceback" not in run.err and run.err.splitlines()[-1] == "trackdown: interrupted", run.err


@pytest.mark.parametrize("module", ["trackdown.units.worker", "trackdown.index.commit_worker"])
def test_a_worker_that_dies_is_replaced_or_named(program: Program, grown: Repo, clean: Clean, module: str) -> None:
    process = program.start("index", grown.root)
    assert wait_for(lambda: processes(program, module))
    os.kill(processes(program, module)[0], signal.SIGKILL)
    run = finish(process)
    assert "Traceback" not in run.err
    if run.code:
        assert run.err.splitlines()[-1].startswith("trackdown: ") and "run the command again" in run.err
    assert answer(program, grown.root) == clean.answer
    assert holdings(program.store) == clean.holdings
