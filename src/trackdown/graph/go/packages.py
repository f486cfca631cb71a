"""Go's packages: which folder an import means, and what the files of a package declare together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trackdown.graph.file_scopes import MODULE_SCOPE, FileScopes
from trackdown.graph.paths import joined_path
from trackdown.graph.program import Definition, Program
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS
from trackdown.units.references import usual_name

_MODULE = re.compile(r'^[ \t]*module\s+"?([^\s"]+)"?', re.M)
_TEST = "_test.go"
_HOSTED = 3
"""`github.com/owner/repository`: the parts of a path before a folder, where no go.mod says it."""


class GoFile(FileScopes):
    """One Go file: its folder, its package, and its imports."""

    def __init__(self, program: Program, file: int) -> None:
        super().__init__(program, file)
        self.is_test = self.path.endswith(_TEST)
        self.dots = [one.module for one in self.references.imports if one.name == "*"]
        self.named = {one.alias: one.module for one in self.references.imports if one.alias}


class GoPackage:
    """What the files of a folder with one package clause declare together.

    Names of functions, types and methods lead to definitions. Variables, and types without a unit, lead to the file and
    the chain that says what they are.
    """

    def __init__(self, files: Sequence[GoFile]) -> None:
        self.files = files
        self.top: dict[str, list[Definition]] = {}
        self.methods: dict[str, dict[str, list[Definition]]] = {}
        self.types: dict[str, list[Definition]] = {}
        self.values: dict[str, list[tuple[int, str]]] = {}
        for each in files:
            for one in each.definitions:
                if one.kind in CLASS_KINDS:
                    self.types.setdefault(one.symbol, []).append(one)
                elif one.kind == "method":
                    self.methods.setdefault(one.owner, {}).setdefault(one.name, []).append(one)
                if not one.owner:
                    self.top.setdefault(one.name, []).append(one)
            for name, chains in each.bindings.get(MODULE_SCOPE, {}).items():
                self.values.setdefault(name, []).extend((each.file, chain) for chain in chains)


class GoPackages:
    """Finds packages, each once."""

    def __init__(self, sources: Sources[GoFile]) -> None:
        self.file = sources.scopes
        self._sources = sources
        self._packages: dict[tuple[str, str], GoPackage] = {}
        self._imported: dict[tuple[str, str], str | None] = {}
        self._names: dict[int, dict[str, str]] = {}
        self._folders: dict[str, list[int]] = {}
        self._modules: list[tuple[str, str]] = []
        for path, file in sources.program.files.items():
            folder, _, filename = path.rpartition("/")
            if filename.endswith(".go") and not is_vendored(folder):
                self._folders.setdefault(folder, []).append(file)
            elif filename == "go.mod" and not is_vendored(folder):
                found = _MODULE.search(sources.program.text(path) or "")
                if found:
                    self._modules.append((found.group(1), folder))
        self._modules.sort(key=lambda module: (-len(module[0]), module[1]))

    def package(self, folder: str, name: str) -> GoPackage:
        """The package of a name in a folder. A folder's tests may have one of their own (`cart_test`)."""
        key = (folder, name)
        if key not in self._packages:
            self._packages[key] = GoPackage([file for file in self._within(folder) if file.package == name])
        return self._packages[key]

    def _within(self, folder: str) -> list[GoFile]:
        files = sorted(self._folders.get(folder, ()))
        self._sources.expect(files)
        return [self.file(file) for file in files]

    def clause(self, folder: str) -> str:
        """The name under which a folder's package is imported."""
        files = self._within(folder)
        said = [file.package for file in files if not file.is_test] or [file.package for file in files]
        usual = usual_name(folder)
        return usual if usual in said else next((name for name in said if name != "main"), "main")

    def folder(self, path: str, near: str) -> str | None:
        """The folder that an import path means; None if it is outside the program. `near` is the importing folder."""
        key = (path, near if path.startswith(".") else "")
        if key not in self._imported:
            self._imported[key] = self._find_folder(path, near)
        return self._imported[key]

    def _find_folder(self, path: str, near: str) -> str | None:
        if path.startswith("."):
            return self._existing("/".join((near, path)))
        for module, root in self._modules:
            if path == module or path.startswith(f"{module}/"):
                return self._existing(f"{root}/{path[len(module) :]}")
        if self._modules or "." not in path.split("/")[0]:
            return None
        return self._existing("/".join(path.split("/")[_HOSTED:]))  # from before Go had modules

    def _existing(self, path: str) -> str | None:
        folder = joined_path("", path)
        return folder if folder in self._folders else None

    def imported(self, here: GoFile) -> dict[str, str]:
        """The names of the packages that a file imports from the program, with their folders."""
        if here.file not in self._names:
            names: dict[str, str] = {}
            for alias, path in here.named.items():
                folder = self.folder(path, here.folder)
                if folder is not None:
                    usual = alias == usual_name(path)
                    names[self.clause(folder) if usual else alias] = folder
            self._names[here.file] = names
        return self._names[here.file]

    def visible(self, found: Sequence[Definition], here: GoFile, folder: str) -> tuple[Definition, ...]:
        """Definitions without those of tests, unless the file is a test in the same folder."""
        if here.is_test and here.folder == folder:
            return tuple(found)
        return tuple(one for one in found if not self.file(one.file).is_test)


def is_vendored(folder: str) -> bool:
    """Whether a folder contains copies of other projects."""
    return "vendor" in folder.split("/")
