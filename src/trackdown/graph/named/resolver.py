"""Matches references by name, nearest first: in the class around, in the file, in what it imports, anywhere if rare.

No types are followed, so every edge is of the kind `name`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.paths import joined_path, nearest_path
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, Target
from trackdown.graph.scoped.rules import COMMON_NAMES
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import CALL, CALLED, Import, Reference, last_name

SELF, SUPER = "self", "super"
"""How chains write the instance and its base, whatever the language calls them."""
_MOST_NAMESAKES = 100
_SHORTEST_NAME = 3
_FILES = {"lua": (".lua", "/init.lua"), "bash": ("",)}
"""Languages whose imports name files, and what follows the name."""


class NamedResolver:
    """Resolves the references of files in the languages above, each language by itself."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._languages: dict[str, _LanguageResolver] = {}

    def links(self, file: int) -> list[Link]:
        """All that a file refers to within the program."""
        name = self._program.language(file)
        if name not in self._languages:
            self._languages[name] = _LanguageResolver(Sources(self._program, frozenset({name}), FileScopes))
        return self._languages[name].links(file)


class _Brought(NamedTuple):
    """What imports bring: whole files, and definitions with their members."""

    files: set[int]
    definitions: set[Definition]
    owners: set[tuple[int, str]]

    def holds(self, one: Definition) -> bool:
        """Whether a definition is among it."""
        return one.file in self.files or one in self.definitions or (one.file, one.owner) in self.owners


class _LanguageResolver(ReferenceResolver[FileScopes]):
    """The resolver of one language."""

    most_targets = 5

    def __init__(self, sources: Sources[FileScopes]) -> None:
        super().__init__(sources)
        self._opened: dict[int, _Brought] = {}
        self._aliased: dict[tuple[int, str], _Brought] = {}
        self._bases: dict[tuple[int, int], frozenset[str]] = {}
        self._in_files: dict[str, dict[int, list[Definition]]] = {}

    def import_links(self, scopes: FileScopes) -> Iterator[Link]:
        for one in scopes.references.imports:
            yield from (Link(None, target, "imports", "name") for target in self._imports(scopes, one))

    def resolve(self, scopes: FileScopes, use: Reference) -> Resolved:
        head, _, name = use.chain.rpartition(".")
        kinds = FUNCTION_KINDS if use.kind == CALL else CLASS_KINDS
        if use.kind == CALL and name[:1].isupper():
            kinds = kinds | CLASS_KINDS
        if not head:
            name = next((one.name for one in scopes.aliases.get(name, ()) if one.name), name)
        near = [one for one in self._near(scopes, use, head, name) if one.kind in kinds]
        if near:
            return Resolved(tuple(near), "name")
        if last_name(head)[:1].isupper() and not head.endswith(CALLED):
            return NOWHERE  # a class or module that is not here, or lacks it
        if len(name) < _SHORTEST_NAME or name.lower().rstrip("?!") in COMMON_NAMES:
            return NOWHERE
        return self.by_name(name, lambda one: one.kind in kinds, lambda one: one.kind in kinds)

    def _near(self, scopes: FileScopes, use: Reference, head: str, name: str) -> Sequence[Definition]:
        """The definitions of a name that are nearest to a use."""
        here = self._here(scopes.file, name)
        everywhere = self.sources.named(name)
        named = everywhere if len(everywhere) <= _MOST_NAMESAKES else here
        if head == SUPER:
            return self._inherited(scopes, use, named)
        if head not in ("", SELF):
            return self._qualified(scopes, head, named)
        found = self._around(scopes, use, here) or self._inherited(scopes, use, named)
        if found or head:
            return found
        return (
            [one for one in here if not one.owner]
            or self._imported(scopes, use.chain, named)
            or [one for one in named if not one.owner and self._is_in_package_of(scopes, one)]
        )

    def _here(self, file: int, name: str) -> list[Definition]:
        if name not in self._in_files:
            by_file = self._in_files[name] = {}
            for one in self.sources.named(name):
                by_file.setdefault(one.file, []).append(one)
        return self._in_files[name].get(file, [])[:_MOST_NAMESAKES]

    def _around(self, scopes: FileScopes, use: Reference, here: Sequence[Definition]) -> list[Definition]:
        """The members of the innermost function or class around a use that has any."""
        of_self = use.chain.startswith(f"{SELF}.")
        for unit in scopes.around(scopes.by_unit.get(use.unit)):
            owners = {unit.symbol, unit.owner} if of_self or scopes.language not in _FILES else {unit.symbol}
            inner = [one for one in here if one.owner and one.owner in owners]
            if inner:
                return inner
        return []

    def _inherited(self, scopes: FileScopes, use: Reference, named: Sequence[Definition]) -> list[Definition]:
        """The members of the classes that those around a use extend, by the names of the classes."""
        key = (scopes.file, use.unit)
        if key not in self._bases:
            around = scopes.around(scopes.by_unit.get(use.unit))
            self._bases[key] = frozenset(
                last_name(base) for unit in around for base in scopes.bases.get(unit.index, ())
            )
        bases = self._bases[key]
        return [one for one in named if one.owner and last_name(one.owner) in bases] if bases else []

    def _qualified(self, scopes: FileScopes, head: str, named: Sequence[Definition]) -> list[Definition]:
        """The definitions whose owner has the name before the dot, or is what an import brings under this name."""
        if head in scopes.aliases:
            brought = self._under(scopes, head)
            return [one for one in named if brought.holds(one)]
        whole = [one for one in named if one.owner == head]
        owned = whole or [one for one in named if one.owner.endswith(f".{head}")]
        return [one for one in owned if one.file == scopes.file] or owned

    def _imported(self, scopes: FileScopes, name: str, named: Sequence[Definition]) -> list[Definition]:
        """The definitions that an import brings under this name, or with all others."""
        if scopes.file not in self._opened:
            whole = scopes.references.imports if scopes.language == "bash" else scopes.stars
            self._opened[scopes.file] = self._bring(scopes, whole)
        brought = (self._under(scopes, name), self._opened[scopes.file])
        return [one for one in named if any(each.holds(one) for each in brought)]

    def _is_in_package_of(self, scopes: FileScopes, one: Definition) -> bool:
        return bool(scopes.package) and self.sources.scopes(one.file).package == scopes.package

    # Imports

    def _under(self, scopes: FileScopes, alias: str) -> _Brought:
        """What imports bring under a name."""
        key = (scopes.file, alias)
        if key not in self._aliased:
            self._aliased[key] = self._bring(scopes, scopes.aliases.get(alias, ()))
        return self._aliased[key]

    def _bring(self, scopes: FileScopes, imports: Iterable[Import]) -> _Brought:
        targets = [target for one in imports for target in self._imports(scopes, one)]
        definitions = {target for target in targets if isinstance(target, Definition)}
        owners = {(one.file, one.symbol) for one in definitions}
        return _Brought({target for target in targets if isinstance(target, int)}, definitions, owners)

    def _imports(self, scopes: FileScopes, one: Import) -> Iterable[Target]:
        if scopes.language in _FILES:
            file = self._file(scopes, one.module)
            return () if file is None or file == scopes.file else (file,)
        if scopes.language == "elixir":
            named = self.sources.named(one.module.rpartition(".")[2])
            return [each for each in named if each.symbol == one.module and each.kind in CLASS_KINDS]
        if one.name in ("", "*"):
            return ()
        return [each for each in self.sources.named(one.name)[:_MOST_NAMESAKES] if self._lies_in(each, one.module)]

    def _lies_in(self, one: Definition, module: str) -> bool:
        """Whether a definition is in a package, or in an object of it."""
        inside = [part for part in (self.sources.scopes(one.file).package, one.owner) if part]
        return bool(inside) and ".".join(inside) == module

    def _file(self, scopes: FileScopes, module: str) -> int | None:
        """The file that a path or dotted name leads to: beside this one, or the nearest that ends so."""
        for ending in _FILES[scopes.language]:
            name = module if not ending or module.endswith(ending) else module.replace(".", "/") + ending
            beside = joined_path(scopes.folder, name)
            if beside in self.sources.paths:
                return self.sources.paths[beside]
            below = joined_path("", name)
            same = self.sources.by_filename.get(below.rpartition("/")[2], ())
            path = nearest_path(scopes.path, (each for each in same if f"/{each}".endswith(f"/{below}")))
            if path is not None:
                return self.sources.paths[path]
        return None
