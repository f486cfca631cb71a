"""Declarations give way to what they stand for: overloads, methods of interfaces, stubs and headers.

What was found about a declaration counts for its implementation, if that was found too. A declaration stays where it
is if the repository has no implementation, if filters or phrases leave none in the answer, or if it says the message
that the query is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trackdown.index import CodeIndex, Mask, kth_largest
from trackdown.pipeline.fusing import Floats, Fused
from trackdown.retrieve import Candidates, Channel, messages
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Match

SIGNAL = "declaration"
_LOOKED_AT = 300
_MOST_DECLARATIONS = 40
_MOST_UNRELATED = 8
_MOST_BETWEEN = 8
_OVERLOAD, _METHOD, _FILE = 0.5, 0.7, 0.9
"""What the scores of declarations are multiplied by. A change may reach an interface or a header, too."""
_SAID = 0.5
"""The score of a message that most of the query is. One that an issue quotes among other things has less."""
_FAMILIES = {"tsx": "typescript", "javascript": "typescript", "c": "cpp"}
_STRUCTURAL = frozenset({"typescript", "go", "rust", "swift"})
"""Languages in which an implementation need not name what it implements, or does so outside its class."""
_SOURCES = {
    ".pyi": (".py",),
    ".d.ts": (".ts", ".tsx", ".js", ".mjs", ".cjs"),
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx"), (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")),
}
"""Endings of files that declare, and of those of the same name that implement."""


def give_way(index: CodeIndex, fused: Fused) -> Fused:
    """The scores after every declaration among the best has passed its own on to its implementation."""
    found = _Implementations(index, fused.pool, fused.total, fused.allowed).of_best()
    found = _without_those_who_say_it(fused.channels, found)
    if not found:
        return fused
    declared = list(found)
    passed_on = np.zeros(fused.pool.count)
    by: dict[int, int] = {}
    for declaration, implementation in found.items():
        more = float(fused.total[declaration] - fused.total[implementation])
        if more > passed_on[implementation]:
            passed_on[implementation] = more
            by[implementation] = declaration
    factor = fused.factor.copy()
    factor[declared] *= [_factor(index, fused.pool, one, other) for one, other in found.items()]
    parts = [part.copy() for part in fused.parts]
    for part in parts:
        part[declared] *= factor[declared] / fused.factor[declared]

    def reasons(chosen: Sequence[int]) -> list[Match]:
        return [Match(f"implements {_name(index, fused.pool, by[one])}, which matches better") for one in chosen]

    return replace(
        fused,
        channels=[*fused.channels, Channel(SIGNAL, passed_on, reasons)],
        parts=[*parts, passed_on],
        total=sum(parts, passed_on),
        factor=factor,
        gives_way={one: _name(index, fused.pool, other) for one, other in found.items()},
    )


def _without_those_who_say_it(channels: Sequence[Channel], found: Mapping[int, int]) -> Mapping[int, int]:
    """The declarations that do not say, better than their implementations, the message that the query is."""
    said = next((channel for channel in channels if channel.signal == messages.SIGNAL), None)
    if said is None:
        return found
    scores = np.where(said.scores > said.views()["constant"], said.scores, 0.0)
    return {one: other for one, other in found.items() if scores[one] < _SAID or scores[one] <= scores[other]}


def _factor(index: CodeIndex, pool: Candidates, declaration: int, implementation: int) -> float:
    if pool.level == "file":
        return _FILE
    return _OVERLOAD if _name(index, pool, declaration) == _name(index, pool, implementation) else _METHOD


def _name(index: CodeIndex, pool: Candidates, candidate: int) -> str:
    unit = int(pool.units[candidate])
    path = index.path(int(pool.files[candidate]))
    return f"{index.symbol(unit)} in {path}" if unit >= 0 else path


class _Implementations:
    """Finds the implementations of declarations among the best candidates."""

    def __init__(self, index: CodeIndex, pool: Candidates, total: Floats, allowed: Mask) -> None:
        self._index = index
        self._pool = pool
        self._total = total
        self._allowed = allowed
        self._classes_naming: dict[str, frozenset[int]] = {}
        self._by_file: dict[int, Mapping[str, Sequence[int]]] = {}
        found = np.flatnonzero((total > 0) & allowed)
        if len(found) > _LOOKED_AT:
            found = found[total[found] >= kth_largest(total[found], _LOOKED_AT)]
        self._best: list[int] = found[np.argsort(-total[found], kind="stable")].tolist()

    def of_best(self) -> Mapping[int, int]:
        """Candidate that declares → candidate that implements it. None of the latter is among the former."""
        if self._pool.level == "file":
            found = {one: self._source_file(one) for one in self._best}
        else:
            units = self._pool.units[self._best]
            declares = self._index.unit_declares[units].tolist()
            if not any(declares):
                return {}
            named: dict[str, list[int]] = {}
            for unit, only_declares in zip(units.tolist(), declares, strict=True):
                if not only_declares and self._index.kind(unit) in FUNCTION_KINDS:
                    named.setdefault(_last(self._index.symbol(unit)), []).append(unit)
            marked = [unit for unit, only_declares in zip(units.tolist(), declares, strict=True) if only_declares]
            owner = self._pool.owner
            found = {
                int(owner[unit]): self._first(self._implementations(unit, named))
                for unit in marked[:_MOST_DECLARATIONS]
            }
        return {one: other for one, other in found.items() if other is not None}

    def _implementations(self, declaration: int, named: Mapping[str, Sequence[int]]) -> Sequence[int]:
        """The functions that implement another: the code of its overloads; else, of those that were found by the same
        name, the one in a file of the same name, or the methods of classes that name its class.
        """
        index = self._index
        file, symbol = int(index.unit_file[declaration]), index.symbol(declaration)
        if here := self._in_file(file).get(symbol):
            return here
        owner, _, name = symbol.rpartition(".")
        others = [other for other in named.get(name, ()) if self._fits(other, file)]
        stem = _stem(index.path(file))
        same = [other for other in others if index.symbol(other) == symbol and self._stem_of(other) == stem]
        if same or not owner:
            return same
        methods = [other for other in others if "." in index.symbol(other)]
        return self._heirs(_last(owner), methods, _family(index, file)) if methods else []

    def _in_file(self, file: int) -> Mapping[str, Sequence[int]]:
        """Symbol → functions of a file that have code of their own."""
        if file not in self._by_file:
            index = self._index
            found: dict[str, list[int]] = {}
            for unit in index.units_of(file):
                if not index.unit_declares[unit] and index.kind(unit) in FUNCTION_KINDS:
                    found.setdefault(index.symbol(unit), []).append(unit)
            self._by_file[file] = found
        return self._by_file[file]

    def _fits(self, unit: int, file: int) -> bool:
        """Whether a unit's file has the role and the kind of language of another file."""
        index, other = self._index, int(self._index.unit_file[unit])
        return bool(index.file_role[other] == index.file_role[file]) and _family(index, other) == _family(index, file)

    def _heirs(self, owner: str, methods: Sequence[int], family: str) -> Sequence[int]:
        """Those methods whose class names the owner, as a base class or an interface is named, or a class that does."""
        classes = self._index.unit_class[list(methods)].tolist()
        naming = self._naming(owner)
        if naming.isdisjoint(classes):
            between = [self._naming(_last(self._index.symbol(one))) for one in sorted(naming)[:_MOST_BETWEEN]]
            naming = frozenset().union(*between)
        if heirs := [method for method, its_class in zip(methods, classes, strict=True) if its_class in naming]:
            return heirs
        return methods if family in _STRUCTURAL and len(methods) <= _MOST_UNRELATED else []

    def _naming(self, name: str) -> frozenset[int]:
        """The classes whose own lines contain the name of another."""
        if name not in self._classes_naming:
            units = self._index.units_with(name)
            self._classes_naming[name] = frozenset(units[self._index.is_kind(CLASS_KINDS, units)].tolist())
        return self._classes_naming[name]

    def _first(self, units: Sequence[int]) -> int | None:
        """The best candidate of these units that may be in the answer; ties by path and line."""
        owners = [int(self._pool.owner[unit]) for unit in units]
        candidates = [candidate for candidate in owners if candidate >= 0 and self._allowed[candidate]]
        return min(candidates, key=self._rank, default=None)

    def _rank(self, candidate: int) -> tuple[float, str, int]:
        unit = int(self._pool.units[candidate])
        return -float(self._total[candidate]), self._index.path(int(self._pool.files[candidate])), unit

    def _stem_of(self, unit: int) -> str:
        return _stem(self._index.path(int(self._index.unit_file[unit])))

    def _source_file(self, candidate: int) -> int | None:
        """The file with functions that implements what this one declares, by name; the nearest one."""
        path = self._index.path(int(self._pool.files[candidate]))
        ending = next((ending for ending in _SOURCES if path.endswith(ending)), "")
        if not ending:
            return None
        folder, _, name = path.rpartition("/")
        names = [name.removesuffix(ending) + other for other in _SOURCES[ending]]
        found = [(other, file) for one in names for other, file in self._index.files_by_name.get(one, [])]
        of_file = {int(self._pool.files[one]): one for one in self._best}
        found = [(other, file) for other, file in found if file in of_file and self._in_file(file)]
        nearest = min(found, key=lambda one: (-_shared(folder, one[0]), one[0]), default=None)
        return None if nearest is None else of_file[nearest[1]]


def _family(index: CodeIndex, file: int) -> str:
    language = index.language(file)
    return _FAMILIES.get(language, language)


def _last(symbol: str) -> str:
    return symbol.rpartition(".")[2]


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].split(".", 1)[0]


def _shared(folder: str, path: str) -> int:
    """How many folders two paths share at their beginnings."""
    shared = 0
    for ours, theirs in zip(folder.split("/"), path.split("/"), strict=False):
        if ours != theirs:
            break
        shared += 1
    return shared
