"""What a JavaScript or TypeScript module imports and exports.

Beside what `facts` says: an export called `=` is what the module itself is (`module.exports = X`, `export = X`). The
`local` of an export may be `#7`, the unit of that index; with a `module`, an empty `local` is that module itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from trackdown.units.references.ecmascript.claims import name_of, wrapped_function
from trackdown.units.references.ecmascript.nodes import FUNCTIONS, string_of
from trackdown.units.references.ecmascript.scopes import TYPEOF, NameType, ScopedChain
from trackdown.units.references.ecmascript.walk import EcmascriptWalk, names_in
from trackdown.units.references.syntax import children_of, first_child, line_of, text_of

WHOLE, DEFAULT, ALL = "=", "default", "*"
_EXPORTS = frozenset({"exports", "module.exports"})
_MOST_MEMBERS = 500
_LONGEST = 200
_DECLARED = frozenset(
    "function_declaration generator_function_declaration function_signature class_declaration "
    "abstract_class_declaration interface_declaration enum_declaration type_alias_declaration".split()
)


def read_import(walk: EcmascriptWalk, node: Node) -> None:
    """`import a, {b as c}, * as d from '…'`, `import '…'`, `import a = require('…')`."""
    module = string_of(node.child_by_field_name("source"))
    line = line_of(node)
    found = False
    for clause in children_of(node):
        if clause.type == "import_require_clause":
            module = string_of(clause.child_by_field_name("source"))
            walk.notes.bring_in(walk.scope, line, module, "", text_of(first_child(clause)))
            found = True
        for name, alias in _imported(clause) if clause.type == "import_clause" and module else ():
            walk.notes.bring_in(walk.scope, line, module, name, alias)
            found = True
    if module and not found:
        walk.notes.bring_in(walk.scope, line, module, "", "")


def _imported(clause: Node) -> Iterator[tuple[str, str]]:
    for child in children_of(clause):
        if child.type == "identifier":
            yield DEFAULT, text_of(child)
        elif child.type == "namespace_import":
            yield "", text_of(first_child(child))
        elif child.type == "named_imports":
            for one in children_of(child):
                name = name_of(one.child_by_field_name("name"))
                yield name, text_of(one.child_by_field_name("alias")) or name


def read_import_alias(walk: EcmascriptWalk, node: Node) -> None:
    """`import a = b.c`."""
    children = children_of(node)
    if len(children) > 1:
        root, _, rest = "".join(text_of(children[1]).split()).partition(".")
        chain = ScopedChain(root, f".{rest}" if rest else "", walk.scope)
        walk.notes.declare(walk.scope, text_of(children[0]), [NameType(TYPEOF, chain)])


# Exports of modules


def read_export(walk: EcmascriptWalk, node: Node) -> None:
    """Every statement that begins with `export`."""
    tokens = {child.type for child in node.children if not child.is_named}
    if _export_from(walk, node) or "namespace" in tokens:
        return
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    name = WHOLE if "=" in tokens else DEFAULT if DEFAULT in tokens else ""
    if value is None and declared is None and name:
        value = next((one for one in children_of(node) if one.type != "decorator"), None)
    if value is not None:
        _export_value(walk, value, name or DEFAULT)
    for local in _declared_names(declared):
        offer(walk, name or local, [NameType(TYPEOF, ScopedChain(local, "", walk.scope))])


def offer(walk: EcmascriptWalk, name: str, types: list[NameType]) -> None:
    """Export something under a name; within a namespace, as a member of the namespace."""
    namespace = walk.scope.namespace
    if namespace is not None:
        for one in types if namespace.root else ():
            walk.notes.bind_member(namespace, name, one)
    elif len(types) < 2:
        walk.notes.export(name, types[0] if types else NameType(""))
    else:
        walk.notes.export(name, NameType(TYPEOF, walk.notes.make_up(walk.notes.top, types)))


def _export_from(walk: EcmascriptWalk, node: Node) -> bool:
    """`export {a as b} from '…'`, `export * from '…'`, and `export {a as b}`; whether it is one of them."""
    module = string_of(node.child_by_field_name("source"))
    for child in children_of(node):
        if child.type == "export_clause":
            for one in children_of(child):
                local = name_of(one.child_by_field_name("name"))
                name = name_of(one.child_by_field_name("alias")) or local
                if module:
                    walk.notes.export(name, NameType(local), module)
                else:
                    offer(walk, name, [NameType(TYPEOF, ScopedChain(local, "", walk.scope))])
            return True
        if child.type == "namespace_export" and module:
            walk.notes.export(name_of(first_child(child)), NameType(""), module)
            return True
    if module:
        walk.notes.export(ALL, NameType(ALL), module)
    return bool(module)


def _export_value(walk: EcmascriptWalk, value: Node, name: str) -> None:
    """`export default <expression>`: a function or class that is a unit, or anything else."""
    is_unit = value.type in FUNCTIONS or value.type == "class"
    wrapped = wrapped_function(value) if value.type == "call_expression" else None
    source = value if is_unit else wrapped
    if source is None:
        offer(walk, name, walk.valued(value, None))
        return
    own = source.child_by_field_name("name")
    unit = walk.claims.take(walk.unit, text_of(own) or DEFAULT, value)
    if unit >= 0:
        walk.waiting[value.id] = unit
        if own is not None:
            walk.notes.declare(walk.scope, text_of(own), [NameType(f"#{unit}")], unit)
    offer(walk, name, [NameType(f"#{unit}")] if unit >= 0 else [])


def _declared_names(node: Node | None) -> list[str]:
    if node is None:
        return []
    if node.type in _DECLARED:
        return [text_of(node.child_by_field_name("name"))]
    if node.type == "import_alias":
        return [text_of(first_child(node))]
    if node.type in ("internal_module", "module"):
        return [text_of(node.child_by_field_name("name")).split(".")[0]]
    names = []
    for child in node.named_children:
        name = child.child_by_field_name("name")
        if child.type == "variable_declarator" and name is not None:
            names += names_in(name)
        elif child.type in _DECLARED or child.type == "internal_module":
            names.append(text_of(name).split(".")[0])
    return names


# Exports of CommonJS


def export_name(walk: EcmascriptWalk, left: Node) -> str:
    """The name under which `left = …` exports: WHOLE for all of the module, empty for other assignments."""
    if left.end_byte - left.start_byte > _LONGEST:
        return ""
    text = "".join(text_of(left).split())
    owner, _, name = text.rpartition(".")
    found = WHOLE if text in _EXPORTS else name if owner in _EXPORTS else ""
    return found if found and walk.scope.find(text.split(".", 1)[0]) is None else ""


def export_too(walk: EcmascriptWalk, value: Node, name: str) -> None:
    """`var app = exports = module.exports = {}`: the name is the module."""
    while value.type in ("assignment_expression", "parenthesized_expression"):
        if value.type == "parenthesized_expression":
            inner = first_child(value)
            if inner is None:
                return
            value = inner
            continue
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        if left is None or right is None:
            return
        exported = export_name(walk, left)
        if exported:
            walk.done.add(value.id)
            if text_of(left) != "exports":
                offer(walk, exported, [NameType(TYPEOF, ScopedChain(name, "", walk.scope))])
        value = right


def assign_export(walk: EcmascriptWalk, name: str, left: Node, right: Node, types: list[NameType]) -> None:
    """`module.exports = …`, `exports.name = …`."""
    if text_of(left) == "exports":
        return  # the local name alone; `exports = module.exports = …` is read from its other half
    while right.type == "assignment_expression" and (inner := right.child_by_field_name("right")) is not None:
        right = inner
    if name == WHOLE and right.type == "object":
        _export_members(walk, right)
    else:
        offer(walk, name, types or walk.valued(right, None))


def _export_members(walk: EcmascriptWalk, node: Node) -> None:
    """`module.exports = {a, b: c, d() {}}`."""
    for child in children_of(node)[:_MOST_MEMBERS]:
        name = name_of(child.child_by_field_name("name") or child.child_by_field_name("key") or child)
        value = child.child_by_field_name("value")
        if child.type == "shorthand_property_identifier":
            offer(walk, name, [NameType(TYPEOF, ScopedChain(name, "", walk.scope))])
        elif child.type == "method_definition" or (value is not None and value.type in FUNCTIONS):
            index = walk.claims.peek(walk.unit, name, child)
            offer(walk, name, [NameType(f"#{index}")] if index >= 0 else [])
        elif child.type == "pair":
            offer(walk, name, walk.valued(value, None))
        elif child.type == "spread_element":
            chain = walk.chains.chain(first_child(child), walk.scope)
            if chain is not None:
                offer(walk, WHOLE, [NameType(TYPEOF, chain)])
