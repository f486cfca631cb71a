"""References of Ruby: requires, calls, mixins, superclasses, and what local and instance variables are made from.

`X.new` is a construction of X, and `X()` in a chain. `@x` is `self.x`. A name without arguments that no assignment made
a variable is a call with arity -1: it may as well be something that is not written here.
"""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, IMPLEMENTS, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, visit
from trackdown.units.references.notes import SELF, SUPER, ReferenceNotes
from trackdown.units.references.syntax import below, field_of, has_token, only_child, text_of

_MIXINS = frozenset(("include", "extend", "prepend"))
_KEYWORDS = frozenset(
    "private public protected module_function private_constant attr_reader attr_writer attr_accessor raise lambda proc "
    "loop puts print p require_dependency private_class_method block_given? alias_method catch throw fail format "
    "sprintf rand sleep freeze binding caller define_method instance_eval class_eval instance_variable_get".split()
)
_CONSTANTS = ("constant", "scope_resolution")


class _RubyNotes(ReferenceNotes):
    """With the names that may be calls: which of them are variables is known at the end."""

    def __init__(self, units: UnitFinder) -> None:
        super().__init__(units)
        self.variables: set[tuple[int, str]] = set()
        self.bare: dict[tuple[int, str], Node] = {}

    def assign(self, unit: int, name: str, type_: str) -> None:
        """Note a local variable or parameter."""
        self.variables.add((unit, name))
        self.bind(unit, name, type_)

    def result(self) -> BlobReferences:
        """All that was noted."""
        for (unit, name), node in self.bare.items():
            if (unit, name) not in self.variables:
                self.refer(node, name, -1, unit=unit)
        return super().result()


def _instance_variable(node: Node) -> str:
    return f"{SELF}.{text_of(node).lstrip('@')}"


def _made(node: Node) -> str:
    """`X.new` is `X()`, `x.class` is x; empty for other calls."""
    name, receiver = text_of(field_of(node, "method")), field_of(node, "receiver")
    if receiver is None:
        return f"{SELF}()" if name == "new" else ""
    if name == "new" and receiver.type in _CONSTANTS:
        return f"{GRAMMAR.chain(receiver)}()"
    if name == "class" and receiver.type == SELF:
        return SELF
    if name == "new" and receiver.type in (SELF, "call") and text_of(receiver) in ("self", "self.class"):
        return f"{SELF}()"
    return ""


GRAMMAR = Grammar(
    leaves="identifier constant",
    words={
        SELF: "self",
        "String()": "string",
        "Array()": "array",
        "Hash()": "hash",
        "Symbol()": "simple_symbol",
        "Integer()": "integer",
    },
    members="scope_resolution.scope.name",
    sends="call.receiver.method",
    elements="element_reference.object",
    through="parenthesized_statements superclass begin",
    special={_made: "call", _instance_variable: "instance_variable class_variable"},
)


def _call(notes: _RubyNotes, node: Node) -> None:
    method, receiver, arguments = (field_of(node, name) for name in ("method", "receiver", "arguments"))
    if method is None or node.id in notes.seen:
        return
    notes.seen.add(method.id)
    name = text_of(method)
    count = _count(arguments)
    if method.type == SUPER:
        notes.refer(node, f"{SUPER}.{notes.name_of(notes.at(node))}", count)
    elif receiver is None and arguments is not None and (name in _IMPORTS or name in _MIXINS):
        (_import if name in _IMPORTS else _mixin)(notes, node, arguments, name)
    elif name == "new" and (made := _made(node)):
        notes.refer(node, made.removesuffix("()"), count, NEW)
    elif receiver is None and name == "raise" and arguments is not None:
        error = only_child(arguments)
        if error is not None and error.type in _CONSTANTS:
            notes.refer(node, GRAMMAR.chain(error), -1, NEW)
    elif receiver is not None or name not in _KEYWORDS:
        notes.refer(node, GRAMMAR.called(node), count)


def _count(arguments: Node | None) -> int:
    if arguments is None:
        return 0
    children = arguments.named_children
    if any(child.type in ("splat_argument", "hash_splat_argument", "forward_argument") for child in children):
        return -1
    return sum(child.type != "block_argument" for child in children)


def _literal(node: Node | None) -> str:
    if node is None or node.type != "string" or has_token(node, "interpolation"):
        return ""
    return text_of(node)[1:-1]


_IMPORTS = {"require": "", "require_relative": "./", "load": "", "autoload": ""}


def _import(notes: _RubyNotes, node: Node, arguments: Node, name: str) -> None:
    written = arguments.named_children
    path = _literal(written[-1] if written else None)
    if path:
        alias = text_of(written[0]).lstrip(":") if name == "autoload" and len(written) > 1 else ""
        notes.take(node, _IMPORTS[name] + path, "", alias)


def _mixin(notes: _RubyNotes, node: Node, arguments: Node, name: str) -> None:
    unit = notes.at(node)
    if notes.is_class(unit):
        for one in arguments.named_children:
            if one.type in _CONSTANTS:
                notes.refer(node, GRAMMAR.chain(one), -1, IMPLEMENTS, unit)


def _super(notes: _RubyNotes, node: Node) -> None:
    unit = notes.at(node)
    if node.id not in notes.seen and notes.is_function(unit):
        notes.refer(node, f"{SUPER}.{notes.name_of(unit)}", -1)


def _class(notes: _RubyNotes, node: Node) -> None:
    superclass = field_of(node, "superclass")
    if superclass is not None:
        name = text_of(field_of(node, "name")).rpartition("::")[2]
        notes.refer(node, GRAMMAR.chain(superclass), -1, BASE, notes.declared(node, name))


def _name_taken(notes: _RubyNotes, node: Node) -> None:
    """A definition's own name is not a call."""
    name = field_of(node, "name")
    if name is not None:
        notes.seen.add(name.id)


def _parameters(notes: _RubyNotes, node: Node) -> None:
    unit = notes.at(node)
    for one in node.named_children:
        name = one if one.type == "identifier" else field_of(one, "name")
        if name is not None:
            notes.seen.add(name.id)
            notes.assign(unit, text_of(name), UNKNOWN)
        elif one.type == "destructured_parameter":
            for each in below(one, {"identifier"}):
                notes.seen.add(each.id)
                notes.assign(unit, text_of(each), UNKNOWN)


def _assignment(notes: _RubyNotes, node: Node) -> None:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None:
        return
    unit = notes.at(node)
    if left.type in ("identifier", "constant"):
        notes.seen.add(left.id)
        chain = GRAMMAR.chain(right)
        notes.assign(unit, text_of(left), UNKNOWN if chain == text_of(left) else chain)
    elif left.type in ("instance_variable", "class_variable"):
        notes.bind(unit, _instance_variable(left), GRAMMAR.chain(right))
    elif left.type == "left_assignment_list":
        for each in below(left, {"identifier", "call", "element_reference"}):
            if each.type == "identifier":
                notes.seen.add(each.id)
                notes.assign(unit, text_of(each), UNKNOWN)
    elif left.type == "call" and field_of(left, "receiver") is not None:
        chain = GRAMMAR.called(left)
        notes.seen.add(left.id)
        notes.refer(node, f"{chain}=", 1)


def _rescue(notes: _RubyNotes, node: Node) -> None:
    variable, exceptions = field_of(node, "variable"), field_of(node, "exceptions")
    name = only_child(variable)
    if name is not None and name.type == "identifier":
        notes.seen.add(name.id)
        type_ = GRAMMAR.chain(only_child(exceptions)) if exceptions is not None else UNKNOWN
        notes.assign(notes.at(node), text_of(name), type_)


def _pair(notes: _RubyNotes, node: Node) -> None:
    key = field_of(node, "key")
    if key is not None:
        notes.seen.add(key.id)


def _loop(notes: _RubyNotes, node: Node) -> None:
    pattern = field_of(node, "pattern")
    for each in below(pattern, {"identifier"}) if pattern is not None else ():
        notes.seen.add(each.id)
        notes.assign(notes.at(node), text_of(each), UNKNOWN)


def _bare(notes: _RubyNotes, node: Node) -> None:
    name = text_of(node)
    if node.id not in notes.seen and name not in _KEYWORDS:
        notes.bare.setdefault((notes.at(node), name), node)


_VISITORS = by_node_type(
    {
        _call: "call",
        _super: "super",
        _class: "class",
        _name_taken: "method singleton_method alias",
        _parameters: "method_parameters block_parameters lambda_parameters",
        _assignment: "assignment operator_assignment",
        _rescue: "rescue",
        _pair: "pair",
        _loop: "for",
        _bare: "identifier",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Ruby syntax tree."""
    return visit(root, _VISITORS, _RubyNotes(units))
