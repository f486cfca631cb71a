"""References of Elixir: aliased, imported and used modules, calls, captures, behaviours and protocols."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import IMPLEMENTS, NEW, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, visit
from trackdown.units.references.notes import ReferenceNotes
from trackdown.units.references.syntax import argument_count, children_of, field_of, first_of, only_child, text_of

_DEFINERS = frozenset("def defp defmacro defmacrop defguard defguardp defdelegate defn defnp".split())
_MODULES = frozenset("defmodule defprotocol".split())
_IMPORTS = frozenset("alias import require use".split())
_TYPES = frozenset("spec type typep opaque callback macrocallback".split())
_MOST_TYPES = 300

GRAMMAR = Grammar(leaves="identifier alias", members="dot.left.right", calls="call.target")


def _call(notes: ReferenceNotes, node: Node) -> None:
    target = field_of(node, "target")
    if target is None or node.id in notes.seen:
        return
    name, arguments = text_of(target), first_of(node, "arguments")
    if name in _DEFINERS:
        _head(notes, only_child(arguments))
    elif name in _IMPORTS and arguments is not None:
        _import(notes, node, children_of(arguments))
    elif name == "defimpl":
        notes.refer(node, text_of(only_child(arguments)), -1, IMPLEMENTS, notes.at(node))
    elif name not in _MODULES and (target.type == "identifier" or text_of(field_of(target, "left"))[:1].isupper()):
        notes.refer(node, GRAMMAR.called(node), argument_count(arguments, 0))


def _head(notes: ReferenceNotes, head: Node | None) -> None:
    """What a definition defines is no call: `total(cart)`, `total(cart) when …`."""
    if head is not None and head.type == "binary_operator":
        head = field_of(head, "left")
    if head is not None:
        notes.seen.add(head.id)


def _import(notes: ReferenceNotes, node: Node, arguments: list[Node]) -> None:
    first = arguments[0] if arguments else None
    if first is None:
        return
    if first.type == "dot":
        outer = text_of(field_of(first, "left"))
        modules = [f"{outer}.{text_of(one)}" for one in children_of(field_of(first, "right")) if one.type == "alias"]
    else:
        modules = [text_of(first)] if first.type == "alias" else []
    aliases = text_of(field_of(node, "target")) == "alias"
    for module in modules:
        alias = _renamed(arguments[-1]) or module.rpartition(".")[2]
        notes.take(node, module, "" if aliases else "*", alias if aliases else "")


def _renamed(keywords: Node) -> str:
    """The name behind `as:`, empty for none."""
    for pair in children_of(keywords) if keywords.type == "keywords" else ():
        if text_of(field_of(pair, "key")).strip() == "as:":
            return text_of(field_of(pair, "value"))
    return ""


def _unary(notes: ReferenceNotes, node: Node) -> None:
    """`@behaviour Shop` is a base; types of functions call nothing; `&total/1` is a call."""
    operand = field_of(node, "operand")
    if text_of(field_of(node, "operator")) == "&" and operand is not None and operand.type == "binary_operator":
        captured = field_of(operand, "left")
        if captured is not None and captured.type == "identifier" and text_of(field_of(operand, "operator")) == "/":
            notes.refer(node, text_of(captured), -1)
    elif operand is not None and operand.type == "call":
        name = text_of(field_of(operand, "target"))
        if name == "behaviour":
            notes.refer(node, text_of(only_child(first_of(operand, "arguments"))), -1, IMPLEMENTS)
        if name in _TYPES or name == "behaviour":
            _pass_over(notes, operand)


def _pass_over(notes: ReferenceNotes, node: Node) -> None:
    stack, most = [node], _MOST_TYPES
    while stack and most > 0:
        most -= 1
        one = stack.pop()
        notes.seen.add(one.id)
        stack += one.named_children


def _struct(notes: ReferenceNotes, node: Node) -> None:
    name = only_child(node)
    if name is not None and name.type == "alias":
        notes.refer(node, text_of(name), -1, NEW)


_VISITORS = by_node_type({_call: "call", _unary: "unary_operator", _struct: "struct"})


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of an Elixir syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
