"""Rust, C, C++, C#, Ruby, PHP and Kotlin: by scope and import where that leads to a definition, by name where not.

What is said of types (parameters, fields, locals, results) is followed, what would have to be inferred is not. Which
names are visible where is in a file per language or family beside this one, what a chain stands for in `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.graph.edges import HOWS, EdgeType, How
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import Link
from trackdown.graph.scoped.by_name import by_name
from trackdown.graph.scoped.c import CRules
from trackdown.graph.scoped.files import FAMILIES, NOWHERE, Found, Sources, View, found
from trackdown.graph.scoped.names import CSharpRules, KotlinRules, PhpRules
from trackdown.graph.scoped.ruby import RubyRules
from trackdown.graph.scoped.rules import Rules
from trackdown.graph.scoped.rust import RustRules
from trackdown.graph.scoped.values import Value, Values
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references.facts import BASE, IMPLEMENTS, NEW, Reference

_RULES: dict[str, Callable[[Sources], Rules]] = {
    "rust": RustRules,
    "c": CRules,
    "cpp": CRules,
    "csharp": CSharpRules,
    "ruby": RubyRules,
    "php": PhpRules,
    "kotlin": KotlinRules,
}
_MOST_REFERENCES = 50_000
_MOST_TARGETS = 5


class ScopedResolver:
    """Resolves the references of files in the languages above."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._languages: dict[frozenset[str], _Language] = {}

    def links(self, file: int) -> list[Link]:
        """All that a file refers to and that the program holds, each once, by the surest way."""
        name = self._program.language(file)
        if name not in FAMILIES:
            return []
        family = FAMILIES[name]
        if family not in self._languages:
            self._languages[family] = _Language(self._program, name)
        return self._languages[family].links(file)


class _Language:
    """The resolver of one family of languages."""

    def __init__(self, program: Program, name: str) -> None:
        self._sources = Sources(program, FAMILIES[name])
        self._rules = _RULES[name](self._sources)
        self._values = Values(self._sources, self._rules)

    def links(self, file: int) -> list[Link]:
        view = self._sources.view(file)
        best: dict[tuple[Definition | None, Definition | int, EdgeType], Link] = {}
        for link in self._rules.imports(view):
            _keep(best, link)
        for one in view.references.references[:_MOST_REFERENCES]:
            source = view.by_unit.get(one.unit)
            seen = self._resolved(view, source, one)
            type_: EdgeType = "inherits" if one.kind in (BASE, IMPLEMENTS) else "invokes"
            if len(seen.definitions) > _MOST_TARGETS:
                continue
            for target in seen.definitions:
                if target != source:
                    _keep(best, Link(source, target, type_, seen.how, one.line))
        return list(best.values())

    def _resolved(self, view: View, source: Definition | None, one: Reference) -> Found:
        if one.kind in (BASE, IMPLEMENTS):
            outer = view.outer(source) if source is not None else None
            return self._class(view, outer, one.chain, free=True)
        if one.kind == NEW:
            return self._class(view, source, one.chain, free=True)
        head, _, name = one.chain.rpartition(".")
        macro = self._rules.macro(view, name) if one.arity < 0 else None
        if macro is not None:
            return macro
        seen = self._method(view, source, head, name) if head or one.chain[:1] == "." else None
        if seen is None:
            seen = self._function(view, source, name, one.arity)
        return self._fitting(seen, one.arity)

    def _class(self, view: View, unit: Definition | None, chain: str, free: bool = False) -> Found:
        """The class of a construction, or a base class."""
        value = self._values.of(view, unit, chain, free=free)
        if value.classes:
            classes = value.classes[:1] if chain == "super" else value.classes
            return found(classes, sure=value.sure)
        name = chain.rpartition(".")[2]
        return NOWHERE if value.outside else self._alone(view, name, CLASS_KINDS, False)

    def _function(self, view: View, unit: Definition | None, name: str, arity: int) -> Found:
        seen = self._values.call(view, unit, name)
        if seen.definitions or seen.outside:
            return seen
        if arity < 0 and view.language == "ruby":
            return NOWHERE  # a name alone: perhaps a variable of a block, or a method that is made at run time
        return self._alone(view, name, self._rules.callable, False)

    def _method(self, view: View, unit: Definition | None, head: str, name: str) -> Found:
        """A call on something: a method of its class, a function of a module, an extension."""
        value = self._values.of(view, unit, head) if head else Value(space=self._rules.space(view, ""))
        if value.space is not None:
            return self._rules.inside(value.space, name, self._rules.callable)
        if value.classes and not value.many:
            return self._method_of(view, value.classes, value.sure, name)
        owned = NOWHERE if value.many else self._owned(view, unit, head, name)
        if owned.definitions:
            return owned
        extended = self._rules.extensions(view, name, None)
        if value.outside or value.many:
            return extended
        if extended.definitions and len(extended.definitions) == len(self._sources.named(name)):
            return extended  # nothing else is called so
        return self._alone(view, name, FUNCTION_KINDS, True)

    def _owned(self, view: View, unit: Definition | None, head: str, name: str) -> Found:
        """A method of a class that a macro hides, whose methods are there."""
        if head in ("self", "Self"):
            owner = view.class_symbol(unit)
            return found(view.at(f"{owner}.{name}", FUNCTION_KINDS)) if owner else NOWHERE
        return self._rules.owned(view, head, name)

    def _method_of(self, view: View, classes: Sequence[Definition], sure: bool, name: str) -> Found:
        owners, rules = self._values.classes, self._rules
        seen = owners.members(classes, name)
        if seen.definitions:
            return found(seen.definitions, sure=sure)
        if CLASS_KINDS & rules.callable:
            inner = [each for one in classes for each in rules.member_class(one, name)]
            if inner:
                return found(inner, sure=sure)
            if name[:1].isupper() and any(one.kind == "enum" for one in classes):
                return found(classes, sure=sure)  # a variant is made
        extended = rules.extensions(view, name, owners.names(classes))
        if extended.definitions:
            return extended
        if any(owners.field(one, name) is not None for one in classes):
            return owners.implementers(classes, name)
        return NOWHERE

    def _alone(self, view: View, name: str, kinds: frozenset[str], member: bool) -> Found:
        return by_name(self._sources, self._rules, view, name, kinds, member)

    def _fitting(self, seen: Found, arity: int) -> Found:
        """Of several functions those that take as many arguments, if any does."""
        if len(seen.definitions) < 2 or arity < 0:
            return seen
        fitting = [one for one in seen.definitions if self._takes(one, arity)]
        if not fitting or len(fitting) == len(seen.definitions):
            return seen
        how: How = "exact" if len(fitting) == 1 and seen.how != "name" else seen.how
        return Found(tuple(fitting), how)

    def _takes(self, one: Definition, arity: int) -> bool:
        counts = self._sources.view(one.file).bindings.get((one.index, "()"))
        if not counts:
            return True
        least, dash, most = counts[0].partition("-")
        return int(least) <= arity and (arity <= int(most) if most else bool(dash) or arity == int(least))


def _keep(best: dict[tuple[Definition | None, Definition | int, EdgeType], Link], link: Link) -> None:
    key = (link.source, link.target, link.type)
    known = best.get(key)
    if known is None or HOWS.index(link.how) < HOWS.index(known.how):
        best[key] = link
