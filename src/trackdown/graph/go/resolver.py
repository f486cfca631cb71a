"""Resolves Go: packages are folders, modules come from go.mod, methods are found through receivers' types."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.edges import EdgeType, How
from trackdown.graph.go.packages import GoFile, GoPackages, is_vendored
from trackdown.graph.go.values import Definitions, GoValues, bare
from trackdown.graph.nesting import MOST_NAMESAKES, MOST_TARGETS
from trackdown.graph.program import Program
from trackdown.graph.resolver import Link
from trackdown.units.references.facts import BASE, CALL, Import, Reference

COMMON_NAMES = frozenset(
    "Add All Append Apply Bytes Call Cancel Clear Clone Close Contains Copy Count Create Decode Delete Do Done Encode"
    " Equal Err Error Errorf Exec Execute Exists Fatal Fatalf Fields Find First Flush Format Get Handle Has Header"
    " Index Info Init Insert Int Join Key Keys Kind Len Less List Load Lock Log Logf Marshal MarshalJSON Match Name"
    " New Next Open Parse Path Ping Pop Print Printf Push Put Query Read Register Remove Replace Reset Run Save Scan"
    " Seek Send Set Setup ServeHTTP Size Skip Sort Split Start Status Stop Store String Sub Swap Test Type Unlock"
    " Unmarshal UnmarshalJSON Unwrap Update Validate Value Values Wait Walk With Write WriteHeader add close delete"
    " get handle init len name next parse push read remove reset run set size start stop string update write".split()
)
"""Methods that everything has: their name alone says nothing."""


class GoResolver:
    """The links of Go files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._packages = GoPackages(program)
        self._values = GoValues(self._packages)

    def links(self, file: int) -> list[Link]:
        """All that a file refers to and that the program holds. Never raises for any content, never loops."""
        here = self._packages.file(file)
        if is_vendored(here.folder):
            return []
        found: dict[Link, None] = {}
        for one in here.references.imports:
            found.update(dict.fromkeys(self._imported(here, one)))
        for reference in here.references.references:
            found.update(dict.fromkeys(self._linked(here, reference)))
        return list(found)

    def _linked(self, here: GoFile, reference: Reference) -> Iterator[Link]:
        source = here.definitions.get(reference.unit)
        how: How = "exact"
        if reference.kind == CALL:
            targets, how = self._called(here, reference)
        else:
            around = here.outer.get(reference.unit, -1) if reference.kind == BASE else reference.unit
            values = self._values.of_type(here.file, around, reference.chain)
            targets = tuple(one for value in values for one in self._values.definitions(value, here))
        if len(targets) > 1 and how == "exact":
            how = "scoped"
        type_: EdgeType = "inherits" if reference.kind == BASE else "invokes"
        if len(targets) <= MOST_TARGETS:
            yield from (Link(source, target, type_, how, reference.line) for target in targets if target != source)

    def _called(self, here: GoFile, reference: Reference) -> tuple[Definitions, How]:
        targets, receivers = self._values.called(here.file, reference.unit, reference.chain)
        if targets:
            return targets, "exact" if len(receivers) < 2 else "scoped"
        if receivers and not any(value.known for value in receivers):
            return self._namesakes(reference.chain.rpartition(".")[2]), "name"
        return (), "exact"

    def _namesakes(self, name: str) -> Definitions:
        """The methods that have a name, if that name is rare."""
        if name in COMMON_NAMES:
            return ()
        found = tuple(
            one
            for one in self._program.named(name)
            if one.kind == "method" and self._program.path(one.file).endswith(".go")
        )
        return found if len(found) <= MOST_NAMESAKES else ()

    def _imported(self, here: GoFile, one: Import) -> Iterator[Link]:
        """The files of a package that declare what is used of it; all of them where nothing tells."""
        folder = self._packages.folder(one.module, here.folder)
        if folder is None:
            return
        package = self._packages.package(folder, self._packages.clause(folder))
        files = [each for each in package.files if not each.is_test]
        used = self._used(here, one, folder)
        using = [each for each in files if not used.isdisjoint(_declared(each))]
        targets = [each.file for each in using or files if each.file != here.file]
        how: How = "exact" if using or len(targets) == 1 else "scoped"
        if using or len(targets) <= MOST_TARGETS:
            yield from (Link(None, target, "imports", how, one.line) for target in targets)

    def _used(self, here: GoFile, one: Import, folder: str) -> set[str]:
        """The names of an imported package with which chains and types begin in a file."""
        aliases = {alias for alias, found in self._packages.imported(here).items() if found == folder}
        chains = [reference.chain for reference in here.references.references]
        chains += [binding.type for binding in here.references.bindings]
        parts = [chain.lstrip("[]").split(".", 2) for chain in chains]
        if one.name == "*":
            return {bare(part[0]) for part in parts}
        return {bare(part[1]) for part in parts if len(part) > 1 and part[0] in aliases}


def _declared(here: GoFile) -> set[str]:
    """The names that a file gives to its package."""
    top = {one.name for one in here.inner.get(-1, ()) if not one.owner}
    owners = {one.owner for one in here.inner.get(-1, ()) if one.owner and one.kind != "method"}
    return top | owners | set(here.bindings.get(-1, ()))
