"""pytest's fixtures: a test's parameter gets what the function of that name returns."""

from __future__ import annotations

from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.program import Definition
from trackdown.graph.python.imports import ImportedNames
from trackdown.graph.python.modules import PythonModules
from trackdown.graph.python.scopes import PythonScopes

_CONFTEST = "conftest"


class Fixtures:
    """Finds fixtures by the name of a parameter."""

    def __init__(self, modules: PythonModules, imports: ImportedNames) -> None:
        self._modules = modules
        self._imports = imports

    def named(self, file: int, unit: int, name: str) -> list[tuple[int, int]]:
        """The fixture (its file and unit) that a test's parameter asks for: the test's class, file, or a conftest."""
        scopes = self._imports.scopes(file)
        if not self._asks(file, unit, scopes):
            return []
        outer = scopes.parents.get(unit, MODULE_SCOPE)
        for scope in (outer, MODULE_SCOPE):
            found = self._in(scopes, scope, name, but=unit)
            if found:
                return found
        folder = self._modules.stem(file)
        while folder:
            folder = folder.rpartition("/")[0]
            conftest = self._modules.file(f"{folder}/{_CONFTEST}")
            if conftest is not None:
                found = self._in(
                    self._imports.scopes(conftest), MODULE_SCOPE, name, but=unit if conftest == file else -1
                )
                if found:
                    return found
        return []

    def _asks(self, file: int, unit: int, scopes: PythonScopes) -> bool:
        """Whether pytest calls a function: a test, or itself a fixture."""
        module = self._modules.stem(file).rpartition("/")[2]
        of_tests = module.startswith("test") or module.endswith("_test") or module == _CONFTEST
        definition = scopes.by_unit.get(unit)
        return of_tests and definition is not None and (definition.name.startswith("test") or scopes.is_fixture(unit))

    def _in(self, scopes: PythonScopes, scope: int, name: str, *, but: int) -> list[tuple[int, int]]:
        entries = scopes.names.get(scope, {}).get(name, ())
        found = [one.index for one in entries if isinstance(one, Definition) and scopes.is_fixture(one.index)]
        return [(scopes.file, index) for index in found if index != but]
