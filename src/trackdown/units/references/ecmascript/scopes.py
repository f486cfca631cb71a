"""The scopes of one JavaScript or TypeScript file, and what is noted while they are walked.

A name means what the innermost scope says, but facts know units only. So what is noted keeps its scope, and is written
down when all declarations are known: a name that only a block or an unnamed function declares, and that others declare
too, becomes `name~2`; one that says nothing becomes `?`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeGuard

from trackdown.units.references.facts import BASE, UNKNOWN, Binding, BlobReferences, Export, Import, Reference

THIS, SUPER, NOTHING = "this", "super", "?"
TYPEOF, RESULT = "typeof ", "->"
MOST_TYPES = 4
_DEEPEST = 150
_LONGEST = 400


class ScopedChain(NamedTuple):
    """A `root`, what follows it (`.a.b()`), and their scope. A root that contains `~` is invented."""

    root: str
    rest: str
    scope: EcmascriptScope

    def then(self, rest: str) -> ScopedChain:
        """The chain, and what follows it."""
        return ScopedChain(self.root, self.rest + rest, self.scope)


class NameType(NamedTuple):
    """What a name means. `form` is TYPEOF or empty before a chain; without a chain it is the whole type."""

    form: str
    chain: ScopedChain | None = None


@dataclass(slots=True)
class DeclaredName:
    """A declared name. `unit` is the function or class it is, -1 for none; `known` says that its types are not all."""

    scope: EcmascriptScope
    spelled: str
    types: list[NameType] = field(default_factory=list)
    imported: bool = False
    known: bool = False
    unit: int = -1
    used: bool = False

    def add(self, types: list[NameType]) -> None:
        """Add meanings of the name."""
        self.types += [one for one in types[:MOST_TYPES] if one not in self.types]
        del self.types[MOST_TYPES:]


class EcmascriptScope:
    """What encloses names. `root` is the outermost scope of its unit; `function` is the scope that `var` belongs to."""

    __slots__ = ("depth", "function", "names", "namespace", "parent", "result", "returned", "root", "this", "unit")

    def __init__(self, parent: EcmascriptScope | None, unit: int, *, root: bool, function: bool, this: str) -> None:
        self.parent = parent
        self.unit = unit
        self.root = root
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.function: EcmascriptScope = self if function or parent is None else parent.function
        self.names: dict[str, DeclaredName] = {}
        self.this = this
        self.namespace: ScopedChain | None = parent.namespace if parent is not None and not function else None
        self.result = ""
        """The binding that a `return` here gives: `->`, `self.x` in a getter, or none."""
        self.returned = 0

    def inner(
        self, unit: int, *, root: bool = False, function: bool = False, this: str | None = None
    ) -> EcmascriptScope:
        """A scope in this one; itself where nesting has no end."""
        if self.depth >= _DEEPEST:
            return self
        return EcmascriptScope(self, unit, root=root, function=function, this=self.this if this is None else this)

    def find(self, name: str) -> DeclaredName | None:
        """What a name means here."""
        scope: EcmascriptScope | None = self
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
    alias: DeclaredName | None


class EcmascriptNotes:
    """Everything that is noted of a file."""

    def __init__(self) -> None:
        self.top = EcmascriptScope(None, -1, root=True, function=True, this=NOTHING)
        self._imports: list[_Imported] = []
        self._references: dict[tuple[int, str, ScopedChain, int], int] = {}
        self._heirs: list[tuple[ScopedChain, ScopedChain, int]] = []
        self._bindings: dict[tuple[int, str, NameType | None], None] = {}
        self._members: list[tuple[ScopedChain, str, NameType]] = []
        self._this: dict[int, list[NameType | None]] = {}
        self._using_this: set[int] = set()
        self._exports: dict[tuple[str, NameType, str], None] = {}
        self._names: dict[str, list[DeclaredName]] = {}
        self._made_up: dict[str, DeclaredName] = {}

    def declare(self, scope: EcmascriptScope, name: str, types: list[NameType], unit: int = -1) -> DeclaredName:
        """A name of a scope. A function that is declared again replaces its signatures."""
        found = scope.names.get(name)
        if found is None:
            found = scope.names[name] = DeclaredName(scope, name)
            self._names.setdefault(name, []).append(found)
        if unit >= 0:
            found.types = [one for one in found.types if one.form[:1] != "#"]
            found.unit = unit
        found.add(types)
        return found

    def make_up(self, scope: EcmascriptScope, types: list[NameType], word: str = "") -> ScopedChain:
        """A name that the file cannot hold, for what has none: `(x as Cart)`."""
        spelled = f"{word}~{len(self._made_up) + 1}"
        self._made_up[spelled] = DeclaredName(scope, spelled, types[:MOST_TYPES])
        return ScopedChain(spelled, "", scope)

    def bring_in(self, scope: EcmascriptScope, line: int, module: str, name: str, alias: str) -> None:
        """An import that binds a name of a scope, or none."""
        bound = self.declare(scope, alias, []) if alias else None
        if bound is not None:
            bound.imported = bound.known = True
        self._imports.append(_Imported(scope.unit, line, module, name, bound))

    def module(self, scope: EcmascriptScope, line: int, module: str) -> ScopedChain:
        """A module that is used where it is imported: `require('./x')()`."""
        chain = self.make_up(scope, [], "import")
        bound = self._made_up[chain.root]
        bound.imported = bound.known = True
        self._imports.append(_Imported(scope.unit, line, module, "", bound))
        return chain

    def refer(self, unit: int, line: int, kind: str, chain: ScopedChain, arity: int) -> None:
        """A use."""
        self._references.setdefault((unit, kind, chain, arity), line)

    def inherit(self, heir: ScopedChain, base: ScopedChain, line: int) -> None:
        """A function that inherits as they did before there were classes."""
        self._heirs.append((heir, base, line))

    def bind(self, unit: int, name: str, type_: NameType | None) -> None:
        """Bind something other than a scope's name: `self.x`, `->`, `this`."""
        self._bindings[unit, name, type_] = None

    def bind_this(self, unit: int, type_: NameType | None) -> None:
        """What `this` is in a function; written down where it is used."""
        self._this.setdefault(unit, []).append(type_)

    def use_this(self, scope: EcmascriptScope | None) -> None:
        """`this` is used."""
        while scope is not None and scope.unit >= 0:
            self._using_this.add(scope.unit)
            scope = scope.parent

    def bind_member(self, owner: ScopedChain, member: str, type_: NameType) -> None:
        """What an attribute of a name means."""
        self._members.append((owner, member, type_))

    @property
    def member_count(self) -> int:
        """How many attributes have been bound."""
        return len(self._members)

    def export(self, name: str, local: NameType, module: str = "") -> None:
        """What the module offers. With another `module`, the form of `local` is the name there."""
        self._exports[name, local, module] = None

    def find(self, chain: ScopedChain) -> DeclaredName | None:
        """The name with which a chain begins; None if it isn't declared."""
        return self._made_up.get(chain.root) if "~" in chain.root else chain.scope.find(chain.root)

    def written(self) -> BlobReferences:
        """The facts."""
        for name, found in self._names.items():
            if len(found) > 1:
                for number, one in enumerate((one for one in found if not one.scope.root), 2):
                    one.spelled = f"{name}~{number}"
        return _Writer(self).facts()


class _Writer:
    """Writes a notes down: what is used, then what that uses in turn."""

    def __init__(self, notes: EcmascriptNotes) -> None:
        self._notes = notes
        self._used: list[DeclaredName] = []
        self._bindings: dict[tuple[int, str, str], None] = {}
        self._members: dict[int, list[tuple[ScopedChain, str, NameType]]] = {}
        for one in notes._members:
            name = None if one[0].root == RESULT else notes.find(one[0])
            if name is not None:
                name.known = True
                self._members.setdefault(id(name), []).append(one)

    def facts(self) -> BlobReferences:
        notes = self._notes
        references = self._references()
        exports = [self._export(*one) for one in notes._exports]
        for unit, name, type_ in notes._bindings:
            self._bind(unit, name, self._type(type_))
        for owner, member, type_ in notes._members:
            if owner.root == RESULT:
                self._bind(owner.scope.unit, f"{RESULT}{owner.rest}.{member}", self._type(type_))
        self._bind_names()
        for unit in sorted(notes._using_this & notes._this.keys()):
            for one in notes._this[unit]:
                self._bind(unit, THIS, self._type(one))
        self._bind_names()
        imports = [
            Import(one.unit, one.line, one.module, one.name, one.alias.spelled if _is_kept(one.alias) else "")
            for one in notes._imports
        ]
        bindings = [Binding(*one) for one in self._bindings]
        return BlobReferences("", list(dict.fromkeys(imports)), references, bindings, exports)

    def _text(self, chain: ScopedChain) -> str:
        """A chain as facts write it; empty where there is too much of it."""
        root, rest, scope = chain
        if root == THIS:
            root = scope.this
            self._notes.use_this(scope)
        elif root not in (SUPER, NOTHING) and (name := self._notes.find(chain)) is not None:
            root = self._use(name)
        return root + rest if len(root) + len(rest) <= _LONGEST else ""

    def _use(self, name: DeclaredName) -> str:
        if not (name.types or name.known or name.scope.root):
            return NOTHING
        if not name.used:
            name.used = True
            self._used.append(name)
        return name.spelled

    def _type(self, type_: NameType | None) -> str:
        if type_ is None or type_.chain is None:
            return UNKNOWN if type_ is None else type_.form
        text = self._text(type_.chain)
        return UNKNOWN if not text or text[0] == NOTHING else type_.form + text

    def _references(self) -> list[Reference]:
        found: dict[tuple[int, str, str, int], int] = {}
        for (unit, kind, chain, arity), line in self._notes._references.items():
            text = self._text(chain)
            of_result = text.endswith(("()", "[]"))
            if text and text != NOTHING and (not of_result or (kind == BASE and text[0] != NOTHING)):
                found.setdefault((unit, kind, text, arity), line)
        for heir, base, line in self._notes._heirs:
            name = self._notes.find(heir)
            text = self._text(base)
            if name is not None and name.unit >= 0 and text and text[0] != NOTHING:
                found.setdefault((name.unit, BASE, text, -1), line)
        return [Reference(unit, line, kind, text, arity) for (unit, kind, text, arity), line in found.items()]

    def _export(self, name: str, local: NameType, module: str) -> Export:
        if module or local.chain is None:
            return Export(name, local.form, module)
        chain = local.chain if local.form == TYPEOF else self._notes.make_up(self._notes.top, [local])
        text = self._text(chain)
        return Export(name, "" if text[:1] == NOTHING else text, "")

    def _bind(self, unit: int, name: str, text: str) -> None:
        if len(name) <= _LONGEST:
            self._bindings[unit, name, text] = None

    def _bind_names(self) -> None:
        while self._used:
            name = self._used.pop()
            known = [text for text in map(self._type, name.types) if text]
            for text in known or ([] if name.imported else [UNKNOWN]):
                self._bind(name.scope.unit, name.spelled, text)
            for owner, member, type_ in self._members.get(id(name), ()):
                if text := self._type(type_):
                    self._bind(name.scope.unit, f"{name.spelled}{owner.rest}.{member}", text)


def _is_kept(name: DeclaredName | None) -> TypeGuard[DeclaredName]:
    """Whether an import binds a name: one that was made up does where it is used."""
    return name is not None and (name.used or "~" not in name.spelled or name.spelled[:6] != "import")
