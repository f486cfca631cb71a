"""Resolves Java: packages as files declare them, imports, nested and inherited members, overloads by their arity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.java.types import Definitions, JavaFile, JavaTypes
from trackdown.graph.java.values import JavaEvaluator
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, import_link, resolved
from trackdown.graph.sources import Sources
from trackdown.types import FUNCTION_KINDS
from trackdown.units.references import BASE, CALL, IMPLEMENTS, NEW, Import, Reference, last_name, parse_chain


class JavaResolver(ReferenceResolver[JavaFile]):
    """The links of Java files."""

    common_names = frozenset(
        "accept add addAll append apply asList build call clear clone close compare compareTo contains containsKey "
        "copy count create delete entrySet equals execute exists filter find finalize first flush forEach format get "
        "getClass getId getKey getMessage getName getType getValue handle hasNext hashCode index init insert isEmpty "
        "isPresent iterator join keySet last length list load main map matches name next notify of open parse peek "
        "poll pop print println process push put putAll read remove replace reset resolve run save send set setName "
        "setValue size skip sort split start stop stream submit substring test toArray toList toString trim update "
        "valueOf values visit wait write".split()
    )

    def __init__(self, program: Program) -> None:
        super().__init__(Sources(program, frozenset({"java"}), JavaFile))
        self._types = JavaTypes(self.sources)
        self._values = JavaEvaluator(self._types)

    def resolve(self, scopes: JavaFile, use: Reference) -> Resolved:
        if use.kind == CALL:
            return self._called(scopes, use)
        if use.kind == NEW:
            return resolved(self._constructed(scopes, use.unit, use.chain))
        inherits = use.kind in (BASE, IMPLEMENTS)
        around = scopes.parents.get(use.unit, MODULE_SCOPE) if inherits else use.unit
        return resolved(self._types.named(scopes.file, around, use.chain))

    def _called(self, scopes: JavaFile, use: Reference) -> Resolved:
        targets, receivers = self._values.called(scopes.file, use.unit, use.chain, use.arity)
        if targets:
            return resolved(targets, sure=len(receivers) < 2)
        if receivers and not any(value.known for value in receivers):
            return self.by_name(last_name(use.chain), lambda one: self._types.takes(one, use.arity), _is_method)
        return NOWHERE

    def _constructed(self, here: JavaFile, unit: int, chain: str) -> Definitions:
        """The constructed classes: also by `this(..)` and `super(..)`, and as `outer.new Inner()`."""
        if chain in ("this", "super"):
            values = self._values.this(here.file, unit) if chain == "this" else self._values.above(here.file, unit)
            return tuple(value.definition for value in values if value.definition is not None)
        found = self._types.named(here.file, unit, chain)
        outer, _, inner = chain.rpartition(".")
        if found or not outer:
            return found
        values = self._values.evaluate((here.file, unit), outer)
        owners = (value.definition for value in values if value.definition is not None)
        return tuple(nested for owner in owners for nested in self._types.nested(owner, inner))

    # Imports

    def import_links(self, scopes: JavaFile) -> Iterator[Link]:
        self._types.expect(scopes, _names_used(scopes))
        for one in scopes.references.imports:
            targets = self._imported(scopes, one)
            if one.name == "*" or len(targets) <= self.most_targets:
                yield from (import_link(target, len(targets) == 1 or one.name == "*") for target in targets)

    def _imported(self, here: JavaFile, one: Import) -> Definitions:
        """A class, a static member (its class if the member has no unit), or what a file uses of a whole package."""
        owners = self._types.qualified(one.module, here.file)
        if one.name == "*" and not owners:
            used = (self._types.find(one.module, name, here.file) for name in sorted(_names_used(here)))
            return tuple(found for each in used for found in each if found in self._seen(here, found.name))
        if not one.name or one.name == "*":
            return owners
        members = [
            self._types.methods(owner, one.name, -1) or self._types.nested(owner, one.name) or (owner,)
            for owner in owners
        ]
        return tuple(found for each in members for found in each)

    def _seen(self, here: JavaFile, name: str) -> Definitions:
        return self._types.visible(here.file, MODULE_SCOPE, name)


def _is_method(one: Definition) -> bool:
    return one.kind in FUNCTION_KINDS and bool(one.owner)


def _names_used(here: JavaFile) -> set[str]:
    """All names with which chains and types begin in a file."""
    chains: Iterable[str] = (reference.chain for reference in here.references.references)
    types: Iterable[str] = (binding.type for binding in here.references.bindings)
    return {parse_chain(chain).parts[0].name for each in (chains, types) for chain in each} - {""}
