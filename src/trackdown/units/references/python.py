"""Python: a syntax tree → what it refers to.

Beside what `facts` says: `import a.b` has the alias `a.b`, the name it is reached by. A binding called `return` is what a
function without an annotation returns, seen from inside it; `->` is the annotation. Parameters that stand for the
instance or the class are always `self` and `cls`. `__all__` gives the exports; `*` among them says that there are more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

import tree_sitter_python
from tree_sitter import Language, Node, Query, QueryCursor

from trackdown.types import CLASS_KINDS
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import (
    BASE,
    CALL,
    DECORATOR,
    UNKNOWN,
    Binding,
    BlobReferences,
    Export,
    Import,
    Reference,
)
from trackdown.units.references.python_chains import annotated, chain_of, is_literal, text_of, values_of

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
(global_statement) @global
(return_statement) @return
(yield) @yield
(lambda parameters: (_) @lambda)
"""
_FUNCTION_NODES = ("function_definition", "lambda")
_TARGET_GROUPS = ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "list_splat",
                  "as_pattern_target", "expression_list", "parenthesized_expression")  # fmt: skip
_QUOTED = re.compile(r"['\"]([^\W\d]\w*)['\"]")
_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
_INSTANCES = ("self", "cls")
_LONGEST_LIST = 1 << 16


@cache
def _query() -> Query:
    return Query(Language(tree_sitter_python.language()), _QUERY)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """The references of a module. Never raises for any tree."""
    return _Reader(root, units).read()


class _Reader:
    """One pass over one tree; a query finds the nodes that matter, each list in the order of the text."""

    def __init__(self, root: Node, units: UnitFinder) -> None:
        self._nodes: dict[str, list[Node]] = QueryCursor(_query()).captures(root)
        self._units = units
        self._imports: list[Import] = []
        self._references: list[Reference] = []
        self._bindings: dict[tuple[int, str], dict[str, None]] = {}
        self._exports: dict[str, None] = {}
        self._decorators: dict[int, list[str]] = defaultdict(list)
        self._receivers: dict[int, str] = {}
        self._globals: dict[int, set[str]] = defaultdict(set)
        self._annotated: set[int] = set()
        self._inner: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._hints: dict[tuple[int, str], dict[str, None]] = {}

    def read(self) -> BlobReferences:
        """Everything, in an order in which each step has what it needs of the ones before."""
        for node in self._of("global"):
            self._globals[self._units.at(node)].update(text_of(name) for name in node.named_children)
        self._read_inner_scopes()
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
        for key, types in self._hints.items():
            if not any(self._bindings.get(key, ())):
                self._bindings.setdefault(key, {}).update(types)
        self._references.sort(key=lambda one: one.line)
        exports = [Export(name, name if name != "*" else "", "") for name in self._exports]
        return BlobReferences("", self._imports, self._references, list(self._kept()), exports)

    def _of(self, capture: str) -> list[Node]:
        return self._nodes.get(capture, [])

    def _kept(self) -> Iterator[Binding]:
        """Bindings without those that only hide a name which nothing in the file begins with."""
        heads = {_head(one.chain) for one in self._references}
        heads.update(_head(type_) for types in self._bindings.values() for type_ in types)
        known = self._units.units
        for (unit, name), types in self._bindings.items():
            hides_only = not any(types) and unit >= 0 and known[unit].kind not in CLASS_KINDS
            if not hides_only or name in heads or "." in name:
                yield from (Binding(unit, name, type_) for type_ in types)

    # Names that live in a part of a unit only

    def _read_inner_scopes(self) -> None:
        for node in self._of("inner_loop"):
            self._note_inner(node, node.parent.parent if node.parent is not None else None)
        for node in self._of("lambda"):
            names = [child.named_child(0) if child.type.endswith("parameter") else child for child in
                     node.named_children]  # fmt: skip
            for name in names:
                self._note_inner(name, node.parent)

    def _note_inner(self, target: Node | None, scope: Node | None) -> None:
        if target is not None and scope is not None:
            for leaf in _leaves(target):
                self._inner[text_of(leaf)].append((scope.start_byte, scope.end_byte))

    def _chain(self, node: Node | None) -> str:
        """The chain of an expression; a name of a comprehension or lambda means nothing outside it."""
        chain = chain_of(node)
        head = _head(chain)
        if head in self._inner and node is not None:
            place = node.start_byte
            if any(start <= place < end for start, end in self._inner[head]):
                return "?" + chain[len(head) :]
        return chain

    # Imports

    def _read_imports(self) -> None:
        for node in self._of("import"):
            for name, alias in _imported(node.children_by_field_name("name")):
                self._import(node, name, "", alias or name)
        for node in self._of("from"):
            source = node.child_by_field_name("module_name")
            module = "".join(text_of(source).split()) if source is not None else ""
            if any(child.type == "wildcard_import" for child in node.named_children):
                self._import(node, module, "*", "")
            for name, alias in _imported(node.children_by_field_name("name")):
                self._import(node, module, name, alias or name)

    def _import(self, node: Node, module: str, name: str, alias: str) -> None:
        unit = self._units.at(node)
        if alias in self._globals.get(unit, ()):
            unit = -1
        if module:
            self._imports.append(Import(unit, node.start_point[0] + 1, module, name, alias))

    # References

    def _refer(self, node: Node, kind: str, chain: str, arity: int) -> None:
        if chain != "?" and not is_literal(chain):
            self._references.append(Reference(self._units.at(node), node.start_point[0] + 1, kind, chain, arity))

    def _decorator(self, node: Node) -> None:
        expression = node.named_child(0)
        arity = -1
        if expression is not None and expression.type == "call":
            arity = _arity(expression)
            expression = expression.child_by_field_name("function")
        chain = self._chain(expression)
        self._decorators[self._units.at(node)].append(chain)
        self._refer(node, DECORATOR, chain, arity)

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
        chain = self._chain(function)
        if chain == "isinstance":
            self._narrow(node)
        elif chain in ("__all__.extend", "__all__.append"):
            self._offer(node)
        self._refer(function or node, CALL, chain, _arity(node))

    def _narrow(self, node: Node) -> None:
        """`isinstance(x, T)`: somewhere in this unit x is a T."""
        arguments = node.child_by_field_name("arguments")
        if arguments is None or arguments.named_child_count != 2:
            return
        subject, types = arguments.named_children
        if subject.type == "identifier":
            members = types.named_children if types.type == "tuple" else [types]
            names = {chain_of(one): None for one in members[:3] if one.type in ("identifier", "attribute")}
            self._hints.setdefault((self._units.at(node), text_of(subject)), {}).update(names)

    # Bindings

    def _bind(self, unit: int, name: str, types: Iterable[str]) -> None:
        if name in self._globals.get(unit, ()):
            unit = -1
        self._bindings.setdefault((unit, name), {}).update(dict.fromkeys(types))

    def _function(self, node: Node) -> None:
        unit = self._units.at(node)
        declared = node.child_by_field_name("return_type")
        decorators = [chain.rpartition(".")[2] for chain in self._decorators.get(unit, ())]
        if declared is not None:
            self._annotated.add(unit)
            self._bind(unit, "->", annotated(text_of(declared), yields=_manages_a_context(decorators)))
        parameters = node.child_by_field_name("parameters")
        if parameters is None or unit < 0:
            return
        bound = [one for child in parameters.named_children if (one := _parameter(child)) is not None]
        if bound and self._units.units[unit].kind == "method" and "staticmethod" not in decorators:
            name = self._units.units[unit].symbol.rpartition(".")[2]
            of_class = "classmethod" in decorators or name in _CLASS_METHODS
            receiver, types = bound.pop(0)
            self._receivers[unit] = receiver
            if receiver not in _INSTANCES and not any(types):
                self._bind(unit, receiver, ["cls" if of_class else "self"])
        for name, types in bound:
            self._bind(unit, name, types)

    def _read_bindings(self) -> None:
        for node in self._of("assignment"):
            self._assignment(node)
        for node in self._of("augmented"):
            if text_of(node).startswith("__all__"):
                self._offer(node)
        for node in self._of("named"):
            self._targets(node.child_by_field_name("name"), values_of(node.child_by_field_name("value")))
        for node in self._of("type_alias"):
            self._targets(node.child_by_field_name("left"), annotated(text_of(node).partition("=")[2]))
        for node in (*self._of("loop"), *self._of("capture")):
            self._targets(node, [UNKNOWN])
        for node in self._of("as"):
            self._as(node)

    def _assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        declared = node.child_by_field_name("type")
        types = annotated(text_of(declared)) if declared is not None else []
        if not any(types):
            types = self._values(right)
        if left is not None and left.type in ("pattern_list", "tuple_pattern"):
            values = right.named_children if right is not None and right.type in ("expression_list", "tuple") else []
            if len(values) == left.named_child_count:
                for one, value in zip(left.named_children, values, strict=True):
                    self._targets(one, self._values(value))
                return
            types = [UNKNOWN]
        if left is not None and left.type == "identifier" and text_of(left) == "__all__":
            self._offer(node)
        self._targets(left, types)

    def _values(self, node: Node | None) -> list[str]:
        return values_of(node)

    def _targets(self, target: Node | None, types: list[str]) -> None:
        """Bind every name and every attribute of the instance in a target."""
        if target is None:
            return
        unit = self._units.at(target)
        for leaf in _leaves(target):
            alone = leaf == target or target.type == "as_pattern_target"
            if leaf.type == "identifier":
                self._bind(unit, text_of(leaf), types if alone else [UNKNOWN])
            else:
                of, name = leaf.child_by_field_name("object"), leaf.child_by_field_name("attribute")
                if of is not None and name is not None and of.type == "identifier":
                    head = text_of(of)
                    if head in _INSTANCES or head == self._receivers.get(unit):
                        self._bind(unit, f"self.{text_of(name)}", types if alone else [UNKNOWN])

    def _as(self, node: Node) -> None:
        value, alias = node.named_child(0), node.child_by_field_name("alias")
        outer = node.parent
        while outer is not None and outer.type == "parenthesized_expression":
            outer = outer.parent
        types = [UNKNOWN]
        if value is not None and outer is not None and outer.type == "with_item":
            types = [f"{one}.__enter__()" if one else one for one in values_of(value)]
        elif value is not None and outer is not None and outer.type == "except_clause":
            caught = value.named_children[:3] if value.type == "tuple" else [value]
            types = [chain for one in caught if not (chain := chain_of(one)).startswith("?")] or [UNKNOWN]
        if alias is not None:
            self._targets(alias, types)
        elif outer is not None and outer.type == "case_pattern" and node.named_child_count > 1:
            self._targets(node.named_children[-1], types)

    def _read_returns(self) -> None:
        generators = {self._units.at(node) for node in self._of("yield")}
        for node in self._of("return"):
            unit = self._units.at(node)
            if unit >= 0 and unit not in self._annotated and unit not in generators and node.named_child_count:
                self._bind(unit, "return", self._values(node.named_child(0)))
        for node in self._of("yield"):
            unit = self._units.at(node)
            decorators = [chain.rpartition(".")[2] for chain in self._decorators.get(unit, ())]
            if unit not in self._annotated and node.named_child_count and _manages_a_context(decorators):
                self._bind(unit, "return", self._values(node.named_child(0)))

    def _offer(self, node: Node) -> None:
        """`__all__ = […]`, `__all__ += […]`, `__all__.extend(…)`: names, and `*` for what cannot be read."""
        text = text_of(node)[:_LONGEST_LIST].partition("__all__")[2]
        self._exports.update(dict.fromkeys(_QUOTED.findall(text)))
        if "__all__" in text or "*" in text or " for " in text or not _QUOTED.search(text):
            self._exports["*"] = None


def _head(chain: str) -> str:
    """The first name of a chain."""
    return chain.partition(".")[0].partition("(")[0]


def _manages_a_context(decorators: Iterable[str]) -> bool:
    return any(name in ("contextmanager", "asynccontextmanager", "fixture") for name in decorators)


def _arity(call: Node) -> int:
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


def _imported(names: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for node in names:
        name = node.child_by_field_name("name") if node.type == "aliased_import" else node
        alias = node.child_by_field_name("alias") if node.type == "aliased_import" else None
        if name is not None:
            yield "".join(text_of(name).split()), text_of(alias) if alias is not None else ""


def _parameter(node: Node) -> tuple[str, list[str]] | None:
    """A parameter and the types that its annotation allows; a default value is one reading of two."""
    kind = node.type
    if kind == "identifier":
        return text_of(node), [UNKNOWN]
    if kind in ("list_splat_pattern", "dictionary_splat_pattern") and node.named_child_count:
        return text_of(node.named_children[0]), ["tuple()" if kind.startswith("list") else "dict()"]
    declared = node.child_by_field_name("type")
    name = node.named_child(0)
    if name is None:
        return None
    if kind == "typed_parameter":
        if name.type != "identifier":
            return _parameter(name)
        return text_of(name), annotated(text_of(declared)) if declared is not None else [UNKNOWN]
    if kind == "typed_default_parameter" and declared is not None:
        return text_of(name), annotated(text_of(declared))
    if kind == "default_parameter" and name.type == "identifier":
        defaults = [one for one in values_of(node.child_by_field_name("value")) if not is_literal(one)]
        return text_of(name), [UNKNOWN, *defaults]
    return None


def _leaves(target: Node) -> list[Node]:
    """The names and attributes that a target binds."""
    found: list[Node] = []
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "attribute"):
            found.append(node)
        elif node.type in _TARGET_GROUPS or node.type in ("type", "dictionary_splat_pattern"):
            waiting += reversed(node.named_children)
    return found
