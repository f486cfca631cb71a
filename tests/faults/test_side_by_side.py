"""Several processes at one store: many readers beside one writer, and nobody waits for long."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faults.conftest import Clean, answer
from tests.faults.holdings import facts_in, holdings
from tests.surfaces.program import Program, finish, wait_for

pytestmark = pytest.mark.slow


def processes(program: Program, module: str) -> list[int]:
    """Our processes that run a module, by the mark in their environment."""
    mark = f"TRACKDOWN_TEST_MARK={program.variables['TRACKDOWN_TEST_MARK']}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = mark in (folder / "environ").read_bytes().split(b"\0")
            if ours and module.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_two_indexers_at_once_make_one_index(program: Program, grown: Repo, clean: Clean) -> None:
    both = [program.start("index", grown.root) for _ in range(2)]
    runs = [finish(process) for process in both]
    assert [run.code for run in runs] == [0, 0], runs
    whole = [run for run in runs if "another process is indexing" not in run.err]
    assert whole and all("grown: 400 files, " in run.out for run in whole)
    assert answer(program, grown.root) == clean.answer
    assert holdings(program.store) == clean.holdings


def test_many_that_start_at_once_on_no_store_all_answer(program: Program, grown: Repo, clean: Clean) -> None:
    commands = [["search", "cookie"], ["index"], ["status"], ["history", "sign the cookie"], ["search", "session"]]
    started = [program.start(*command, grown.root) for command in commands]
    for command, process in zip(commands, started, strict=True):
        run = finish(process)
        assert run.code == 0 and "Traceback" not in run.err, (command, run.err)
    assert answer(program, grown.root) == clean.answer
    assert holdings(program.store) == clean.holdings


def test_a_search_beside_a_first_index_answers_with_what_is_there(program: Program, grown: Repo, clean: Clean) -> None:
    indexing = program.having(TRACKDOWN_WORKERS="1").start("index", grown.root)
    assert wait_for(lambda: processes(program, "trackdown.units.worker"))
    (worker,) = processes(program, "trackdown.units.worker")
    os.kill(worker, signal.SIGSTOP)  # the index now stands still, half made, for as long as we like
    try:
        beside = Program(program.store, program.folder)
        run = beside("search", "cookie session", grown.root, "--format", "json")
        found = run.json()
        assert found["partial"] is True
        (note,) = [note for note in found["notes"] if "another process is indexing" in note]
        so_far = re.search(r"(\d+) of 400 files", note)
        assert so_far and int(so_far[1]) < 400
        text = beside("search", "cookie session", grown.root)
        assert text.code == 0 and text.err.startswith("note: another process is indexing")
        (status,) = beside("index", grown.root, "--format", "json").json()
        assert status["ready"] is False and "another process is indexing" in status["notes"][0]
        assert beside("history", "cookie session", grown.root, "--format", "json").json()["partial"] is True
        assert beside("status", grown.root, "--format", "json").json()["ready"] is False
        for command in (["related", "part0/module0.py:1"], ["blame", "part0/module0.py:1"], ["graph", "read_cookie"]):
            run = beside(*command, grown.root)
            assert run.code == 0 or "another process is indexing" in run.err, "it is not there yet, and is not missing"
    finally:
        os.kill(worker, signal.SIGCONT)
    assert finish(indexing).code == 0
    assert answer(program, grown.root) == clean.answer
    assert holdings(program.store) == clean.holdings


def test_searches_go_on_while_another_process_indexes(program: Program, grown: Repo, clean: Clean) -> None:
    indexing = program.start("index", grown.root)
    answers = 0
    while indexing.poll() is None:
        found = answer(Program(program.store, program.folder), grown.root)
        answers += 1
        assert found["partial"] or found == clean.answer
    assert finish(indexing).code == 0
    assert answers
    assert answer(program, grown.root) == clean.answer


def test_clearing_beside_an_index_of_another_repository_loses_nothing(
    program: Program, grown: Repo, clean: Clean, repo: Repo
) -> None:
    repo.commit("Begin", {"a.py": "def sign_cookie():\n    pass\n"})
    killed = program.start("index", grown.root)  # leaves facts that no index names yet
    assert wait_for(lambda: facts_in(program.store))
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    indexing = program.having(TRACKDOWN_WORKERS="1").start("index", grown.root)
    while indexing.poll() is None:
        assert program("index", repo.root).code == 0
        assert program("clear", repo.root).code == 0
    run = finish(indexing)
    assert run.code == 0, run.err
    assert answer(program, grown.root) == clean.answer
