"""What tsconfig.json, jsconfig.json and package.json say about where modules are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trackdown.graph.paths import joined_path
from trackdown.graph.program import Program

# A string or comment that is not closed goes on to the end: to try each as something else would take quadratic time.
_TOKENS = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))|//[^\n]*|/\*(?:.*?\*/|.*)|,(?=\s*[}\]])', re.DOTALL)
_NAMES = ("tsconfig.json", "jsconfig.json")
_DEEPEST = 12
_MOST_PACKAGES = 3000
_MOST_TARGETS = 20
_FIRST = ("source", "import", "module", "default", "node", "require", "browser", "types")
"""Which of several conditional exports is looked at first: what people write comes before what is built."""


def read_json(text: str | None) -> dict[str, Any]:
    """An object from JSON with comments and commas too many; empty when it is something else."""
    if not text:
        return {}
    try:
        found = json.loads(_TOKENS.sub(lambda match: match[1] or "", text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class PathAliases:
    """How a TypeScript configuration maps modules: patterns to targets, and a folder for what no pattern fits."""

    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    base: str | None = None

    def places(self, module: str) -> Iterator[str]:
        """Where a module may be, the most particular pattern first."""
        fitting = []
        for pattern in self.paths:
            start, star, end = pattern.partition("*")
            fits = module.startswith(start) and module.endswith(end) and len(module) >= len(start) + len(end)
            if module == pattern or (star and fits):
                fitting.append((not star, len(start), pattern))
        for _, _, pattern in sorted(fitting, reverse=True):
            start, star, end = pattern.partition("*")
            middle = module[len(start) : len(module) - len(end)] if star else ""
            yield from (target.replace("*", middle, 1) for target in self.paths[pattern])
        if self.base is not None:
            yield joined_path(self.base, module)


@dataclass(frozen=True)
class NpmPackage:
    """A package.json of the repository."""

    folder: str
    content: Mapping[str, Any]

    def entries(self, subpath: str) -> list[str]:
        """Files that a subpath (empty for the package itself) may lead to, as they are written, best first."""
        found: list[str] = []
        exports = self.content.get("exports")
        if isinstance(exports, dict) and any(str(key).startswith(".") for key in exports):
            found += _matched(exports, f"./{subpath}" if subpath else ".")
        elif exports is not None and not subpath:
            found += _targets(exports)
        if not subpath:
            found += [one for key in ("source", "module", "main", "types") for one in _targets(self.content.get(key))]
        return found[:_MOST_TARGETS]

    def inner(self, module: str) -> list[str]:
        """Files that one of its private names (`#name`) may lead to."""
        imports = self.content.get("imports")
        return _matched(imports, module)[:_MOST_TARGETS] if isinstance(imports, dict) else []


def _matched(table: Mapping[str, Any], name: str) -> list[str]:
    if name in table:
        return _targets(table[name])
    for pattern in sorted(table, key=len, reverse=True):
        start, star, end = pattern.partition("*")
        if star and name.startswith(start) and name.endswith(end) and len(name) >= len(start) + len(end):
            middle = name[len(start) : len(name) - len(end)]
            return [target.replace("*", middle) for target in _targets(table[pattern])]
    return []


def _targets(value: Any) -> list[str]:
    """All strings in a tree of conditions, the preferred conditions first."""
    found: list[str] = []
    stack = [(value, 0)]
    while stack and len(found) < _MOST_TARGETS:
        here, depth = stack.pop()
        if isinstance(here, str):
            found.append(here)
        elif isinstance(here, list) and depth < _DEEPEST:
            stack += [(one, depth + 1) for one in reversed(here[:_MOST_TARGETS])]
        elif isinstance(here, dict) and depth < _DEEPEST:
            keys = [key for key in _FIRST if key in here] + [key for key in here if key not in _FIRST]
            stack += [(here[key], depth + 1) for key in reversed(keys[:_MOST_TARGETS])]
    return found


class Configurations:
    """Reads the configuration files of a program, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._contents: dict[str, dict[str, Any]] = {}
        self._aliases: dict[str, tuple[PathAliases, ...]] = {}
        self._packages: dict[str, NpmPackage] | None = None

    def content(self, path: str) -> dict[str, Any]:
        """The content of a configuration file, empty when there is none."""
        if path not in self._contents:
            listed = path in self._program.files or "/" not in path
            self._contents[path] = read_json(self._program.text(path)) if listed else {}
        return self._contents[path]

    @property
    def packages(self) -> Mapping[str, NpmPackage]:
        """The packages of the repository by name; of several of one name the one nearest to the root."""
        if self._packages is None:
            paths = [
                path for path in self._program.files if path.endswith("package.json") and "node_modules/" not in path
            ]
            paths = [path for path in paths if path.rpartition("/")[2] == "package.json"]
            self._packages = {}
            for path in sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_PACKAGES]:
                name = self.content(path).get("name")
                if isinstance(name, str) and name:
                    self._packages.setdefault(name, NpmPackage(path.rpartition("/")[0], self.content(path)))
        return self._packages

    def package(self, module: str) -> tuple[NpmPackage, str] | None:
        """The package that a module's name begins with, and the rest of it."""
        parts = module.split("/")
        name = "/".join(parts[: 2 if module.startswith("@") else 1])
        found = self.packages.get(name)
        return (found, module[len(name) + 1 :]) if found is not None else None

    def package_around(self, folder: str) -> NpmPackage | None:
        """The package in which a folder lies."""
        for outer in _upwards(folder):
            content = self.content(joined_path(outer, "package.json"))
            if content:
                return NpmPackage(outer, content)
        return None

    def aliases(self, folder: str) -> tuple[PathAliases, ...]:
        """What the configurations around a folder say, the nearest first."""
        if folder not in self._aliases:
            found = []
            for name in _NAMES:
                path = joined_path(folder, name)
                if self.content(path):
                    found += self._read_aliases(path)
            outer = self.aliases(folder.rpartition("/")[0]) if folder and folder.count("/") < 200 else ()
            self._aliases[folder] = (*(one for one in found if one.paths or one.base is not None), *outer)
        return self._aliases[folder]

    def _read_aliases(self, path: str) -> list[PathAliases]:
        """A configuration, with what it extends; then those it refers to."""
        found = [self._extended(path)]
        references = self.content(path).get("references")
        for one in references[:_MOST_TARGETS] if isinstance(references, list) else ():
            target = one.get("path") if isinstance(one, dict) else None
            if isinstance(target, str) and target.endswith(".json"):
                found.append(self._extended(joined_path(path.rpartition("/")[0], target)))
        return found

    def _extended(self, path: str) -> PathAliases:
        paths: dict[str, tuple[str, ...]] = {}
        base: str | None = None
        waiting = [path]
        seen: set[str] = set()
        while waiting and len(seen) < _DEEPEST:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            folder, content = path.rpartition("/")[0], self.content(path)
            options = content.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            own = options.get("baseUrl")
            own_base = joined_path(folder, own) if isinstance(own, str) else None
            base = own_base if base is None else base
            for pattern, targets in _string_lists(options.get("paths")):
                places = tuple(joined_path(own_base if own_base is not None else folder, one) for one in targets)
                paths.setdefault(pattern, places)
            extends = content.get("extends")
            for one in extends if isinstance(extends, list) else [extends]:
                waiting += self._extending(folder, one) if isinstance(one, str) else []
        return PathAliases(paths, base)

    def _extending(self, folder: str, name: str) -> list[str]:
        if name.startswith("."):
            place = joined_path(folder, name)
        elif (found := self.package(name)) is not None:
            place = joined_path(found[0].folder, found[1] or "tsconfig.json")
        else:
            return []
        return [one for one in (place, f"{place}.json") if self.content(one)][:1]


def _string_lists(value: Any) -> Iterator[tuple[str, list[str]]]:
    for key, targets in value.items() if isinstance(value, dict) else ():
        if isinstance(targets, list):
            yield (
                str(key),
                [one.removeprefix("${configDir}/") for one in targets if isinstance(one, str)][:_MOST_TARGETS],
            )


def _upwards(folder: str) -> Iterator[str]:
    """A folder and all around it, up to the root."""
    yield folder
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder
