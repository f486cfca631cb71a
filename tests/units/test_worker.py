"""The worker's program: messages with their length in front, and an end when the input ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.units.jobs import LIMIT, facts_of, on_disk, write_jobs
from trackdown.repository.blobs import blob_id
from trackdown.units.worker import ContentSource, ExtractionJob, ExtractionResult, Extractor, receive, send

Worker = subprocess.Popen[bytes]


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker, started."""
    command = [sys.executable, "-P", "-m", "trackdown.units.worker"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        with suppress(BrokenPipeError):
            pipe.close()


def test_it_does_batches_and_ends_when_its_input_does(worker: Worker, tmp_path: Path) -> None:
    jobs = write_jobs(tmp_path / "files", 4)
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    send(worker.stdin, on_disk(tmp_path / "files"))
    for batch in (jobs[:1], jobs[1:], []):
        send(worker.stdin, batch)
        done = [msgspec.msgpack.decode(receive(worker.stdout) or b"", type=ExtractionResult) for _ in batch]
        assert [item.key for item in done] == [job.key for job in batch]
    worker.stdin.close()
    assert worker.wait(timeout=300) == 0
    assert worker.stderr.read() == b""


@pytest.mark.parametrize("begun", [b"", b"\x05", b"\x05\0\0\0ab"])
def test_it_ends_when_its_input_ends_before_it_has_begun(worker: Worker, begun: bytes) -> None:
    out, err = worker.communicate(begun, timeout=300)
    assert (worker.returncode, out, err) == (0, b"", b"")


def test_it_ends_quietly_when_nobody_reads_its_answers(worker: Worker, tmp_path: Path) -> None:
    jobs = write_jobs(tmp_path / "files", 40, functions=50)
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    worker.stdout.close()
    send(worker.stdin, on_disk(tmp_path / "files"))
    send(worker.stdin, jobs)
    assert worker.wait(timeout=300) == 1
    assert worker.stderr.read() == b""


def test_it_says_why_when_git_cannot_go_on(worker: Worker, tmp_path: Path) -> None:
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    send(worker.stdin, ContentSource(str(tmp_path), str(tmp_path / "gone"), False, "sha1", LIMIT))
    message = receive(worker.stdout)
    assert message is not None and "is gone" in msgspec.msgpack.decode(message, type=str)
    assert worker.wait(timeout=300) == 0
    assert worker.stderr.read() == b""


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5), st.integers(1, 100))
def test_messages_arrive_as_they_were_sent_and_cut_ones_do_not(messages: list[bytes], cut: int) -> None:
    stream = io.BytesIO()
    for message in messages:
        send(stream, message)
    whole = stream.getvalue()
    stream.seek(0)
    arrived = [msgspec.msgpack.decode(receive(stream) or b"") for _ in messages]
    assert arrived == messages
    assert receive(stream) is None
    shortened = io.BytesIO(whole[:-cut])
    count = 0
    while receive(shortened) is not None:
        count += 1
    assert count < len(messages)


@pytest.mark.parametrize("name", [b"caf\xe9.py", b"new\nline.py", b"deep/er/x.py"])
def test_paths_are_bytes(tmp_path: Path, name: bytes) -> None:
    place = os.fsencode(tmp_path) + b"/" + name
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as stream:
        stream.write(b"def f():\n    pass\n")
    extractor = Extractor(on_disk(tmp_path))
    done = extractor.do(ExtractionJob("k", name, blob_id(b"def f():\n    pass\n"), "python", False))
    extractor.close()
    assert [unit.symbol for unit in facts_of(done).units] == ["f"]


def test_a_forced_job_is_read_past_the_limit(tmp_path: Path) -> None:
    text = "def f():\n    pass\n" + "#" * 1000
    (tmp_path / "a.py").write_text(text)
    place = ContentSource(str(tmp_path), None, True, "sha1", 100)
    oid = blob_id(text.encode())
    extractor = Extractor(place)
    assert facts_of(extractor.do(ExtractionJob("k", b"a.py", oid, "python", True))).skip == ""
    assert extractor.do(ExtractionJob("k", b"a.py", oid, "python", False)).facts is None


def test_a_large_file_that_a_user_lets_in_gets_more_time(tmp_path: Path) -> None:
    filling = "    # what a long body says\n" * 5
    text = "".join(f"def f{number}(x):\n{filling}    return x + {number}\n\n" for number in range(20_000))
    (tmp_path / "large.py").write_text(text)
    program = (
        "import sys\nfrom pathlib import Path\nfrom trackdown.units import worker\n"
        "from trackdown.units.facts import decode\nfrom trackdown.units.worker import ExtractionJob, Extractor\n"
        "worker.SECONDS_FOR_A_JOB = 0.1\n"
        "extractor = Extractor(worker.ContentSource('/', None, True, 'sha1', 1 << 20))\n"
        "job = ExtractionJob('', b'', '', 'python', True, data=Path(sys.argv[1]).read_bytes())\n"
        "print(len(decode(worker.do_in_time(extractor, job).facts).units))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "large.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("20000\n", "")
