"""Parts of Python statements: parameters, targets, imported names, numbers of arguments, names of inner scopes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter

from tree_sitter import Node

from trackdown.units.references.facts import UNKNOWN
from trackdown.units.references.python.chains import (
    ITEM,
    annotated,
    chain_of,
    head_of,
    is_literal,
    values_of,
)
from trackdown.units.references.syntax import first_child, text_of

_MOST_LOOPS = 3
_MOST_AROUND = 8
_TARGET_GROUPS = tuple(
    "pattern_list tuple_pattern list_pattern list_splat_pattern tuple list list_splat as_pattern_target "
    "expression_list parenthesized_expression type dictionary_splat_pattern".split()
)


def arity(call: Node) -> int:
    """The number of arguments, -1 where some are unpacked."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return -1
    if arguments.type != "argument_list":
        return 1
    kinds = [child.type for child in arguments.named_children]
    if "list_splat" in kinds or "dictionary_splat" in kinds:
        return -1
    return len(kinds) - kinds.count("comment")


def imported_names(names: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for node in names:
        name = node.child_by_field_name("name") if node.type == "aliased_import" else node
        alias = node.child_by_field_name("alias") if node.type == "aliased_import" else None
        if name is not None:
            yield "".join(text_of(name).split()), text_of(alias) if alias is not None else ""


def parameter_of(node: Node) -> tuple[str, list[str]] | None:
    """A parameter and the types that its annotation allows; a default value is one reading of two."""
    kind = node.type
    if kind == "identifier":
        return text_of(node), [UNKNOWN]
    if kind in ("list_splat_pattern", "dictionary_splat_pattern") and node.named_child_count:
        return text_of(node.named_children[0]), ["tuple()" if kind.startswith("list") else "dict()"]
    declared = node.child_by_field_name("type")
    name = first_child(node)
    if name is None:
        return None
    if kind == "typed_parameter":
        if name.type != "identifier":
            return parameter_of(name)
        return text_of(name), annotated(text_of(declared)) if declared is not None else [UNKNOWN]
    if kind == "typed_default_parameter" and declared is not None:
        return text_of(name), annotated(text_of(declared))
    if kind == "default_parameter" and name.type == "identifier":
        defaults = [one for one in values_of(node.child_by_field_name("value")) if not is_literal(one)]
        return text_of(name), [UNKNOWN, *defaults]
    return None


def leaves(target: Node) -> list[Node]:
    """The names and attributes that a target binds."""
    found: list[Node] = []
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "attribute"):
            found.append(node)
        elif node.type in _TARGET_GROUPS:
            waiting += reversed(node.named_children)
    return found


def items_of(target: Node, iterable: Node | None) -> Iterator[tuple[Node, list[str]]]:
    """The targets of a loop with what they may be: `x` in `for x in xs`, `x` in `for i, x in enumerate(xs)`."""
    if iterable is not None and iterable.type == "call" and target.type == "pattern_list":
        arguments = iterable.child_by_field_name("arguments")
        function = iterable.child_by_field_name("function")
        if function is not None and text_of(function) == "enumerate" and target.named_child_count == 2:
            number, target = target.named_children
            yield number, ["int()"]
            iterable = first_child(arguments) if arguments is not None else None
    alone = target.type == "identifier" and iterable is not None
    yield target, [f"{one}.{ITEM}" if one else UNKNOWN for one in values_of(iterable)] if alone else [UNKNOWN]


class InnerNames:
    """The names of comprehensions and lambdas, which mean something in a part of a unit only."""

    def __init__(self, loops: Iterable[Node], parameters: Iterable[Node]) -> None:
        self._meanings: dict[str, list[tuple[int, int, str]]] = {}
        for node in loops:
            clause = node.parent
            if clause is not None and clause.parent is not None:
                for target, types in items_of(node, clause.child_by_field_name("right")):
                    self._add(target, clause.parent, types[0] if len(types) == 1 else UNKNOWN)
        for node in parameters:
            for child in node.named_children:
                self._add(first_child(child) if child.type.endswith("parameter") else child, node.parent, UNKNOWN)
        for meanings in self._meanings.values():
            meanings.sort(key=itemgetter(0))

    def _add(self, target: Node | None, scope: Node | None, meaning: str) -> None:
        if target is not None and scope is not None:
            for leaf in leaves(target):
                extent = (scope.start_byte, scope.end_byte)
                self._meanings.setdefault(text_of(leaf), []).append((*extent, meaning if leaf == target else UNKNOWN))

    def _meaning(self, name: str, place: int) -> str | None:
        """What the innermost of these names means at a place; None where it is not one of these."""
        known = self._meanings[name]
        after = bisect_right(known, place, key=itemgetter(0))
        nearest = reversed(known[max(0, after - _MOST_AROUND) : after])
        return next((meaning for _, end, meaning in nearest if place < end), None)

    def chain(self, node: Node | None) -> str:
        """The chain of an expression; if its first name is one of these, with what is known of it instead."""
        chain = chain_of(node)
        for _ in range(_MOST_LOOPS):
            head = head_of(chain)
            if node is None or head not in self._meanings:
                break
            meaning = self._meaning(head, node.start_byte)
            if meaning is None:
                break
            chain = (meaning or "?") + chain[len(head) :]
            if head_of(chain) == head:  # `for x in x`: the one outside
                break
        return chain
