"""Which names C and C++ see: their own file, what it includes, and functions that an included header declares.

A function that a header declares is defined where it is linked from: any file that exports it. Of several such files
the one that is named like the header counts, then the nearest.
"""

from __future__ import annotations

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.paths import joined_path, nearest_path
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, Resolved, resolved
from trackdown.graph.scoped.rules import COMMON_NAMES, IncludingRules
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import Import

_MOST_CANDIDATES = 40
_MOST_ALIASES = 4
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".ipp", ".cuh")
_STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stdbool stddef stdint "
    "stdio stdlib string strings time wchar unistd fcntl poll pthread sched semaphore dirent dlfcn grp pwd netdb "
    "syslog termios utime malloc alloca getopt libgen regex glob iconv features endian byteswap memory".split()
)


class CRules(IncludingRules):
    """Namespaces are their names: which one a function is in matters less than whether it is included."""

    common_names = COMMON_NAMES | frozenset("c_str emplace_back pop_back pop_front push_back push_front".split())
    same_value = frozenset("get lock value".split())
    gives_element = frozenset("at back find front get top".split())

    def __init__(self, sources: Sources[FileScopes]) -> None:
        super().__init__(sources)
        self._seen: dict[tuple[int, str, frozenset[str]], Resolved] = {}

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a name means in a file."""
        if scopes.language == "c" and kinds & FUNCTION_KINDS:
            kinds = kinds - CLASS_KINDS
        own = self.nested(scopes, unit, name, kinds) or scopes.at(name, kinds)
        if own:
            return resolved(own)
        key = (scopes.file, name, kinds)
        if key not in self._seen:
            self._seen[key] = self._visible(scopes, name, kinds, _MOST_ALIASES)
        return self._seen[key]

    def _visible(self, scopes: FileScopes, name: str, kinds: frozenset[str], aliases: int) -> Resolved:
        reached = self.reached(scopes.file)
        candidates = [one for one in self.sources.named(name) if one.kind in kinds and self._is_free(one, kinds)]
        included = [one for one in candidates if one.file in reached]
        if included:
            return self._chosen(scopes, included, [])
        if candidates and len(candidates) <= _MOST_CANDIDATES and kinds & FUNCTION_KINDS:
            declaring = [file for file in reached if name in self.sources.scopes(file).exports]
            linked = [one for one in candidates if self._is_linked(one)]
            if declaring and linked:
                return self._chosen(scopes, linked, [self.sources.program.path(file) for file in declaring])
        for file in (scopes.file, *reached) if aliases else ():
            locals_ = [local.rpartition(".")[2] for local in self.sources.scopes(file).local_names(name)]
            if locals_:
                named = [
                    each
                    for local in locals_
                    for each in scopes.at(local, kinds) or self._visible(scopes, local, kinds, aliases - 1).definitions
                ]
                return resolved(named, sure=len(locals_) == 1)
        return NOWHERE

    def _is_free(self, one: Definition, kinds: frozenset[str]) -> bool:
        return not one.owner or (one.kind in CLASS_KINDS and kinds <= CLASS_KINDS)

    def _is_linked(self, one: Definition) -> bool:
        return one.name in self.sources.scopes(one.file).exports

    def _chosen(self, scopes: FileScopes, candidates: list[Definition], headers: list[str]) -> Resolved:
        """One of several: beside a header of its name, else nearest to the header or to the file."""
        if len(candidates) == 1:
            return resolved(candidates)
        path = self.sources.program.path
        stems = {_stem(header) for header in headers}
        beside = [one for one in candidates if _stem(path(one.file)) in stems]
        if beside and len({one.file for one in beside}) == 1:
            return resolved(beside)
        near = nearest_path(headers[0] if headers else scopes.path, {path(one.file) for one in candidates})
        return resolved([one for one in candidates if path(one.file) == near], sure=False)

    def by_member(self, scopes: FileScopes) -> bool:
        """In C, a call on an object calls a function pointer, never a method."""
        return scopes.language != "c"

    def reachable(self, scopes: FileScopes, one: Definition) -> bool:
        """Whether a file can refer to a definition of another file."""
        return bool(one.owner) or one.kind in CLASS_KINDS or self._is_linked(one) or _is_header(scopes.path)

    # Namespaces

    def space(self, scopes: FileScopes, name: str) -> tuple[int, str] | None:
        """A namespace that the file or what it includes is in; with the file that looks into it."""
        if not name:
            return (scopes.file, "")
        for one in scopes.aliases.get(name, ()):
            if not one.name:
                return (scopes.file, one.module.rpartition(".")[2])
        if name in scopes.package.split("."):
            return (scopes.file, name)
        packages = (self.sources.scopes(file).package for file in self.reached(scopes.file))
        return (scopes.file, name) if any(name in package.split(".") for package in packages) else None

    def below(self, space: tuple[int, str], name: str) -> tuple[int, str] | None:
        """A namespace in a namespace."""
        return self.space(self.sources.scopes(space[0]), name)

    def inside(self, space: tuple[int, str], name: str, kinds: frozenset[str]) -> Resolved:
        """What a namespace holds, as far as the file sees it."""
        file, namespace = space
        seen = self.lookup(self.sources.scopes(file), None, name, kinds)
        fitting = [
            one
            for one in seen.definitions
            if not namespace
            or not (package := self.sources.scopes(one.file).package)
            or namespace in package.split(".")
        ]
        return Resolved(tuple(fitting), seen.how)

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in a class."""
        scopes = self.sources.scopes(one.file)
        return scopes.at(f"{one.symbol}.{name}", CLASS_KINDS)

    # Includes

    def target(self, scopes: FileScopes, one: Import) -> int | None:
        """The header that an include means."""
        return self._include(scopes, one.module) if not one.name and not one.alias else None

    def _include(self, scopes: FileScopes, written: str) -> int | None:
        system = written.startswith("<")
        target = written.strip("<>")
        paths = self.sources.paths
        if not system:
            beside = paths.get(joined_path(scopes.folder, target))
            if beside is not None:
                return beside
        if system and target.rpartition(".")[0] in _STANDARD:
            return None
        tail = joined_path("", target.replace("../", ""))
        filename = tail.rpartition("/")[2]
        candidates = [
            path for path in self.sources.by_filename.get(filename, ()) if path == tail or path.endswith(f"/{tail}")
        ]
        chosen = nearest_path(scopes.path, candidates)
        return paths[chosen] if chosen is not None else None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_header(path: str) -> bool:
    return path.endswith(_HEADERS)
