"""What the style metrics take from a syntax tree: tokens, called names, variables, and the tree of named nodes.

The rules go by the fields and node kinds that grammars share. Tests cover Python and Java; other languages follow as
far as their grammars do. Comments are left out everywhere.

- Tokens are the leaves. Papers split at white space, where `f(x):` is one token; a lexer's tokens depend on the code
  alone. White space inside a token, as in a string, becomes `_`.
- A called name is its last part: `sqrt` of `math.sqrt(x)`.
- Variables are assigned, taken as parameters or read. Called functions, members after a dot, imports, names of
  definitions and types, and keywords of arguments are not variables: somebody else chose those names.
- The tree holds named nodes, labelled by kind. An operator is part of its expression's label. Names and literals count
  by kind only, since other terms compare them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

_CALL = re.compile(
    r"call|command|apply|new_expression|function_call|\w*call_expression|\w*invocation\w*|\w*object_creation_expression"
)
_CALLEE_FIELDS = ("method", "name", "function", "target", "constructor", "type", "macro")


@dataclass(frozen=True, slots=True)
class SyntaxNode:
    """A node, the field of its parent that it fills, its parent (None for the root), and its depth."""

    node: Node
    field: str
    above: Node | None
    depth: int


def walk(root: Node) -> Iterator[SyntaxNode]:
    """Every node of a tree, parents before children, left to right; comments and what is in them left out."""
    cursor = root.walk()
    above: list[Node] = []
    while True:
        node = cursor.node
        assert node is not None
        if "comment" not in node.type:
            yield SyntaxNode(node, cursor.field_name or "", above[-1] if above else None, len(above))
            if cursor.goto_first_child():
                above.append(node)
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above.pop()


def text_of(node: Node) -> str:
    """The source of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def is_call(node: Node) -> bool:
    """Whether a node calls something, in any language that has a grammar here: functions, methods, constructors."""
    return node.is_named and node.child_count > 0 and _CALL.fullmatch(node.type) is not None


def callee(call: Node) -> Node | None:
    """The part of a call that says what is called."""
    for field in _CALLEE_FIELDS:
        found = call.child_by_field_name(field)
        if found is not None:
            return found
    return call.named_children[0] if call.named_children else None


class Token(NamedTuple):
    """A token, and whether the language reserves it: grammars give reserved words a node without a name."""

    text: str
    keyword: bool


def tokens(root: Node) -> tuple[Token, ...]:
    """The tokens of a syntax tree, in order."""
    found = []
    for place in walk(root):
        if not place.node.child_count:
            text = "_".join(text_of(place.node).split())
            if text:
                found.append(Token(text, not place.node.is_named and text.replace("_", "").isalpha()))
    return tuple(found)


_LAST_FIELDS = ("attribute", "field", "property", "member", "suffix", "name", "function", "right", "method")
_DOTTED = re.compile(r"\w*(?:navigation|selector|scoped|qualified|member|dot|field|attribute)\w*")
_GENERIC = re.compile(r"generic\w*|instantiation_expression|template_\w+|command_name|constructor_invocation|user_type")
_NAME = re.compile(r"[^\W\d]\w*[?!]?")


def calls(root: Node) -> frozenset[str]:
    """The names of what is called below a node: functions, methods, constructors and macros, each once."""
    found = set()
    for place in walk(root):
        if is_call(place.node):
            target = callee(place.node)
            name = _last_name(target) if target is not None else ""
            if name:
                found.add(name)
    return frozenset(found)


def _last_name(node: Node) -> str:
    """The last name of a dotted or generic expression, or nothing where what is called has no name."""
    while node.named_child_count:
        inner = next(filter(None, map(node.child_by_field_name, _LAST_FIELDS)), None)
        if inner is not None and not is_call(node):
            node = inner
        elif _DOTTED.fullmatch(node.type):
            node = node.named_children[-1]
        elif _GENERIC.fullmatch(node.type):
            node = node.named_children[0]
        else:
            return ""
    name = text_of(node)
    return name if _NAME.fullmatch(name) else ""


_LEAVES = frozenset(
    """identifier simple_identifier variable_name variable instance_variable global_variable
    shorthand_property_identifier shorthand_property_identifier_pattern""".split()
)
_IMPORT = re.compile(
    r"import\w*|\w*_import|future_import\w*|\w*use_declaration|using_directive|package\w*|preproc_include"
)
_TYPE = re.compile(r"type|type_arguments|\w+_type|superclass\w*|\w*annotation|attribute_item|attribute_list")
_TYPE_FIELDS = ("type", "return_type", "superclasses", "superclass", "interfaces")
_MEMBER_FIELDS = frozenset({"attribute", "field", "property", "member", "suffix"})
_QUALIFIED = re.compile(r"scoped_\w+|qualified_\w+|member_access_expression|dot")
_DEFINITION = re.compile(
    r"(?:function|method|class|interface|enum|struct|trait|constructor|record|module|namespace|object|protocol|singleton)"
    r"(?:_\w+)?|local_function_statement|compact_constructor_declaration|keyword_argument|named_argument|value_argument"
)


def variables(root: Node) -> dict[int, str]:
    """Every occurrence of a variable: the id of its node and the variable's name, in document order."""
    found: dict[int, str] = {}
    imported: set[str] = set()
    import_ends = type_ends = 0
    for place in walk(root):
        node = place.node
        if _IMPORT.fullmatch(node.type):
            import_ends = max(import_ends, node.end_byte)
        elif place.above is not None and (place.field in _TYPE_FIELDS or _TYPE.fullmatch(node.type)):
            type_ends = max(type_ends, node.end_byte)
        elif node.type in _LEAVES and (not node.named_child_count or node.type == "variable_name"):
            if node.start_byte < import_ends:
                imported.add(text_of(node))
            elif node.start_byte >= type_ends and place.above is not None and not _names_another(place, place.above):
                found[node.id] = text_of(node)
    return {key: name for key, name in found.items() if name and name not in imported}


def _names_another(place: SyntaxNode, above: Node) -> bool:
    """Whether an identifier names something other than a variable."""
    if place.field in _MEMBER_FIELDS or above.type == "decorator":
        return True
    if place.field in ("name", "declarator", "path", "scope", "right"):
        if _QUALIFIED.fullmatch(above.type):
            return True
        if place.field != "right" and _DEFINITION.fullmatch(above.type):
            return True
    if is_call(above) and callee(above) == place.node:
        return True
    if "navigation" in above.type and above.named_children[0] != place.node:
        return True
    return _is_class_before_member(place, above)


def _is_class_before_member(place: SyntaxNode, above: Node) -> bool:
    """`Math` in `Math.min(a, b)`: by its capital letter, as languages with classes write them."""
    name = text_of(place.node)
    if not name[:1].isupper() or name.isupper():
        return False
    return place.field in ("object", "receiver", "expression", "operand", "value") and above.named_child_count > 1


_OPERATOR_FIELDS = ("operator", "operators")


@dataclass(frozen=True, slots=True)
class Tree:
    """An ordered tree: the labels of its nodes in postorder, and for each the place of the leftmost leaf below it."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]

    def preorder(self) -> list[str]:
        """The labels in preorder: what begins further left comes first, and what encloses before what it holds."""
        places = sorted(range(len(self.labels)), key=lambda place: (self.leftmost[place], -place))
        return [self.labels[place] for place in places]


def tree(root: Node) -> Tree:
    """The tree of named nodes below and with a root."""
    labels: list[str] = []
    leftmost: list[int] = []
    open_nodes: list[tuple[SyntaxNode, int, list[str]]] = []

    def close() -> None:
        place, first, operators = open_nodes.pop()
        leftmost.append(first)
        labels.append(" ".join([place.node.type, *operators]))

    for place in walk(root):
        while open_nodes and open_nodes[-1][0].depth >= place.depth:
            close()
        if place.node.is_named:
            open_nodes.append((place, len(labels), []))
        elif place.field in _OPERATOR_FIELDS and open_nodes:
            open_nodes[-1][2].append(text_of(place.node))
    while open_nodes:
        close()
    return Tree(tuple(labels), tuple(leftmost))
