"""References of C and C++: includes, calls, bases, constructions, and the types of what is declared.

A file exports what other files can link to: functions it defines or declares that are neither `static` nor in a
namespace without a name; and under a new name what `typedef`, `using` and `#define` give one. A member function that a
class declares is bound like a field, to what it returns.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.c_chains import GRAMMAR, declarator_of, made
from trackdown.units.references.chain import NOTHING, many_of
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, BlobReferences
from trackdown.units.references.grammar import by_node_type, visit
from trackdown.units.references.notes import RETURNS, ReferenceNotes
from trackdown.units.references.syntax import (
    argument_count,
    field_of,
    first_of,
    has_token,
    named_of,
    only_child,
    text_of,
)

_TYPES = frozenset(("type_identifier", "qualified_identifier", "template_type", "struct_specifier", "class_specifier"))
_NO_CALLS = frozenset("if while for switch return sizeof defined do typeof __typeof__ __builtin_expect".split())
_MOST_CALLED = 3
_PRIMITIVE = frozenset("void int char long short float double unsigned signed".split())
_WORD = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"(?<![\w.>#])([A-Za-z_]\w*)\s*\(")
_INFERRED = frozenset(("placeholder_type_specifier", "decltype"))


class _CNotes(ReferenceNotes):
    """With the named and unnamed namespaces that enclose the node at hand."""

    def __init__(self, units: UnitFinder) -> None:
        super().__init__(units)
        self._namespaces: list[tuple[int, str]] = []

    def enter(self, node: Node, name: str) -> None:
        """A namespace begins; the first one is the file's."""
        outer = self.enclosing(node)
        self._namespaces.append((node.end_byte, name))
        if name and all(outer) and (not self.package or self.package == ".".join(outer)):
            self.package = ".".join([*outer, name])

    def enclosing(self, node: Node) -> list[str]:
        """The names of the namespaces around a node, empty for those without."""
        while self._namespaces and self._namespaces[-1][0] <= node.start_byte:
            self._namespaces.pop()
        return [name for _, name in self._namespaces]


def _include(notes: _CNotes, node: Node) -> None:
    path = field_of(node, "path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        notes.take(node, text_of(path).strip('"'))


def _using(notes: _CNotes, node: Node) -> None:
    chain = GRAMMAR.chain(only_child(node)).lstrip(".")
    if has_token(node, "namespace"):
        notes.take(node, chain, "*")
    elif "." in chain:
        module, _, name = chain.rpartition(".")
        notes.take(node, module, name, name)


def _namespace(notes: _CNotes, node: Node) -> None:
    notes.enter(node, text_of(field_of(node, "name")).replace("::", ".").replace(" ", ""))


def _namespace_alias(notes: _CNotes, node: Node) -> None:
    children = node.named_children
    if len(children) > 1:
        notes.take(node, text_of(children[-1]).replace("::", "."), "", text_of(children[0]))


def _is_static(node: Node) -> bool:
    return any(child.type == "storage_class_specifier" and text_of(child) == "static" for child in node.children[:4])


def _offer(notes: _CNotes, node: Node, name: Node | None) -> None:
    if name is not None and name.type == "identifier" and not _is_static(node) and all(notes.enclosing(node)):
        notes.export(_behind_type(name))


def _behind_type(name: Node) -> str:
    """The name of a function; in `MACRO void (name)(…)` the grammar takes the type for it."""
    written = text_of(name)
    if written in _PRIMITIVE and name.parent is not None:
        return text_of(field_of(name.parent, "parameters")).strip("() ")
    return written


def _stray(notes: _CNotes, node: Node) -> None:
    """A function's declarator among what the grammar could not make sense of, mostly because of a macro before it."""
    name = field_of(node, "declarator")
    if node.id not in notes.seen and name is not None and not notes.is_function(notes.at(node)):
        _offer(notes, node, name)


def _function(notes: _CNotes, node: Node) -> None:
    type_ = field_of(node, "type")
    if type_ is not None and type_.type in ("class_specifier", "struct_specifier") and notes.is_class(notes.at(node)):
        return  # class MACRO Name { … }
    name, declarator = declarator_of(field_of(node, "declarator"))
    if declarator is not None:
        notes.seen.add(declarator.id)
    unit = notes.declared(node, text_of(name).rpartition("::")[2])
    if not notes.is_class(notes.class_of(unit)):
        _offer(notes, node, name)
    if type_ is not None:
        notes.bind(unit, RETURNS, GRAMMAR.chain(type_))
    _parameters(notes, unit, field_of(declarator, "parameters"), counted=True)


def _parameters(notes: _CNotes, unit: int, node: Node | None, counted: bool = False) -> None:
    least = most = 0
    for one in named_of(node):
        if one.type in ("parameter_declaration", "optional_parameter_declaration"):
            name, _ = declarator_of(field_of(one, "declarator"))
            if name is None and text_of(one) == "void":
                continue
            most += 1
            least += one.type == "parameter_declaration"
            _bind(notes, unit, one, name, None)
    if counted and node is not None:
        variadic = has_token(node, "...", "variadic_parameter")
        notes.bind_arity(unit, least, None if variadic else most)


def _bind(notes: _CNotes, unit: int, declaration: Node, name: Node | None, value: Node | None) -> None:
    """Bind a name to its declared type, or to what it is initialised with where that is left out."""
    type_ = field_of(declaration, "type")
    if name is None or type_ is None or type_.type in ("primitive_type", "sized_type_specifier"):
        return
    of_class = notes.is_class(unit)
    chain = GRAMMAR.chain(value) if type_.type in _INFERRED else GRAMMAR.chain(type_)
    notes.bind(unit, f"self.{text_of(name)}" if of_class else text_of(name), chain)


def _declaration(notes: _CNotes, node: Node) -> None:
    unit = notes.at(node)
    type_ = field_of(node, "type")
    for one in node.children_by_field_name("declarator"):
        name, function = declarator_of(one)
        if function is not None:
            notes.seen.add(function.id)
        if name is None:
            continue
        if function is not None and not notes.is_function(unit):
            if not notes.is_class(unit):
                _offer(notes, node, name)
            else:
                _bind(notes, unit, node, name, None)
            continue
        value = field_of(one, "value") if one.type == "init_declarator" else field_of(node, "value")
        _bind(notes, unit, node, name, value)
        if type_ is not None and type_.type in _TYPES and notes.is_function(unit):
            count = _constructed(one, value, function)
            if count >= 0:
                notes.refer(node, GRAMMAR.chain(type_), count, NEW)
                _calls_like_types(notes, function)


def _calls_like_types(notes: _CNotes, function: Node | None) -> None:
    """In `T x(f())`, which looks like a function, f() looks like a parameter."""
    parameters = field_of(function, "parameters")
    for one in named_of(parameters):
        declarator = field_of(one, "declarator")
        if declarator is not None and declarator.type == "abstract_function_declarator":
            inner = field_of(declarator, "parameters")
            count = argument_count(inner)
            notes.refer(one, GRAMMAR.field(one, "type"), count)


def _constructed(declarator: Node, value: Node | None, function: Node | None) -> int:
    """The number of arguments of `T x(…)` or `T x{…}`, -1 for other declarations. `T x(y)` looks like a function."""
    if function is not None:
        parameters = field_of(function, "parameters")
        return parameters.named_child_count if parameters is not None and parameters.named_child_count else -1
    if value is None or value.type not in ("argument_list", "initializer_list"):
        return -1
    return -1 if has_token(declarator, "=") else value.named_child_count


def _loop(notes: _CNotes, node: Node) -> None:
    type_ = field_of(node, "type")
    name, _ = declarator_of(field_of(node, "declarator"))
    if name is not None and type_ is not None:
        inferred = type_.type in _INFERRED
        right = field_of(node, "right")
        notes.bind(notes.at(node), text_of(name), many_of(GRAMMAR.chain(right)) if inferred else GRAMMAR.chain(type_))


def _lambda(notes: _CNotes, node: Node) -> None:
    declarator = field_of(node, "declarator")
    _parameters(notes, notes.at(node), field_of(declarator, "parameters"))


def _catch(notes: _CNotes, node: Node) -> None:
    _parameters(notes, notes.at(node), field_of(node, "parameters"))


def _class(notes: _CNotes, node: Node) -> None:
    if field_of(node, "body") is None:
        return
    clause = first_of(node, "base_class_clause")
    for one in named_of(clause):
        if one.type in _TYPES:
            notes.refer(node, GRAMMAR.chain(one), -1, BASE, notes.declared(node, text_of(field_of(node, "name"))))


def _typedef(notes: _CNotes, node: Node) -> None:
    written = GRAMMAR.field(node, "type")
    for one in node.children_by_field_name("declarator"):
        name, function = declarator_of(one)
        if name is not None and function is None and text_of(name) != written and not written.startswith(NOTHING):
            notes.export(text_of(name), written)


def _alias(notes: _CNotes, node: Node) -> None:
    written = GRAMMAR.field(node, "type")
    unit = notes.at(node)
    if notes.is_function(unit):
        notes.bind(unit, text_of(field_of(node, "name")), written)
    elif not written.startswith(NOTHING):
        notes.export(text_of(field_of(node, "name")), written)


def _define(notes: _CNotes, node: Node) -> None:
    value = text_of(field_of(node, "value")).strip()
    if value.isidentifier() and not value.isupper():
        notes.export(text_of(field_of(node, "name")), value)


def _macro(notes: _CNotes, node: Node) -> None:
    """Export a macro as the functions that its text calls, if they are few."""
    parameters = set(_WORD.findall(text_of(field_of(node, "parameters"))))
    called = dict.fromkeys(_CALLED.findall(text_of(field_of(node, "value"))))
    functions = [name for name in called if name not in parameters and name not in _NO_CALLS and not name.isupper()]
    for name in functions if len(functions) <= _MOST_CALLED else ():
        notes.export(text_of(field_of(node, "name")), name)


def _call(notes: _CNotes, node: Node) -> None:
    arguments = field_of(node, "arguments")
    count = argument_count(arguments)
    instance = made(node)
    if instance:
        if text_of(field_of(node, "function")).rpartition("::")[2].startswith("make_"):
            notes.refer(node, instance.removesuffix("()"), count, NEW)
        return
    notes.refer(node, GRAMMAR.called(node), count)


def _new(notes: _CNotes, node: Node) -> None:
    arguments = field_of(node, "arguments")
    notes.refer(node, GRAMMAR.field(node, "type"), arguments.named_child_count if arguments else 0, NEW)


def _initializer(notes: _CNotes, node: Node) -> None:
    """A base in `Derived() : Base(1), field_(2)`; a field's name isn't a type, so it leads nowhere."""
    children = node.named_children
    if len(children) > 1 and not text_of(children[0]).endswith("_"):
        notes.refer(node, GRAMMAR.chain(children[0]), children[-1].named_child_count, NEW)


_VISITORS = by_node_type(
    {
        _include: "preproc_include",
        _using: "using_declaration",
        _namespace: "namespace_definition",
        _namespace_alias: "namespace_alias_definition",
        _function: "function_definition",
        _declaration: "declaration field_declaration",
        _stray: "function_declarator",
        _loop: "for_range_loop",
        _lambda: "lambda_expression",
        _catch: "catch_clause",
        _class: "class_specifier struct_specifier",
        _typedef: "type_definition",
        _alias: "alias_declaration",
        _define: "preproc_def",
        _macro: "preproc_function_def",
        _call: "call_expression",
        _new: "new_expression",
        _initializer: "field_initializer",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a C or C++ syntax tree."""
    return visit(root, _VISITORS, _CNotes(units))
