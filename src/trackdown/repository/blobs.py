"""Reading contents: by blob id from git's object store, by path from disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType

from trackdown.errors import GitError
from trackdown.repository.git import Git
from trackdown.repository.snapshot import blob_id


class BlobReader:
    """`git cat-file --batch`, asked one blob at a time. A context manager; not for several threads."""

    def __init__(self, git: Git) -> None:
        self._process = git.stream("cat-file", "--batch")

    def __enter__(self) -> BlobReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def read(self, oid: str, max_bytes: int | None = None) -> bytes | None:
        """The content of a blob; None when this clone lacks it. A larger one gives its first `max_bytes` + 1 bytes."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(f"{oid}\n".encode("ascii"))
            stdin.flush()
            header = stdout.readline().split()
        except BrokenPipeError:
            raise GitError("git cat-file ended too early") from None
        if not header:
            raise GitError("git cat-file ended too early")
        if len(header) < 3 or header[1] != b"blob":
            if len(header) == 3:
                stdout.read(int(header[2]) + 1)
            return None
        size = int(header[2])
        wanted = size if max_bytes is None else min(size, max_bytes + 1)
        data = stdout.read(wanted)
        left = size - wanted
        while left:
            left -= len(stdout.read(min(left, 1 << 20)))
        stdout.read(1)
        return data


def read_on_disk(root: Path, path: str, max_bytes: int | None = None) -> bytes | None:
    """The content of a regular file below a root; None when it is gone, is no regular file or leaves the root."""
    try:
        descriptor = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    with os.fdopen(descriptor, "rb") as stream:
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return stream.read() if max_bytes is None else stream.read(max_bytes + 1)
        except OSError:
            return None


__all__ = ["BlobReader", "blob_id", "read_on_disk"]
