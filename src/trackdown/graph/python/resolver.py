"""Python: a file's references → the definitions and files they lead to."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.program import Definition, Program
from trackdown.graph.python.evaluate import PythonEvaluator
from trackdown.graph.python.modules import PythonModules
from trackdown.graph.python.scopes import PythonScopes
from trackdown.graph.python.values import PythonReadings, ValueKind
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, Target, import_link, resolved
from trackdown.graph.sources import Sources
from trackdown.units.references import BASE, DECORATOR, Import, Reference

_TYPES: tuple[type, ...] = (str, bytes, int, float, list, tuple, dict, set, frozenset, bytearray, BaseException)
_UNTELLING = frozenset(name for type_ in _TYPES for name in dir(type_)) | {
    *("acquire", "cancel", "close", "connect", "done", "exists", "fileno", "filter", "flush", "group", "groupdict"),
    *("groups", "match", "mkdir", "next", "open", "parse_args", "put", "read", "readline", "readlines", "release"),
    *("result", "run", "save", "search", "seek", "send", "start", "stop", "sub", "submit", "tell", "wait", "write"),
    *("writelines", "debug", "info", "warning", "error", "exception", "critical", "log", "isoformat"),
}
"""Methods of builtin types, files, locks and loggers: too common to identify anything by their name."""


class PythonResolver(ReferenceResolver[PythonScopes]):
    """Resolves Python files."""

    common_names = _UNTELLING

    def __init__(self, program: Program) -> None:
        super().__init__(Sources(program, frozenset({"python"}), PythonScopes))
        self._modules = PythonModules(program.files.items())
        self._values = PythonEvaluator(self.sources, self._modules)

    # Imports

    def import_links(self, scopes: PythonScopes) -> Iterator[Link]:
        imports = scopes.references.imports
        stems = {stem for one in imports for stem in self._modules.resolve(scopes.file, one.module)[0]}
        self.sources.expect(file for stem in stems if (file := self._modules.file(stem)) is not None)
        for one in imports:
            targets, sure = self._import_targets(scopes.file, one)
            yield from (import_link(target, sure) for target in targets)

    def _import_targets(self, file: int, one: Import) -> tuple[list[Target], bool]:
        if one.name == "*":
            stems, sure = self._modules.resolve(file, one.module)
            found = [number for stem in stems if (number := self._modules.file(stem)) is not None]
            return [number for number in found if number != file], sure
        origins = self._values.imported(file, one)
        targets: dict[Target, None] = {}
        for origin in origins.values:
            if origin.kind in (ValueKind.CLASS, ValueKind.FUNCTION):
                targets[self._values.scopes(origin.file).by_unit[origin.unit]] = None
            elif origin.kind != ValueKind.OUTSIDE:
                number = self._modules.file(origin.stem) if origin.kind == ValueKind.MODULE else origin.file
                if number is not None and number != file:
                    targets[number] = None
        return list(targets), origins.sure

    # Uses

    def resolve(self, scopes: PythonScopes, use: Reference) -> Resolved:
        unit = use.unit
        if use.kind in (BASE, DECORATOR):
            unit = scopes.parents.get(unit, MODULE_SCOPE)
        found = self._values.evaluate((scopes.file, unit), use.chain)
        definitions, sure = self._called(found, use)
        if definitions:
            return resolved(definitions, sure)
        return NOWHERE if use.kind == BASE or found.values else self._by_name(scopes.file, unit, use.chain)

    def _called(self, found: PythonReadings, reference: Reference) -> tuple[list[Definition], bool]:
        """What is called or inherited: a function, a class, an instance's `__call__`."""
        targets: dict[Definition, None] = {}
        sure = found.sure
        for value in found.values:
            if value.kind not in (ValueKind.CLASS, ValueKind.FUNCTION, ValueKind.INSTANCE):
                continue
            definition = self._values.scopes(value.file).by_unit[value.unit]
            if reference.kind == BASE:
                targets.update({definition: None} if value.kind != ValueKind.FUNCTION else {})
                continue
            if value.kind == ValueKind.INSTANCE:
                method = self._values.member(value.file, value.unit, "__call__")
                of_it = [one for one in method.values if one.kind == ValueKind.FUNCTION]
                targets.update({self._values.scopes(one.file).by_unit[one.unit]: None for one in of_it})
                sure = sure and method.sure
            else:
                targets[definition] = None
        return list(targets), sure

    def _by_name(self, file: int, unit: int, chain: str) -> Resolved:
        """Methods of a rare name, if nothing is known of what they are called on."""
        prefix, _, name = chain.rpartition(".")
        if not prefix or not name.isidentifier():
            return NOWHERE
        if prefix not in ("self", "cls") and self._values.evaluate((file, unit), prefix).values:
            return NOWHERE
        return self.by_name(name, lambda one: one.kind == "method")
