"""Read and index a whole history in a separate process, so that parsing doesn't wait for it.

The parent sends the commits to read and receives facts in batches, then the arrays. The worker writes nothing to the
store. It ends with its parent, because its output pipe breaks.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
import numpy as np

from trackdown.errors import GitError
from trackdown.index.commits import build_segment
from trackdown.repository import CommitFacts, CommitRef, Git, altered_commits, read_commits, shallow_commits
from trackdown.store import Arrays
from trackdown.units import receive, send

_BATCH = 2000
Fact = tuple[str, bool, bytes]


class CommitReadJob(msgspec.Struct, frozen=True):
    """The commits to read, ancestors first."""

    git_dir: str
    commits: list[tuple[str, list[str]]]
    exact_renames_only: bool


class HistoryReply(msgspec.Struct, frozen=True):
    """A batch of facts (id, complete, encoded commit), the arrays at the end, or an error."""

    facts: list[Fact] = []
    arrays: dict[str, tuple[str, list[int], bytes]] = {}
    meta: dict[str, list[str]] = {}
    error: str = ""


def read_and_gather(
    git: Git, listed: Sequence[CommitRef], *, exact_renames_only: bool
) -> Iterator[list[Fact] | Arrays]:
    """Facts of all non-merge commits in batches, then the arrays. Raises GitError when git cannot continue."""
    request = CommitReadJob(
        str(git.git_dir), [(commit.oid, list(commit.parents)) for commit in listed], exact_renames_only
    )
    command = [sys.executable, "-P", "-m", "trackdown.index.commit_worker"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/"), process_group=0)
    assert process.stdin is not None and process.stdout is not None
    decoder = msgspec.msgpack.Decoder(HistoryReply)
    try:
        send(process.stdin, request)
        while True:
            message = receive(process.stdout)
            if message is None:
                raise GitError("the process that reads the history died: run the command again")
            answer = decoder.decode(message)
            if answer.error:
                raise GitError(answer.error)
            if answer.arrays:
                yield Arrays(
                    {
                        name: np.frombuffer(data, dtype=kind).reshape(shape)
                        for name, (kind, shape, data) in answer.arrays.items()
                    },
                    answer.meta,
                )
                return
            yield answer.facts
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                pipe.close()
            except OSError:
                pass


def main() -> None:
    """Serve one request."""
    gc.disable()
    os.nice(2)  # parsing has priority: the steps after it can then overlap with the rest of the history
    message = receive(sys.stdin.buffer)
    if message is None:
        return
    request = msgspec.msgpack.decode(message, type=CommitReadJob)
    stdout = sys.stdout.buffer
    try:
        listed = [CommitRef(oid, tuple(parents)) for oid, parents in request.commits]
        git = Git(Path(request.git_dir))
        altered = altered_commits(git, listed, shallow_commits(git))
        commits = read_commits(git, listed, exact_renames_only=request.exact_renames_only, altered=altered)
        arrays, meta = build_segment(_send_facts(listed, commits, altered, stdout))
        packed = {name: (array.dtype.str, list(array.shape), array.tobytes()) for name, array in arrays.items()}
        send(stdout, HistoryReply(arrays=packed, meta=meta))
    except GitError as error:
        send(stdout, HistoryReply(error=str(error)))
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)


def _send_facts(
    listed: Sequence[CommitRef], commits: Iterator[CommitFacts], altered: Collection[str], stdout: IO[bytes]
) -> Iterator[tuple[CommitRef, CommitFacts | None]]:
    """Pair every listed commit with its facts, and send the facts to the parent on the way.

    A merge has none, but the parent must know of an altered one.
    """
    facts: list[Fact] = []
    for item in listed:
        commit = None if item.is_merge else next(commits)
        if item.is_merge and item.oid in altered:
            facts.append((item.oid, False, b""))
        if commit is not None:
            facts.append((commit.oid, commit.complete, msgspec.msgpack.encode(commit)))
        if len(facts) >= _BATCH:
            send(stdout, HistoryReply(facts=facts))
            facts = []
        yield item, commit
    if facts:
        send(stdout, HistoryReply(facts=facts))


if __name__ == "__main__":
    main()
