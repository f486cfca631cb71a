"""Rust, C, C++, C#, Ruby, PHP and Kotlin: by scope and import where that leads to a definition, by name where not.

What is said of types (parameters, fields, locals, results) is followed, what would have to be inferred is not. Which
names are visible where is in a file per language or family beside this one, what a chain stands for in `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trackdown.graph.edges import How
from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import NOWHERE, Link, ReferenceResolver, Resolved, resolved
from trackdown.graph.scoped.c import CRules
from trackdown.graph.scoped.names import CSharpRules, KotlinRules, PhpRules
from trackdown.graph.scoped.ruby import RubyRules
from trackdown.graph.scoped.rules import Rules
from trackdown.graph.scoped.rust import RustRules
from trackdown.graph.scoped.values import ScopedEvaluator, Value
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import BASE, IMPLEMENTS, NEW, Reference

_RULES: dict[str, Callable[[Sources[FileScopes]], Rules]] = {
    "rust": RustRules,
    "c": CRules,
    "cpp": CRules,
    "csharp": CSharpRules,
    "ruby": RubyRules,
    "php": PhpRules,
    "kotlin": KotlinRules,
}
FAMILIES = {name: frozenset({name}) for name in ("rust", "csharp", "ruby", "php", "kotlin")} | {
    name: frozenset({"c", "cpp"}) for name in ("c", "cpp")
}
"""Languages whose definitions each of them can refer to."""
_SHORTEST_NAME = 3


class ScopedResolver:
    """Resolves the references of files in the languages above."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._families: dict[frozenset[str], _FamilyResolver] = {}

    def links(self, file: int) -> list[Link]:
        """All that a file refers to within the program."""
        name = self._program.language(file)
        if name not in FAMILIES:
            return []
        family = FAMILIES[name]
        if family not in self._families:
            self._families[family] = _FamilyResolver(Sources(self._program, family, FileScopes), _RULES[name])
        return self._families[family].links(file)


class _FamilyResolver(ReferenceResolver[FileScopes]):
    """The resolver of one family of languages."""

    most_targets = 5

    def __init__(self, sources: Sources[FileScopes], rules: Callable[[Sources[FileScopes]], Rules]) -> None:
        super().__init__(sources)
        self._rules = rules(sources)
        self._values = ScopedEvaluator(sources, self._rules)

    def import_links(self, scopes: FileScopes) -> Iterable[Link]:
        return self._rules.imports(scopes)

    def resolve(self, scopes: FileScopes, one: Reference) -> Resolved:
        source = scopes.by_unit.get(one.unit)
        if one.kind in (BASE, IMPLEMENTS):
            outer = scopes.outer(source) if source is not None else None
            return self._class(scopes, outer, one.chain, free=True)
        if one.kind == NEW:
            return self._class(scopes, source, one.chain, free=True)
        head, _, name = one.chain.rpartition(".")
        macro = self._rules.macro(scopes, name) if one.arity < 0 else None
        if macro is not None:
            return macro
        seen = self._method(scopes, source, head, name) if head or one.chain[:1] == "." else None
        if seen is None:
            seen = self._function(scopes, source, name, one.arity)
        return self._fitting(seen, one.arity)

    def _class(self, scopes: FileScopes, unit: Definition | None, chain: str, free: bool = False) -> Resolved:
        """The class of a construction, or a base class."""
        value = self._values.of(scopes, unit, chain, free=free)
        if value.classes:
            classes = value.classes[:1] if chain == "super" else value.classes
            return resolved(classes, sure=value.sure)
        name = chain.rpartition(".")[2]
        return NOWHERE if value.outside else self._alone(scopes, name, CLASS_KINDS, False)

    def _function(self, scopes: FileScopes, unit: Definition | None, name: str, arity: int) -> Resolved:
        seen = self._values.call(scopes, unit, name)
        if seen.definitions or seen.outside:
            return seen
        if arity < 0 and scopes.language == "ruby":
            return NOWHERE  # a name alone: perhaps a variable of a block, or a method that is made at run time
        return self._alone(scopes, name, self._rules.callable, False)

    def _method(self, scopes: FileScopes, unit: Definition | None, head: str, name: str) -> Resolved:
        """A call on something: a method of its class, a function of a module, an extension."""
        value = self._values.of(scopes, unit, head) if head else Value(space=self._rules.space(scopes, ""))
        if value.space is not None:
            return self._rules.inside(value.space, name, self._rules.callable)
        if value.classes and not value.many:
            return self._method_of(scopes, value.classes, value.sure, name)
        owned = NOWHERE if value.many else self._owned(scopes, unit, head, name)
        if owned.definitions:
            return owned
        extended = self._rules.extensions(scopes, name, None)
        if value.outside or value.many:
            return extended
        if extended.definitions and len(extended.definitions) == len(self.sources.named(name)):
            return extended  # nothing else is called so
        return self._alone(scopes, name, FUNCTION_KINDS, True)

    def _owned(self, scopes: FileScopes, unit: Definition | None, head: str, name: str) -> Resolved:
        """A method of a class whose definition a macro hides."""
        if head in ("self", "Self"):
            owner = scopes.class_symbol(unit)
            return resolved(scopes.at(f"{owner}.{name}", FUNCTION_KINDS)) if owner else NOWHERE
        return self._rules.owned(scopes, head, name)

    def _method_of(self, scopes: FileScopes, classes: Sequence[Definition], sure: bool, name: str) -> Resolved:
        owners, rules = self._values.classes, self._rules
        seen = owners.members(classes, name)
        if seen.definitions:
            return resolved(seen.definitions, sure=sure)
        if CLASS_KINDS & rules.callable:
            inner = [each for one in classes for each in rules.member_class(one, name)]
            if inner:
                return resolved(inner, sure=sure)
            if name[:1].isupper() and any(one.kind == "enum" for one in classes):
                return resolved(classes, sure=sure)  # a variant is made
        extended = rules.extensions(scopes, name, owners.names(classes))
        if extended.definitions:
            return extended
        if any(owners.field(one, name) is not None for one in classes):
            return owners.implementers(classes, name)
        return NOWHERE

    def _alone(self, scopes: FileScopes, name: str, kinds: frozenset[str], member: bool) -> Resolved:
        """A definition by its name alone. `member` says that it is called on something."""
        if len(name) < _SHORTEST_NAME or (member and not self._rules.by_member(scopes)):
            return NOWHERE
        if name.lower().rstrip("?!=") in self._rules.common_names:
            return NOWHERE

        def fits(one: Definition) -> bool:
            is_placed = one.kind in CLASS_KINDS or bool(one.owner) == member
            return one.kind in kinds and is_placed and self._rules.reachable(scopes, one)

        return self.by_name(name, fits)

    def _fitting(self, seen: Resolved, arity: int) -> Resolved:
        """Of several functions, those that take this number of arguments, if any does."""
        if len(seen.definitions) < 2 or arity < 0:
            return seen
        fitting = [one for one in seen.definitions if self._takes(one, arity)]
        if not fitting or len(fitting) == len(seen.definitions):
            return seen
        how: How = "exact" if len(fitting) == 1 and seen.how != "name" else seen.how
        return Resolved(tuple(fitting), how)

    def _takes(self, one: Definition, arity: int) -> bool:
        counts = self.sources.scopes(one.file).bound(one.index, "()")
        if not counts:
            return True
        least, dash, most = counts[0].partition("-")
        return int(least) <= arity and (arity <= int(most) if most else bool(dash) or arity == int(least))
