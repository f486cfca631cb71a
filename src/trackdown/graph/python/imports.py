"""What a Python module's names are bound to at their origin, along imports, re-exports and stars."""

from __future__ import annotations

import builtins

from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.memo import RecursiveMemo
from trackdown.graph.program import Definition
from trackdown.graph.python.modules import PythonModules
from trackdown.graph.python.scopes import Entry, PythonScopes
from trackdown.graph.python.values import (
    NOTHING,
    OUTSIDE,
    PythonReadings,
    PythonValue,
    ValueKind,
    either,
    one_reading,
    unsure,
)
from trackdown.graph.sources import Sources
from trackdown.units.references import Binding, Import

BUILTINS = frozenset(dir(builtins))


class ImportedNames:
    """Follows names from module to module."""

    def __init__(self, sources: Sources[PythonScopes], modules: PythonModules, memo: RecursiveMemo) -> None:
        self._modules = modules
        self._memo = memo
        self._exports: dict[tuple[int, str], PythonReadings] = {}
        self.scopes = sources.scopes

    def effective(self, file: int, entries: list[Entry]) -> list[Entry]:
        """What binds a name, without the overloads that precede an implementation."""
        if len(entries) == 1:
            return entries
        scopes = self.scopes(file)
        real = [one for one in entries if not (isinstance(one, Definition) and scopes.is_overload(one.index))]
        return real or entries[:1]

    def defined(self, definition: Definition) -> PythonValue:
        """A definition as a value."""
        is_class = definition.index in self.scopes(definition.file).classes
        return PythonValue(ValueKind.CLASS if is_class else ValueKind.FUNCTION, definition.file, definition.index)

    # The names of a module

    def exported(self, file: int, name: str) -> PythonReadings:
        """What a name of a module is bound to at its origin: a definition, a module, a variable."""
        return self._memo.once(self._exports, (file, name), lambda: self._exported(file, name), NOTHING)

    def _exported(self, file: int, name: str) -> PythonReadings:
        file, name = self._followed(file, name)
        entries = self.scopes(file).module_names.get(name)
        if not entries:
            return self._starred(file, name)
        found = []
        for entry in self.effective(file, entries):
            if isinstance(entry, Binding):
                found.append(one_reading(PythonValue(ValueKind.VARIABLE, file, MODULE_SCOPE, name)))
            elif isinstance(entry, Import):
                found.append(self.reached(file, entry))
            else:
                found.append(one_reading(self.defined(entry)))
        return either(found)

    def _followed(self, file: int, name: str) -> tuple[int, str]:
        """Follow unambiguous re-exports, however many there are."""
        seen = set()
        while (file, name) not in seen:
            seen.add((file, name))
            entries = self.scopes(file).module_names.get(name, ())
            if len(entries) != 1 or not isinstance(entries[0], Import) or not entries[0].name:
                break
            stems, sure = self._modules.resolve(file, entries[0].module)
            target = self._modules.file(stems[0]) if sure and len(stems) == 1 else None
            if target is None or entries[0].name not in self.scopes(target).module_names:
                break
            file, name = target, entries[0].name
        return file, name

    def _starred(self, file: int, name: str) -> PythonReadings:
        """A name that `from module import *` imports; the last such import wins."""
        outside = False
        for star in reversed(self.scopes(file).stars):
            stems, _ = self._modules.resolve(file, star.module)
            outside = outside or not stems
            for stem in stems:
                target = self._modules.file(stem)
                if target is not None and target != file and self.scopes(target).offers(name):
                    found = self.exported(target, name)
                    if found.values:
                        return found
        return unsure(OUTSIDE) if outside and name not in BUILTINS else NOTHING

    # ImportedNames

    def imported(self, file: int, entry: Import) -> PythonReadings:
        """What an import imports. A module's name that nothing seems to bind is a variable of it."""
        stems, sure = self._modules.resolve(file, entry.module)
        if not stems:
            return OUTSIDE
        if not entry.name:
            return PythonReadings(tuple(PythonValue(ValueKind.MODULE, stem=stem) for stem in stems), sure)
        found = either([self._member(file, stem, entry.name) for stem in stems])
        return found if sure else unsure(found)

    def _member(self, file: int, stem: str, name: str) -> PythonReadings:
        target = self._modules.file(stem)
        inner = f"{stem}/{name}"
        if target is not None and (target != file or not self._modules.exists(inner)):
            found = self.exported(target, name)
            if found.values:
                return found
        if self._modules.exists(inner):
            return one_reading(PythonValue(ValueKind.MODULE, stem=inner))
        return (
            one_reading(PythonValue(ValueKind.VARIABLE, target, MODULE_SCOPE, name)) if target is not None else NOTHING
        )

    def reached(self, file: int, entry: Import) -> PythonReadings:
        """What the name that an import binds means: `a` after `import a.b`."""
        if entry.name or "." not in entry.alias:
            return self.imported(file, entry)
        module = entry.module
        while module:
            stems, sure = self._modules.resolve(file, module)
            if stems:
                up = module.count(".")
                tops = dict.fromkeys("/".join(stem.split("/")[: -up or None]) for stem in stems)
                return PythonReadings(tuple(PythonValue(ValueKind.MODULE, stem=stem) for stem in tops), sure)
            module = module.rpartition(".")[0]
        return OUTSIDE
