"""Code → the names of the interfaces that it calls: the last part of what is called, `sqrt` of `math.sqrt(x)`."""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.lab.measure.style.syntax import callee, is_call, text_of, walk

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
