"""The scopes of one JavaScript or TypeScript file, and what is noted while they are walked.

A name means what the innermost scope says, but facts know units only. So what is noted keeps its scope, and is written
down when all declarations are known: a name that only a block or an unnamed function declares, and that others declare
too, becomes `name~2`; one that says nothing becomes `?`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from trackdown.units.references.facts import UNKNOWN, Binding, BlobReferences, Export, Import, Reference

THIS, SUPER, NOTHING = "this", "super", "?"
TYPEOF = "typeof "
MOST_TYPES = 4
_DEEPEST = 150
_LONGEST = 400


class Chain(NamedTuple):
    """`root` and what follows it (`.a.b()`), where they stand. A root that holds `~` was made up."""

    root: str
    rest: str
    scope: Scope

    def then(self, rest: str) -> Chain:
        """The chain, and what follows it."""
        return Chain(self.root, self.rest + rest, self.scope)


class Type(NamedTuple):
    """What a name stands for. `form` is TYPEOF or empty before a chain; without a chain it is all there is to say."""

    form: str
    chain: Chain | None = None


@dataclass(slots=True)
class Name:
    """A declared name. `unit` is the function or class it is, -1 for none."""

    scope: Scope
    spelled: str
    types: list[Type] = field(default_factory=list)
    imported: bool = False
    unit: int = -1
    used: bool = False

    def add(self, types: list[Type]) -> None:
        """More that the name may stand for."""
        self.types += [one for one in types[:MOST_TYPES] if one not in self.types]
        del self.types[MOST_TYPES:]


class Scope:
    """What encloses names. `root` is the outermost scope of its unit; `function` is the scope that `var` belongs to."""

    __slots__ = ("depth", "function", "names", "namespace", "parent", "result", "root", "this", "unit")

    def __init__(self, parent: Scope | None, unit: int, *, root: bool, function: bool, this: str) -> None:
        self.parent = parent
        self.unit = unit
        self.root = root
        self.depth = parent.depth + 1 if parent is not None else 0
        self.function: Scope = self if function or parent is None else parent.function
        self.names: dict[str, Name] = {}
        self.this = this
        self.namespace: Chain | None = parent.namespace if parent is not None and not function else None
        self.result = ""
        """The binding that a `return` here gives: `->`, `self.x` in a getter, or none."""

    def inner(self, unit: int, *, root: bool = False, function: bool = False, this: str | None = None) -> Scope:
        """A scope in this one; itself where nesting has no end."""
        if self.depth >= _DEEPEST:
            return self
        return Scope(self, unit, root=root, function=function, this=self.this if this is None else this)

    def find(self, name: str) -> Name | None:
        """What a name means here."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


class _Imported(NamedTuple):
    unit: int
    line: int
    module: str
    name: str
    alias: Name | str


class Ledger:
    """Everything that is noted of a file."""

    def __init__(self) -> None:
        self.top = Scope(None, -1, root=True, function=True, this=NOTHING)
        self.imports: list[_Imported] = []
        self._references: dict[tuple[int, str, Chain, int], int] = {}
        self._bases: list[tuple[Chain, Chain, int]] = []
        self._bindings: dict[tuple[int, str, Type | None], None] = {}
        self._members: list[tuple[Chain, str, Type]] = []
        self._exports: dict[tuple[str, Type, str], None] = {}
        self._names: dict[str, list[Name]] = {}
        self._made_up = 0

    # What readers note

    def declare(self, scope: Scope, name: str, types: list[Type], unit: int = -1) -> Name:
        """A name of a scope. A function that is declared again replaces its signatures."""
        found = scope.names.get(name)
        if found is None:
            found = scope.names[name] = Name(scope, name)
            self._names.setdefault(name, []).append(found)
        if unit >= 0:
            found.types = [one for one in found.types if one.form[:1] != "#"]
            found.unit = unit
        found.add(types)
        return found

    def bring_in(self, scope: Scope, line: int, module: str, name: str, alias: str) -> None:
        """An import that binds a name of a scope, or none."""
        bound: Name | str = ""
        if alias:
            bound = self.declare(scope, alias, [])
            bound.imported = True
        self.imports.append(_Imported(scope.unit, line, module, name, bound))

    def module(self, scope: Scope, line: int, module: str) -> Chain:
        """A module that is used where it is imported: `require('./x')()`."""
        alias = self.make_up("import")
        self.imports.append(_Imported(scope.unit, line, module, "", alias))
        return Chain(alias, "", scope)

    def make_up(self, word: str = "") -> str:
        """A name that the file cannot hold."""
        self._made_up += 1
        return f"{word}~{self._made_up}"

    def stand_in(self, scope: Scope, types: list[Type]) -> Chain:
        """A made-up name for what has a type and no name: `(x as Cart)`."""
        name = self.make_up()
        for one in types[:MOST_TYPES]:
            self.bind(scope.unit, name, one)
        return Chain(name, "", scope)

    def refer(self, unit: int, line: int, kind: str, chain: Chain, arity: int) -> None:
        """A use."""
        self._references.setdefault((unit, kind, chain, arity), line)

    def inherit(self, heir: Chain, base: Chain, line: int) -> None:
        """A function that inherits as they did before there were classes."""
        self._bases.append((heir, base, line))

    def bind(self, unit: int, name: str, type_: Type | None) -> None:
        """A binding that is no scope's name: `self.x`, `->`, `this`."""
        self._bindings[unit, name, type_] = None

    def bind_member(self, owner: Chain, member: str, type_: Type) -> None:
        """What an attribute of a name stands for."""
        if len(self._members) < 10_000:
            self._members.append((owner, member, type_))

    def export(self, name: str, local: Type, module: str = "") -> None:
        """What the module offers. A chain as `local` is in the scope of the file; with a module its form is the name."""
        self._exports[name, local, module] = None

    # How it is written down

    def written(self, kind_base: str) -> BlobReferences:
        """The facts. Names are used from references to bindings, so those come last."""
        self._spell()
        references = self._write_references(kind_base)
        exports = [self._write_export(*one) for one in self._exports]
        bindings = self._write_bindings()
        imports = [
            Import(one.unit, one.line, one.module, one.name, one.alias.spelled if isinstance(one.alias, Name) else one.alias)
            for one in self.imports
        ]
        return BlobReferences("", list(dict.fromkeys(imports)), references, bindings, exports)

    def _spell(self) -> None:
        for name, found in self._names.items():
            inner = [one for one in found if not one.scope.root]
            if len(found) > 1:
                for number, one in enumerate(inner, 2):
                    one.spelled = f"{name}~{number}"

    def _text(self, chain: Chain) -> str:
        """A chain as facts write it; empty where its root says nothing and nothing follows."""
        root, rest, scope = chain
        if root == THIS:
            root = scope.this
        elif root not in (SUPER, NOTHING) and "~" not in root:
            name = scope.find(root)
            if name is not None:
                root = self._use(name)
        text = root + rest
        return text if len(text) <= _LONGEST else ""

    def _use(self, name: Name) -> str:
        if not name.used:
            name.used = True
        if not name.types and not name.imported and not name.scope.root:
            return NOTHING
        return name.spelled

    def _type_text(self, type_: Type | None) -> str:
        if type_ is None:
            return UNKNOWN
        if type_.chain is None:
            return type_.form
        text = self._text(type_.chain)
        return UNKNOWN if not text or text[0] == NOTHING else type_.form + text

    def _write_references(self, kind_base: str) -> list[Reference]:
        found: dict[tuple[int, str, str, int], int] = {}
        for (unit, kind, chain, arity), line in self._references.items():
            text = self._text(chain)
            if text and text != NOTHING and not text.endswith(")"):
                found.setdefault((unit, kind, text, arity), line)
            elif text.endswith("()") and text[0] != NOTHING and kind == kind_base:
                found.setdefault((unit, kind, text, arity), line)
        for heir, base, line in self._bases:
            name = heir.scope.find(heir.root)
            text = self._text(base)
            if name is not None and name.unit >= 0 and not heir.rest and text and text[0] != NOTHING:
                found.setdefault((name.unit, kind_base, text, -1), line)
        return [Reference(unit, line, kind, text, arity) for (unit, kind, text, arity), line in found.items()]

    def _write_export(self, name: str, local: Type, module: str) -> Export:
        if module or local.chain is None:
            return Export(name, local.form, module)
        text = self._text(local.chain)
        if local.form == TYPEOF:
            return Export(name, text.removeprefix(NOTHING), "")
        alias = self.make_up("export")
        self.bind(-1, alias, local)
        return Export(name, alias, "")

    def _write_bindings(self) -> list[Binding]:
        written: dict[tuple[int, str, str], None] = {}
        for unit, name, type_ in self._bindings:
            written[unit, name, self._type_text(type_)] = None
        for owner, member, type_ in self._members:
            place = owner.scope.find(owner.root) if "~" not in owner.root and owner.root != "->" else None
            text = self._type_text(type_)
            if text and place is not None:
                written[place.scope.unit, f"{self._use(place)}{owner.rest}.{member}", text] = None
            elif text and ("~" in owner.root or owner.root == "->"):
                written[owner.scope.unit, f"{owner.root}{owner.rest}.{member}", text] = None
        self._write_names(written)
        return [Binding(*one) for one in written if len(one[1]) <= _LONGEST]

    def _write_names(self, written: dict[tuple[int, str, str], None]) -> None:
        """The types of used names use other names, and so on."""
        done: set[int] = set()
        again = True
        while again:
            again = False
            for found in self._names.values():
                for name in found:
                    if not name.used or id(name) in done:
                        continue
                    done.add(id(name))
                    again = True
                    texts = list(dict.fromkeys(map(self._type_text, name.types)))
                    known = [text for text in texts if text]
                    for text in known or ([] if name.imported else [UNKNOWN]):
                        written[name.scope.unit, name.spelled, text] = None
