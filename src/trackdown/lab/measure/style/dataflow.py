"""Code → where the values of its variables come from, for CodeBLEU's data-flow match.

Ren et al., "CodeBLEU: a method for automatic evaluation of code synthesis", 2020, after GraphCodeBERT's data-flow
graphs. A variable that is read after it was bound *comes from* itself; one that is bound is *computed from* every
variable on the other side. Bindings are found by the fields that grammars give them, in document order, without a
second turn through loops. Names become numbers in the order in which they appear, so what things are called does not
matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count, islice
from typing import NamedTuple

from tree_sitter import Node

from trackdown.lab.measure.style.syntax import variables, walk

_BINDING = re.compile(
    r"\w*assignment\w*|\w*declarator|named_expression|for\w*|enhanced_for_statement|let_declaration|range_clause"
    r"|short_var_declaration|var_spec|variable_declaration|property_declaration|resource"
)
_TARGETS = ("left", "name", "pattern", "target", "declarator")
_SOURCES = ("right", "value", "iterable")
_MOST_NAMES = 64
_PARAMETERS = re.compile(r"\w*parameters?")


class Flow(NamedTuple):
    """One step of a value: the variable that has it, how, and the variable it comes from, both by number."""

    to: int
    how: str
    source: int


class _Binding(NamedTuple):
    """What becomes bound, from what, where that takes effect, and the nodes that are bound and not read."""

    targets: tuple[str, ...]
    sources: tuple[str, ...]
    end: int
    nodes: frozenset[int]


def dataflow(root: Node) -> tuple[Flow, ...]:
    """The steps of all values, in document order."""
    known = variables(root)
    numbers: dict[str, int] = {}
    bound: set[str] = set()
    written: set[int] = set()
    waiting: list[tuple[int, int, _Binding]] = []
    order = count()
    found: list[Flow] = []
    parameters_end = 0

    def flow(to: str, how: str, source: str) -> None:
        first = numbers.setdefault(to, len(numbers))
        found.append(Flow(first, how, numbers.setdefault(source, len(numbers))))

    def settle(until: int) -> None:
        while waiting and waiting[0][0] <= until:
            binding = heappop(waiting)[-1]
            for target in binding.targets:
                for source in binding.sources:
                    flow(target, "computed", source)
            bound.update(binding.targets)

    for place in walk(root):
        node = place.node
        settle(node.start_byte)
        if _PARAMETERS.fullmatch(node.type):
            parameters_end = max(parameters_end, node.end_byte)
        binding = _binding(node, known)
        if binding is not None:
            heappush(waiting, (binding.end, -next(order), binding))  # of those that end together the innermost first
            written |= binding.nodes
        elif node.id in known:
            name = known[node.id]
            if node.start_byte < parameters_end:
                bound.add(name)
            elif name in bound and node.id not in written:
                flow(name, "comes", name)
    settle(root.end_byte)
    return tuple(found)


def _binding(node: Node, known: Mapping[int, str]) -> _Binding | None:
    """What a node binds, and from what; None when it binds nothing."""
    if not node.is_named or not _BINDING.fullmatch(node.type):
        return None
    target = next(filter(None, map(node.child_by_field_name, _TARGETS)), None)
    source = next(filter(None, map(node.child_by_field_name, _SOURCES)), None)
    if target is None or source is None:
        return None
    bound, read = _names(target, known), _names(source, known)
    return _Binding(_unique(bound), _unique(read), source.end_byte, frozenset(bound))


def _unique(names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.values()))


def _names(node: Node, known: Mapping[int, str]) -> dict[int, str]:
    """The first variables below a node: a table or a chain of hundreds would cost more than it says."""
    places = (place.node.id for place in walk(node) if place.node.id in known)
    return {place: known[place] for place in islice(places, _MOST_NAMES)}
