"""What a Python module's names were bound to at their origin, along imports, re-exports and stars."""

from __future__ import annotations

import builtins

from trackdown.graph.program import Definition, Program
from trackdown.graph.python.modules import Modules
from trackdown.graph.python.scopes import MODULE_SCOPE, Entry, Scopes
from trackdown.graph.python.values import NOTHING, OUTSIDE, Found, Kind, Memory, Value, either, unsure
from trackdown.units.references.facts import Binding, Import

BUILTINS = frozenset(dir(builtins))


class Imports:
    """Follows names from module to module."""

    def __init__(self, program: Program, modules: Modules, memory: Memory) -> None:
        self._program = program
        self._modules = modules
        self._memory = memory
        self._scopes: dict[int, Scopes] = {}

    def scopes(self, file: int) -> Scopes:
        """The scopes of a file."""
        found = self._scopes.get(file)
        if found is None:
            found = Scopes(file, self._program.definitions(file), self._program.references(file))
            self._scopes[file] = found
        return found

    def effective(self, file: int, entries: list[Entry]) -> list[Entry]:
        """What binds a name, without the signatures that an implementation follows."""
        if len(entries) == 1:
            return entries
        scopes = self.scopes(file)
        real = [one for one in entries if not (isinstance(one, Definition) and scopes.is_overload(one.index))]
        return real or entries[:1]

    def defined(self, definition: Definition) -> Value:
        """A definition as a value."""
        is_class = definition.index in self.scopes(definition.file).classes
        return Value(Kind.CLASS if is_class else Kind.FUNCTION, definition.file, definition.index)

    # The names of a module

    def exported(self, file: int, name: str) -> Found:
        """What a name of a module was bound to at its origin: a definition, a module, a variable."""
        return self._memory.once((file, name), self._exported, file, name, otherwise=NOTHING)

    def _exported(self, file: int, name: str) -> Found:
        file, name = self._followed(file, name)
        entries = self.scopes(file).module_names.get(name)
        if not entries:
            return self._starred(file, name)
        found = []
        for entry in self.effective(file, entries):
            if isinstance(entry, Binding):
                found.append(Found((Value(Kind.VARIABLE, file, MODULE_SCOPE, name),), True))
            elif isinstance(entry, Import):
                found.append(self.reached(file, entry))
            else:
                found.append(Found((self.defined(entry),), True))
        return either(found)

    def _followed(self, file: int, name: str) -> tuple[int, str]:
        """Along re-exports that leave no choice, however many there are."""
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

    def _starred(self, file: int, name: str) -> Found:
        """A name that comes from `from module import *`, the last one first."""
        outside = False
        for star in reversed(self.scopes(file).stars):
            stems, _ = self._modules.resolve(file, star.module)
            outside = outside or not stems
            for stem in stems:
                target = self._modules.file(stem)
                if target is not None and target != file and self.scopes(target).exports(name):
                    found = self.exported(target, name)
                    if found.values:
                        return found
        return unsure(OUTSIDE) if outside and name not in BUILTINS else NOTHING

    # Imports

    def imported(self, file: int, entry: Import) -> Found:
        """What an import brings from its origin. A module's name that nothing seems to bind is a variable of it."""
        stems, sure = self._modules.resolve(file, entry.module)
        if not stems:
            return OUTSIDE
        if not entry.name:
            return Found(tuple(Value(Kind.MODULE, stem=stem) for stem in stems), sure)
        found = either([self._member(file, stem, entry.name) for stem in stems])
        return found if sure else unsure(found)

    def _member(self, file: int, stem: str, name: str) -> Found:
        target = self._modules.file(stem)
        inner = f"{stem}/{name}"
        if target is not None and (target != file or not self._modules.exists(inner)):
            found = self.exported(target, name)
            if found.values:
                return found
        if self._modules.exists(inner):
            return Found((Value(Kind.MODULE, stem=inner),), True)
        return Found((Value(Kind.VARIABLE, target, MODULE_SCOPE, name),), True) if target is not None else NOTHING

    def reached(self, file: int, entry: Import) -> Found:
        """What the name that an import binds stands for: `a` after `import a.b`."""
        if entry.name or "." not in entry.alias:
            return self.imported(file, entry)
        module = entry.module
        while module:
            stems, sure = self._modules.resolve(file, module)
            if stems:
                up = module.count(".")
                tops = dict.fromkeys("/".join(stem.split("/")[: -up or None]) for stem in stems)
                return Found(tuple(Value(Kind.MODULE, stem=stem) for stem in tops), sure)
            module = module.rpartition(".")[0]
        return OUTSIDE
