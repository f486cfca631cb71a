"""Takes out of code what would give away the query: docstrings, comments that repeat it, and names.

Names are normalised as in AdvTest (Lu et al., "CodeXGLUE", 2021): the function becomes `Func`, its parameters and local
variables `arg_0`, `arg_1` and so on, in order of appearance. Snippets with several functions need a rule beyond that:
further functions are `Func_1`, `Func_2`, and a fragment's own variables count as local. Names of modules, classes,
attributes and built-ins stay, and so do `__init__` and the like: they belong to the language or to another interface.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

_COMMENTS = frozenset({"line_comment", "block_comment", "comment"})
_DOCUMENTED = frozenset({"module", "function_definition", "class_definition"})
_WORD = re.compile(r"[a-z0-9]+")
_SHARE = 0.8


@cache
def parser(module: str) -> Parser:
    """The parser of a grammar's module, `tree_sitter_python` for one."""
    return Parser(Language(import_module(module).language()))


def nodes(root: Node) -> Iterable[Node]:
    """A node and all below it, in document order; no depth is too deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def without_docstrings(code: str) -> str:
    """Python code without the docstrings of its functions and classes. Broken code and Python 2 are read too."""
    source = code.encode("utf-8", "replace")
    spans = [
        (text.start_byte, text.end_byte)
        for node in nodes(parser("tree_sitter_python").parse(source).root_node)
        if node.type in _DOCUMENTED and (text := _docstring(node)) is not None
    ]
    return _cut(source, spans)


def without_comments_like(code: str, query: str) -> tuple[str, int]:
    """(Java code without the comments that hold most of a query's words, how many those were)."""
    source = code.encode("utf-8", "replace")
    wanted = set(_WORD.findall(query.lower()))
    if not wanted:
        return code, 0
    spans = []
    for node in nodes(parser("tree_sitter_java").parse(source).root_node):
        if node.type in _COMMENTS:
            held = set(_WORD.findall((node.text or b"").decode("utf-8", "replace").lower()))
            if len(wanted & held) >= _SHARE * len(wanted):
                spans.append((node.start_byte, node.end_byte))
    return _cut(source, spans), len(spans)


def _docstring(node: Node) -> Node | None:
    """The statement at the beginning of a body that is a text and nothing else."""
    body = node if node.type == "module" else node.child_by_field_name("body")
    first = next((child for child in body.named_children if child.type != "comment"), None) if body else None
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return None
    return first if first.named_children[0].type in ("string", "concatenated_string") else None


def _cut(source: bytes, spans: Iterable[tuple[int, int]]) -> str:
    kept, place = [], 0
    for start, end in spans:
        kept.append(source[place:start])
        place = end
    return b"".join([*kept, source[place:]]).decode("utf-8", "replace")


# node type → the fields that bind names
_BINDING_FIELDS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "named_expression": "name",
    "for_statement": "left",
    "for_in_clause": "left",
}
_PATTERNS = frozenset(
    """identifier pattern_list tuple_pattern list_pattern list_splat_pattern dictionary_splat_pattern expression_list
    tuple list list_splat parenthesized_expression as_pattern_target default_parameter typed_parameter
    typed_default_parameter""".split()
)
_PARAMETERS = frozenset({"parameters", "lambda_parameters"})
# In code that cannot be parsed: definitions, with the text after the bracket, and assignments.
_BROKEN_FUNCTION = re.compile(rb"\bdef\s+(\w+)\s*\(?([^:\n]*)")
_BROKEN_PARAMETER = re.compile(rb"(?:^|,)\s*\**([^\W\d]\w*)")
_BROKEN_VARIABLE = re.compile(rb"(?<![\w.])([^\W\d]\w*)\s*=(?!=)")
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})


def normalise_names(code: str) -> str:
    """Python code with its own names replaced. Fragments, broken code and Python 2 are read as far as they go."""
    source = code.encode("utf-8", "replace")
    root = parser("tree_sitter_python").parse(source).root_node
    functions, methods, variables, kept = _bound(root)
    arguments = _arguments_of(root, functions)
    named: dict[bytes, bytes] = {}
    counts = {"function": 0, "variable": 0}
    edits: list[tuple[Node, bytes]] = []
    for node in nodes(root):
        text = node.text or b""
        if node.type != "identifier" or not text or text in kept:
            continue
        role = _role(node)
        if role == "attribute" and text not in methods:
            continue
        if role == "keyword" and not (text in variables and node.id in arguments):
            continue
        if text not in functions and text not in variables:
            continue
        if text not in named:
            named[text] = _name("function" if text in functions else "variable", counts)
        edits.append((node, named[text]))
    return _replaced(source, edits)


def _name(kind: str, counts: dict[str, int]) -> bytes:
    number = counts[kind]
    counts[kind] += 1
    if kind == "variable":
        return b"arg_%d" % number
    return b"Func_%d" % number if number else b"Func"


def _bound(root: Node) -> tuple[set[bytes], set[bytes], set[bytes], set[bytes]]:
    """Names that the code itself gives: of functions, of those its methods', of variables; and names that must stay."""
    functions: set[bytes] = set()
    methods: set[bytes] = set()
    variables: set[bytes] = set()
    kept: set[bytes] = set()
    for node in nodes(root):
        if node.type in _IMPORTS or node.type == "global_statement":
            kept |= {child.text or b"" for child in nodes(node) if child.type == "identifier"}
        elif node.type == "class_definition":
            kept |= {name.text or b"" for name in node.children_by_field_name("name")}
        elif node.type == "ERROR":
            given, others = _bound_in_broken(node.text or b"")
            functions |= given
            variables |= others
        elif node.type == "function_definition":
            name = (node.child_by_field_name("name") or node).text or b""
            if not _is_special(name):
                functions.add(name)
                methods |= {name} if _is_in_class(node) else set()
        else:
            variables |= {name.text or b"" for name in _binds(node)}
    return functions, methods, variables, kept


def _bound_in_broken(text: bytes) -> tuple[set[bytes], set[bytes]]:
    """Names of functions and of variables in a piece of code that cannot be parsed."""
    functions: set[bytes] = set()
    variables = set(_BROKEN_VARIABLE.findall(text))
    for name, parameters in _BROKEN_FUNCTION.findall(text):
        functions |= set() if _is_special(name) else {name}
        variables |= set(_BROKEN_PARAMETER.findall(parameters))
    return functions, variables


def _is_special(name: bytes) -> bool:
    return name.startswith(b"__") and name.endswith(b"__")


def _binds(node: Node) -> Iterator[Node]:
    """The identifiers that a node makes into variables."""
    if node.type in _PARAMETERS:
        for child in node.named_children:
            yield from _targets(child)
    elif node.type in _BINDING_FIELDS and not _is_in_class(node):
        for child in node.children_by_field_name(_BINDING_FIELDS[node.type]):
            yield from _targets(child)
    elif node.type == "as_pattern_target":
        yield from _targets(node)
    elif node.type == "except_clause":  # Python 2: `except Error, error`
        names = [child for child in node.named_children if child.type not in ("block", "comment")]
        if len(names) == 2:
            yield from _targets(names[1])


def _targets(node: Node) -> Iterator[Node]:
    """The identifiers of a pattern, not those of types, defaults, attributes and subscripts in it."""
    if node.type == "identifier":
        yield node
    elif node.type in ("default_parameter", "typed_default_parameter"):
        for child in node.children_by_field_name("name"):
            yield from _targets(child)
    elif node.type == "typed_parameter":
        yield from _targets(node.named_children[0])
    elif node.type in _PATTERNS:
        for child in node.named_children:
            yield from _targets(child)


def _is_in_class(node: Node) -> bool:
    """Whether a statement or definition is directly in a class body, where its name is an attribute."""
    above = node.parent
    while above is not None and above.type in ("expression_statement", "block", "decorated_definition"):
        above = above.parent
    return above is not None and above.type == "class_definition"


def _role(node: Node) -> str:
    """The role of an identifier: an `attribute`, the `keyword` of an argument, or a plain `name`."""
    above = node.parent
    if above is not None and above.type == "attribute" and above.child_by_field_name("attribute") == node:
        return "attribute"
    if above is not None and above.type == "keyword_argument" and above.child_by_field_name("name") == node:
        return "keyword"
    return "name"


def _arguments_of(root: Node, functions: set[bytes]) -> set[int]:
    """The keywords (by node) of arguments in calls of the code's own functions: they name its parameters."""
    found: set[int] = set()
    for node in nodes(root):
        called = node.child_by_field_name("function") if node.type == "call" else None
        called = called.child_by_field_name("attribute") if called and called.type == "attribute" else called
        given = node.child_by_field_name("arguments") if called is not None and called.text in functions else None
        for argument in given.named_children if given is not None else ():
            name = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
            if name is not None:
                found.add(name.id)
    return found


def _replaced(source: bytes, edits: list[tuple[Node, bytes]]) -> str:
    kept, place = [], 0
    for node, name in edits:
        kept += [source[place : node.start_byte], name]
        place = node.end_byte
    return b"".join([*kept, source[place:]]).decode("utf-8", "replace")
