"""The references of JavaScript and TypeScript files, resolved."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.ecmascript.evaluator import EcmascriptEvaluator
from trackdown.graph.ecmascript.modules import LANGUAGES, EcmascriptModules
from trackdown.graph.ecmascript.scopes import ALL, EcmascriptScopes
from trackdown.graph.ecmascript.values import DefinitionValue, EcmascriptReadings, InstanceValue, ModuleValue
from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, import_link, resolved
from trackdown.graph.sources import Sources
from trackdown.types import FUNCTION_KINDS
from trackdown.units.references import BASE, CALL, IMPLEMENTS, NEW, Import, Reference

_MOST_TARGETS = 8
_COMMON = frozenset(
    "add addEventListener after afterEach all any append appendChild apply assign at before beforeEach bind call "
    "catch clear click clone close concat configure connect constructor copy create createElement default delete "
    "describe destroy dispatch done each emit end endsWith entries equals error every exec execute exists expect "
    "extend fail fetch fill filter finally find findIndex first flat flatMap focus forEach format from get "
    "getAttribute getItem handle has hasOwnProperty hide includes indexOf info init insert is isArray it join key "
    "keys last lastIndexOf listen load lock log make map match max merge method min mock move name next now of off "
    "on once open options parse path pause pipe play pop post preventDefault print process push put query "
    "querySelector raw read ready reduce reduceRight reject remove removeEventListener render repeat replace "
    "request require reset resolve resume return reverse run save search select send set setAttribute setItem "
    "setState setTimeout setup shift show size skip slice some sort splice split start startsWith status stop "
    "stringify sub subscribe substr substring test text then throw tick toArray toBe toEqual toISOString toJSON "
    "toLowerCase toString toUpperCase transform trigger trim type unbind union unlock unmount unshift unsubscribe "
    "update use validate value valueOf values wait warn watch wrap write ".split()
)
"""Names of methods so common that the name alone says nothing."""


class EcmascriptResolver(ReferenceResolver[EcmascriptScopes]):
    """Follows imports, declarations and classes; for calls on unknown values, rare names of methods."""

    common_names = _COMMON

    def __init__(self, program: Program) -> None:
        super().__init__(Sources(program, LANGUAGES, EcmascriptScopes))
        self._evaluator = EcmascriptEvaluator(self.sources, EcmascriptModules(program))

    # Imports

    def import_links(self, scopes: EcmascriptScopes) -> Iterator[Link]:
        for one in scopes.references.imports:
            yield from self._import_links(scopes.file, one)
        for offered in scopes.references.exports:
            if offered.module:
                name = "" if offered.name == ALL else offered.local
                yield from self._import_links(scopes.file, Import(MODULE_SCOPE, 0, offered.module, name, ""))

    def _import_links(self, file: int, one: Import) -> Iterator[Link]:
        """To the definitions that an import imports, or else to the file that declares it."""
        found, origin = self._evaluator.exports.imported(file, one)
        if origin is None or origin == file:
            return
        named = [value.definition for value in found.values if isinstance(value, DefinitionValue)]
        definitions = [one for one in named if one.file == origin]  # and not what its value comes from
        for definition in definitions:
            yield import_link(definition, found.sure and len(definitions) < 2)
        if not definitions:
            modules = [value.file for value in found.values if isinstance(value, ModuleValue)]
            yield import_link(modules[0] if len(modules) == 1 else origin)  # one: a re-exported namespace

    # Uses

    def resolve(self, scopes: EcmascriptScopes, use: Reference) -> Resolved:
        inherits = use.kind in (BASE, IMPLEMENTS)
        if inherits and use.unit not in scopes.by_unit:
            return NOWHERE
        found = self._evaluator.evaluate((scopes.file, use.unit), use.chain)
        targets = _targets(found, instances=inherits or (use.kind == NEW and use.chain == "this"))
        if targets:
            return resolved(targets[:_MOST_TARGETS], found.sure and len(targets) == 1)
        return self._by_name(scopes, use.chain, found) if use.kind == CALL else NOWHERE

    def _by_name(self, scopes: EcmascriptScopes, chain: str, found: EcmascriptReadings) -> Resolved:
        """Methods of a rare name, called on something unknown; and functions of other scripts."""
        owner, _, name = chain.rpartition(".")
        if owner:
            if not found.open or len(name) < 3:
                return NOWHERE
            return self.by_name(name, lambda one: bool(one.owner) and one.kind in FUNCTION_KINDS, self._is_code)
        if not scopes.is_script or self._evaluator.name(scopes.file, MODULE_SCOPE, name).open:
            return NOWHERE
        return self.by_name(name, lambda one: self._is_global(one, scopes.file), self._is_code)

    def _is_global(self, one: Definition, file: int) -> bool:
        """Whether a function is visible in another file: scripts that are not modules share their functions."""
        return not one.owner and one.file != file and self.sources.scopes(one.file).is_script

    def _is_code(self, one: Definition) -> bool:
        """Whether a definition is code, and not a declaration of code that is somewhere else."""
        path = self.sources.program.path(one.file)
        return not path.endswith((".d.ts", ".d.mts", ".d.cts")) and "/flow-typed/" not in f"/{path}"


def _targets(found: EcmascriptReadings, *, instances: bool) -> list[Definition]:
    wanted = (DefinitionValue, InstanceValue) if instances else (DefinitionValue,)
    return list(dict.fromkeys(value.definition for value in found.values if isinstance(value, wanted)))
