"""Module names ↔ files: which file does `import a.b` mean, seen from another file?

A module is known by its *stem*: its path without the ending, a package's without `/__init__`. A folder that is
not a package is a namespace package, or a root of absolute names (`src`, the repository itself, a folder of scripts).
"""

from __future__ import annotations

import sys
from collections.abc import Collection

from trackdown.graph.paths import shared_length

_ENDINGS = (".py", ".pyw", ".pyi")
_INIT = "/__init__"
_MOST_CANDIDATES = 3


class PythonModules:
    """The modules of a program."""

    def __init__(self, files: Collection[tuple[str, int]]) -> None:
        self._paths = {file: path for path, file in files}
        self._files: dict[str, int] = {}
        self._stems: dict[int, str] = {}
        self._packages: set[str] = set()
        self._inits: set[int] = set()
        self._folders: set[str] = set()
        self._roots_of: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], tuple[tuple[str, ...], bool]] = {}
        for ending in _ENDINGS:  # a module hides its stub
            for path, file in files:
                if path.endswith(ending):
                    self._add(f"/{path.removesuffix(ending)}", file)
        self._gather_roots()

    def _add(self, stem: str, file: int) -> None:
        is_package = stem.endswith(_INIT)
        stem = stem.removesuffix(_INIT)
        self._stems[file] = stem
        if is_package:
            if stem not in self._packages:
                self._files[stem] = file  # a package hides a module of the same name
            self._packages.add(stem)
            self._inits.add(file)
            self._add_folders(stem)
        else:
            self._files.setdefault(stem, file)
        self._add_folders(stem.rpartition("/")[0])

    def _add_folders(self, folder: str) -> None:
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _gather_roots(self) -> None:
        """First part of an absolute name → the folders that contain it and are not packages themselves."""
        for stem in {*self._files, *self._folders}:
            root, _, name = stem.rpartition("/")
            if root not in self._packages or not root:
                self._roots_of.setdefault(name, []).append(root)
        for roots in self._roots_of.values():
            roots.sort(key=lambda root: (root.count("/"), root))

    def file(self, stem: str) -> int | None:
        """The file of a module; None for a namespace package and a missing module."""
        return self._files.get(stem)

    def stem(self, file: int) -> str:
        """The stem of a file; empty if it cannot be imported."""
        return self._stems.get(file, "")

    def exists(self, stem: str) -> bool:
        """Whether there is such a module, package or namespace package."""
        return stem in self._files or stem in self._folders

    def folder(self, file: int) -> str:
        """The folder that `.` means in a file."""
        stem = self._stems.get(file)
        if stem is None:
            return f"/{self._paths.get(file, '')}".rpartition("/")[0]
        return stem if file in self._inits else stem.rpartition("/")[0]

    def resolve(self, file: int, module: str) -> tuple[tuple[str, ...], bool]:
        """The stems that a module's name, as written in a file, may mean; and whether that is sure."""
        folder = self.folder(file)
        key = (folder, module)
        if key not in self._found:
            self._found[key] = self._relative(folder, module) if module[0] == "." else self._absolute(folder, module)
        return self._found[key]

    def _relative(self, folder: str, module: str) -> tuple[tuple[str, ...], bool]:
        name = module.lstrip(".")
        for _ in range(len(module) - len(name) - 1):
            folder = folder.rpartition("/")[0]
        stem = f"{folder}/{name.replace('.', '/')}" if name else folder
        return ((stem,), True) if self.exists(stem) else ((), True)

    def _absolute(self, folder: str, module: str) -> tuple[tuple[str, ...], bool]:
        parts = module.replace(".", "/")
        name = parts.partition("/")[0]
        roots = [root for root in self._roots_of.get(name, ()) if self.exists(f"{root}/{parts}")]
        own = self._own_root(folder)
        around = [root for root in roots if own == root or own.startswith(f"{root}/")]
        if name in sys.stdlib_module_names:
            roots = [root for root in around if root in (own, folder)]
        elif around:
            roots = around[-1:]
        elif len(roots) > 1:
            roots = self._nearest(folder, roots)
        if roots:
            sure = len(roots) == 1 and (bool(around) or roots[0].count("/") <= 1)
            return tuple(f"{root}/{parts}" for root in roots[:_MOST_CANDIDATES]), sure
        beside = f"{folder}/{parts}"
        if beside in self._files and name not in sys.stdlib_module_names:
            return (beside,), False
        return (), True

    def _own_root(self, folder: str) -> str:
        """The folder that contains the outermost package around a file."""
        while folder in self._packages and folder:
            folder = folder.rpartition("/")[0]
        return folder

    def _nearest(self, folder: str, roots: list[str]) -> list[str]:
        """Those that share most folders with the importing one."""
        here = folder.split("/")
        shared = {root: shared_length(here, root.split("/")) for root in roots}
        best = max(shared.values())
        return [root for root in roots if shared[root] == best]
