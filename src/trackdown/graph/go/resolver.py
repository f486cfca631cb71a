"""Resolves Go: packages are folders, modules come from go.mod, methods are found through receivers' types."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.go.packages import GoFile, GoPackages, is_vendored
from trackdown.graph.go.values import GoEvaluator
from trackdown.graph.program import Program
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, import_link, resolved
from trackdown.graph.sources import Sources
from trackdown.units.references import BASE, CALL, Import, Reference, last_name, parse_chain


class GoResolver(ReferenceResolver[GoFile]):
    """The links of Go files."""

    common_names = frozenset(
        "Add All Append Apply Bytes Call Cancel Clear Clone Close Contains Copy Count Create Decode Delete Do Done "
        "Encode Equal Err Error Errorf Exec Execute Exists Fatal Fatalf Fields Find First Flush Format Get Handle Has "
        "Header Index Info Init Insert Int Join Key Keys Kind Len Less List Load Lock Log Logf Marshal MarshalJSON "
        "Match Name New Next Open Parse Path Ping Pop Print Printf Push Put Query Read Register Remove Replace Reset "
        "Run Save Scan Seek Send Set Setup ServeHTTP Size Skip Sort Split Start Status Stop Store String Sub Swap Test "
        "Type Unlock Unmarshal UnmarshalJSON Unwrap Update Validate Value Values Wait Walk With Write WriteHeader add "
        "close delete get handle init len name next parse push read remove reset run set size start stop string update "
        "write".split()
    )

    def __init__(self, program: Program) -> None:
        super().__init__(Sources(program, frozenset({"go"}), GoFile))
        self._packages = GoPackages(self.sources)
        self._values = GoEvaluator(self._packages)

    def links(self, file: int) -> list[Link]:
        """All that a file refers to within the program; nothing for copies of other projects."""
        return [] if is_vendored(self.sources.scopes(file).folder) else super().links(file)

    def resolve(self, scopes: GoFile, use: Reference) -> Resolved:
        if use.kind == CALL:
            return self._called(scopes, use)
        around = scopes.parents.get(use.unit, MODULE_SCOPE) if use.kind == BASE else use.unit
        values = self._values.of_type(scopes.file, around, use.chain)
        return resolved(one for value in values for one in self._values.definitions(value, scopes))

    def _called(self, scopes: GoFile, use: Reference) -> Resolved:
        targets, receivers = self._values.called(scopes.file, use.unit, use.chain)
        if targets:
            return resolved(targets, sure=len(receivers) < 2)
        if receivers and not any(value.known for value in receivers):
            return self.by_name(last_name(use.chain), lambda _: True, lambda one: one.kind == "method")
        return NOWHERE

    # Imports

    def import_links(self, scopes: GoFile) -> Iterator[Link]:
        for one in scopes.references.imports:
            yield from self._import_links(scopes, one)

    def _import_links(self, here: GoFile, one: Import) -> Iterator[Link]:
        """To the files of a package that declare what is used of it; to all of them if nothing tells."""
        folder = self._packages.folder(one.module, here.folder)
        if folder is None:
            return
        package = self._packages.package(folder, self._packages.clause(folder))
        files = [each for each in package.files if not each.is_test]
        used = self._used(here, one, folder)
        using = [each for each in files if not used.isdisjoint(_declared(each))]
        targets = [each.file for each in using or files if each.file != here.file]
        if using or len(targets) <= self.most_targets:
            yield from (import_link(target, bool(using) or len(targets) == 1) for target in targets)

    def _used(self, here: GoFile, one: Import, folder: str) -> set[str]:
        """The names of an imported package with which chains and types begin in a file."""
        aliases = {alias for alias, found in self._packages.imported(here).items() if found == folder}
        chains = [reference.chain for reference in here.references.references]
        chains += [binding.type for binding in here.references.bindings]
        parts = [[part.name for part in parse_chain(chain).parts[:2]] for chain in chains]
        if one.name == "*":
            return {names[0] for names in parts}
        return {names[1] for names in parts if len(names) > 1 and names[0] in aliases}


def _declared(here: GoFile) -> set[str]:
    """The names that a file gives to its package."""
    top = {one.name for one in here.inner.get(MODULE_SCOPE, ()) if not one.owner}
    owners = {one.owner for one in here.inner.get(MODULE_SCOPE, ()) if one.owner and one.kind != "method"}
    return top | owners | set(here.bindings.get(MODULE_SCOPE, ()))
