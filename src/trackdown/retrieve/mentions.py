"""Paths, names and traceback frames that occur in the query itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from trackdown.index import CodeIndex, Corpus
from trackdown.query import THE_QUERY, Frame, Query
from trackdown.retrieve.candidate_pool import Candidates
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.wording import RANKED, part_of
from trackdown.types import CLASS_KINDS, LEVEL_CLASS, Match

SIGNAL = "mentions"
_TOO_COMMON = 40
_MOST_FILES = 3
"""A place in one of more files of that name is anybody's guess."""
_FRAME, _PATH, _NAME, _FOLDER = 1.0, 1.0, 0.8, 0.3
_FILE_FOR_ITS_UNITS = 0.4
_CONSTRUCTOR, _METHOD = 1.0, 0.5
_CONSTRUCTORS = frozenset("__init__ __new__ constructor init initialize new".split())
_KEYWORDS = frozenset("class def enum fn func function interface method module struct trait type".split())
_MOST = 1.5


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates that the query names, or whose file it names."""
    query, pool = request.query, request.candidates
    alone = _alone(query)
    if not (query.frames or query.paths or query.names or alone):
        return None
    found = mentions(request.corpus.code, query)
    only = _Meaning(request.corpus, pool, found)
    if query.frames and query.typed and query.is_one_line and query.speaker == THE_QUERY:
        only.at_places(query.frames)
    elif alone:
        only.called(alone)
    share = 1.0 if pool.level == "file" else _FILE_FOR_ITS_UNITS
    scores = np.minimum(pool.from_units(found.units) + share * pool.from_files(found.files), _MOST)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        parts = pool.best_units(chosen, found.units)
        return [
            Match(found.in_words(request.corpus.code, pool, candidate, part), {"score": float(scores[candidate])})
            for candidate, part in zip(chosen, parts, strict=True)
        ]

    @cache
    def views() -> dict[str, npt.NDArray[np.float64]]:
        of_kinds = {kind: pool.best_of_units(units) for kind, units in found.by_kind.items()}
        return {**of_kinds, "file": pool.from_files(found.files)}

    return Channel(SIGNAL, scores, reasons, floor=1.0, views=views, elsewhere=only.elsewhere, meant=only.scores)


def _alone(query: Query) -> str:
    """The name or path that a line is nothing but, without a keyword before it: `class Flask`, `app.py`."""
    words = query.text.replace("`", " ").split()
    if not query.typed or query.speaker != THE_QUERY or not 1 <= len(words) <= 2 or {*words[:-1]} - _KEYWORDS:
        return ""
    return words[-1].removesuffix("()")


class _Meaning:
    """What a query can only mean: the code at a place, or what it is nothing but the name of.

    `scores` are those of the candidates; None if there are none. `elsewhere` says where it is, if no candidate is it.
    """

    def __init__(self, corpus: Corpus, pool: Candidates, found: Mentions) -> None:
        self.scores: npt.NDArray[np.float64] | None = None
        self.elsewhere = ""
        self._corpus, self._index, self._pool, self._found = corpus, corpus.code, pool, found

    def at_places(self, frames: Sequence[Frame]) -> None:
        """Places such as `src/app.py:30`. Says which are in too many files, and which are in no candidate."""
        found = [(frame, _files_of(self._index, frame)) for frame in frames]
        of_files = self._in_files([file for _, files in found for file in files])
        if self._pool.level != "file":
            self._take(self._pool.best_of_units(self._found.by_kind.get("frames", np.zeros(len(self._found.units)))))
        for frame, files in found:
            if files and self._pool.level != "file" and self.scores is None:
                place = f"line {frame.line} of {self._index.path(files[0])}"
                self.elsewhere = f"no {RANKED[self._pool.level]} is at {place}"
            elif not files and (many := len(_files_matching(self._index, frame.path))):
                known = f"{many} files are called {frame.path}"
                self._corpus.note(f"{known}: add the folder to find line {frame.line}")
        if self.scores is None:
            self._take(of_files)

    def called(self, name: str) -> None:
        """A path or a name. A class stands for its methods where only functions are ranked."""
        exact = self._index.files_by_path.get(name)
        files = [exact] if exact is not None else _files_matching(self._index, name)
        if 1 <= len(files) <= _MOST_FILES:
            self._take(self._in_files(files))
            if self.scores is None:
                self.elsewhere = f"{self._index.path(files[0])} has no {RANKED[self._pool.level]}"
            return
        units = self._index.units_named(name)
        exactly = [unit for unit in units if self._index.symbol(unit) == name] or units
        if self._pool.level == "function" and exactly and all(map(self._is_class, exactly[:_TOO_COMMON])):
            self._take(self._methods(exactly[:_TOO_COMMON]))
            if self.scores is not None:
                self._corpus.note(f"{name} is a class: search with {LEVEL_CLASS}")
            else:
                self.elsewhere = f"{name} is a class in {self._index.path(int(self._index.unit_file[exactly[0]]))}"

    def _take(self, scores: npt.NDArray[np.float64]) -> None:
        self.scores = scores if scores.any() else None

    def _is_class(self, unit: int) -> bool:
        return self._index.kind(unit) in CLASS_KINDS

    def _in_files(self, files: Sequence[int]) -> npt.NDArray[np.float64]:
        wanted = np.zeros(len(self._found.files))
        wanted[files] = 1.0
        return self._pool.from_files(wanted)

    def _methods(self, classes: Sequence[int]) -> npt.NDArray[np.float64]:
        """The methods of classes, constructors first."""
        scores = np.zeros(len(self._found.units))
        for unit in classes:
            symbol = self._index.symbol(unit)
            for row in self._index.units_of(int(self._index.unit_file[unit])):
                owner, _, name = self._index.symbol(row).rpartition(".")
                if owner == symbol:
                    first = name in _CONSTRUCTORS or name == symbol.rpartition(".")[2]
                    scores[row] = _CONSTRUCTOR if first else _METHOD
                    self._found.unit(row, 0.0, f"{self._found.speaker} names its class", "names")
        return self._pool.best_of_units(scores)


@dataclass(slots=True)
class Mentions:
    """Scores of units and files that the query mentions, and the matches in words.

    A match of a file is told in two ways: of the file itself, and of a unit in it. `speaker` is whose text mentions
    them.
    """

    units: npt.NDArray[np.float64]
    files: npt.NDArray[np.float64]
    unit_matches: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    file_matches: dict[int, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    by_kind: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    speaker: str = THE_QUERY

    def unit(self, unit: int, score: float, match: str, kind: str) -> None:
        """Add a match of a unit. The strongest one counts, further ones a little."""
        of_kind = self.by_kind.setdefault(kind, np.zeros(len(self.units)))
        of_kind[unit] = max(of_kind[unit], score)
        self.units[unit] = max(self.units[unit], score) + 0.1 * min(self.units[unit], score)
        self.unit_matches[unit].append(match)

    def file(self, file: int, score: float, match: str, of_unit: str) -> None:
        """Add a match of a file, told of the file itself and of a unit in it."""
        self.files[file] = max(self.files[file], score) + 0.1 * min(self.files[file], score)
        self.file_matches[file].append((match, of_unit))

    def in_words(self, code: CodeIndex, pool: Candidates, candidate: int, part: int) -> str:
        """How the query mentions a candidate, or its best `part`; if it mentions neither, how it mentions its file.

        Frames come before paths, and paths before names: the first match says most.
        """
        unit, file = int(pool.units[candidate]), int(pool.files[candidate])
        of_file, of_unit = self.file_matches.get(file, [("", "")])[0]
        if unit < 0:
            return of_file
        if matches := self.unit_matches.get(unit):
            return matches[0]
        if matches := self.unit_matches.get(part):
            return part_of(code, pool, candidate, part) + matches[0]
        return of_unit


def mentions(index: CodeIndex, query: Query) -> Mentions:
    """Find the units and files that the query mentions."""
    found = Mentions(np.zeros(len(index.unit_file)), np.zeros(len(index.file_alive)), speaker=query.speaker)
    for place, frame in enumerate(reversed(query.frames)):
        _frame(index, frame, _FRAME / (1 + 0.2 * place), found)
    for path in query.paths:
        matches = _files_matching(index, path)
        for file in matches if len(matches) <= _TOO_COMMON else []:
            of_file, of_unit = f"{query.speaker} names it", f"{query.speaker} names its file"
            found.file(file, _PATH / len(matches) ** 0.5, of_file, of_unit)
        if not matches and "/" in path:
            _folder(index, path, found)
    for name in query.names:
        _name(index, name, found)
    return found


def _files_matching(index: CodeIndex, path: str) -> list[int]:
    """Files whose path ends with the given one, or the other way round, as for installed or built files.

    If there are none, the files that share the longest end of at least two names.
    """
    wanted = path.replace("\\", "/").split("?")[0].strip("/").split("/")
    same_name = index.files_by_name.get(wanted[-1], [])
    if len(wanted) == 1:
        return [file for _, file in same_name]
    end = "/".join(wanted[-2:])
    best = [file for candidate, file in same_name if candidate == wanted[-1]]
    longest = 1
    for candidate, file in same_name:
        if not f"/{candidate}".endswith(f"/{end}"):
            continue
        shared = _shared_end(candidate.split("/"), wanted)
        if shared > longest:
            best, longest = [], shared
        if shared == longest:
            best.append(file)
    return best


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many names two paths share at their ends."""
    shared = 0
    for ours, theirs in zip(reversed(one), reversed(other), strict=False):
        if ours != theirs:
            break
        shared += 1
    return shared


def _files_of(index: CodeIndex, frame: Frame) -> list[int]:
    """The files that a frame may mean; none if there are too many."""
    files = _files_matching(index, frame.path)
    return files if len(files) <= _MOST_FILES else []


def _frame(index: CodeIndex, frame: Frame, score: float, found: Mentions) -> None:
    files = _files_of(index, frame)
    for file in files:
        if frame.function:
            where = of_file = f"in the traceback (line {frame.line})"
            of_unit = f"its file is {where}"
        else:  # `path:line` need not come from a traceback
            where = f"at line {frame.line}, which {found.speaker} names"
            of_file = f"{found.speaker} names line {frame.line} in it"
            of_unit = f"in {index.path(file).rpartition('/')[2]}, which {found.speaker} names"
        found.file(file, score / len(files), of_file, of_unit)
        rows = [row for row in index.units_of(file) if index.kind(row) != "window"]
        last = frame.function.rsplit(".", 1)[-1]
        named = [row for row in rows if last and index.symbol(row).rsplit(".", 1)[-1] == last]
        at_line = [row for row in rows if index.unit_start[row] <= frame.line <= index.unit_end[row]]
        both = [row for row in named if row in at_line]
        for row in both or named or at_line[-1:]:
            found.unit(row, score / len(files), where, "frames")


def _folder(index: CodeIndex, path: str, found: Mentions) -> None:
    """Match a folder whose path is the given one or ends with it."""
    same_name = index.folders_by_name.get(path.rsplit("/", 1)[-1], [])
    folders = tuple(f"{folder}/" for folder in same_name if f"/{folder}".endswith(f"/{path}"))
    inside = [file for name, file in index.files_by_path.items() if name.startswith(folders)] if folders else []
    for file in inside if len(inside) <= _TOO_COMMON else []:
        match = f"{found.speaker} names its folder {path}"
        found.file(file, _FOLDER, match, match)


def _letter(index: CodeIndex, name: str, found: Mentions) -> None:
    """Match a name of one letter: what defines it outside functions and classes."""
    windows = index.windows_defining(name[-1])
    for unit in windows if len(windows) <= _TOO_COMMON else []:
        score = _NAME / len(windows) ** 0.5
        of_file, of_unit = f"defines {name}, which {found.speaker} names", f"near {name}, which {found.speaker} names"
        found.unit(unit, score, of_file, "names")
        found.file(int(index.unit_file[unit]), score, of_file, of_unit)


def _name(index: CodeIndex, name: str, found: Mentions) -> None:
    """Match a name: a symbol, the end of one, or a dotted path to a module and a symbol in it."""
    parts = name.split(".")
    if len(parts[-1]) == 1:
        _letter(index, name, found)
    for start in range(len(parts)):
        suffix = ".".join(parts[start:])
        units = index.units_named(suffix)
        if not units:
            continue
        if start and len(units) > 1:
            module = "/".join(parts[:start])
            inside = [unit for unit in units if module in index.path(int(index.unit_file[unit]))]
            units = inside or units
        if len(units) <= _TOO_COMMON:
            exact = [unit for unit in units if index.symbol(unit) == suffix] or units
            for unit in units:
                weight = 1.0 if unit in exact else 0.7
                score = _NAME * weight / len(units) ** 0.5
                found.unit(unit, score, f"{found.speaker} names it", "names")
                of_file, of_unit = f"{found.speaker} names {name} in it", f"near {name}, which {found.speaker} names"
                found.file(int(index.unit_file[unit]), 0.6 * score, of_file, of_unit)
        return
    for end in range(len(parts), 1, -1):
        for path in (f"{'/'.join(parts[:end])}.py", f"{'/'.join(parts[:end])}/__init__.py"):
            matches = _files_matching(index, path)
            for file in matches if len(matches) <= _TOO_COMMON else []:
                match = f"{found.speaker} names its module {'.'.join(parts[:end])}"
                found.file(file, _PATH * 0.7 / len(matches) ** 0.5, match, match)
            if matches:
                return
