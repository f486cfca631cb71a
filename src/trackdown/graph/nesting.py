"""A file's definitions by what encloses them, and its bindings by unit: what a resolver asks of one file."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.graph.program import Definition, Program

MOST_TARGETS = 12
"""A reference that could mean more definitions than this says too little to be kept."""
MOST_NAMESAKES = 3
"""A method that is found by its name alone has at most so many namesakes."""


class NestedFile:
    """One file of a program. Units go by their index; -1 is the file itself."""

    def __init__(self, program: Program, file: int) -> None:
        self.file = file
        self.references = program.references(file)
        self.definitions: dict[int, Definition] = {}
        self.outer: dict[int, int] = {}
        self.inner: dict[int, list[Definition]] = {}
        around: list[Definition] = []
        for one in program.definitions(file):
            while around and not _encloses(around[-1], one):
                around.pop()
            parent = around[-1].index if around else -1
            self.definitions[one.index] = one
            self.outer[one.index] = parent
            self.inner.setdefault(parent, []).append(one)
            around.append(one)
        self.bindings: dict[int, dict[str, list[str]]] = {}
        for binding in self.references.bindings:
            self.bindings.setdefault(binding.unit, {}).setdefault(binding.name, []).append(binding.type)

    def bound(self, unit: int, name: str) -> list[str]:
        """The types that a name is bound to in a unit itself."""
        return self.bindings.get(unit, {}).get(name, [])

    def outward(self, unit: int) -> Iterator[int]:
        """The unit and all that enclose it, innermost first, without the file."""
        while unit in self.definitions:
            yield unit
            unit = self.outer[unit]

    def members(self, one: Definition) -> list[Definition]:
        """What is defined directly in a definition, not in something without a unit in between."""
        return [member for member in self.inner.get(one.index, []) if member.owner == one.symbol]


def _encloses(outer: Definition, one: Definition) -> bool:
    return (
        outer.start_line <= one.start_line
        and one.end_line <= outer.end_line
        and one.symbol.startswith(f"{outer.symbol}.")
    )
