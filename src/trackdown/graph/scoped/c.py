"""Which names C and C++ see: their own file, what it includes, and functions that an included header declares.

A function that a header declares is defined where it is linked from: any file that exports it. Of several such files
the one that is named like the header counts, then the nearest.
"""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.program import Definition
from trackdown.graph.resolver import Link
from trackdown.graph.scoped.files import NOWHERE, Found, Sources, View, found
from trackdown.graph.scoped.rules import Rules, import_link, joined, nearest
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS

_MOST_INCLUDED = 400
_MOST_CANDIDATES = 40
_MOST_ALIASES = 4
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".ipp", ".cuh")
_STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stdbool stddef stdint "
    "stdio stdlib string strings time wchar unistd fcntl poll pthread sched semaphore dirent dlfcn grp pwd netdb "
    "syslog termios utime malloc alloca getopt libgen regex glob iconv features endian byteswap memory".split()
)


class CRules(Rules):
    """Namespaces are their names: which one a function is in matters less than whether it is included."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._included: dict[int, tuple[int, ...]] = {}
        self._reached: dict[int, dict[int, None]] = {}
        self._seen: dict[tuple[int, str, frozenset[str]], Found] = {}

    def lookup(self, view: View, unit: Definition | None, name: str, kinds: frozenset[str]) -> Found:
        """What a name stands for in a file."""
        if view.language == "c" and kinds & FUNCTION_KINDS:
            kinds = kinds - CLASS_KINDS
        own = self.nested(view, unit, name, kinds) or view.at(name, kinds)
        if own:
            return found(own)
        key = (view.file, name, kinds)
        if key not in self._seen:
            self._seen[key] = self._visible(view, name, kinds, _MOST_ALIASES)
        return self._seen[key]

    def _visible(self, view: View, name: str, kinds: frozenset[str], aliases: int) -> Found:
        reached = self.reached(view.file)
        candidates = [one for one in self.sources.named(name) if one.kind in kinds and self._is_free(one, kinds)]
        included = [one for one in candidates if one.file in reached]
        if included:
            return self._chosen(view, included, [])
        if candidates and len(candidates) <= _MOST_CANDIDATES and kinds & FUNCTION_KINDS:
            declaring = [file for file in reached if name in self.sources.view(file).exports]
            linked = [one for one in candidates if self._is_linked(one)]
            if declaring and linked:
                return self._chosen(view, linked, [self.sources.program.path(file) for file in declaring])
        for file in (view.file, *reached) if aliases else ():
            locals_ = [local.rpartition(".")[2] for local in self.sources.view(file).local_names(name)]
            if locals_:
                named = [
                    each
                    for local in locals_
                    for each in view.at(local, kinds) or self._visible(view, local, kinds, aliases - 1).definitions
                ]
                return found(named, sure=len(locals_) == 1)
        return NOWHERE

    def _is_free(self, one: Definition, kinds: frozenset[str]) -> bool:
        return not one.owner or (one.kind in CLASS_KINDS and kinds <= CLASS_KINDS)

    def _is_linked(self, one: Definition) -> bool:
        return one.name in self.sources.view(one.file).exports

    def _chosen(self, view: View, candidates: list[Definition], headers: list[str]) -> Found:
        """One of several: beside a header of its name, else nearest to the header or to the file."""
        if len(candidates) == 1:
            return found(candidates)
        path = self.sources.program.path
        stems = {_stem(header) for header in headers}
        beside = [one for one in candidates if _stem(path(one.file)) in stems]
        if beside and len({one.file for one in beside}) == 1:
            return found(beside)
        near = nearest(headers[0] if headers else view.path, {path(one.file) for one in candidates})
        return found([one for one in candidates if path(one.file) == near], sure=False)

    def by_member(self, view: View) -> bool:
        """In C, what is called on an object is a pointer that it holds."""
        return view.language != "c"

    def reachable(self, view: View, one: Definition) -> bool:
        """Whether a file can refer to a definition of another one at all."""
        return bool(one.owner) or one.kind in CLASS_KINDS or self._is_linked(one) or _is_header(view.path)

    # Namespaces

    def space(self, view: View, name: str) -> tuple[int, str] | None:
        """A namespace that the file or what it includes is in; with the file that looks into it."""
        if not name:
            return (view.file, "")
        for one in view.aliases.get(name, ()):
            if not one.name:
                return (view.file, one.module.rpartition(".")[2])
        if name in view.package.split("."):
            return (view.file, name)
        packages = (self.sources.view(file).package for file in self.reached(view.file))
        return (view.file, name) if any(name in package.split(".") for package in packages) else None

    def below(self, space: tuple[int, str], name: str) -> tuple[int, str] | None:
        """A namespace in a namespace."""
        return self.space(self.sources.view(space[0]), name)

    def inside(self, space: tuple[int, str], name: str, kinds: frozenset[str]) -> Found:
        """What a namespace holds, as far as the file sees it."""
        file, namespace = space
        seen = self.lookup(self.sources.view(file), None, name, kinds)
        fitting = [
            one
            for one in seen.definitions
            if not namespace or not (package := self.sources.view(one.file).package) or namespace in package.split(".")
        ]
        return Found(tuple(fitting), seen.how)

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in a class."""
        view = self.sources.view(one.file)
        return view.at(f"{one.symbol}.{name}", CLASS_KINDS)

    # Includes

    def included(self, file: int) -> tuple[int, ...]:
        """The files that a file includes itself."""
        if file not in self._included:
            view = self.sources.view(file)
            targets = (self._include(view, one.module) for one in view.references.imports if not one.name)
            self._included[file] = tuple(dict.fromkeys(target for target in targets if target is not None))
        return self._included[file]

    def reached(self, file: int) -> dict[int, None]:
        """The files that a file includes, directly or not; and its own header, nearest first."""
        if file not in self._reached:
            reached: dict[int, None] = {}
            layer = list(self.included(file))
            while layer and len(reached) < _MOST_INCLUDED:
                self.sources.expect(layer)
                reached.update(dict.fromkeys(layer))
                following = dict.fromkeys(each for one in layer for each in self.included(one))
                layer = [each for each in following if each not in reached]
            reached.pop(file, None)
            self._reached[file] = reached
        return self._reached[file]

    def _include(self, view: View, written: str) -> int | None:
        system = written.startswith("<")
        target = written.strip("<>")
        paths = self.sources.paths
        if not system:
            beside = paths.get(joined(view.folder, target))
            if beside is not None:
                return beside
        if system and target.rpartition(".")[0] in _STANDARD:
            return None
        tail = joined("", target.replace("../", ""))
        filename = tail.rpartition("/")[2]
        candidates = [
            path for path in self.sources.by_filename.get(filename, ()) if path == tail or path.endswith(f"/{tail}")
        ]
        chosen = nearest(view.path, candidates)
        return paths[chosen] if chosen is not None else None

    def imports(self, view: View) -> Iterator[Link]:
        """Includes lead to files."""
        for one in view.references.imports:
            target = self._include(view, one.module) if not one.name and not one.alias else None
            if target is not None and target != view.file:
                yield import_link(target, one.line)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_header(path: str) -> bool:
    return path.endswith(_HEADERS)
