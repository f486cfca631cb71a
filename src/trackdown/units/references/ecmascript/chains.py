"""Expressions and types of JavaScript and TypeScript → chains."""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.ecmascript.nodes import inside, required, string_of
from trackdown.units.references.ecmascript.scopes import (
    MOST_TYPES,
    NOTHING,
    SUPER,
    THIS,
    TYPEOF,
    EcmascriptNotes,
    EcmascriptScope,
    NameType,
    ScopedChain,
)
from trackdown.units.references.syntax import children_of, first_child, line_of, text_of

_MOST_PARTS = 8
_MOST_STEPS = 60
_DEEPEST = 3
_NAME = re.compile(r"[#\w$]{1,120}")
_NAMES = frozenset({"identifier", "type_identifier", "shorthand_property_identifier", "property_identifier"})
_LITERALS = frozenset("string template_string number array object regex true false null undefined".split())
_WRAPPERS = re.compile(
    r"(\w+\.)?(memo|forwardRef|observer|connect|lazy|promisify|freeze|seal|assign|debounce|throttle"
    r"|memoize|once|cache|wrap\w*|with[A-Z]\w*)"
)
_OF_ELEMENTS = frozenset(
    "Array ReadonlyArray Set ReadonlySet Iterable IterableIterator AsyncIterable Generator AsyncGenerator "
    "$ReadOnlyArray QueryList ArrayLike".split()
)
_OF_VALUES = frozenset({"Map", "ReadonlyMap", "WeakMap", "Record"})
_COMPONENTS = frozenset("FC React.FC FunctionComponent React.FunctionComponent VFC NextPage".split())
_HOLDERS = _OF_ELEMENTS | _OF_VALUES
_OF_ONE = frozenset(
    "Promise PromiseLike Readonly Partial Required NonNullable Awaited Omit Pick DeepPartial Mocked InstanceType "
    "$ReadOnly $Shape".split()
)


class ChainReader:
    """Reads expressions and types in a scope."""

    def __init__(self, notes: EcmascriptNotes) -> None:
        self._notes = notes
        self._modules: dict[int, ScopedChain] = {}
        self._casts: dict[int, ScopedChain | None] = {}
        self._nesting = 0

    def chain(self, node: Node | None, scope: EcmascriptScope) -> ScopedChain | None:
        """An expression as a chain; None for literals, of which nothing here is called."""
        parts: list[str] = []
        suffix = ""
        for _ in range(_MOST_STEPS):
            node, cast = inside(node)
            if node is None or len(parts) >= _MOST_PARTS or len(suffix) > 6:
                break
            if cast is not None and (known := self._cast(cast, scope)) is not None:
                return known.then(_joined(suffix, parts))
            kind = node.type
            if kind in _NAMES or kind in (THIS, SUPER):
                return ScopedChain(text_of(node), _joined(suffix, parts), scope)
            if kind == "member_expression":
                parts.append(text_of(node.child_by_field_name("property")) + suffix)
                node, suffix = node.child_by_field_name("object"), ""
            elif kind == "subscript_expression":
                key = string_of(node.child_by_field_name("index"))
                if _NAME.fullmatch(key):
                    parts.append(key + suffix)
                    suffix = ""
                else:
                    suffix = f"[]{suffix}"
                node = node.child_by_field_name("object")
            elif kind == "call_expression" and (module := self.module(node, scope)) is not None:
                return module.then(_joined(suffix, parts))
            elif kind in ("call_expression", "new_expression"):
                suffix = f"(){suffix}"
                node = node.child_by_field_name("function" if kind == "call_expression" else "constructor")
            elif kind in _LITERALS:
                return None
            else:
                break
        return ScopedChain(NOTHING, _joined("", parts), scope)

    def module(self, node: Node, scope: EcmascriptScope) -> ScopedChain | None:
        """The module that a call requires, the same one every time; None for other calls."""
        name = required(node)
        if not name:
            return None
        if node.id not in self._modules:
            self._modules[node.id] = self._notes.module(scope, line_of(node), name)
        return self._modules[node.id]

    def _cast(self, type_: Node, scope: EcmascriptScope) -> ScopedChain | None:
        """A substitute for a value that is cast to a type, the same one every time; None for types without meaning."""
        if type_.id not in self._casts:
            types = self.annotation(type_, scope)
            self._casts[type_.id] = self._notes.make_up(scope, types) if types else None
        return self._casts[type_.id]

    # Values

    def value(self, node: Node | None, scope: EcmascriptScope) -> list[NameType]:
        """What a name means that an expression is assigned to. Readers deal with objects and functions."""
        found: list[NameType] = []
        stack = [node]
        for _ in range(_MOST_STEPS):
            if not stack or len(found) >= MOST_TYPES:
                break
            here, cast = inside(stack.pop())
            types = self.annotation(cast, scope) if cast is not None else []
            if types or here is None:
                found += types
            elif here.type in ("binary_expression", "ternary_expression"):
                stack += reversed(_alternatives(here))
            elif here.type == "call_expression":
                found += self._result(here, scope)
            elif here.type == "new_expression" and (held := self._held(here, scope)):
                found += held
            elif here.type in ("identifier", "member_expression", "new_expression", THIS, "subscript_expression"):
                found += _valued(self.chain(here, scope))
        return found

    def _result(self, call: Node, scope: EcmascriptScope) -> list[NameType]:
        """What a call gives; of one that wraps something, that too: `memo(Button)`, `connect(state)(Button)`."""
        function = call.child_by_field_name("function")
        found = _valued(self.chain(call, scope))
        while function is not None and function.type == "call_expression":
            function = function.child_by_field_name("function")
        arguments = children_of(call.child_by_field_name("arguments"))
        name = text_of(function) if function is not None and function.end_byte - function.start_byte < 80 else ""
        if not arguments:
            return found
        if name == "Object.create" and arguments[0].type == "member_expression":
            return _valued(self.chain(arguments[0].child_by_field_name("object"), scope))
        if _WRAPPERS.fullmatch(name):
            for argument in arguments[:2]:
                if argument.type in ("identifier", "member_expression", "call_expression"):
                    found += _valued(self.chain(argument, scope))
        return found

    def _held(self, node: Node, scope: EcmascriptScope) -> list[NameType]:
        """`new Map<string, Cart>()` holds carts."""
        name, given = node.child_by_field_name("constructor"), node.child_by_field_name("type_arguments")
        if name is None or given is None:
            return []
        return self._all_of(self._generic([name, given], ""), scope) if text_of(name) in _HOLDERS else []

    # Types

    def annotation(self, node: Node | None, scope: EcmascriptScope) -> list[NameType]:
        """What a type annotation says, as far as it names something."""
        return self._all_of([(node, "")], scope)

    def _all_of(self, stack: list[tuple[Node | None, str]], scope: EcmascriptScope) -> list[NameType]:
        found: list[NameType] = []
        for _ in range(_MOST_STEPS):
            if not stack or len(found) >= MOST_TYPES:
                break
            here, suffix = stack.pop()
            if here is None:
                continue
            kind = here.type
            children = children_of(here)
            if kind in ("type_identifier", "identifier", THIS, "this_type"):
                found.append(NameType("", ScopedChain(text_of(here), suffix, scope)))
            elif kind in ("nested_type_identifier", "nested_identifier"):
                root, _, rest = "".join(text_of(here).split()).partition(".")
                found.append(NameType("", ScopedChain(root, f".{rest}{suffix}", scope)))
            elif kind in ("array_type", "tuple_type"):
                stack += [(child, f"[]{suffix}") for child in reversed(children)]
            elif kind in (
                "type_annotation",
                "parenthesized_type",
                "readonly_type",
                "flow_maybe_type",
                "constraint",
                "union_type",
                "intersection_type",
                "type_arguments",
                "default_type",
            ):
                stack += [(child, suffix) for child in reversed(children)]
            elif kind == "generic_type" and children:
                stack += self._generic(children, suffix)
            elif kind == "object_type" and not suffix:
                found += self._object_type(children, scope)
            elif kind == "type_query" and children:
                chain = self.chain(children[0], scope)
                found += [NameType(TYPEOF, chain)] if chain is not None else []
            elif kind == "member_expression" and (chain := self.chain(here, scope)) is not None:
                found.append(NameType("", chain))  # import('./x').DeclaredName
        return found

    def _object_type(self, members: list[Node], scope: EcmascriptScope) -> list[NameType]:
        """`{a: A, b: B}`: a made-up name with these attributes."""
        if self._nesting >= _DEEPEST:
            return []
        self._nesting += 1
        bound = [
            (text_of(one.child_by_field_name("name")), type_)
            for one in members[:_MOST_STEPS]
            if one.type == "property_signature"
            for type_ in self.annotation(one.child_by_field_name("type"), scope)
        ]
        self._nesting -= 1
        if not bound:
            return []
        chain = self._notes.make_up(scope, [])
        for name, type_ in bound:
            self._notes.bind_member(chain, name, type_)
        return [NameType(TYPEOF, chain)]

    def _generic(self, children: list[Node], suffix: str) -> list[tuple[Node | None, str]]:
        name = text_of(children[0])
        inner = children_of(children[1]) if len(children) > 1 else []
        if inner and name in _OF_ELEMENTS:
            return [(inner[0], f"[]{suffix}")]
        if len(inner) > 1 and name in _OF_VALUES:
            return [(inner[1], f"[]{suffix}")]
        if inner and name in _OF_ONE:
            return [(inner[0], suffix)]
        if inner and name == "ReturnType" and inner[0].type == "type_query" and suffix == "":
            return [(children_of(inner[0])[0] if children_of(inner[0]) else None, "()")]
        return [(children[0], suffix)]


def component_properties(annotation: Node | None) -> Node | None:
    """The type of the properties that a component takes, from `FC<Properties>`; None for other annotations."""
    type_ = first_child(annotation) if annotation is not None else None
    if type_ is None or type_.type != "generic_type" or text_of(first_child(type_)) not in _COMPONENTS:
        return None
    return first_child(type_.named_children[-1])


def is_value(type_: NameType) -> bool:
    """Whether a type speaks of a value itself, or of what a call gives: its chain can be gone on with."""
    return type_.chain is not None and (type_.form == TYPEOF or type_.chain.rest.endswith("()"))


def member(type_: NameType, name: str) -> NameType | None:
    """What an attribute of a value is; None where that cannot be said."""
    return NameType(TYPEOF, type_.chain.then(f".{name}")) if type_.chain is not None and is_value(type_) else None


def _valued(chain: ScopedChain | None) -> list[NameType]:
    if chain is None or chain.root == NOTHING:
        return []
    return [NameType("" if chain.rest.endswith("()") else TYPEOF, chain)]


def _alternatives(node: Node) -> list[Node | None]:
    if node.type == "ternary_expression":
        return [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type not in ("||", "??", "&&"):
        return []
    right = node.child_by_field_name("right")
    return [right] if operator.type == "&&" else [node.child_by_field_name("left"), right]


def _joined(suffix: str, parts: list[str]) -> str:
    """What follows a root: parts were gathered from the end."""
    return ".".join([suffix, *reversed(parts)])
