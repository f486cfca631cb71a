"""How expressions and types of Rust become chains, and the tokens that a macro is given."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING
from trackdown.units.references.grammar import Grammar
from trackdown.units.references.notes import SELF
from trackdown.units.references.syntax import field_of, named_of, text_of

OWN_MODULE = "mod"
SCOPED = ("scoped_identifier", "scoped_type_identifier")
HEADS = ("identifier", "self", "super", "crate", "metavariable")


def _path(node: Node) -> str:
    parts: list[str] = []
    here: Node | None = node
    while here is not None and here.type in SCOPED:
        parts.append(text_of(field_of(here, "name")))
        here = field_of(here, "path")
    head = "" if here is None else OWN_MODULE if here.type == SELF else GRAMMAR.chain(here)
    return ".".join([head, *reversed(parts[-8:])])


def _generic(node: Node) -> str:
    arguments = named_of(field_of(node, "type_arguments"))
    return GRAMMAR.generic(GRAMMAR.field(node, "type"), [one for one in arguments if one.type != "lifetime"])


GRAMMAR = Grammar(
    leaves="identifier type_identifier field_identifier primitive_type integer_literal shorthand_field_identifier",
    words={SELF: "self", "crate": "crate metavariable", "super": "super", "String()": "string_literal"},
    members="field_expression.value.field",
    calls="call_expression.function",
    elements="index_expression",
    through="generic_function.function parenthesized_expression try_expression await_expression "
    "reference_expression.value unary_expression reference_type.type pointer_type.type dynamic_type.trait "
    "abstract_type.trait bracketed_type qualified_type.type bounded_type higher_ranked_trait_bound.type",
    instances="struct_expression.name type_cast_expression.type",
    arrays="array_type.element slice_type.element",
    special={
        _path: "scoped_identifier scoped_type_identifier",
        _generic: "generic_type generic_type_with_turbofish",
    },
    wrappers="Box Arc Rc Pin Option Result Ref RefMut Cow NonNull ManuallyDrop MaybeUninit",
    containers="Vec VecDeque HashMap BTreeMap HashSet BTreeSet LinkedList Slab IntoIter",
)


def token_chain(tokens: list[Node], at: int) -> str:
    """The chain that ends with the name at a place."""
    parts = [text_of(tokens[at])]
    while at >= 2 and tokens[at - 1].type in (".", "::") and len(parts) < 8:
        before = tokens[at - 2]
        if before.type in HEADS:
            own = before.type == SELF and tokens[at - 1].type == "::"
            parts.append(OWN_MODULE if own else GRAMMAR.words.get(before.type) or text_of(before))
            at -= 2
        elif before.type == "token_tree" and at >= 3 and tokens[at - 3].type == "identifier":
            parts.append(f"{text_of(tokens[at - 3])}()")
            at -= 3
        else:
            parts.append(NOTHING)
            break
    return ".".join(reversed(parts))


def token_arity(tree: Node) -> int:
    """The number of arguments in brackets."""
    inner = tree.children[1:-1]
    return sum(token.type == "," for token in inner[:-1]) + 1 if inner else 0
