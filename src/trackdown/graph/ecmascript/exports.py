"""What modules of JavaScript and TypeScript offer, along re-exports."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from trackdown.graph.ecmascript.modules import Modules
from trackdown.graph.ecmascript.tables import ALL, TOP, WHOLE
from trackdown.graph.ecmascript.values import NONE, OPEN, Found, Module, union
from trackdown.units.references.facts import Import

if TYPE_CHECKING:
    from trackdown.graph.ecmascript.evaluator import Evaluator

_DEFAULT = "default"
_MOST_READINGS = 8
_MOST_MODULES = 1000


class Exports:
    """Follows names from module to module. What it finds there, the evaluator explains."""

    def __init__(self, evaluator: Evaluator, modules: Modules) -> None:
        self._evaluator = evaluator
        self._limits = evaluator.limits
        self._modules = modules
        self._known: dict[Hashable, tuple[Found, int]] = {}
        self._wholes: dict[Hashable, Found] = {}

    def imported(self, file: int, one: Import) -> tuple[Found, int | None]:
        """What an import brings in, and the file that declares it; None for what the program does not hold."""
        target = self._modules.find(file, one.module)
        if target is None:
            return NONE, None
        return self.exported(target, one.name) if one.name else (self.module(target), self._declaring(target))

    def _declaring(self, file: int) -> int:
        """The file that says what a module is, when it is another module: `module.exports = require('./lib')`."""
        seen: set[int] = set()
        while file not in seen:
            seen.add(file)
            tables = self._evaluator.tables(file)
            for one in tables.exports.get(WHOLE, ()):
                for each in tables.imports.get(TOP, {}).get(one.local, ()):
                    target = self._modules.find(file, each.module) if not each.name else None
                    file = target if target is not None else file
        return file

    def module(self, file: int) -> Found:
        """What a module is for those who take it whole: what it says it is, and its exports."""
        whole = self._evaluator.tables(file).exports.get(WHOLE)
        if not whole:
            return Found((Module(file),))
        found = self._limits.once(
            self._wholes, (file, WHOLE), lambda: union([self._local(file, one.local) for one in whole]), NONE
        )
        return Found(tuple(dict.fromkeys((*found.values, Module(file)))))

    def exported(self, file: int, name: str) -> tuple[Found, int]:
        """What a module offers under a name, however often it is passed on; and the file that declares it."""
        return self._limits.once(self._known, (file, name), lambda: self._follow(file, name), (NONE, file))

    def _follow(self, file: int, name: str) -> tuple[Found, int]:
        """Along re-exports: one after the other, so that no number of them is too many; cycles end."""
        waiting, seen = [(file, name)], {(file, name)}
        readings: list[Found] = []
        origin = file
        while waiting and len(readings) < _MOST_READINGS and len(seen) < _MOST_MODULES:
            here, wanted = waiting.pop(0)
            if not self._limits.step():
                break
            found, further = self._offered(here, wanted)
            if found is not None:
                readings.append(found)
                origin = here
            for one in further:
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
        return (union(readings) if readings else NONE), origin

    def _offered(self, file: int, name: str) -> tuple[Found | None, list[tuple[int, str]]]:
        """What a module itself offers under a name, and where else to look."""
        tables = self._evaluator.tables(file)
        if name in tables.exports:
            return self._own(file, name)
        if WHOLE in tables.exports:
            whole = Found(tuple(one for one in self.module(file).values if one != Module(file)))
            found = whole if name == _DEFAULT else self._evaluator.member(whole, name)
            return (found if found.values else None), []
        if name == _DEFAULT:
            return (None if tables.is_script else self.module(file)), []
        targets = [self._modules.find(file, one.module) for one in tables.exports.get(ALL, ())]
        return None, [(target, name) for target in targets if target is not None]

    def _own(self, file: int, name: str) -> tuple[Found | None, list[tuple[int, str]]]:
        tables = self._evaluator.tables(file)
        own: list[Found] = []
        further: list[tuple[int, str]] = []
        for one in tables.exports[name]:
            imports = tables.imports.get(TOP, {}).get(one.local, ()) if not one.module else ()
            passed_on = [(each.module, each.name) for each in imports if each.name]
            if one.module and one.local:
                passed_on.append((one.module, one.local))
            targets = [(self._modules.find(file, module), wanted) for module, wanted in passed_on]
            further += [(target, wanted) for target, wanted in targets if target is not None]
            if one.module and not one.local:
                target = self._modules.find(file, one.module)
                own += [self.module(target)] if target is not None else []
            elif not passed_on:
                own.append(self._local(file, one.local))
        return (union(own) if own else None), further

    def _local(self, file: int, local: str) -> Found:
        """What a module offers of its own."""
        if not local:
            return OPEN
        if local[0] in "#{":
            return self._evaluator.type(file, TOP, local)
        return self._evaluator.evaluate(file, TOP, local)
