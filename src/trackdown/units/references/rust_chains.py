"""How expressions and types of Rust become chains, and the tokens that a macro is given."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from trackdown.units.references.tree import (
    NOTHING,
    SELF,
    Grammar,
    by_field,
    by_fields,
    field_of,
    instance,
    many,
    only_child,
    text,
)

OWN_MODULE = "mod"
SCOPED = ("scoped_identifier", "scoped_type_identifier")
HEADS = ("identifier", "self", "super", "crate", "metavariable")
_WRAPPERS = frozenset("Box Arc Rc Pin Option Result Ref RefMut Cow NonNull ManuallyDrop MaybeUninit".split())
_CONTAINERS = frozenset("Vec VecDeque HashMap BTreeMap HashSet BTreeSet LinkedList Slab IntoIter".split())


def _path(node: Node) -> str:
    parts: list[str] = []
    here: Node | None = node
    while here is not None and here.type in SCOPED:
        parts.append(text(field_of(here, "name")))
        here = field_of(here, "path")
    head = "" if here is None else OWN_MODULE if here.type == SELF else GRAMMAR.chain(here)
    return ".".join([head, *reversed(parts[-8:])])


def _generic(node: Node) -> str:
    base = GRAMMAR.chain(field_of(node, "type"))
    arguments = field_of(node, "type_arguments")
    types = [one for one in arguments.named_children if one.type != "lifetime"] if arguments is not None else []
    last = base.rsplit(".", 1)[-1]
    if types and last in _WRAPPERS:
        return GRAMMAR.chain(types[0])
    return many(GRAMMAR.chain(types[-1])) if types and last in _CONTAINERS else base


def _array(node: Node) -> str:
    return many(GRAMMAR.chain(field_of(node, "element")))


def _instance(name: str) -> Callable[[Node], str]:
    return lambda node: instance(GRAMMAR.chain(field_of(node, name)))


GRAMMAR = Grammar(
    leaves=frozenset({"identifier", "type_identifier", "field_identifier", "primitive_type", "integer_literal",
                      "shorthand_field_identifier"}),
    words={"self": SELF, "crate": "crate", "super": "super", "metavariable": "crate",
           "string_literal": "String()"},
    members={"field_expression": by_fields("value", "field")},
    calls={"call_expression": by_field("function")},
    elements={"index_expression": only_child},
    through={
        "generic_function": by_field("function"), "parenthesized_expression": only_child,
        "try_expression": only_child, "await_expression": only_child, "reference_expression": by_field("value"),
        "unary_expression": only_child, "reference_type": by_field("type"), "pointer_type": by_field("type"),
        "dynamic_type": by_field("trait"), "abstract_type": by_field("trait"), "bracketed_type": only_child,
        "qualified_type": by_field("type"), "bounded_type": only_child, "higher_ranked_trait_bound": by_field("type"),
    },
    special={
        "scoped_identifier": _path, "scoped_type_identifier": _path, "generic_type": _generic,
        "generic_type_with_turbofish": _generic, "array_type": _array, "slice_type": _array,
        "struct_expression": _instance("name"), "type_cast_expression": _instance("type"),
    },
)  # fmt: skip


def token_chain(tokens: list[Node], at: int) -> str:
    """The chain that ends with the name at a place."""
    parts = [text(tokens[at])]
    while at >= 2 and tokens[at - 1].type in (".", "::") and len(parts) < 8:
        before = tokens[at - 2]
        if before.type in HEADS:
            own = before.type == SELF and tokens[at - 1].type == "::"
            parts.append(OWN_MODULE if own else GRAMMAR.words.get(before.type) or text(before))
            at -= 2
        elif before.type == "token_tree" and at >= 3 and tokens[at - 3].type == "identifier":
            parts.append(f"{text(tokens[at - 3])}()")
            at -= 3
        else:
            parts.append(NOTHING)
            break
    return ".".join(reversed(parts))


def token_arity(tree: Node) -> int:
    """The number of arguments in brackets."""
    inner = tree.children[1:-1]
    return sum(token.type == "," for token in inner[:-1]) + 1 if inner else 0
