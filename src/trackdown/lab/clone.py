"""What a clone holds, read straight from git: its commits and their times, the files of a commit, and their units."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable
from functools import lru_cache
from types import TracebackType

from trackdown.errors import TrackdownError
from trackdown.repository import IGNORE_FILE, BlobReader, File, Git, IgnoreRules, Source, decode_text, open_source
from trackdown.units import Unit, extract_alone, language_of

_COMMIT_ID = re.compile(r"[0-9a-f]{7,64}")


def is_commit_id(text: str) -> bool:
    """Whether a text can be a commit's id, in full or shortened: branches and other revisions are none."""
    return _COMMIT_ID.fullmatch(text) is not None


def commit_times(place: str, revisions: Iterable[str]) -> dict[str, int]:
    """Full commit id → seconds since 1970. Whatever is wrong with the place shows when it is searched."""
    try:
        git = open_source(place).git
        present = present_commits(git, revisions) if git is not None else []
        if git is None or not present:
            return {}
        listed = git.run("log", "--no-walk=unsorted", "--format=%H %ct", "--stdin", stdin=_lines(present))
    except TrackdownError:
        return {}
    return {oid: int(seconds) for oid, seconds in map(str.split, listed.decode("ascii").splitlines())}


def present_commits(git: Git, revisions: Iterable[str]) -> list[str]:
    """The full ids of those that are ids of commits of this clone."""
    wanted = sorted(set(filter(is_commit_id, revisions)))
    answer = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=_lines(wanted))
    lines = answer.decode("utf-8", "replace").splitlines()
    return [line.split()[0] for line in lines if line.endswith(" commit")]


def _lines(items: Iterable[str]) -> bytes:
    return "".join(f"{item}\n" for item in items).encode("ascii")


_NO_FILES = (b"160000", b"120000", b"040000")  # submodules, links, folders


def files_among(git: Git, blobs: BlobReader, commit: str, paths: Iterable[str]) -> dict[str, File]:
    """Those of the paths that a commit's snapshot takes in. Raises GitError when its trees cannot be read."""
    wanted = set(paths)
    listed = regular_files(git, commit, wanted | set(_ignore_files(wanted)))
    texts = {
        path.rpartition("/")[0]: (blobs.read(oid) or b"").decode("utf-8", "replace")
        for path, oid in listed.items()
        if path.rsplit("/", 1)[-1] == IGNORE_FILE
    }
    rules = IgnoreRules(texts)
    found = {}
    for path in wanted & listed.keys():
        reason, forced = rules.decide(path)
        if not reason:
            found[path] = File(path, listed[path], forced)
    return found


def _ignore_files(paths: Iterable[str]) -> Iterable[str]:
    """Where the ignore files that rule over paths would stand."""
    for path in paths:
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            yield f"{folder}/{IGNORE_FILE}" if folder else IGNORE_FILE


def regular_files(git: Git, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The blob ids of those paths that are files of a commit, neither links nor submodules. Raises GitError."""
    wanted = sorted(set(paths))
    found: dict[str, str] = {}
    if not wanted:
        return found
    for record in git.run("ls-tree", "-z", "--full-tree", commit, "--", *wanted).split(b"\0"):
        head, _, name = record.partition(b"\t")
        if name and head.split(b" ")[0] not in _NO_FILES:
            found[os.fsdecode(name)] = head.split(b" ")[2].decode("ascii")
    return found


def enclosing(symbol: str, known: Container[str]) -> str:
    """A symbol, or else the nearest around it, that is known; an empty text when none is."""
    while symbol and symbol not in known:
        symbol = symbol.rpartition(".")[0]
    return symbol


class UnitsAt:
    """Reads files of commits; a context manager, since it holds a git process."""

    def __init__(self, source: Source) -> None:
        assert source.git is not None
        self._git = source.git
        self._reader = BlobReader(source.git)
        self.units = lru_cache(maxsize=256)(self._units)
        self.text = lru_cache(maxsize=256)(self._text)

    def __enter__(self) -> UnitsAt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.close()

    def holds(self, commit: str, path: str) -> bool:
        """Whether a commit has a file of this name; a folder or a submodule is none."""
        return self._blob(commit, path) is not None

    def symbols(self, commit: str, path: str, kinds: Container[str]) -> frozenset[str]:
        """The symbols of some kinds in a file."""
        return frozenset(unit.symbol for unit in self.units(commit, path) if unit.kind in kinds)

    def _text(self, commit: str, path: str) -> str | None:
        """A file's text; None if the commit has no such file, or it is not text."""
        data = self._data(commit, path)
        return decode_text(data) if data is not None else None

    def _units(self, commit: str, path: str) -> tuple[Unit, ...]:
        """The units of a file; none where there is no such file."""
        data = self._data(commit, path)
        return tuple(extract_alone(data, language_of(path), forced=True).units) if data is not None else ()

    def _data(self, commit: str, path: str) -> bytes | None:
        blob = self._blob(commit, path)
        return self._reader.read(blob) if blob is not None else None

    def _blob(self, commit: str, path: str) -> str | None:
        try:
            name = path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None
        if "\0" in path or {"", ".", ".."} & set(path.split("/")):
            return None  # git would take it for another place, or refuse it
        line = self._git.run("ls-tree", "-z", "--full-tree", commit, "--", path).split(b"\0")[0]
        head, _, found = line.partition(b"\t")
        return head.split()[2].decode("ascii") if found == name and b" blob " in head else None
