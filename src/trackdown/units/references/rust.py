"""References of Rust: `use` and `mod`, calls along paths and fields, impls, and what is said of types.

Modules inside a file count as part of it, as they do in symbols of units: `super` inside one of them is `mod`, the
file's own module, and the file exports its name. A macro is called with arity -1.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from trackdown.types import CLASS_KINDS
from trackdown.units.references.chain import many_of
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, IMPLEMENTS, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.grammar import by_node_type, visit
from trackdown.units.references.notes import RETURNS, SELF, ReferenceNotes
from trackdown.units.references.rust_chains import GRAMMAR, HEADS, OWN_MODULE, SCOPED, token_arity, token_chain
from trackdown.units.references.syntax import argument_count, below, field_of, named_of, only_child, text_of

MACRO = "!"
"""The module of exported names that are macros."""
_PRELUDE = frozenset(("Some", "Ok", "Err"))
_ITEMS = frozenset("fn struct enum union trait mod macro_rules".split())
_LONGEST_USE = 400


def outside(parts: list[str], depth: int) -> list[str]:
    """A path that is read `depth` modules inside the file, as it reads outside of them."""
    supers = next((at for at, part in enumerate(parts) if part != "super"), len(parts))
    if not supers or not depth:
        return parts
    return [*(["super"] * (supers - depth) or [OWN_MODULE]), *parts[supers:]]


class _RustNotes(ReferenceNotes):
    """With the modules inside the file that enclose the node at hand."""

    def __init__(self, units: UnitFinder) -> None:
        super().__init__(units)
        self.inner: list[int] = []
        self.attribute_end = 0
        self.types = {unit.symbol: index for index, unit in enumerate(units.units) if unit.kind in CLASS_KINDS}

    def depth(self, node: Node) -> int:
        """How many modules inside the file enclose a node."""
        while self.inner and self.inner[-1] <= node.start_byte:
            self.inner.pop()
        return len(self.inner)

    def chain(self, node: Node | None) -> str:
        """The chain of an expression or type."""
        found = GRAMMAR.chain(node)
        if node is not None and found.startswith("super."):
            return ".".join(outside(found.split("."), self.depth(node)))
        return found


def _use(notes: _RustNotes, node: Node) -> None:
    depth = notes.depth(node)
    for path, alias in _used(field_of(node, "argument")):
        parts = ["self" if part == OWN_MODULE else part for part in outside(path, depth)]
        if parts[-1] == "*":
            notes.take(node, "::".join(parts[:-1]) or "self", "*")
        elif len(parts) == 1:
            notes.take(node, parts[0], "", alias)
        else:
            notes.take(node, "::".join(parts[:-1]), parts[-1], alias)


def _used(argument: Node | None) -> Iterator[tuple[list[str], str]]:
    """Every path of a `use`, with the name it has here."""
    stack: list[tuple[Node | None, list[str]]] = [(argument, [])]
    budget = _LONGEST_USE
    while stack and budget:
        budget -= 1
        node, prefix = stack.pop()
        if node is None:
            continue
        if node.type == "use_list":
            stack.extend((child, prefix) for child in reversed(node.named_children))
        elif node.type == "scoped_use_list":
            stack.append((field_of(node, "list"), prefix + _parts(field_of(node, "path"))))
        elif node.type == "use_wildcard":
            yield [*prefix, *_parts(only_child(node)), "*"], ""
        elif node.type == "use_as_clause":
            yield _without_self(prefix + _parts(field_of(node, "path"))), text_of(field_of(node, "alias")).strip("_")
        elif node.type in HEADS or node.type in SCOPED:
            path = _without_self(prefix + _parts(node))
            yield path, path[-1]


def _parts(node: Node | None) -> list[str]:
    return [part.strip() for part in text_of(node).split("::") if part.strip()]


def _without_self(path: list[str]) -> list[str]:
    return path[:-1] if len(path) > 1 and path[-1] == SELF else path


def _module(notes: _RustNotes, node: Node) -> None:
    name, body = text_of(field_of(node, "name")), field_of(node, "body")
    depth = notes.depth(node)
    if body is not None:
        notes.inner.append(node.end_byte)
        notes.export(name, module="self")
        return
    above = node.prev_named_sibling
    written = text_of(above) if above is not None and above.type == "attribute_item" else ""
    if "path" in written and '"' in written:
        notes.take(node, "./" + written.split('"')[1], "", name)
    elif not depth:
        notes.take(node, "self", name, name)


def _parameters(notes: _RustNotes, unit: int, node: Node | None) -> None:
    """Bind type parameters to their bounds."""
    for one in below(node, {"type_parameter", "where_predicate"}) if node is not None else ():
        bounds = field_of(one, "bounds")
        name = text_of(field_of(one, "name") or field_of(one, "left"))
        for bound in bounds.named_children if bounds is not None and name.isidentifier() else ():
            if bound.type != "lifetime":
                notes.bind(unit, name, notes.chain(bound))


def _where(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type == "where_clause"), None)


def _function(notes: _RustNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    returns = field_of(node, "return_type")
    if returns is not None:
        notes.bind(unit, RETURNS, notes.chain(returns))
    _parameters(notes, unit, field_of(node, "type_parameters"))
    _parameters(notes, unit, _where(node))


def _parameter(notes: _RustNotes, node: Node) -> None:
    _pattern(notes, field_of(node, "pattern"), notes.chain(field_of(node, "type")))


def _pattern(notes: _RustNotes, pattern: Node | None, type_: str) -> None:
    """Bind the names of a pattern; `Some(x)` and `Ok(x)` hold what the value is a wrapper of."""
    while pattern is not None and pattern.type in ("mut_pattern", "reference_pattern", "ref_pattern", "match_pattern"):
        pattern = only_child(pattern)
    if pattern is None:
        return
    unit = notes.at(pattern)
    if pattern.type == "identifier":
        notes.bind(unit, text_of(pattern), type_)
    elif pattern.type == "tuple_struct_pattern" and text_of(field_of(pattern, "type")) in _PRELUDE:
        inner = pattern.named_children[1:]
        if len(inner) == 1 and inner[0].type == "identifier":
            notes.bind(unit, text_of(inner[0]), type_)
    else:
        for name in below(pattern, {"identifier"}):
            notes.bind(unit, text_of(name), UNKNOWN)


def _let(notes: _RustNotes, node: Node) -> None:
    value = field_of(node, "value")
    if value is not None and value.type == "closure_expression":
        return
    _pattern(notes, field_of(node, "pattern"), notes.chain(field_of(node, "type") or value))


def _for(notes: _RustNotes, node: Node) -> None:
    _pattern(notes, field_of(node, "pattern"), many_of(notes.chain(field_of(node, "value"))))


def _closure(notes: _RustNotes, node: Node) -> None:
    parameters = field_of(node, "parameters")
    for one in named_of(parameters):
        if one.type != "parameter":
            _pattern(notes, one, UNKNOWN)


def _constant(notes: _RustNotes, node: Node) -> None:
    unit = notes.at(node)
    notes.bind(unit, text_of(field_of(node, "name")), notes.chain(field_of(node, "type")))


def _struct(notes: _RustNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    _parameters(notes, unit, field_of(node, "type_parameters"))
    _parameters(notes, unit, _where(node))
    body = field_of(node, "body")
    if body is None:
        return
    if body.type == "ordered_field_declaration_list":
        for place, type_ in enumerate(body.children_by_field_name("type")):
            notes.bind(unit, f"self.{place}", notes.chain(type_))
    for one in body.named_children:
        if one.type == "field_declaration":
            notes.bind(unit, f"self.{text_of(field_of(one, 'name'))}", notes.chain(field_of(one, "type")))


def _trait(notes: _RustNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    _parameters(notes, unit, field_of(node, "type_parameters"))
    bounds = field_of(node, "bounds")
    for bound in named_of(bounds):
        notes.refer(node, notes.chain(bound), -1, BASE, unit)


def _impl(notes: _RustNotes, node: Node) -> None:
    name = notes.chain(field_of(node, "type")).rsplit(".", 1)[-1]
    outer = notes.at(node)
    inside = f"{notes.units.units[outer].symbol}.{name}" if outer >= 0 else ""
    unit = notes.types.get(inside, notes.types.get(name, -1))
    _parameters(notes, unit, field_of(node, "type_parameters"))
    _parameters(notes, unit, _where(node))
    trait = field_of(node, "trait")
    if trait is not None:
        notes.refer(node, notes.chain(trait), -1, IMPLEMENTS, unit)
    body = field_of(node, "body")
    for one in named_of(body):
        if one.type == "type_item":
            notes.seen.add(one.id)
            notes.bind(unit, f"self.{text_of(field_of(one, 'name'))}", notes.chain(field_of(one, "type")))


def _alias(notes: _RustNotes, node: Node) -> None:
    if node.id not in notes.seen and notes.at(node) < 0:
        notes.export(text_of(field_of(node, "name")), notes.chain(field_of(node, "type")))


def _macro_definition(notes: _RustNotes, node: Node) -> None:
    notes.export(text_of(field_of(node, "name")), module=MACRO)


def _arm(notes: _RustNotes, node: Node) -> None:
    """Names that a pattern binds; those in capitals are constants."""
    for name in below(node, {"identifier", "scoped_identifier"}):
        if name.type == "identifier" and text_of(name)[:1].islower():
            notes.bind(notes.at(name), text_of(name), UNKNOWN)


def _call(notes: _RustNotes, node: Node) -> None:
    chain = notes.chain(node).removesuffix("()")
    arguments = field_of(node, "arguments")
    if chain not in _PRELUDE:
        notes.refer(node, chain, argument_count(arguments))


def _new(notes: _RustNotes, node: Node) -> None:
    notes.refer(node, notes.chain(field_of(node, "name")), -1, NEW)


def _macro(notes: _RustNotes, node: Node) -> None:
    notes.refer(node, notes.chain(field_of(node, "macro")), -1)


def _attribute(notes: _RustNotes, node: Node) -> None:
    """What attributes hold looks like calls, and is none."""
    notes.attribute_end = node.end_byte


def _tokens(notes: _RustNotes, node: Node) -> None:
    """Calls among the tokens that a macro is given: a path before a bracket."""
    tokens = node.children
    if node.start_byte < notes.attribute_end or node.id in notes.seen:
        notes.seen.update(token.id for token in tokens if token.type == "token_tree")
        return
    for at, token in enumerate(tokens):
        if token.type != "token_tree" or at < 1 or token.child_count == 0:
            continue
        opening = token.children[0].type
        if opening == "[" and tokens[at - 1].type == "#":
            notes.seen.add(token.id)  # an attribute
        if opening != "(" or at < 2:
            continue
        if tokens[at - 1].type == "!" and tokens[at - 2].type == "identifier":
            notes.refer(node, text_of(tokens[at - 2]), -1, unit=notes.at(token))
        elif tokens[at - 1].type == "identifier" and tokens[at - 2].type not in _ITEMS:
            chain = token_chain(tokens, at - 1)
            if chain not in _PRELUDE and not chain.startswith(("super.", "crate.crate")):
                notes.refer(tokens[at - 1], chain, token_arity(token))


_VISITORS = by_node_type(
    {
        _attribute: "attribute_item inner_attribute_item",
        _use: "use_declaration",
        _module: "mod_item",
        _function: "function_item function_signature_item",
        _parameter: "parameter",
        _let: "let_declaration let_condition",
        _for: "for_expression",
        _closure: "closure_expression",
        _constant: "static_item const_item",
        _struct: "struct_item union_item enum_item",
        _trait: "trait_item",
        _impl: "impl_item",
        _alias: "type_item",
        _call: "call_expression",
        _new: "struct_expression",
        _macro_definition: "macro_definition",
        _arm: "match_pattern",
        _macro: "macro_invocation",
        _tokens: "token_tree token_repetition",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Rust syntax tree."""
    return visit(root, _VISITORS, _RustNotes(units))
