"""Python: a file's references → the definitions and files they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trackdown.graph.edges import HOWS, EdgeType, How
from trackdown.graph.program import Definition, Program
from trackdown.graph.python.evaluate import Evaluator
from trackdown.graph.python.modules import Modules
from trackdown.graph.python.scopes import MODULE_SCOPE
from trackdown.graph.python.values import Found, Kind
from trackdown.graph.resolver import Link
from trackdown.units.references.facts import BASE, DECORATOR, Import, Reference

_MOST_NAMESAKES = 3
_TYPES: tuple[type, ...] = (str, bytes, int, float, list, tuple, dict, set, frozenset, bytearray, BaseException)
_UNTELLING = frozenset(name for type_ in _TYPES for name in dir(type_)) | {
    *("acquire", "cancel", "close", "connect", "done", "exists", "fileno", "filter", "flush", "group", "groupdict"),
    *("groups", "match", "mkdir", "next", "open", "parse_args", "put", "read", "readline", "readlines", "release"),
    *("result", "run", "save", "search", "seek", "send", "start", "stop", "sub", "submit", "tell", "wait", "write"),
    *("writelines", "debug", "info", "warning", "error", "exception", "critical", "log", "isoformat"),
}
"""Methods that so many things have that the name alone says nothing: those of builtin types, files, locks, loggers."""

_RANK: dict[How, int] = {how: rank for rank, how in enumerate(HOWS)}
Target = Definition | int


class PythonResolver:
    """Resolves Python files. Made once for a program; keeps what it finds."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._modules = Modules(program.files.items())
        self._values = Evaluator(program, self._modules)
        self._expected: set[int] = set()
        self._namesakes: dict[str, list[Definition]] = {}

    def links(self, file: int) -> list[Link]:
        """All that a file refers to in the program: each target of a definition once, by the surest way."""
        self._expect(file)
        units = self._values.scopes(file).units
        best: dict[tuple[int, int, int, EdgeType], Link] = {}
        for source, targets, type_, how, line in self._found(file):
            for target in targets:
                place = (target, MODULE_SCOPE) if isinstance(target, int) else (target.file, target.index)
                key = (source, *place, type_)
                known = best.get(key)
                if known is None or _RANK[how] < _RANK[known.how]:
                    best[key] = Link(units.get(source), target, type_, how, line)
        return list(best.values())

    def _expect(self, file: int) -> None:
        """Get the references of what a file imports together."""
        stems = {stem for one in self._program.references(file).imports for stem in self._resolve(file, one.module)}
        files = {found for stem in stems if (found := self._modules.file(stem)) is not None} - self._expected
        if files:
            self._expected |= files
            self._program.expect(sorted(files))

    def _resolve(self, file: int, module: str) -> tuple[str, ...]:
        return self._modules.resolve(file, module)[0]

    def _found(self, file: int) -> Iterator[tuple[int, Sequence[Target], EdgeType, How, int]]:
        references = self._program.references(file)
        for one in references.imports:
            targets, how = self._import_targets(file, one)
            yield MODULE_SCOPE, targets, "imports", how, one.line
        kept: dict[tuple[int, str, str], tuple[list[Definition], How]] = {}
        for reference in references.references:
            key = (reference.unit, reference.chain, reference.kind)
            known = kept.get(key)
            if known is None:
                known = kept[key] = self.targets(file, reference)
            if known[0]:
                type_: EdgeType = "inherits" if reference.kind == BASE else "invokes"
                yield reference.unit, known[0], type_, known[1], reference.line

    def _import_targets(self, file: int, one: Import) -> tuple[list[Target], How]:
        if one.name == "*":
            stems, sure = self._modules.resolve(file, one.module)
            found = [number for stem in stems if (number := self._modules.file(stem)) is not None]
            return [number for number in found if number != file], "exact" if sure else "scoped"
        origins = self._values.imported(file, one)
        targets: dict[Target, None] = {}
        for origin in origins.values:
            if origin.kind in (Kind.CLASS, Kind.FUNCTION):
                targets[self._values.scopes(origin.file).units[origin.unit]] = None
            elif origin.kind != Kind.OUTSIDE:
                number = self._modules.file(origin.stem) if origin.kind == Kind.MODULE else origin.file
                if number is not None and number != file:
                    targets[number] = None
        return list(targets), "exact" if origins.sure else "scoped"

    def targets(self, file: int, reference: Reference) -> tuple[list[Definition], How]:
        """The definitions that a call, decorator or base class leads to, and how they were found."""
        scopes = self._values.scopes(file)
        unit = reference.unit
        if reference.kind in (BASE, DECORATOR):
            unit = scopes.parents.get(unit, MODULE_SCOPE)
        found = self._values.evaluate(file, unit, reference.chain)
        definitions, sure = self._called(found, reference)
        if definitions:
            return definitions, "exact" if sure and len(definitions) == 1 else "scoped"
        if reference.kind == BASE or found.values:
            return [], "exact"
        return self._by_name(file, unit, reference.chain), "name"

    def _called(self, found: Found, reference: Reference) -> tuple[list[Definition], bool]:
        """What is called or inherited: a function, a class, an instance's `__call__`."""
        targets: dict[Definition, None] = {}
        sure = found.sure
        for value in found.values:
            if value.kind not in (Kind.CLASS, Kind.FUNCTION, Kind.INSTANCE):
                continue
            definition = self._values.scopes(value.file).units[value.unit]
            if reference.kind == BASE:
                targets.update({definition: None} if value.kind != Kind.FUNCTION else {})
                continue
            if value.kind == Kind.INSTANCE:
                method = self._values.member(value.file, value.unit, "__call__")
                of_it = [one for one in method.values if one.kind == Kind.FUNCTION]
                targets.update({self._values.scopes(one.file).units[one.unit]: None for one in of_it})
                sure = sure and method.sure
            else:
                targets[definition] = None
        return list(targets), sure

    def _by_name(self, file: int, unit: int, chain: str) -> list[Definition]:
        """Methods that merely have the name, where few do and nothing is known of what they are called on."""
        prefix, _, name = chain.rpartition(".")
        if not prefix or name in _UNTELLING or not name.isidentifier():
            return []
        if prefix not in ("self", "cls") and self._values.evaluate(file, unit, prefix).values:
            return []
        if name not in self._namesakes:
            found = [one for one in self._program.named(name) if self._modules.stem(one.file)]
            few = [one for one in found if one.kind == "method"] if len(found) <= _MOST_NAMESAKES else []
            self._namesakes[name] = few
        return self._namesakes[name]
