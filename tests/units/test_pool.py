"""Many blobs at once: every job is answered, whatever happens to the workers, and no worker outlives its parent."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import children
from tests.units.jobs import LIMIT, facts_of, on_disk, write_job, write_jobs
from trackdown.errors import GitError
from trackdown.repository.blobs import blob_id
from trackdown.units.pool import extract_all, extract_alone
from trackdown.units.worker import ContentSource, ExtractionJob, ExtractionResult

pytestmark = pytest.mark.slow

FEW, MANY = 30, 150


def by_key(answers: Iterator[list[ExtractionResult]]) -> dict[str, ExtractionResult]:
    found = list(chain.from_iterable(answers))
    assert len({done.key for done in found}) == len(found)
    return {done.key: done for done in found}


def check(done: dict[str, ExtractionResult], jobs: list[ExtractionJob], functions: int = 3) -> None:
    """Every job was done, and done well."""
    assert done.keys() == {job.key for job in jobs}
    for job in jobs:
        stem = job.key.removeprefix("file").removesuffix(".py")
        symbols = [unit.symbol for unit in facts_of(done[job.key]).units]
        assert symbols == [f"f{stem}_{part}" for part in range(functions)], job.key
        assert not done[job.key].here_only


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def before() -> set[int]:
    """The processes that were there before the test."""
    return children()


def test_few_jobs_are_done_by_one_worker_that_stays_warm(tmp_path: Path, before: set[int]) -> None:
    jobs = write_jobs(tmp_path / "files", FEW)
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()  # a process with threads doesn't fork
    check(by_key(extract_all(on_disk(tmp_path / "files"), jobs, 2)), jobs)
    warm = children() - before
    assert len(warm) <= 1  # none if an earlier test has left one
    check(by_key(extract_all(on_disk(tmp_path / "files"), jobs[:3], 2)), jobs[:3])
    assert children() - before == warm
    assert list(extract_all(on_disk(tmp_path), [], 2)) == []


def test_a_process_with_one_thread_forks_for_few_jobs(tmp_path: Path) -> None:
    write_jobs(tmp_path / "files", FEW)
    program = (
        "import os, sys, time\nfrom pathlib import Path\n"
        "from tests.repository.programs import children\n"
        "from tests.units.jobs import on_disk, write_jobs\nfrom trackdown.units.pool import extract_all\n"
        "root = Path(sys.argv[1])\nanswers = extract_all(on_disk(root), write_jobs(root, 30), 2)\n"
        "found = len(next(answers))\n(child,) = children()\n"
        "assert Path(f'/proc/{child}/cmdline').read_bytes() == Path('/proc/self/cmdline').read_bytes()\n"
        "found += sum(map(len, answers))\nprint(found, os.waitpid(child, 0)[1])\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", program, str(tmp_path / "files")]
    done = subprocess.run(command, capture_output=True, cwd=root, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("30 0\n", "")


def test_a_forked_worker_keeps_no_file_of_its_parent_open(tmp_path: Path) -> None:
    """Another thread may feed a git at that moment, which reads until its input ends."""
    program = (
        "import os, select, sys\nfrom pathlib import Path\n"
        "from tests.units.jobs import on_disk, write_jobs\nfrom trackdown.units.pool import extract_all\n"
        "root = Path(sys.argv[1])\nout, into = os.pipe()\n"
        "answers = extract_all(on_disk(root), write_jobs(root, 30), 2)\nfound = len(next(answers))\n"
        "os.close(into)\nprint(select.select([out], [], [], 5)[0] == [out])\n"
        "print(found + sum(map(len, answers)))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "files")]
    done = subprocess.run(command, capture_output=True, cwd=Path(__file__).parents[2], text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n30\n", "")


def test_a_process_that_ignores_the_end_of_children_forks_as_well(tmp_path: Path) -> None:
    program = (
        "import signal, sys\nfrom pathlib import Path\n"
        "from tests.units.jobs import on_disk, write_jobs\nfrom trackdown.units.pool import extract_all\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nroot = Path(sys.argv[1])\n"
        "print(sum(map(len, extract_all(on_disk(root), write_jobs(root, 30), 2))))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "files")]
    done = subprocess.run(command, capture_output=True, cwd=Path(__file__).parents[2], text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("30\n", "")


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_many_jobs_are_done_in_as_many_processes_as_wanted(tmp_path: Path, before: set[int], workers: int) -> None:
    jobs = write_jobs(tmp_path / "files", MANY)
    answers = extract_all(on_disk(tmp_path / "files"), jobs, workers)
    first = next(answers)
    assert len(children() - before) == max(1, workers)
    check(by_key(chain([first], answers)), jobs)
    assert children() == before


def test_long_paths_and_long_answers_do_not_wait_for_each_other(tmp_path: Path) -> None:
    folder = "/".join(["d" * 250] * 14)
    deep = tmp_path / "files" / folder[:3000]
    jobs = write_jobs(deep, 60, functions=150)
    long_ones = [
        ExtractionJob(job.key, os.fsencode(f"{folder[:3000]}/{job.key}"), job.oid, "python", False) for job in jobs
    ]
    done: list[dict[str, ExtractionResult]] = []
    extraction = threading.Thread(
        target=lambda: done.append(by_key(extract_all(on_disk(tmp_path / "files"), long_ones, 1))), daemon=True
    )
    extraction.start()
    extraction.join(60)
    assert done, "the worker and its feeder wait for each other"
    check(done[0], long_ones, functions=150)


def test_when_workers_are_killed_midway_all_jobs_are_done(tmp_path: Path, before: set[int]) -> None:
    jobs = write_jobs(tmp_path / "files", 300, functions=100)
    answers = extract_all(on_disk(tmp_path / "files"), jobs, 2)
    found = [next(answers)]
    first = children() - before
    assert len(first) == 2
    for worker in first:
        os.kill(worker, signal.SIGKILL)
    found.append(next(answers))
    wait_until(lambda: len(children() - before - first) == 2)
    check(by_key(chain(found, answers)), jobs, functions=100)
    assert children() == before


def test_a_worker_killed_before_its_first_job_is_replaced(tmp_path: Path, before: set[int]) -> None:
    jobs = write_jobs(tmp_path / "files", MANY)
    killed: set[int] = set()

    def kill_the_first() -> None:
        wait_until(lambda: bool(children() - before))
        killed.add(min(children() - before))
        os.kill(min(killed), signal.SIGKILL)

    killer = threading.Thread(target=kill_the_first)
    killer.start()
    done = by_key(extract_all(on_disk(tmp_path / "files"), jobs, 1))
    killer.join()
    assert killed
    check(done, jobs)


@pytest.fixture
def _files_that_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every Python process started from now on, opening a file called killer*.py is the end."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(
        "import os, sys\n"
        "def hook(event, arguments):\n"
        "    if event == 'open' and str(arguments[0]).rsplit('/', 1)[-1].startswith('killer'):\n"
        "        os.kill(os.getpid(), 9)\n"
        "sys.addaudithook(hook)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))


@pytest.mark.usefixtures("_files_that_kill")
def test_a_file_that_kills_every_worker_is_left_out_and_the_rest_is_done(tmp_path: Path, before: set[int]) -> None:
    root = tmp_path / "files"
    jobs = write_jobs(root, MANY)
    killers = [write_job(root, f"killer{number}.py", "x = 1\n") for number in range(3)]
    mixed = [*jobs[:10], killers[0], *jobs[10:60], killers[1], killers[2], *jobs[60:]]
    done = by_key(extract_all(on_disk(root), mixed, 2))
    for killer in killers:
        lost = done.pop(killer.key)
        assert (facts_of(lost).skip, lost.here_only) == ("unreadable", True)
    check(done, jobs)
    assert children() == before


def test_workers_are_gone_when_nobody_wants_the_rest(tmp_path: Path, before: set[int]) -> None:
    jobs = write_jobs(tmp_path / "files", 300, functions=50)
    answers = extract_all(on_disk(tmp_path / "files"), jobs, 2)
    next(answers)
    assert len(children() - before) == 2
    answers.close()  # type: ignore[attr-defined]
    assert children() == before


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    write_jobs(tmp_path / "files", 300, functions=50)
    program = (
        "import sys, time\nfrom pathlib import Path\n"
        "from tests.units.jobs import on_disk, write_jobs\nfrom trackdown.units.pool import extract_all\n"
        "root = Path(sys.argv[1])\nanswers = extract_all(on_disk(root), write_jobs(root, 300, 50), 2)\n"
        "next(answers)\nprint('ready', flush=True)\ntime.sleep(60)\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", program, str(tmp_path / "files")]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)
    try:
        assert parent.stdout is not None and parent.stdout.readline() == b"ready\n"
        workers = children(parent.pid)
        assert len(workers) == 2
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def test_blobs_come_from_git_and_missing_ones_are_named_for_this_clone_only(repo: Repo) -> None:
    root = repo.root
    jobs = write_jobs(root, MANY)
    repo.commit("Begin")
    for path in root.glob("*.py"):
        path.unlink()
    place = ContentSource(str(root), str(root / ".git"), False, "sha1", LIMIT)
    lost = ExtractionJob("lost", b"lost.py", "1" * 40, "python", False)
    done = by_key(extract_all(place, [*jobs, lost], 2))
    missing = done.pop("lost")
    assert (facts_of(missing).skip, missing.here_only) == ("missing", True)
    check(done, jobs)


def test_a_file_that_changed_since_it_was_looked_at_has_no_facts(tmp_path: Path) -> None:
    root = tmp_path / "files"
    jobs = write_jobs(root, MANY)
    (root / "file3.py").write_text("changed = 1\n")
    (root / "file4.py").unlink()
    done = by_key(extract_all(on_disk(root), jobs, 2))
    assert done.pop("file3.py").facts is None and done.pop("file4.py").facts is None
    check(done, [job for job in jobs if job.key not in ("file3.py", "file4.py")])


@pytest.mark.parametrize("count", [FEW, MANY])
@pytest.mark.parametrize("exists", [True, False])
def test_a_repository_that_cannot_be_read_is_an_error_and_not_a_hang(
    tmp_path: Path, before: set[int], count: int, exists: bool
) -> None:
    jobs = write_jobs(tmp_path / "files", count)
    (tmp_path / "gone").mkdir()
    if not exists:
        shutil.rmtree(tmp_path / "gone")
    place = ContentSource(str(tmp_path / "files"), str(tmp_path / "gone"), False, "sha1", LIMIT)
    with pytest.raises(GitError) as caught:
        list(extract_all(place, jobs, 2))
    assert "\n" not in str(caught.value)
    assert children() <= before


def test_modules_in_the_current_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "files"
    jobs = write_jobs(root, MANY)
    for name in ("msgspec.py", "struct.py", "tree_sitter.py", "sitecustomize.py", "trackdown.py"):
        (root / name).write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    monkeypatch.chdir(root)
    check(by_key(extract_all(on_disk(root), jobs, 2)), jobs)
    assert not (tmp_path / "mark").exists()


def test_a_file_on_which_a_grammar_hangs_is_searched_as_text_for_now(tmp_path: Path) -> None:
    hanging = b"t[<n t'}:(r}c@s e;"
    contents = {"bad.js": hanging, "good.js": b"function good() { return 1 }\n"}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    place = ContentSource(str(tmp_path), None, True, "sha1", 1 << 20)
    jobs = [ExtractionJob(name, name.encode(), blob_id(data), "javascript", False) for name, data in contents.items()]
    done = by_key(extract_all(place, jobs, 2))
    bad = facts_of(done["bad.js"])
    assert [(unit.kind, unit.symbol) for unit in bad.units] == [("window", "")]
    assert (bad.skip, bad.as_text) == ("", "the parser could not finish it") and done["bad.js"].cut
    assert facts_of(done["good.js"]).units[0].symbol == "good" and not done["good.js"].cut


def test_one_content_is_extracted_outside_of_this_process() -> None:
    assert [unit.symbol for unit in extract_alone(b"def f():\n    pass\n", "python").units] == ["f"]
