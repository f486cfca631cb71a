"""References of PHP: use, require, calls, constructions, bases and traits, and declared types.

Variables keep their dollar in chains; `$this`, `self` and `static` are `self`, `parent` is `super`. A name that begins
with a backslash begins with a dot. What a comment says of types counts where the code itself says nothing.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING, many_of
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, IMPLEMENTS, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, ends, visit
from trackdown.units.references.notes import RETURNS, SELF, SUPER, ReferenceNotes
from trackdown.units.references.syntax import argument_count, field_of, first_of, named_of, only_child, text_of

_RELATIVE = {"self": SELF, "static": SELF, "parent": SUPER, "$this": SELF}
_NAMES = ("name", "qualified_name")
_DOCUMENTED = re.compile(r"@(var|param|return)\s+(\??[\\\w|]+(?:\[\])?)(?:\s+(\$\w+))?")


def _word(node: Node) -> str:
    written = text_of(node)
    return _RELATIVE.get(written, written)


def _qualified(node: Node) -> str:
    return "".join(text_of(node).split()).replace("\\", ".")


def _new_chain(node: Node) -> str:
    found = first_of(node, *_NAMES)
    return f"{GRAMMAR.chain(found)}()" if found is not None else NOTHING


def _property_name(node: Node) -> tuple[Node | None, Node | None]:
    name = field_of(node, "name")
    return field_of(node, "scope"), only_child(name) or name


def _first_class(node: Node) -> Node | None:
    """The first type of several that is a class."""
    return first_of(node, "named_type", "optional_type")


GRAMMAR = Grammar(
    leaves="primitive_type",
    words={"String()": "string encapsed_string", "Array()": "array_creation_expression"},
    members="member_access_expression.object.name nullsafe_member_access_expression.object.name",
    sends="member_call_expression.object.name nullsafe_member_call_expression.object.name "
    "scoped_call_expression.scope.name",
    pairs={_property_name: "scoped_property_access_expression", ends: "class_constant_access_expression"},
    calls="function_call_expression.function",
    elements="subscript_expression",
    through="parenthesized_expression named_type optional_type union_type intersection_type type_list clone_expression",
    steps={_first_class: "union_type intersection_type type_list"},
    special={
        _word: "name variable_name relative_scope",
        _qualified: "qualified_name",
        _new_chain: "object_creation_expression",
    },
)


def _namespace(notes: ReferenceNotes, node: Node) -> None:
    if not notes.package:
        notes.package = _qualified(name) if (name := field_of(node, "name")) is not None else ""


def _use(notes: ReferenceNotes, node: Node) -> None:
    group = field_of(node, "body")
    prefix = f"{_qualified(head)}." if group is not None and (head := first_of(node, "namespace_name")) else ""
    for clause in (group or node).named_children:
        name = first_of(clause, *_NAMES) if clause.type == "namespace_use_clause" else None
        if name is None or text_of(field_of(clause, "type")) == "const":
            continue
        module, _, last = (prefix + _qualified(name)).strip(".").rpartition(".")
        alias = text_of(field_of(clause, "alias")) or last
        notes.take(node, module, last, alias)


def _require(notes: ReferenceNotes, node: Node) -> None:
    """`__DIR__ . '/x.php'` is `./x.php`; other computed paths are unknown."""
    argument = only_child(node)
    while argument is not None and argument.type == "parenthesized_expression":
        argument = only_child(argument)
    if argument is None:
        return
    if argument.type == "binary_expression":
        left, right = text_of(field_of(argument, "left")), field_of(argument, "right")
        if right is not None and right.type == "string" and left in ("__DIR__", "dirname(__FILE__)"):
            notes.take(node, f"./{text_of(right)[1:-1].lstrip('/')}")
    elif argument.type == "string":
        notes.take(node, text_of(argument)[1:-1])


def _class(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    for clause, kind in ((first_of(node, "base_clause"), BASE), (first_of(node, "class_interface_clause"), IMPLEMENTS)):
        for one in named_of(clause):
            notes.refer(node, GRAMMAR.chain(one), -1, kind, unit)


def _traits(notes: ReferenceNotes, node: Node) -> None:
    for one in node.named_children:
        if one.type in _NAMES:
            notes.refer(node, GRAMMAR.chain(one), -1, IMPLEMENTS, notes.class_of(notes.at(node)))


def _function(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    returns = field_of(node, "return_type")
    said = _said_above(node)
    if _tells(returns):
        notes.bind(unit, RETURNS, GRAMMAR.chain(returns))
    else:
        for tag, type_, _ in said:
            if tag == "return":
                notes.bind(unit, RETURNS, type_)
    parameters = field_of(node, "parameters")
    types = {name: type_ for tag, type_, name in said if tag == "param"}
    for one in parameters.named_children if parameters is not None and types else ():
        name = text_of(field_of(one, "name"))
        if name in types and not _tells(field_of(one, "type")):
            notes.seen.add(one.id)
            notes.bind(unit, name, types[name])


def _tells(type_: Node | None) -> bool:
    """Whether a type says more than that something is an array or an object."""
    return type_ is not None and text_of(type_).lstrip("?") not in ("array", "iterable", "object", "mixed")


def _said_above(node: Node) -> list[tuple[str, str, str]]:
    """What the comment above says of types: the tag, the type as a chain, and the variable, if one is named."""
    above = node.prev_named_sibling
    if above is None or above.type != "comment":
        return []
    said = []
    for tag, written, name in _DOCUMENTED.findall(text_of(above)):
        type_ = next((one for one in written.strip("?").split("|") if one.lower() != "null"), "")
        base = type_.removesuffix("[]").replace("\\", ".")
        if base in _RELATIVE:
            base = _RELATIVE[base]
        said.append((tag, f"{base}[]" if type_.endswith("[]") else base, name))
    return said


def _parameter(notes: ReferenceNotes, node: Node) -> None:
    unit, name, type_ = notes.at(node), text_of(field_of(node, "name")), field_of(node, "type")
    chain = GRAMMAR.chain(type_) if type_ is not None else UNKNOWN
    if node.id not in notes.seen:
        notes.bind(unit, name, chain)
    if node.type == "property_promotion_parameter":
        notes.bind(unit, f"self.{name.lstrip('$')}", chain)


def _property(notes: ReferenceNotes, node: Node) -> None:
    type_ = field_of(node, "type")
    said = [] if _tells(type_) else [type_ for tag, type_, _ in _said_above(node) if tag == "var"]
    chain = said[0] if said else GRAMMAR.chain(type_)
    for one in node.named_children:
        if one.type == "property_element" and (said or type_ is not None):
            notes.bind(notes.at(node), f"self.{text_of(field_of(one, 'name')).lstrip('$')}", chain)


def _assignment(notes: ReferenceNotes, node: Node) -> None:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or (right is not None and right.type in ("anonymous_function", "arrow_function")):
        return
    unit, chain = notes.at(node), GRAMMAR.chain(left)
    if left.type == "variable_name" or (chain.startswith("self.") and chain.count(".") == 1):
        type_ = GRAMMAR.chain(right)
        if type_ != chain:
            notes.bind(unit, chain, type_)


def _foreach(notes: ReferenceNotes, node: Node) -> None:
    children = [child for child in node.named_children if child.type != "comment"]
    if len(children) < 2:
        return
    value = children[1].named_children[-1] if children[1].type == "pair" else children[1]
    if value.type == "by_ref":
        value = only_child(value) or value
    if value.type == "variable_name":
        notes.bind(notes.at(node), text_of(value), many_of(GRAMMAR.chain(children[0])))


def _catch(notes: ReferenceNotes, node: Node) -> None:
    notes.bind(notes.at(node), text_of(field_of(node, "name")), GRAMMAR.field(node, "type"))


def _call(notes: ReferenceNotes, node: Node) -> None:
    chain, arguments = GRAMMAR.called(node), field_of(node, "arguments")
    if not chain.rsplit(".", 1)[-1].startswith("$"):
        notes.refer(node, chain, argument_count(arguments))


def _new(notes: ReferenceNotes, node: Node) -> None:
    name, arguments = first_of(node, *_NAMES), first_of(node, "arguments")
    if name is not None:
        count = argument_count(arguments, 0)
        notes.refer(node, GRAMMAR.chain(name), count, NEW)
    else:
        anonymous = first_of(node, "anonymous_class")
        base = first_of(anonymous, "base_clause")
        if base is not None:
            notes.refer(node, GRAMMAR.chain(only_child(base)), -1, NEW)


_VISITORS = by_node_type(
    {
        _namespace: "namespace_definition",
        _use: "namespace_use_declaration",
        _require: "require_expression require_once_expression include_expression include_once_expression",
        _class: "class_declaration interface_declaration trait_declaration enum_declaration",
        _traits: "use_declaration",
        _function: "function_definition method_declaration",
        _parameter: "simple_parameter variadic_parameter property_promotion_parameter",
        _property: "property_declaration",
        _assignment: "assignment_expression",
        _foreach: "foreach_statement",
        _catch: "catch_clause",
        _call: "function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression",
        _new: "object_creation_expression",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a PHP syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
