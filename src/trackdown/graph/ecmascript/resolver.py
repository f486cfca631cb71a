"""The references of JavaScript and TypeScript files, resolved."""

from __future__ import annotations

from collections.abc import Iterable

from trackdown.graph.ecmascript.evaluator import Evaluator
from trackdown.graph.ecmascript.modules import LANGUAGES, Modules
from trackdown.graph.ecmascript.tables import ALL, TOP
from trackdown.graph.ecmascript.values import Found, Instance, Itself, Module
from trackdown.graph.edges import EdgeType, How
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import Link
from trackdown.types import FUNCTION_KINDS
from trackdown.units.references.facts import BASE, CALL, IMPLEMENTS, NEW, Import, Reference

_MOST_NAMESAKES = 3
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


class EcmascriptResolver:
    """Follows imports, declarations and classes; where nothing is declared, a rare name of a method."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._evaluator = Evaluator(program, Modules(program))
        self._namesakes: dict[str, tuple[Definition, ...]] = {}

    def links(self, file: int) -> list[Link]:
        """All that a file refers to and that the program holds."""
        self._evaluator.limits.begin()
        references = self._program.references(file)
        found: dict[Link, None] = {}
        for one in references.imports:
            found.update(dict.fromkeys(self._import_links(file, one)))
        for offered in references.exports:
            if offered.module:
                name = "" if offered.name == ALL else offered.local
                passed_on = Import(TOP, 0, offered.module, name, "")
                found.update(dict.fromkeys(self._import_links(file, passed_on)))
        for reference in references.references:
            found.update(dict.fromkeys(self._reference_links(file, reference)))
        return list(found)

    def _import_links(self, file: int, one: Import) -> Iterable[Link]:
        """To the definitions that an import brings in, or else to the file that declares it."""
        found, origin = self._evaluator.exports.imported(file, one)
        if origin is None or origin == file:
            return
        named = [value.definition for value in found.values if isinstance(value, Itself)]
        definitions = [one for one in named if one.file == origin]  # and not what its value comes from
        how: How = "exact" if found.sure and len(definitions) < 2 else "scoped"
        for definition in definitions:
            yield Link(None, definition, "imports", how, one.line)
        if not definitions:
            modules = [value.file for value in found.values if isinstance(value, Module)]
            target = modules[0] if len(modules) == 1 else origin  # one: a namespace that is passed on
            yield Link(None, target, "imports", "exact", one.line)

    def _reference_links(self, file: int, one: Reference) -> Iterable[Link]:
        source = self._evaluator.tables(file).definitions.get(one.unit)
        inherits = one.kind in (BASE, IMPLEMENTS)
        edge: EdgeType = "inherits" if inherits else "invokes"
        if inherits and source is None:
            return
        found = self._evaluator.evaluate(file, one.unit, one.chain)
        targets = _targets(found, instances=inherits or (one.kind == NEW and one.chain == "this"))
        how: How = "exact" if found.sure and len(targets) == 1 else "scoped"
        for target in targets[:_MOST_TARGETS]:
            yield Link(source, target, edge, how, one.line)
        if not targets and one.kind == CALL:
            for target in self._by_name(file, one, found):
                yield Link(source, target, edge, "name", one.line)

    def _by_name(self, file: int, one: Reference, found: Found) -> tuple[Definition, ...]:
        """Definitions that carry the name of a method of something unknown, if they are few."""
        owner, _, name = one.chain.rpartition(".")
        if not owner:
            return self._scripts(file, name)
        if not found.open or name in _COMMON or len(name) < 3:
            return ()
        return tuple(one for one in self._named(name) if one.owner and one.kind in FUNCTION_KINDS)

    def _scripts(self, file: int, name: str) -> tuple[Definition, ...]:
        """Scripts that are no modules share their functions."""
        tables = self._evaluator.tables(file)
        if not tables.is_script or self._evaluator.name(file, TOP, name).open:
            return ()
        return tuple(
            one
            for one in self._named(name)
            if not one.owner and one.file != file and self._evaluator.tables(one.file).is_script
        )

    def _named(self, name: str) -> tuple[Definition, ...]:
        if name not in self._namesakes:
            found = [one for one in self._program.named(name) if self._is_ours(one.file)]
            self._namesakes[name] = tuple(found) if len(found) <= _MOST_NAMESAKES else ()
        return self._namesakes[name]

    def _is_ours(self, file: int) -> bool:
        """Whether a file holds code of these languages, and not declarations of what is written elsewhere."""
        path = self._program.path(file)
        declared = path.endswith((".d.ts", ".d.mts", ".d.cts")) or f"/{path}".find("/flow-typed/") >= 0
        return self._program.language(file) in LANGUAGES and not declared


def _targets(found: Found, *, instances: bool) -> list[Definition]:
    wanted = (Itself, Instance) if instances else (Itself,)
    return list(dict.fromkeys(value.definition for value in found.values if isinstance(value, wanted)))
