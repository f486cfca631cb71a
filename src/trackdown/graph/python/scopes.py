"""The scopes of one Python file: which names each of its functions and classes binds, and to what."""

from __future__ import annotations

from collections.abc import Iterable

from trackdown.graph.file_scopes import INSTANCE_PREFIX, MODULE_SCOPE, RESULT, FileScopes
from trackdown.graph.program import Definition, Program
from trackdown.types import CLASS_KINDS
from trackdown.units.references import DECORATOR, Binding, Import, last_name

Entry = Definition | Binding | Import
"""What binds a name: a definition, an assignment or parameter, an import."""
_TRACED_RESULT = "return"


class PythonScopes(FileScopes):
    """A file's definitions, imports and bindings by the unit and name that they bind."""

    def __init__(self, program: Program, file: int) -> None:
        super().__init__(program, file)
        self.classes = {one.index for one in self.definitions if one.kind in CLASS_KINDS}
        self.names: dict[int, dict[str, list[Entry]]] = {}
        self.attributes: dict[int, dict[str, list[Binding]]] = {}
        self.returns: dict[int, tuple[list[str], list[str]]] = {}
        """Unit → the types that its annotation says it returns, and those of its return statements."""
        self.offered = frozenset(one.name for one in self.references.exports)
        self._decorators: dict[int, list[str]] = {}
        for one in self.references.references:
            if one.kind == DECORATOR:
                self._decorators.setdefault(one.unit, []).append(last_name(one.chain))
        self._gather_names()
        self.module_names = self.names.get(MODULE_SCOPE, {})

    def _gather_names(self) -> None:
        names = self.names
        for definition in self.definitions:
            scope = names.setdefault(self.parents[definition.index], {})
            scope.setdefault(definition.name, []).append(definition)
        for one in self.references.imports:
            if one.name != "*":
                names.setdefault(one.unit, {}).setdefault(one.alias.partition(".")[0], []).append(one)
        for binding in self.references.bindings:
            unit, name = binding.unit, binding.name
            if name == RESULT:
                self.returns.setdefault(unit, ([], []))[0].append(binding.type)
            elif name == _TRACED_RESULT:
                self.returns.setdefault(unit, ([], []))[1].append(binding.type)
            elif name.startswith(INSTANCE_PREFIX):
                owner = self.class_around(unit)
                if owner is not None:
                    attributes = self.attributes.setdefault(owner, {})
                    attributes.setdefault(name.removeprefix(INSTANCE_PREFIX), []).append(binding)
            else:
                names.setdefault(unit, {}).setdefault(name, []).append(binding)

    def class_around(self, unit: int) -> int | None:
        """The class whose instance `self` is in a unit: that of the outermost function around it within a class."""
        return next((index for index in self.outward(unit) if index in self.classes), None)

    def is_property(self, unit: int) -> bool:
        """Whether a function is read like an attribute."""
        return any(name.endswith("property") for name in self._decorated_with(unit))

    def is_overload(self, unit: int) -> bool:
        """Whether a function only declares one of several signatures."""
        return "overload" in self._decorated_with(unit)

    def is_fixture(self, unit: int) -> bool:
        """Whether pytest passes a function's result to the tests that ask for it."""
        return "fixture" in self._decorated_with(unit)

    def _decorated_with(self, unit: int) -> Iterable[str]:
        return self._decorators.get(unit, ())

    def offers(self, name: str) -> bool:
        """Whether `from module import *` imports a name."""
        if self.offered and "*" not in self.offered:
            return name in self.offered
        return name in self.offered or not name.startswith("_")
