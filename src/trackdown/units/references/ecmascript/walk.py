"""The walk over a file of JavaScript or TypeScript, and the state that its readers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from trackdown.units.references.ecmascript.chains import ChainReader, is_value, member
from trackdown.units.references.ecmascript.claims import UnitClaims, name_of
from trackdown.units.references.ecmascript.nodes import FUNCTIONS, inside, required
from trackdown.units.references.ecmascript.scopes import (
    NOTHING,
    RESULT,
    TYPEOF,
    EcmascriptNotes,
    EcmascriptScope,
    NameType,
    ScopedChain,
)
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.syntax import children_of, first_child, text_of

_MOST_MEMBERS = 200
_MOST_RETURNS = 6
_MOST_PATTERNS = 1000
_SKIPPED = frozenset(
    "string comment type_annotation type_arguments type_parameters import_statement type_alias_declaration "
    "jsx_closing_element regex implements_clause enum_declaration extends_type_clause".split()
)
"""Nodes within which nothing is used or declared but types, unless the parser went astray there."""
_PATTERN_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})


class _Opened(NamedTuple):
    """What a node opened: at which depth of the tree, what was there before, and whether it has a body or members."""

    depth: int
    scope: EcmascriptScope
    unit: int
    kind: str


class EcmascriptWalk:
    """The state of a walk. A reader is a function of the walk and a node, chosen by the node's type."""

    def __init__(self, units: UnitFinder) -> None:
        self.units = units
        self.notes = EcmascriptNotes()
        self.chains = ChainReader(self.notes)
        self.claims = UnitClaims(units.units)
        self.scope = self.notes.top
        self.unit = -1
        self.fresh: set[int] = set()
        """Units whose function or class is still to come, within the node that names them."""
        self.waiting: dict[int, int] = {}
        """Nodes whose unit is known before they are reached."""
        self.done: set[int] = set()
        """Nodes that an outer node's reader has dealt with."""
        self.vars: set[int] = set()
        self.given: dict[int, NameType] = {}
        """Functions, and what their first parameter is."""
        self.keeps_this: set[int] = set()
        """Functions that are bound to the `this` around them."""
        self.of_objects: set[int] = set()
        """Units that are members of an object."""
        self.plain: set[int] = set()
        """Units that are members of nothing, whatever their kind says: functions within `(function () { … })()`."""
        self._depth = 0
        self._opened: list[_Opened] = []

    def over(self, root: Node, readers: Mapping[str, Callable[[EcmascriptWalk, Node], None]]) -> None:
        """Every node once, outer ones first; what a node opened is closed behind it."""
        cursor = root.walk()
        opened = self._opened
        while True:
            node = cursor.node
            kind = node.type if node is not None else ""
            reader = readers.get(kind)
            if reader is not None and node is not None:
                reader(self, node)
            skipped = kind in _SKIPPED and node is not None and not node.has_error
            if not skipped and cursor.goto_first_child():
                self._depth += 1
                continue
            while True:
                while opened and opened[-1].depth == self._depth:
                    last = opened.pop()
                    self.scope, self.unit = last.scope, last.unit
                if cursor.goto_next_sibling():
                    break
                if not cursor.goto_parent():
                    return
                self._depth -= 1

    def open(self, scope: EcmascriptScope, unit: int, kind: str = "", *, fresh: bool = False) -> None:
        """From here to the end of this node, another scope and unit."""
        self._opened.append(_Opened(self._depth, self.scope, self.unit, kind))
        self.scope, self.unit = scope, unit
        if fresh:
            self.fresh.add(unit)

    def stands_in(self, kind: str, levels: int) -> bool:
        """Whether the last opened scope is of a kind, and this number of levels above the node."""
        return bool(self._opened) and self._opened[-1].depth == self._depth - levels and self._opened[-1].kind == kind

    # What names mean

    def declare_pattern(
        self, pattern: Node | None, types: list[NameType], scope: EcmascriptScope | None = None
    ) -> None:
        """The names of a pattern. What is taken out of a known thing is its attribute."""
        scope = scope or self.scope
        stack = [(pattern, types)]
        for _ in range(_MOST_PATTERNS):
            if not stack:
                return
            node, known = stack.pop()
            if node is None:
                continue
            if node.type in _PATTERN_NAMES:
                self.notes.declare(scope, text_of(node), known)
            elif node.type == "object_pattern":
                if known and not any(map(is_value, known)):
                    known = [NameType(TYPEOF, self.notes.make_up(scope, known))]
                for key, inner in pattern_members(node):
                    taken = (member(one, key) for one in known if key)
                    stack.append((inner, [one for one in taken if one is not None]))
            elif node.type == "array_pattern":
                elements = [
                    NameType(one.form, one.chain.then("[]")) for one in known if one.chain and one.form == TYPEOF
                ]
                stack += [(child, elements) for child in children_of(node)]
            elif node.type in ("assignment_pattern", "object_assignment_pattern"):
                stack.append((node.child_by_field_name("left"), known))
            elif node.type == "rest_pattern":
                stack.append((first_child(node), []))

    def required(self, value: Node | None) -> tuple[str, str]:
        """The module that an expression is, and which name of it: `require('./x')`, `require('./x').y`."""
        node, _ = inside(value)
        name = ""
        if node is not None and node.type == "member_expression":
            name = text_of(node.child_by_field_name("property"))
            node, _ = inside(node.child_by_field_name("object"))
        if node is None or node.type != "call_expression":
            return "", ""
        module = required(node)
        if module:
            self.done.add(node.id)
        return module, name

    def valued(self, node: Node | None, owner: ScopedChain | None) -> list[NameType]:
        """What a value is. The members of an object are bound to its `owner`, or else to a made-up name."""
        value, cast = inside(node)
        if value is not None and value.type == "class":
            index = self.claims.peek(self.unit, name_of(value.child_by_field_name("name")), value)
            return [NameType(f"#{index}")] if index >= 0 else []
        if value is None or value.type != "object" or cast is not None:
            return self.chains.value(node, self.scope)
        prefix = self.claims.prefix(self.unit, value)
        found = [NameType(f"{{{prefix}}}")] if prefix else []
        bound = owner if owner is not None else self.notes.make_up(self.scope, [])
        before = self.notes.member_count
        found += self._members(value, bound, bool(prefix))
        return found if owner is not None or self.notes.member_count == before else [NameType(TYPEOF, bound), *found]

    def _members(self, node: Node, owner: ScopedChain, prefixed: bool, depth: int = 3) -> list[NameType]:
        """Bind the members of an object; what it takes over from others is returned."""
        spread: list[NameType] = []
        for child in children_of(node)[:_MOST_MEMBERS]:
            value = child.child_by_field_name("value")
            name = name_of(child.child_by_field_name("key") or child.child_by_field_name("name") or child)
            types: list[NameType] = []
            if child.type == "shorthand_property_identifier":
                types = [NameType(TYPEOF, ScopedChain(name, "", self.scope))]
            elif child.type == "spread_element":
                spread += self.chains.value(first_child(child), self.scope)
            elif child.type == "method_definition" or (value is not None and value.type in FUNCTIONS):
                index = -1 if prefixed else self.claims.peek(self.unit, name, child)
                types = [NameType(f"#{index}")] if index >= 0 else []
            elif child.type == "pair" and value is not None and value.type == "object" and depth:
                self._members(value, owner.then(f".{name}"), prefixed, depth - 1)
            elif child.type == "pair":
                types = self.chains.value(value, self.scope)
            for one in types:
                self.notes.bind_member(owner, name, one)
        return spread

    def give_back(self, value: Node | None) -> None:
        """A function returns something."""
        scope = self.scope.function
        if not scope.result or value is None or scope.returned >= _MOST_RETURNS:
            return
        owner = ScopedChain(RESULT, "", scope) if scope.result == RESULT else None
        for one in self.valued(value, owner):
            scope.returned += 1
            self.notes.bind(scope.unit, scope.result, one)


def pattern_members(pattern: Node) -> Iterator[tuple[str, Node]]:
    """The keys of `{a, b: c, d = 1, ...e}` and what they are bound to; no key for the rest."""
    for child in children_of(pattern):
        if child.type == "shorthand_property_identifier_pattern":
            yield text_of(child), child
        elif child.type == "pair_pattern" and (value := child.child_by_field_name("value")) is not None:
            while value.type == "assignment_pattern" and (left := value.child_by_field_name("left")) is not None:
                value = left
            yield name_of(child.child_by_field_name("key")), value
        elif child.type == "object_assignment_pattern" and (left := child.child_by_field_name("left")) is not None:
            yield text_of(left), left
        elif child.type == "rest_pattern" and (inner := first_child(child)) is not None:
            yield "", inner


def names_in(pattern: Node) -> list[str]:
    """All names that a pattern declares."""
    found, stack = [], [pattern]
    for _ in range(_MOST_PATTERNS):
        if not stack:
            break
        node = stack.pop()
        if node.type in _PATTERN_NAMES:
            found.append(text_of(node))
        elif node.type.endswith("pattern"):
            stack += reversed(children_of(node))
    return found


def is_known(chain: ScopedChain | None) -> bool:
    """Whether a chain begins with something that has a name."""
    return chain is not None and chain.root != NOTHING
