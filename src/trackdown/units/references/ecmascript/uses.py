"""Calls, constructions, elements and decorators of JavaScript and TypeScript."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.ecmascript.functions import enter_waiting
from trackdown.units.references.ecmascript.nodes import FUNCTIONS
from trackdown.units.references.ecmascript.scopes import THIS, TYPEOF, NameType, ScopedChain
from trackdown.units.references.ecmascript.walk import EcmascriptWalk, is_known
from trackdown.units.references.facts import CALL, DECORATOR, NEW
from trackdown.units.references.syntax import children_of, first_child, line_of, text_of

_OF_EACH = frozenset("forEach map filter find some every flatMap findIndex findLast".split())
_CALLED_THROUGH = (".call", ".apply")
_MIXERS = frozenset("assign mixin extend merge defaults setPrototypeOf inherits".split())


def read_call(walk: EcmascriptWalk, node: Node) -> None:
    """`a.b(…)`, `a?.(…)`, `` a`…` ``; a module that is required here."""
    enter_waiting(walk, node)
    function = node.child_by_field_name("function")
    if function is None or node.id in walk.done or walk.chains.module(node, walk.scope) is not None:
        return
    chain = walk.chains.chain(function, walk.scope)
    if chain is None:
        return
    arguments = node.child_by_field_name("arguments")
    given = children_of(arguments) if arguments is not None and arguments.type == "arguments" else []
    plain = (
        all(one.type != "spread_element" for one in given) and arguments is not None and arguments.type == "arguments"
    )
    arity = len(given) if plain else -1
    if chain.rest.endswith(_CALLED_THROUGH):
        chain = ScopedChain(chain.root, chain.rest.rpartition(".")[0], chain.scope)
        arity = -1
    walk.notes.refer(walk.unit, line_of(node), CALL, chain, arity)
    if given:
        _keep_this(walk, function, given)
        _give(walk, chain, given[0])
        _mix(walk, chain, given)


def _keep_this(walk: EcmascriptWalk, function: Node, given: list[Node]) -> None:
    """`function () {}.bind(this)`, `forEach(function () {}, this)`."""
    if not any(one.type == THIS for one in given):
        return
    bound = function.child_by_field_name("object") if function.type == "member_expression" else None
    if bound is not None and bound.type == "parenthesized_expression":
        bound = first_child(bound)
    for one in (bound, given[0]):
        if one is not None and one.type in FUNCTIONS:
            walk.keeps_this.add(one.id)


def _give(walk: EcmascriptWalk, chain: ScopedChain, function: Node) -> None:
    """`repos.forEach(repo => …)`, `load().then(user => …)`: what the function is given."""
    if function.type not in FUNCTIONS or not is_known(chain):
        return
    rest, _, name = chain.rest.rpartition(".")
    source = ScopedChain(chain.root, rest, chain.scope)
    if name in _OF_EACH:
        walk.given[function.id] = NameType(TYPEOF, source.then("[]"))
    elif name == "then":
        walk.given[function.id] = NameType("" if rest.endswith("()") else TYPEOF, source)


def _mix(walk: EcmascriptWalk, chain: ScopedChain, given: list[Node]) -> None:
    """`Object.assign(app, proto)`: the first gets what the others have. `inherits(A, B)`: A extends B."""
    name = (chain.rest or f".{chain.root}").rpartition(".")[2]
    if name not in _MIXERS or len(given) < 2:
        return
    target = walk.chains.chain(given[0], walk.scope)
    for one in given[1:4]:
        source = walk.chains.chain(one, walk.scope)
        if target is None or source is None or not is_known(target) or not is_known(source):
            continue
        plain = ScopedChain(source.root, source.rest.removesuffix(".prototype"), source.scope)
        if name == "inherits" or target.rest == ".prototype":
            walk.notes.inherit(ScopedChain(target.root, "", target.scope), plain, line_of(one))
        elif not target.rest and (found := walk.scope.find(target.root)) is not None and not found.imported:
            found.add([NameType("" if plain.rest.endswith("()") else TYPEOF, plain)])


def read_new(walk: EcmascriptWalk, node: Node) -> None:
    """`new A.B(…)`."""
    chain = walk.chains.chain(node.child_by_field_name("constructor"), walk.scope)
    if chain is not None:
        given = children_of(node.child_by_field_name("arguments"))
        plain = all(one.type != "spread_element" for one in given)
        walk.notes.refer(walk.unit, line_of(node), NEW, chain, len(given) if plain else -1)


def read_element(walk: EcmascriptWalk, node: Node) -> None:
    """`<Cart …>`, `<shop.Cart …>`: a call, unless it is an HTML element."""
    name = node.child_by_field_name("name")
    if name is None or name.type not in ("identifier", "member_expression"):
        return
    if name.type == "identifier" and not text_of(name)[:1].isupper():
        return
    chain = walk.chains.chain(name, walk.scope)
    if chain is not None:
        walk.notes.refer(walk.unit, line_of(node), CALL, chain, -1)


def read_decorator(walk: EcmascriptWalk, node: Node) -> None:
    """`@name`, `@name(…)`: used by the definition below it."""
    target = first_child(node)
    arity = -1
    if target is not None and target.type == "call_expression":
        walk.done.add(target.id)
        arity = len(children_of(target.child_by_field_name("arguments")))
        target = target.child_by_field_name("function")
    chain = walk.chains.chain(target, walk.scope)
    if chain is not None:
        walk.notes.refer(walk.units.at(node), line_of(node), DECORATOR, chain, arity)


def read_return(walk: EcmascriptWalk, node: Node) -> None:
    """`return …`."""
    walk.give_back(first_child(node))
