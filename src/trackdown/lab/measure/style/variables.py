"""Code → its variables: what it assigns, takes as parameters or reads.

No variables are: what is called, members behind a dot, what is imported, definitions' own names, names of types, and
names of keyword arguments, which somebody else chose. The rules go by the fields and kinds that grammars share; Python
and Java are held to them by tests, other languages as far as their grammars follow the same habits.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.lab.measure.style.syntax import Place, callee, is_call, text_of, walk

_LEAVES = frozenset({
    "identifier", "simple_identifier", "variable_name", "variable", "instance_variable", "global_variable",
    "shorthand_property_identifier", "shorthand_property_identifier_pattern",
})  # fmt: skip
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
    """Every place where a variable stands, as the id of its node, with the variable's name; in document order."""
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


def _names_another(place: Place, above: Node) -> bool:
    """Whether an identifier names something that is no variable."""
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


def _is_class_before_member(place: Place, above: Node) -> bool:
    """`Math` in `Math.min(a, b)`: by its capital letter, as languages with classes write them."""
    name = text_of(place.node)
    if not name[:1].isupper() or name.isupper():
        return False
    return place.field in ("object", "receiver", "expression", "operand", "value") and above.named_child_count > 1
