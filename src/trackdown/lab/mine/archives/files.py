"""The files of an archive: one file, the files of a folder, or those of a commit of a git repository or bare mirror."""

from __future__ import annotations

import io
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from trackdown.errors import EmptyRepository, UsageError
from trackdown.lab.mine.archives.issue import LARGEST_ISSUE, Adapter, ArchivedIssue
from trackdown.lab.mine.changes import running_git
from trackdown.repository import BlobReader, Git, git_error, open_source, read_rest
from trackdown.types import Progress, no_progress

LARGEST_TABLE = 2 << 30
_REGULAR = (b"100644", b"100755")


@dataclass(slots=True)
class Archive:
    """The issues of an archive, which can be gone through several times.

    A git repository is read at `revision`, HEAD by default: mirrors have no files on disk. `only` are patterns of the
    paths to read. `unreadable` counts what the last pass could not read.
    """

    place: Path
    adapter: Adapter
    revision: str = ""
    only: Sequence[str] = ()
    unreadable: int = 0
    files: int = 0
    _git: Git | None = field(default=None, init=False)
    _commit: str = field(default="", init=False)

    def __post_init__(self) -> None:
        """Raises NoSuchPath, UsageError for a revision of no repository, and what opening the place raises."""
        source = open_source(self.place)
        is_file = self.place.is_file()
        if source.git is not None and not is_file and not source.subfolder:
            commit = source.resolve(self.revision) if self.revision else source.head()
            if commit is None:
                raise EmptyRepository(f"{self.place} has no commit yet: there is no issue in it")
            self._git, self._commit = source.git, commit
        elif self.revision:
            raise UsageError(f"{self.place} is not a git repository: it has no revision {self.revision!r}")

    def issues(self, step: str, progress: Progress = no_progress) -> Iterator[ArchivedIssue]:
        """Every issue that can be read, in the order of the paths. Raises UsageError if no file is of the format."""
        self.unreadable = self.files = seen = 0
        for path, stream in self._streams():
            with stream:
                self.files += 1
                try:
                    for issue in self.adapter.read(path, stream):
                        seen += 1
                        progress(step, seen, None)
                        if issue is not None:
                            yield issue
                        else:
                            self.unreadable += 1
                except (ValueError, OSError):
                    self.unreadable += 1
        if not self.files:
            endings = ", ".join(f"*{ending}" for ending in self.adapter.endings)
            raise UsageError(f"{self.place} has no file that the adapter {self.adapter.name} reads ({endings})")

    def _wants(self, path: str) -> bool:
        return self.adapter.wants(path) and (not self.only or any(fnmatchcase(path, pattern) for pattern in self.only))

    def _streams(self) -> Iterator[tuple[str, BinaryIO]]:
        if self._git is not None:
            return self._from_git(self._git)
        return iter([(self.place.name, _opened(self.place))]) if self.place.is_file() else self._from_disk()

    def _from_disk(self) -> Iterator[tuple[str, BinaryIO]]:
        for folder, folders, names in os.walk(self.place):
            folders.sort()
            for name in sorted(names):
                full = Path(folder, name)
                path = full.relative_to(self.place).as_posix()
                if self._wants(path) and full.is_file() and not full.is_symlink():
                    try:
                        stream = full.open("rb")
                    except OSError:
                        self._count_unreadable_file()
                    else:
                        yield path, stream

    def _from_git(self, git: Git) -> Iterator[tuple[str, BinaryIO]]:
        largest = LARGEST_TABLE if self.adapter.name == "table" else LARGEST_ISSUE
        with BlobReader(git) as blobs, closing(_listed(git, self._commit)) as listed:
            for oid, path in listed:
                if not self._wants(path):
                    continue
                data = blobs.read(oid, largest)
                if data is None:  # the mirror lacks it
                    self._count_unreadable_file()
                else:
                    yield path, io.BytesIO(data)

    def _count_unreadable_file(self) -> None:
        self.files += 1
        self.unreadable += 1


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def _listed(git: Git, commit: str) -> Generator[tuple[str, str]]:
    """(blob, path) of a commit's regular files, streamed: archives have hundreds of thousands."""
    with running_git(git, "ls-tree", "-r", "-z", "--full-tree", commit) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        rest = b""
        while chunk := process.stdout.read(1 << 18):
            *records, rest = (rest + chunk).split(b"\0")
            for record in records:
                head, _, name = record.partition(b"\t")
                mode, _, oid = head.split(b" ")
                if mode in _REGULAR:
                    yield oid.decode("ascii"), os.fsdecode(name)
        error = read_rest(process.stderr)
        if process.wait():
            raise git_error(error, process.returncode)
