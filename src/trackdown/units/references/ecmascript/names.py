"""Declarations and assignments of JavaScript and TypeScript: what names mean."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.ecmascript.chains import component_properties
from trackdown.units.references.ecmascript.claims import assigned_name, may_be_named
from trackdown.units.references.ecmascript.functions import BODY
from trackdown.units.references.ecmascript.modules import assign_export, export_name, export_too
from trackdown.units.references.ecmascript.scopes import (
    NOTHING,
    SUPER,
    THIS,
    TYPEOF,
    EcmascriptScope,
    NameType,
    ScopedChain,
)
from trackdown.units.references.ecmascript.walk import EcmascriptWalk, is_known, pattern_members
from trackdown.units.references.syntax import line_of, text_of


def read_block(walk: EcmascriptWalk, node: Node) -> None:
    """`{ … }`, unless it is the body of what opened a scope already."""
    if not walk.stands_in(BODY, 1):
        walk.open(walk.scope.inner(walk.unit), walk.unit)


def read_catch(walk: EcmascriptWalk, node: Node) -> None:
    """`catch (error) { … }`."""
    walk.open(walk.scope.inner(walk.unit), walk.unit, BODY)
    walk.declare_pattern(node.child_by_field_name("parameter"), [])


def read_for(walk: EcmascriptWalk, node: Node) -> None:
    """`for (let i = 0; …)`."""
    walk.open(walk.scope.inner(walk.unit), walk.unit, BODY)


def read_for_in(walk: EcmascriptWalk, node: Node) -> None:
    """`for (const repo of repos)`: each is an element."""
    operator, kind = node.child_by_field_name("operator"), node.child_by_field_name("kind")
    types = []
    if operator is not None and operator.type == "of":
        chain = walk.chains.chain(node.child_by_field_name("right"), walk.scope)
        types = [NameType(TYPEOF, chain.then("[]"))] if chain is not None and is_known(chain) else []
    outer = walk.scope
    walk.open(outer.inner(walk.unit), walk.unit, BODY)
    if kind is not None:
        scope = outer.function if kind.type == "var" else walk.scope
        walk.declare_pattern(node.child_by_field_name("left"), types, scope)


def read_namespace(walk: EcmascriptWalk, node: Node) -> None:
    """`namespace A.B { … }`: what it exports is reached by its name. Other modules' declarations are not ours."""
    name = node.child_by_field_name("name")
    root, _, rest = "".join(text_of(name).split()).partition(".")
    if name is None or name.type == "string":
        root = rest = ""
    owner = ScopedChain(root, f".{rest}" if rest else "", walk.scope)
    if root:
        walk.notes.declare(walk.scope, root, [])
        around = walk.scope.namespace
        if around is not None and around.root:
            owner = around.then(f".{root}{owner.rest}")
    walk.open(walk.scope.inner(walk.unit), walk.unit, BODY)
    walk.scope.namespace = owner


def read_vars(walk: EcmascriptWalk, node: Node) -> None:
    """`var a = …, b = …`: these belong to the function."""
    walk.vars.update(child.start_byte for child in node.named_children if child.type == "variable_declarator")


def read_declarator(walk: EcmascriptWalk, node: Node) -> None:
    """`name = value` in a declaration."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return
    scope = walk.scope.function if node.start_byte in walk.vars else walk.scope
    types = walk.chains.annotation(node.child_by_field_name("type"), walk.scope)
    if name.type != "identifier":
        if not _bring_in(walk, name, value, scope):
            walk.declare_pattern(name, types or walk.chains.value(value, walk.scope), scope)
        return
    text = text_of(name)
    unit = walk.claims.take(walk.unit, text, node) if may_be_named(value) else -1
    if unit >= 0:
        walk.plain.add(unit)
        walk.notes.declare(scope, text, [NameType(f"#{unit}")], unit)
        if value is not None and (properties := component_properties(node.child_by_field_name("type"))) is not None:
            walk.given.update((value.id, one) for one in walk.chains.annotation(properties, walk.scope)[:1])
        walk.open(walk.scope, unit, fresh=True)
    elif not _bring_in(walk, name, value, scope):
        declared = walk.notes.declare(scope, text, types)
        if not types and value is not None:
            declared.add(walk.valued(value, ScopedChain(text, "", scope)))
            export_too(walk, value, text)


def _bring_in(walk: EcmascriptWalk, pattern: Node, value: Node | None, scope: EcmascriptScope) -> bool:
    """`const a = require('…')`, `const {a: b} = require('…')`, `const a = require('…').b`."""
    if pattern.type not in ("identifier", "object_pattern"):
        return False
    module, name = walk.required(value)
    if not module:
        return False
    line = line_of(pattern)
    if pattern.type == "identifier":
        walk.notes.bring_in(scope, line, module, name, text_of(pattern))
        return True
    for key, inner in pattern_members(pattern):
        if inner.type in ("identifier", "shorthand_property_identifier_pattern") and key and not name:
            walk.notes.bring_in(scope, line, module, key, text_of(inner))
        else:
            walk.declare_pattern(inner, [], scope)
    if name:
        walk.notes.bring_in(scope, line, module, name, "")
    return True


def read_type_alias(walk: EcmascriptWalk, node: Node) -> None:
    """`type A = B`, `type A = {b: C}`."""
    name, value = text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
    declared = walk.notes.declare(walk.scope, name, [])
    declared.add([one for one in walk.chains.annotation(value, walk.scope) if one.chain and one.chain.root != name])


def read_assignment(walk: EcmascriptWalk, node: Node) -> None:
    """`left = right`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or node.id in walk.done:
        return
    name = assigned_name(left, right)
    unit = walk.claims.take(walk.unit, name, node) if name else -1
    types = [NameType(f"#{unit}")] if unit >= 0 else []
    exported = export_name(walk, left)
    if exported:
        assign_export(walk, exported, left, right, types)
    elif left.type == "identifier":
        _assign_name(walk, left, right, types)
    elif left.type == "member_expression":
        _assign_member(walk, left, right, types)
    if unit >= 0:
        walk.open(walk.scope, unit, fresh=True)


def _assign_name(walk: EcmascriptWalk, left: Node, right: Node, types: list[NameType]) -> None:
    text = text_of(left)
    found = walk.scope.find(text)
    if found is None:
        if types:
            walk.notes.declare(walk.notes.top, text, types)  # undeclared, so it is global
        return
    module, name = walk.required(right)
    if module:
        walk.notes.bring_in(found.scope, line_of(left), module, name, text)
    else:
        found.add(types or walk.valued(right, ScopedChain(text, "", walk.scope)))


def _assign_member(walk: EcmascriptWalk, left: Node, right: Node, types: list[NameType]) -> None:
    owner = left.child_by_field_name("object")
    name = text_of(left.child_by_field_name("property"))
    if owner is None:
        return
    if owner.type == THIS:
        walk.notes.use_this(walk.scope)
        for one in types or walk.valued(right, None) if walk.scope.this == THIS else ():
            walk.notes.bind(walk.unit, f"self.{name}", one)
        return
    chain = walk.chains.chain(owner, walk.scope)
    if chain is None or chain.root in (THIS, SUPER, NOTHING):
        return
    if name == "prototype":
        _inherit(walk, chain, right)
    elif not chain.rest.endswith(".prototype") and "(" not in chain.rest:
        for one in types or walk.valued(right, chain.then(f".{name}")):
            walk.notes.bind_member(chain, name, one)


def _inherit(walk: EcmascriptWalk, heir: ScopedChain, right: Node) -> None:
    """`A.prototype = Object.create(B.prototype)`, `A.prototype = new B()`."""
    for one in walk.chains.value(right, walk.scope)[:1]:
        if one.chain is not None and not heir.rest:
            root, rest, scope = one.chain
            walk.notes.inherit(heir, ScopedChain(root, rest.removesuffix("()"), scope), line_of(right))
