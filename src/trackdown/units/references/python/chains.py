"""Python expressions and annotations → chains, as `Reference` and `Binding` write them."""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.facts import UNKNOWN
from trackdown.units.references.syntax import text_of

_MOST_PARTS = 12
_MOST_STEPS = 40
_MOST_READINGS = 3
_LITERALS = {
    "string": "str()",
    "concatenated_string": "str()",
    "integer": "int()",
    "float": "float()",
    "true": "bool()",
    "false": "bool()",
    "list": "list()",
    "list_comprehension": "list()",
    "dictionary": "dict()",
    "dictionary_comprehension": "dict()",
    "set": "set()",
    "set_comprehension": "set()",
    "tuple": "tuple()",
    "expression_list": "tuple()",
    "comparison_operator": "bool()",
    "not_operator": "bool()",
}
"""A literal is the result of calling its type, so that it isn't taken for something in the program."""
_TRANSPARENT = frozenset(
    "Annotated Awaitable ClassVar Coroutine Final NotRequired Optional ReadOnly Required Type TypeGuard Union "
    "type".split()
)
"""Generic types that mean their arguments: all for Union, the last for Coroutine, else the first."""
ELEMENT = "__getitem__()"
"""What `x[i]` is, as a part of a chain; `ITEM` is what a loop over x gives."""
ITEM = "__iter__()"
_YIELDING = frozenset("AsyncGenerator AsyncIterable AsyncIterator Generator Iterable Iterator".split())
_HOLDING = _YIELDING | {
    *("Collection", "Deque", "FrozenSet", "List", "MutableSequence", "MutableSet", "Sequence", "Set", "AbstractSet"),
    *("deque", "frozenset", "list", "set"),
}
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")


def chain_of(node: Node | None) -> str:
    """What a name, attribute or call is, as a chain. A literal is the call of its type, all else is `?`."""
    parts: list[str] = []
    suffix = ""
    for _ in range(_MOST_STEPS):
        if node is None:
            break
        kind = node.type
        if kind == "identifier":
            parts.append(text_of(node) + suffix)
            break
        if kind == "attribute":
            name = node.child_by_field_name("attribute")
            parts.append((text_of(name) if name is not None else "?") + suffix)
            suffix = ""
            node = node.child_by_field_name("object")
        elif kind == "call":
            known = _special_call(node)
            if known:
                parts.append(known + suffix)
                break
            suffix += "()"
            node = node.child_by_field_name("function")
        elif kind in ("await", "parenthesized_expression") and node.named_child_count == 1:
            node = node.named_children[0]
        elif kind == "subscript" and not _takes_a_slice(node):
            if not _names_a_class(node):  # Stack[int]() is one, stack[0]() is not
                parts.append(f"{ELEMENT}{suffix}")
                suffix = ""
            node = node.child_by_field_name("value")
        else:
            literal = _LITERALS.get(kind, "")
            parts.append(literal if literal and not suffix else "?")
            break
        if len(parts) == _MOST_PARTS:
            parts.append("?")
            break
    else:
        parts.append("?")
    return ".".join(reversed(parts)) or "?"


def head_of(chain: str) -> str:
    """The first name of a chain."""
    return chain.partition(".")[0].partition("(")[0]


def is_literal(chain: str) -> bool:
    """Whether a chain begins at a literal."""
    return chain.partition(".")[0] in _LITERAL_CALLS


_LITERAL_CALLS = frozenset(_LITERALS.values())


def _special_call(node: Node) -> str:
    """Calls that say more than their result: `super()`, `type(x)`, `cast(T, x)`, `TypeVar("T", bound=B)`."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return ""
    name = _last_name(function)
    if name == "super":
        return "super()"
    if name == "type" and arguments.named_child_count == 1 and function.type == "identifier":
        of = text_of(arguments.named_children[0])
        return f"{of}.__class__" if _NAME.match(of) else ""
    if name == "cast" and arguments.named_child_count == 2:
        return annotated(text_of(arguments.named_children[0]))[0] or "?"
    if name == "TypeVar":
        for argument in arguments.named_children:
            bound = argument.child_by_field_name("value") if argument.type == "keyword_argument" else None
            if bound is not None and text_of(argument).startswith("bound"):
                return named_types(text_of(bound))[0] or "?"
    return ""


def _last_name(node: Node) -> str:
    """The name of a name or of an attribute."""
    name = node.child_by_field_name("attribute") if node.type == "attribute" else node
    return text_of(name) if name is not None and name.type == "identifier" else ""


def _names_a_class(subscript: Node) -> bool:
    value = subscript.child_by_field_name("value")
    name = _last_name(value) if value is not None else ""
    return name[:1].isupper() and not name.isupper()


def _takes_a_slice(subscript: Node) -> bool:
    return any(one.type == "slice" for one in subscript.children_by_field_name("subscript"))


def values_of(node: Node | None) -> list[str]:
    """The chains that an expression may be: more than one for `a or B()` and `a if b else c`."""
    found: list[str] = []
    waiting = [node]
    for _ in range(_MOST_STEPS):
        if not waiting or len(found) == _MOST_READINGS:
            break
        node = waiting.pop()
        if node is None:
            continue
        kind = node.type
        if kind in ("identifier", "attribute", "call", "subscript"):
            chain = chain_of(node)
            found.append(UNKNOWN if chain.startswith("?") else chain)
        elif kind in ("await", "parenthesized_expression") and node.named_child_count == 1:
            waiting.append(node.named_children[0])
        elif kind == "conditional_expression" and node.named_child_count == 3:
            waiting += (node.named_children[2], node.named_children[0])
        elif kind == "boolean_operator":
            operator = node.child_by_field_name("operator")
            either = operator is not None and operator.type == "or"
            waiting.append(node.child_by_field_name("right"))
            waiting += [node.child_by_field_name("left")] if either else []
        elif kind in ("assignment", "augmented_assignment"):
            waiting.append(node.child_by_field_name("right"))
        elif kind == "named_expression":
            waiting.append(node.child_by_field_name("value"))
        else:
            found.append(_LITERALS.get(kind, UNKNOWN))
    return list(dict.fromkeys(found)) or [UNKNOWN]


def annotated(text: str, *, yields: bool = False) -> list[str]:
    """What a name may be that is annotated so: `a.B()`, an instance, for `Optional["a.B"]` and `a.B[int] | None`.

    What holds many of them is `a.B[]`; with `yields`, an iterator is what it gives. `a.B` itself is for `type[a.B]`.
    """
    outer = text.strip(" \"'").partition("[")[0].rpartition(".")[2]
    if outer in ("type", "Type"):
        return named_types(text)
    return [f"{one}()" if one and not one.endswith("[]") else one for one in named_types(text, yields=yields)]


def named_types(text: str, *, yields: bool = False) -> list[str]:
    """The types that an annotation names, without None. UNKNOWN is for anything that isn't a name."""
    found: list[str] = []
    waiting = [text]
    steps = 0
    while waiting and len(found) < _MOST_READINGS and steps < 20:
        steps += 1
        piece = waiting.pop().strip()
        alternatives = _split(piece, "|")
        if len(alternatives) > 1:
            waiting += reversed(alternatives)
            continue
        if piece[:1] in ("'", '"'):
            waiting += [piece.strip("\"'")]
            continue
        name, bracket, rest = piece.partition("[")
        name = name.strip()
        short = name.rpartition(".")[2]
        if bracket and (short in _TRANSPARENT or (yields and short in _YIELDING)):
            inner = _split(rest.rpartition("]")[0], ",")
            waiting += reversed(inner) if short == "Union" else inner[-1:] if short == "Coroutine" else inner[:1]
        elif bracket and (short in _HOLDING or _is_many(short, rest)):
            held = _split(rest.rpartition("]")[0], ",")[0].strip().strip("\"'")
            found.append(f"{held}[]" if _NAME.match(held) else name)
        elif short not in ("None", "Any", "object", *_TRANSPARENT):
            found.append(name if _NAME.match(name) else UNKNOWN)
        elif short != "None":
            found.append(UNKNOWN)
    return list(dict.fromkeys(found)) or [UNKNOWN]


def _is_many(name: str, arguments: str) -> bool:
    return name in ("tuple", "Tuple") and arguments.rpartition("]")[0].rstrip().endswith("...")


def _split(text: str, separator: str) -> list[str]:
    """The pieces between separators, except those within brackets or quotes."""
    if separator not in text:
        return [text]
    pieces: list[str] = []
    depth, start, quote = 0, 0, ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == separator and depth == 0:
            pieces.append(text[start:position])
            start = position + 1
    return [*pieces, text[start:]]
