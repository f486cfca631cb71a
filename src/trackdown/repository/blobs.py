"""Read contents: by blob id from git's object store, by path from disk."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from trackdown.errors import GitError
from trackdown.repository.git import Git
from trackdown.repository.waiting import wait_for_output

_LONGEST_READ = 60.0
_SHA256_DIGITS = 64
_OPEN_FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    """The id that git gives to these bytes as a blob."""
    return hashlib.new(object_format, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _new_hash(size: int, oid: str) -> hashlib._Hash:
    """The hash that a blob's id is, to be updated with its content."""
    object_format = "sha256" if len(oid) == _SHA256_DIGITS else "sha1"
    return hashlib.new(object_format, b"blob %d\0" % size, usedforsecurity=False)


def decode_text(data: bytes) -> str | None:
    """Bytes → text: UTF-8, UTF-16 with a byte-order mark, otherwise Latin-1. None when it is not text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            return None
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class BlobReader:
    """`git cat-file --batch`, one blob at a time. A context manager; not thread-safe.

    `present` are the only blobs that will be asked for, if the caller knows that they are here.
    """

    def __init__(self, git: Git, present: Iterable[str] | None = None) -> None:
        self._git = git
        self._process = git.stream("cat-file", "--batch")
        self._present = None if present is None else frozenset(name.encode("ascii") for name in present)

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
        """The content of a blob, at most `max_bytes` + 1 bytes of it; None when this clone lacks it or it is damaged.

        Git itself does not check that an object's content matches its id. We do, because what we derive from the
        content is shared by all clones. Raises GitError when the repository cannot be read.
        """
        name = oid.encode("ascii")
        if self._present is not None and name not in self._present:
            return None
        try:
            return self._ask(oid, max_bytes)
        except (BrokenPipeError, EOFError, GitError):
            self._start_again()
            return None

    def _ask(self, oid: str, max_bytes: int | None) -> bytes | None:
        """Raises EOFError when git exits before it has answered, GitError when it doesn't answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(f"{oid}\n".encode("ascii"))
        stdin.flush()
        wait_for_output(self._process, _LONGEST_READ)
        header = stdout.readline().split()
        if not header:
            raise EOFError
        if len(header) < 3:
            return None
        size = int(header[2])
        wanted = size if max_bytes is None else min(size, max_bytes + 1)
        data = stdout.read(wanted)
        digest = _new_hash(size, oid)
        digest.update(data)
        left = size - len(data)
        while left:
            passed = stdout.read(min(left, 1 << 20))
            if not passed:
                raise EOFError
            digest.update(passed)
            left -= len(passed)
        if not stdout.read(1):  # the line break after the content
            raise EOFError
        return data if header[1] == b"blob" and digest.hexdigest() == oid else None

    def _start_again(self) -> None:
        """Restart git after an object killed it: a damaged one, or (before git 2.44) one that a partial clone lacks.

        There may be thousands of the second kind, so from now on only objects that are here are asked for.
        """
        self.close()
        if self._present is None:
            names = self._git.run("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)")
            self._present = frozenset(names.split())
        self._process = self._git.stream("cat-file", "--batch")


def read_on_disk(root: Path, path: str, max_bytes: int | None = None) -> bytes | None:
    """The content of a file below a root; None when it is gone, is not a regular file or is outside the root."""
    try:
        descriptor = _open_below(root, path)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        wanted = sys.maxsize if max_bytes is None else max_bytes + 1
        asked = min(found.st_size + 1, wanted)
        data = os.read(descriptor, asked)
        if asked < wanted and len(data) == asked:  # it has grown since
            with open(descriptor, "rb", closefd=False) as rest:
                data += rest.read(-1 if max_bytes is None else wanted - asked)
        return data
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _open_below(root: Path, path: str) -> int:
    """Open a file without following links on the way: a folder that became a link may lead anywhere."""
    *folders, name = path.split("/")
    if ".." in folders:
        raise ValueError("the path leaves the root")
    at = os.open(root, _OPEN_FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)
