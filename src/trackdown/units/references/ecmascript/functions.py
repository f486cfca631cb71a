"""Functions and classes of JavaScript and TypeScript: what they open, inherit and declare."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.types import CLASS_KINDS
from trackdown.units.references.ecmascript.claims import name_of
from trackdown.units.references.ecmascript.nodes import FUNCTIONS
from trackdown.units.references.ecmascript.scopes import (
    NOTHING,
    RESULT,
    THIS,
    TYPEOF,
    EcmascriptScope,
    NameType,
    ScopedChain,
)
from trackdown.units.references.ecmascript.walk import EcmascriptWalk
from trackdown.units.references.facts import BASE, IMPLEMENTS
from trackdown.units.references.syntax import children_of, line_of, text_of

CLASS, BODY = "class", "body"


def read_function(walk: EcmascriptWalk, node: Node) -> None:
    """`function name() {}` and its signatures."""
    name = text_of(node.child_by_field_name("name"))
    unit = walk.claims.take(walk.unit, name, node)
    walk.notes.declare(walk.scope, name, [NameType(f"#{unit}")] if unit >= 0 else [], unit)
    if unit >= 0:
        walk.plain.add(unit)
        _bind_this(walk, unit)
        _open(walk, node, unit, own=True, this=THIS)
    else:
        _open(walk, node, walk.unit, own=False, this=NOTHING)


def read_function_expression(walk: EcmascriptWalk, node: Node) -> None:
    """`() => …`, `function () {}`; the unit of what it is assigned to, where it is the first one there."""
    enter_waiting(walk, node)
    own = walk.unit in walk.fresh
    walk.fresh.discard(walk.unit)
    this = walk.scope.this
    if node.type != "arrow_function" and node.id not in walk.keeps_this:
        this = THIS if own else NOTHING
        if own:
            _bind_this(walk, walk.unit)
    _open(walk, node, walk.unit, own=own, this=this)
    name = node.child_by_field_name("name")
    if name is not None:
        walk.notes.declare(
            walk.scope, text_of(name), [NameType(f"#{walk.unit}")] if own else [], walk.unit if own else -1
        )


def _bind_this(walk: EcmascriptWalk, unit: int) -> None:
    """In a plain function within another, `this` is nothing that its place tells; in an object it is that."""
    here = walk.units.units[unit]
    owner = here.symbol.rpartition(".")[0]
    if here.kind == "function" and unit in walk.of_objects:
        module = NameType(TYPEOF, ScopedChain("module", ".exports", walk.notes.top))
        walk.notes.bind_this(unit, NameType(f"{{{owner}}}") if owner else module)
    elif (here.kind == "function" and here.parent >= 0) or unit in walk.plain:
        walk.notes.bind_this(unit, None)


def read_method(walk: EcmascriptWalk, node: Node) -> None:
    """A method of a class or of an object."""
    name = name_of(node.child_by_field_name("name"))
    in_class = walk.stands_in(CLASS, 2)
    unit = walk.claims.take(walk.unit, name, node)
    this = THIS if unit >= 0 and (not in_class or walk.scope.this == THIS) else NOTHING
    if unit >= 0 and not in_class:
        walk.of_objects.add(unit)
        _bind_this(walk, unit)
    if node.type != "method_definition":  # a signature
        if unit >= 0:
            _bind_result(walk, node, unit, walk.scope)
        return
    _open(walk, node, unit if unit >= 0 else walk.unit, own=unit >= 0, this=this)
    if any(child.type == "get" for child in node.children[:4]) and unit >= 0:
        walk.scope.result = f"self.{name}" if walk.scope.result else ""
        for one in walk.chains.annotation(node.child_by_field_name("return_type"), walk.scope):
            walk.notes.bind(unit, f"self.{name}", one)


def _open(walk: EcmascriptWalk, node: Node, unit: int, *, own: bool, this: str) -> None:
    """The scope of a function: its parameters, and what it returns."""
    scope = walk.scope.inner(unit, root=own, function=True, this=this)
    walk.open(scope, unit, BODY)
    _declare_type_parameters(walk, node, scope)
    single = node.child_by_field_name("parameter")
    given = walk.given.pop(node.id, None)
    if single is not None:
        walk.declare_pattern(single, [given] if given is not None else [], scope)
    for parameter in children_of(node.child_by_field_name("parameters")):
        _declare_parameter(walk, parameter, scope, [given] if given is not None else [], own)
        given = None
    if not own:
        return
    if node.child_by_field_name("return_type") is None:
        scope.result = RESULT
        body = node.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            walk.give_back(body)
    else:
        _bind_result(walk, node, unit, scope)


def _bind_result(walk: EcmascriptWalk, node: Node, unit: int, scope: EcmascriptScope) -> None:
    for one in walk.chains.annotation(node.child_by_field_name("return_type"), scope):
        walk.notes.bind(unit, RESULT, one)


def _declare_type_parameters(walk: EcmascriptWalk, node: Node, scope: EcmascriptScope) -> None:
    for parameter in children_of(node.child_by_field_name("type_parameters")):
        types = walk.chains.annotation(parameter.child_by_field_name("constraint"), scope)
        walk.notes.declare(scope, text_of(parameter.child_by_field_name("name")), types)


def _declare_parameter(
    walk: EcmascriptWalk, node: Node, scope: EcmascriptScope, given: list[NameType], own: bool
) -> None:
    pattern = node.child_by_field_name("pattern")
    types = walk.chains.annotation(node.child_by_field_name("type"), scope)
    if not types:
        types = given or walk.chains.value(node.child_by_field_name("value"), scope)
    if pattern is None:
        return
    if pattern.type == THIS:
        for one in types if own else ():
            walk.notes.bind_this(scope.unit, one)
        return
    walk.declare_pattern(pattern, types, scope)
    if (
        own
        and pattern.type == "identifier"
        and any(child.type in ("accessibility_modifier", "readonly") for child in node.children[:4])
    ):
        for one in types:
            walk.notes.bind(scope.unit, f"self.{text_of(pattern)}", one)


# Classes


def read_class(walk: EcmascriptWalk, node: Node) -> None:
    """A class or interface: a scope with its type parameters, and its bases."""
    enter_waiting(walk, node)
    name = text_of(node.child_by_field_name("name"))
    unit = -1
    if node.type != "class":
        unit = walk.claims.take(walk.unit, name, node)
        kept = walk.scope.names.get(name)
        before = kept.types[:] if kept is not None else []
        declared = walk.notes.declare(walk.scope, name, [NameType(f"#{unit}")] if unit >= 0 else [], unit)
        declared.add([one for one in before if _is_class(walk, one)])  # interfaces are merged with classes
    elif walk.unit in walk.fresh:
        unit = walk.unit
        walk.fresh.discard(unit)
    elif name:
        unit = walk.claims.take(walk.unit, name, node)
    claimed = unit >= 0
    scope = walk.scope.inner(unit if claimed else walk.unit, root=claimed, this=THIS if claimed else NOTHING)
    walk.open(scope, unit if claimed else walk.unit, CLASS)
    if node.type == "class" and name:
        walk.notes.declare(scope, name, [NameType(f"#{unit}")] if claimed else [], unit)
    _declare_type_parameters(walk, node, scope)
    if claimed:
        _read_heritage(walk, node, unit)


def _is_class(walk: EcmascriptWalk, type_: NameType) -> bool:
    return type_.form[:1] == "#" and walk.units.units[int(type_.form[1:])].kind in CLASS_KINDS


def _read_heritage(walk: EcmascriptWalk, node: Node, unit: int) -> None:
    clauses = []
    for child in children_of(node):
        if child.type == "class_heritage":
            clauses += children_of(child)
        elif child.type in ("extends_type_clause", "extends_clause", "implements_clause"):
            clauses.append(child)
    for clause in clauses:
        if clause.type == "extends_clause":
            for value in clause.children_by_field_name("value"):
                _inherit(walk, value, unit)
        else:
            kind = IMPLEMENTS if clause.type == "implements_clause" else BASE
            for one in children_of(clause):
                for type_ in walk.chains.annotation(one, walk.scope):
                    if type_.chain is not None:
                        walk.notes.refer(unit, line_of(one), kind, type_.chain, -1)


def _inherit(walk: EcmascriptWalk, value: Node, unit: int) -> None:
    """`extends B`; of `extends mixed(B)` both what the call gives and what it is given."""
    bases = [value]
    if value.type == "call_expression":
        bases += [one for one in children_of(value.child_by_field_name("arguments")) if one.type == "identifier"]
    for one in bases:
        chain = walk.chains.chain(one, walk.scope)
        if chain is not None:
            walk.notes.refer(unit, line_of(one), BASE, chain, -1)


def read_field(walk: EcmascriptWalk, node: Node) -> None:
    """A field of a class with its type, or with what it is set to; a property of an interface."""
    if not walk.stands_in(CLASS, 2):
        return
    name = name_of(node.child_by_field_name("name"))
    value, annotated = node.child_by_field_name("value"), node.child_by_field_name("type")
    if value is not None and value.type in FUNCTIONS:
        unit = walk.claims.take(walk.unit, name, node)
        if unit >= 0:
            walk.open(walk.scope, unit, fresh=True)
            return
    if walk.scope.this != THIS:
        return
    types = walk.chains.annotation(annotated, walk.scope)
    for one in types or walk.valued(value, None):
        walk.notes.bind(walk.unit, f"self.{name}", one)


def read_pair(walk: EcmascriptWalk, node: Node) -> None:
    """`name: function () {}` in an object."""
    value = node.child_by_field_name("value")
    if value is None or value.type not in FUNCTIONS:
        return
    unit = walk.claims.take(walk.unit, name_of(node.child_by_field_name("key")), node)
    if unit >= 0:
        walk.of_objects.add(unit)
        walk.open(walk.scope, unit, fresh=True)


def read_enum(walk: EcmascriptWalk, node: Node) -> None:
    """`enum DeclaredName {}`."""
    name = text_of(node.child_by_field_name("name"))
    unit = walk.claims.take(walk.unit, name, node)
    walk.notes.declare(walk.scope, name, [NameType(f"#{unit}")] if unit >= 0 else [], unit)


def enter_waiting(walk: EcmascriptWalk, node: Node) -> None:
    """Enter a node whose unit an outer node has claimed: `export default function () {}`."""
    unit = walk.waiting.pop(node.id, -1)
    if unit >= 0:
        walk.open(walk.scope, unit, fresh=True)
