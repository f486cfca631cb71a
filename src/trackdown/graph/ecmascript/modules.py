"""Which file is this module? As Node and TypeScript look for it, and as bundlers map what is built to its source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trackdown.graph.ecmascript.configuration import Configurations, NpmPackage
from trackdown.graph.paths import joined_path
from trackdown.graph.program import Program

LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_EXTENSIONS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
"""What is imported by the name of the file that it is compiled to."""
_ENDING = re.compile(r"(\.d)?\.[mc]?[jt]sx?$")
_BUILT = frozenset("dist lib build out es esm cjs umd types output module commonjs".split())
_SOURCES = ("src/index", "index", "lib/index", "source/index")


class EcmascriptModules:
    """Finds modules. Remembers what it found."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._configurations = Configurations(program)
        self._found: dict[tuple[str, str], int | None] = {}

    def find(self, file: int, module: str) -> int | None:
        """The file that a module is, as a file names it; None if it is outside the program."""
        folder = self._program.path(file).rpartition("/")[0]
        key = (folder, module)
        if key not in self._found:
            self._found[key] = next((one for one in self._candidates(*key) if one is not None), None)
        return self._found[key]

    def _candidates(self, folder: str, module: str) -> Iterator[int | None]:
        module = module.rpartition("!")[2].partition("?")[0]
        if not module or len(module) > 1000 or "\0" in module:
            return
        if module.startswith("."):
            yield self._at(joined_path(folder, module))
            return
        for aliases in self._configurations.aliases(folder):
            for place in aliases.places(module):
                yield self._at(place)
        around = self._configurations.package_around(folder)
        if module.startswith("#") and around is not None:
            for target in around.inner(module):
                yield self._entry(around, target)
        package = self._configurations.package(module)
        if package is not None:
            yield from self._in_package(*package)
        if module.startswith(("@/", "~/")):  # no package is called so; by custom this is where the sources are
            inner = module[2:]
            for root in ("src", "app", ""):
                yield self._at(joined_path(joined_path(around.folder if around is not None else "", root), inner))
        elif module.startswith("/"):
            yield self._at(joined_path("", module))

    def _at(self, path: str) -> int | None:
        """A file, with an extension where none is written; or a folder, by its index or its package.json."""
        found = self._file(path)
        description = joined_path(path, "package.json")
        if found is None and description in self._program.files:
            package = NpmPackage(path, self._configurations.content(description))
            entries = (self._entry(package, entry) for entry in package.entries(""))
            return next((entry for entry in entries if entry is not None), None)
        return found

    def _file(self, path: str) -> int | None:
        """A file, or the index of a folder."""
        files = self._program.files
        ending = _ENDING.search(path)
        if ending is not None and path in files:
            return files[path]
        stem, written = (path[: ending.start()], _WRITTEN_AS.get(ending[0], ())) if ending is not None else ("", ())
        index = joined_path(path, "index")
        for start, extensions in ((path, _EXTENSIONS), (stem, written), (index, _EXTENSIONS)):
            for extension in extensions:
                if (found := files.get(start + extension)) is not None:
                    return found
        return None

    def _in_package(self, package: NpmPackage, subpath: str) -> Iterator[int | None]:
        for target in package.entries(subpath):
            yield self._entry(package, target)
        places = (subpath, f"src/{subpath}", f"lib/{subpath}") if subpath else _SOURCES
        for place in places:
            yield self._at(joined_path(package.folder, place))

    def _entry(self, package: NpmPackage, target: str) -> int | None:
        """A file that a package names, or its source when what it names is built from it."""
        path = joined_path("", target)
        if path.startswith(".."):
            return None
        found = self._file(joined_path(package.folder, path))
        if found is not None:
            return found
        parts = _ENDING.sub("", path).split("/")
        while len(parts) > 1 and parts[0] in _BUILT:
            parts.pop(0)
            for place in (["src", *parts], parts):
                found = self._file(joined_path(package.folder, "/".join(place)))
                if found is not None:
                    return found
        return None
