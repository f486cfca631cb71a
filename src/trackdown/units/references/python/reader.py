"""Python: a syntax tree → what it refers to.

Beside what `facts` says: `import a.b` has the alias `a.b`, the name it is reached by. A type is always an expression:
`x: Cart` is bound to `Cart()`, `x = Cart` and `x: type[Cart]` to `Cart`, and what holds many carts to `Cart[]`. `xs[0]`
is `xs.__getitem__()`, a loop binds its name to `xs.__iter__()`, `with` to `x.__enter__()`. A binding called `return`
is what a function without an annotation returns, seen from inside it; `->` is the annotation. `__all__` gives the
exports; `*` among them says that there are more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import tree_sitter_python
from tree_sitter import Language, Node, Query, QueryCursor

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import (
    BASE,
    CALL,
    DECORATOR,
    UNKNOWN,
    BlobReferences,
    Export,
    Import,
    Reference,
)
from trackdown.units.references.python.bindings import INSTANCES, Bindings, decorated_with
from trackdown.units.references.python.chains import (
    annotated,
    chain_of,
    is_literal,
    named_types,
    values_of,
)
from trackdown.units.references.python.statements import InnerNames, arity, imported_names, items_of, parameter_of
from trackdown.units.references.syntax import first_child, text_of

_QUERY = """
(call) @call
(decorator) @decorator
(class_definition) @class
(function_definition) @function
(assignment) @assignment
(augmented_assignment) @augmented
(named_expression) @named
(type_alias_statement) @type_alias
(for_statement left: (_) @loop)
(for_in_clause left: (_) @inner_loop)
(as_pattern) @as
(case_pattern (dotted_name . (identifier) @capture .))
(import_statement) @import
(import_from_statement) @from
(global_statement) @elsewhere
(nonlocal_statement) @elsewhere
(return_statement) @return
(yield) @yield
(lambda parameters: (_) @lambda)
"""
_QUOTED = re.compile(r"['\"]([^\W\d]\w*)['\"]")
_COMPUTED = re.compile(r"__all__|[*+]|\bfor\b")
_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
_YIELDING_ONCE = ("contextmanager", "asynccontextmanager", "fixture")
"""Decorators that turn a generator into the one value that it yields."""
_LONGEST_LIST = 1 << 16


@cache
def _query() -> Query:
    return Query(Language(tree_sitter_python.language()), _QUERY)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """The references of a module. Never raises for any tree."""
    return _Reader(root, units).read()


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


class _Reader:
    """One pass over one tree; a query finds the nodes that matter, each list in the order of the text."""

    def __init__(self, root: Node, units: UnitFinder) -> None:
        found = QueryCursor(_query()).captures(root)  # in no order that one could rely on
        self._nodes = {name: sorted(nodes, key=_place) for name, nodes in found.items()}
        self._inner = InnerNames(self._of("inner_loop"), self._of("lambda"))
        self._units = units
        self._imports: list[Import] = []
        self._references: list[Reference] = []
        self._bindings = Bindings(units)
        self._exports: dict[str, None] = {}
        self._decorators: dict[int, list[str]] = defaultdict(list)
        self._annotated: set[int] = set()

    def read(self) -> BlobReferences:
        """Everything, in an order in which each step has what it needs of the ones before."""
        for node in self._of("elsewhere"):
            self._bindings.declare(node)
        self._read_imports()
        for node in self._of("decorator"):
            self._decorator(node)
        for node in self._of("class"):
            self._bases(node)
        for node in self._of("function"):
            self._function(node)
        self._read_bindings()
        for node in self._of("call"):
            self._call(node)
        self._read_returns()
        self._references.sort(key=lambda one: one.line)
        bindings = list(self._bindings.all(one.chain for one in self._references))
        exports = [Export(name, name if name != "*" else "", "") for name in self._exports]
        return BlobReferences("", self._imports, self._references, bindings, exports)

    def _of(self, capture: str) -> list[Node]:
        return self._nodes.get(capture, [])

    # Imports

    def _read_imports(self) -> None:
        for node in self._of("import"):
            for name, alias in imported_names(node.children_by_field_name("name")):
                self._import(node, name, "", alias or name)
        for node in self._of("from"):
            source = node.child_by_field_name("module_name")
            module = "".join(text_of(source).split()) if source is not None else ""
            if any(child.type == "wildcard_import" for child in node.named_children):
                self._import(node, module, "*", "")
            for name, alias in imported_names(node.children_by_field_name("name")):
                self._import(node, module, name, alias or name)

    def _import(self, node: Node, module: str, name: str, alias: str) -> None:
        unit = self._bindings.unit_of(self._units.at(node), alias)
        if module:
            self._imports.append(Import(unit, node.start_point[0] + 1, module, name, alias))

    # References

    def _refer(self, node: Node, kind: str, chain: str, arguments: int) -> None:
        if chain not in ("?", "super") and not is_literal(chain):
            self._references.append(Reference(self._units.at(node), node.start_point[0] + 1, kind, chain, arguments))

    def _decorator(self, node: Node) -> None:
        expression = first_child(node)
        arguments = -1
        if expression is not None and expression.type == "call":
            arguments = arity(expression)
            expression = expression.child_by_field_name("function")
        chain = self._inner.chain(expression)
        self._decorators[self._units.at(node)].append(chain)
        self._refer(node, DECORATOR, chain, arguments)

    def _bases(self, node: Node) -> None:
        arguments = node.child_by_field_name("superclasses")
        for argument in arguments.named_children if arguments is not None else ():
            bases = [argument]
            if argument.type == "call" and chain_of(argument).endswith("with_metaclass()"):
                inner = argument.child_by_field_name("arguments")
                bases = inner.named_children[1:] if inner is not None else []
            for base in bases:
                value = base.child_by_field_name("value") if base.type == "subscript" else base
                if base.type not in ("keyword_argument", "list_splat", "dictionary_splat", "comment"):
                    unit = self._units.at(node)
                    chain = chain_of(value)
                    if chain != "?":
                        self._references.append(Reference(unit, node.start_point[0] + 1, BASE, chain, -1))

    def _call(self, node: Node) -> None:
        parent = node.parent
        if parent is not None and parent.type == "decorator":
            return
        function = node.child_by_field_name("function")
        chain = self._inner.chain(function)
        if chain == "isinstance":
            self._bindings.narrow(node)
        elif chain in ("__all__.extend", "__all__.append"):
            self._offer(node)
        self._refer(function or node, CALL, chain, arity(node))

    # Bindings

    def _function(self, node: Node) -> None:
        unit = self._units.at(node)
        declared = node.child_by_field_name("return_type")
        decorators = self._decorators.get(unit, ())
        if declared is not None:
            self._annotated.add(unit)
            self._bindings.bind(
                unit, "->", annotated(text_of(declared), yields=decorated_with(decorators, _YIELDING_ONCE))
            )
        parameters = node.child_by_field_name("parameters")
        if parameters is None or unit < 0:
            return
        bound = [one for child in parameters.named_children if (one := parameter_of(child)) is not None]
        if bound and self._units.units[unit].kind == "method" and not decorated_with(decorators, ("staticmethod",)):
            name = self._units.units[unit].symbol.rpartition(".")[2]
            of_class = decorated_with(decorators, ("classmethod",)) or name in _CLASS_METHODS
            receiver, _ = bound.pop(0)
            self._bindings.receivers[unit] = receiver
            if receiver not in INSTANCES:
                self._bindings.bind(unit, receiver, ["cls" if of_class else "self"])
        for name, types in bound:
            self._bindings.bind(unit, name, types)

    def _read_bindings(self) -> None:
        for node in self._of("assignment"):
            self._assignment(node)
        for node in self._of("augmented"):
            if text_of(node).startswith("__all__"):
                self._offer(node)
        for node in self._of("named"):
            self._bindings.assign(node.child_by_field_name("name"), values_of(node.child_by_field_name("value")))
        for node in self._of("type_alias"):
            self._bindings.assign(node.child_by_field_name("left"), named_types(text_of(node).partition("=")[2]))
        for node in self._of("loop"):
            for target, types in items_of(node, node.parent.child_by_field_name("right") if node.parent else None):
                self._bindings.assign(target, types)
        for node in self._of("capture"):
            self._bindings.assign(node, [UNKNOWN])
        for node in self._of("as"):
            self._as(node)

    def _assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        declared = node.child_by_field_name("type")
        types = annotated(text_of(declared)) if declared is not None else []
        if not any(types):
            types = values_of(right)
        if left is not None and left.type in ("pattern_list", "tuple_pattern"):
            values = right.named_children if right is not None and right.type in ("expression_list", "tuple") else []
            if len(values) == left.named_child_count:
                for one, value in zip(left.named_children, values, strict=True):
                    self._bindings.assign(one, values_of(value))
                return
            types = [UNKNOWN]
        if left is not None and left.type == "identifier" and text_of(left) == "__all__":
            self._offer(node)
        self._bindings.assign(left, types)

    def _as(self, node: Node) -> None:
        value, alias = first_child(node), node.child_by_field_name("alias")
        outer = node.parent
        while outer is not None and outer.type == "parenthesized_expression":
            outer = outer.parent
        types = [UNKNOWN]
        if value is not None and outer is not None and outer.type == "with_item":
            types = [f"{one}.__enter__()" if one else one for one in values_of(value)]
        elif value is not None and outer is not None and outer.type == "except_clause":
            caught = value.named_children[:3] if value.type == "tuple" else [value]
            types = [f"{chain}()" for one in caught if not (chain := chain_of(one)).startswith("?")] or [UNKNOWN]
        if alias is not None:
            self._bindings.assign(alias, types)
        elif outer is not None and outer.type == "case_pattern" and node.named_child_count > 1:
            self._bindings.assign(node.named_children[-1], types)

    def _read_returns(self) -> None:
        generators = {self._units.at(node) for node in self._of("yield")}
        for node in self._of("return"):
            unit = self._units.at(node)
            if unit >= 0 and unit not in self._annotated and unit not in generators and node.named_child_count:
                self._bindings.bind(unit, "return", values_of(first_child(node)))
        for node in self._of("yield"):
            unit = self._units.at(node)
            yields_once = decorated_with(self._decorators.get(unit, ()), _YIELDING_ONCE)
            if yields_once and unit not in self._annotated and node.named_child_count:
                self._bindings.bind(unit, "return", values_of(first_child(node)))

    def _offer(self, node: Node) -> None:
        """`__all__ = […]`, `__all__ += […]`, `__all__.extend(…)`: names, and `*` for what cannot be read."""
        text = text_of(node)[:_LONGEST_LIST].partition("__all__")[2]
        names = _QUOTED.findall(text)
        self._exports.update(dict.fromkeys(names))
        if not names or _COMPUTED.search(text.lstrip(" +=")):
            self._exports["*"] = None
