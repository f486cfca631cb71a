"""What modules of JavaScript and TypeScript export, along re-exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trackdown.graph.ecmascript.modules import EcmascriptModules
from trackdown.graph.ecmascript.scopes import ALL, WHOLE
from trackdown.graph.ecmascript.values import NONE, OPEN, EcmascriptReadings, ModuleValue, union
from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.units.references import Import

if TYPE_CHECKING:
    from trackdown.graph.ecmascript.evaluator import EcmascriptEvaluator

_DEFAULT = "default"
_MOST_READINGS = 8
_MOST_MODULES = 1000


class ModuleExports:
    """Follows names from module to module; the evaluator evaluates what it finds there."""

    def __init__(self, evaluator: EcmascriptEvaluator, modules: EcmascriptModules) -> None:
        self._evaluator = evaluator
        self._memo = evaluator.memo
        self._modules = modules
        self._known: dict[tuple[int, str], tuple[EcmascriptReadings, int]] = {}
        self._wholes: dict[int, EcmascriptReadings] = {}

    def imported(self, file: int, one: Import) -> tuple[EcmascriptReadings, int | None]:
        """What an import imports, and the file that declares it; None if that is outside the program."""
        target = self._modules.find(file, one.module)
        if target is None:
            return NONE, None
        return self.exported(target, one.name) if one.name else (self.module(target), self._declaring(target))

    def _declaring(self, file: int) -> int:
        """The file that says what a module is, when it is another module: `module.exports = require('./lib')`."""
        seen: set[int] = set()
        while file not in seen:
            seen.add(file)
            scopes = self._evaluator.scopes(file)
            for one in scopes.exports.get(WHOLE, ()):
                for each in scopes.imports.get(MODULE_SCOPE, {}).get(one.local, ()):
                    target = self._modules.find(file, each.module) if not each.name else None
                    file = target if target is not None else file
        return file

    def module(self, file: int) -> EcmascriptReadings:
        """What a module is when it is imported whole: what it assigns to itself, and its exports."""
        whole = self._evaluator.scopes(file).exports.get(WHOLE)
        if not whole:
            return EcmascriptReadings((ModuleValue(file),))
        found = self._memo.once(
            self._wholes, file, lambda: union([self._local(file, one.local) for one in whole]), NONE
        )
        return EcmascriptReadings(tuple(dict.fromkeys((*found.values, ModuleValue(file)))))

    def exported(self, file: int, name: str) -> tuple[EcmascriptReadings, int]:
        """What a module exports under a name, through any number of re-exports; and the file that declares it."""
        return self._memo.once(self._known, (file, name), lambda: self._follow(file, name), (NONE, file))

    def _follow(self, file: int, name: str) -> tuple[EcmascriptReadings, int]:
        """Follow re-exports in a loop, so that no number of them is too deep; cycles end."""
        waiting, seen = [(file, name)], {(file, name)}
        readings: list[EcmascriptReadings] = []
        origin = file
        while waiting and len(readings) < _MOST_READINGS and len(seen) < _MOST_MODULES:
            here, wanted = waiting.pop(0)
            found, further = self._offered(here, wanted)
            if found is not None:
                readings.append(found)
                origin = here
            for one in further:
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
        return (union(readings) if readings else NONE), origin

    def _offered(self, file: int, name: str) -> tuple[EcmascriptReadings | None, list[tuple[int, str]]]:
        """What a module itself exports under a name, and where else to look."""
        scopes = self._evaluator.scopes(file)
        if name in scopes.exports:
            return self._own(file, name)
        if WHOLE in scopes.exports:
            whole = EcmascriptReadings(tuple(one for one in self.module(file).values if one != ModuleValue(file)))
            found = whole if name == _DEFAULT else self._evaluator.member(whole, name)
            return (found if found.values else None), []
        if name == _DEFAULT:
            return (None if scopes.is_script else self.module(file)), []
        targets = [self._modules.find(file, one.module) for one in scopes.exports.get(ALL, ())]
        return None, [(target, name) for target in targets if target is not None]

    def _own(self, file: int, name: str) -> tuple[EcmascriptReadings | None, list[tuple[int, str]]]:
        scopes = self._evaluator.scopes(file)
        own: list[EcmascriptReadings] = []
        further: list[tuple[int, str]] = []
        for one in scopes.exports[name]:
            imports = scopes.imports.get(MODULE_SCOPE, {}).get(one.local, ()) if not one.module else ()
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

    def _local(self, file: int, local: str) -> EcmascriptReadings:
        """What a module exports of its own."""
        if not local:
            return OPEN
        if local[0] in "#{":
            return self._evaluator.type(file, MODULE_SCOPE, local)
        return self._evaluator.evaluate((file, MODULE_SCOPE), local)
