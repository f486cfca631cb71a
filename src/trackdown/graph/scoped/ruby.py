"""Which names Ruby sees: constants by the modules around them, wherever those are opened; methods by self."""

from __future__ import annotations

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.paths import joined_path, nearest_path
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, Resolved, resolved
from trackdown.graph.scoped.rules import COMMON_NAMES, IncludingRules
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import Import

_LOAD_PATHS = ("lib", "test", "spec", "app", "models", "controllers", "helpers", "concerns")


class RubyRules(IncludingRules):
    """Modules are definitions like classes, and their symbols are full names."""

    common_names = COMMON_NAMES | frozenset(
        "dig dup each each_key each_pair each_value eql freeze gsub has_key instance_of instance_variable_get is_a "
        "kind_of method_missing public_send respond_to to_a to_hash to_i to_proc to_s to_str to_sym".split()
    )
    same_value = frozenset("clone dup freeze tap then".split())
    gives_element = frozenset("find first last pop sample".split())
    gives_container = frozenset("compact reject reverse select sort_by uniq values".split())

    callable = FUNCTION_KINDS
    most_reached = 200

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """A constant by what encloses it; a method at the top of this file or of one that is required."""
        if name[:1].isupper() and kinds & CLASS_KINDS:
            prefixes = [one.symbol for one in scopes.around(unit) if one.kind in CLASS_KINDS]
            for symbol in [*(f"{prefix}.{name}" for prefix in _outwards(prefixes)), name]:
                seen = self._classes(scopes, symbol)
                if seen.definitions:
                    return seen
            return NOWHERE
        own = self.nested(scopes, unit, name, kinds) or scopes.at(name, kinds)
        if own:
            return resolved(own)
        top = [one for one in self.sources.named(name) if one.kind in kinds and not one.owner]
        required = self.reached(scopes.file) if top else {}
        return resolved([one for one in top if one.file in required])

    def nested(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> list[Definition]:
        """Ruby has no functions in functions."""
        return []

    def _classes(self, scopes: FileScopes, symbol: str) -> Resolved:
        """A class by its full name; of several parts the one in this file, else the chief one."""
        parts = self._parts(symbol)
        if not parts:
            return NOWHERE
        here = [one for one in parts if one.file == scopes.file]
        chosen = here[0] if here else parts[0]
        return Resolved((chosen,), "exact" if here or len(parts) == 1 else "scoped")

    def _parts(self, symbol: str) -> list[Definition]:
        """All definitions of a class: first those that name a superclass, then the longest."""
        named = self.sources.named(symbol.rpartition(".")[2])
        parts = [one for one in named if one.symbol == symbol and one.kind in CLASS_KINDS]
        if len(parts) < 2:
            return parts
        self.sources.expect(one.file for one in parts)
        return sorted(
            parts,
            key=lambda one: (
                one.index not in self.sources.scopes(one.file).bases,
                one.start_line - one.end_line,
                one.file,
            ),
        )

    def parts(self, one: Definition) -> list[Definition]:
        """Everywhere a class is opened."""
        return [one, *(each for each in self._parts(one.symbol) if each != one)]

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in a class, wherever it is opened."""
        return self._parts(f"{one.symbol}.{name}")[:1]

    def space(self, scopes: FileScopes, name: str) -> str | None:
        """The root, which `::A` begins with."""
        return "" if not name else None

    def inside(self, space: str, name: str, kinds: frozenset[str]) -> Resolved:
        """A class at the top."""
        return resolved(self._parts(name)[:1])

    def target(self, scopes: FileScopes, one: Import) -> int | None:
        """The file that a require means."""
        paths = self.sources.paths
        written = one.module if one.module.endswith(".rb") else f"{one.module}.rb"
        if written.startswith("./"):
            return paths.get(joined_path(scopes.folder, written))
        tail = joined_path("", written)
        candidates = []
        for path in self.sources.by_filename.get(tail.rpartition("/")[2], ()):
            head = path.removesuffix(tail).rstrip("/")
            if path.endswith(tail) and (not head or head.rpartition("/")[2] in _LOAD_PATHS):
                candidates.append(path)
        chosen = nearest_path(scopes.path, candidates)
        return paths[chosen] if chosen is not None else None


def _outwards(prefixes: list[str]) -> list[str]:
    """Symbols of what encloses, and of what encloses that: `module A::B` does not open A, but names in it are found."""
    seen: dict[str, None] = {}
    for prefix in prefixes:
        while prefix:
            seen[prefix] = None
            prefix = prefix.rpartition(".")[0]
    return list(seen)
