"""Which names Rust sees: modules are files, found by their paths; `use` and `pub use` are followed from file to file.

A module's private names count as visible: what does not compile is not there. Names that a macro hides (tokio's
`cfg_rt! { pub use … }`) are looked for in the files below the module, where one definition is left to choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.paths import joined_path
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, OUTSIDE, Link, Resolved, import_link, resolved
from trackdown.graph.scoped.rules import COMMON_NAMES, Rules
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import MACRO, Export, Import

_ROOTS = ("lib.rs", "main.rs")
_OWN_ROOTS = ("tests", "examples", "benches", "bin")
"""Folders in which every file is a crate of its own."""
_PACKAGE_NAME = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.M | re.S)
_KEYWORDS = ("self", "crate", "super", "mod")
_MOST_STEPS = 60
_MOST_MODULES = 100


class RustRules(Rules):
    """Modules are the numbers of their files."""

    common_names = COMMON_NAMES | frozenset(
        "as_mut as_ref as_str borrow borrow_mut deref drain fetch_add for_each from_str into into_iter is_empty is_err "
        "is_none is_ok is_pending is_ready is_some retain then_some to_string to_vec try_from try_into wake_by_ref "
        "will_wake".split()
    )
    same_value = frozenset(
        "unwrap expect unwrap_or_default clone cloned copied as_ref as_mut as_deref borrow borrow_mut to_owned lock "
        "read write get get_mut take ok into map_err ok_or ok_or_else or_else await iter iter_mut into_iter as_ptr "
        "get_ref into_inner then".split()
    )
    gives_element = frozenset(
        "first last pop get get_mut next front back unwrap expect find remove pop_front pop_back first_mut "
        "last_mut".split()
    )
    gives_container = frozenset(
        "iter iter_mut into_iter values values_mut filter rev drain skip take clone to_vec lock borrow as_slice read "
        "write".split()
    )

    implicit_self = False
    all_bound = True

    def __init__(self, sources: Sources[FileScopes]) -> None:
        super().__init__(sources)
        self._known: dict[tuple[int, str, frozenset[str]], Resolved] = {}
        self._walked: dict[tuple[int, str], int | None] = {}

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a name means: within its enclosing definitions, in the file, or imported by `use`."""
        own = self.nested(scopes, unit, name, kinds)
        if own:
            return resolved(own)
        seen = self._offered(scopes.file, name, kinds)
        if seen.definitions:
            return seen
        brings_in = scopes.aliases.get(name, ())
        return OUTSIDE if brings_in and all(self._module(scopes, one) is None for one in brings_in) else NOWHERE

    def macro(self, scopes: FileScopes, name: str) -> Resolved:
        """A macro of the file, of its crate, or of any."""
        named = self.sources.named(name)
        self.sources.expect(one.file for one in named)
        macros = [
            one
            for one in named
            if not one.owner and Export(name, "", MACRO) in self.sources.scopes(one.file).exports.get(name, ())
        ]
        here = [one for one in macros if one.file == scopes.file]
        crate = _crate_folder(scopes.path)
        near = here or [one for one in macros if _crate_folder(self.sources.program.path(one.file)) == crate] or macros
        return resolved(near, sure=bool(here)) if near else OUTSIDE

    def owned(self, scopes: FileScopes, head: str, name: str) -> Resolved:
        """A function of a type that a macro defines (`pin_project! { struct … }`), by the type's name."""
        type_ = head.rpartition(".")[2]
        if not type_[:1].isupper() or self._is_foreign(scopes, head.partition(".")[0]):
            return NOWHERE
        owned = [one for one in self.sources.owned(name, type_) if one.kind in FUNCTION_KINDS]
        return resolved(owned, sure=False) if len(owned) == 1 else NOWHERE

    def _is_foreign(self, scopes: FileScopes, first: str) -> bool:
        """Whether a first name comes from another crate."""
        modules = [one.module.split("::", 1)[0] for one in scopes.aliases.get(first, ())] or [first]
        known = ("crate", "self", "super", "mod", "Self")
        return not any(
            part in known or part in self._crates or part[:1].isupper() or self._child(scopes.file, part) is not None
            for part in modules
        )

    # Modules

    def space(self, scopes: FileScopes, name: str) -> int | None:
        """The file of a module."""
        if name in ("mod", "self"):
            return scopes.file
        if name == "crate":
            return self._root(scopes.file)
        if name == "super":
            return self._parent(scopes.file)
        return self._walk(scopes, name) if name else None

    def below(self, space: int, name: str) -> int | None:
        """A module in a module."""
        return self._next(space, name, [_MOST_STEPS])

    def inside(self, space: int, name: str, kinds: frozenset[str]) -> Resolved:
        """What a module offers under a name."""
        seen = self._offered(space, name, kinds)
        return seen if seen.definitions else self._beneath(space, name, kinds)

    def _offered(self, file: int, name: str, kinds: frozenset[str]) -> Resolved:
        """The definitions of a file and its imports, including globs."""
        key = (file, name, kinds)
        if key not in self._known:
            self._known[key] = self._search(file, name, kinds, set())
        return self._known[key]

    def _search(self, file: int, name: str, kinds: frozenset[str], seen: set[tuple[int, str]]) -> Resolved:
        if (file, name) in seen or len(seen) >= _MOST_MODULES:
            return NOWHERE
        seen.add((file, name))
        scopes = self.sources.scopes(file)
        own = scopes.at(name, kinds)
        if own:
            return resolved(own)
        for local in scopes.local_names(name):
            aliased = self._search(file, local, kinds, seen)
            if aliased.definitions:
                return aliased
        for one in scopes.aliases.get(name, ()):
            brought = self._brought(scopes, one, kinds, seen) if one.name else NOWHERE
            if brought.definitions:
                return brought
        for one in scopes.stars:
            module = self._walk(scopes, one.module)
            brought = self._search(module, name, kinds, seen) if module is not None else NOWHERE
            if brought.definitions:
                return brought
        return NOWHERE

    def _brought(self, scopes: FileScopes, one: Import, kinds: frozenset[str], seen: set[tuple[int, str]]) -> Resolved:
        """What an import brings in, though a macro may hide it."""
        module = self._walk(scopes, one.module)
        if module is None:
            return NOWHERE
        brought = self._search(module, one.name, kinds, seen)
        return brought if brought.definitions else self._beneath(module, one.name, kinds)

    def _module(self, scopes: FileScopes, one: Import) -> int | None:
        """The module that an import imports; None if it imports something else."""
        module = self._walk(scopes, one.module)
        return self._child(module, one.name) if module is not None and one.name else module

    def _walk(self, scopes: FileScopes, path: str) -> int | None:
        """The file of a module by its path, as it is written in a file."""
        key = (scopes.file, path)
        if key not in self._walked:
            self._walked[key] = self._step_along(scopes, path, [_MOST_STEPS])
        return self._walked[key]

    def _step_along(self, scopes: FileScopes, path: str, budget: list[int]) -> int | None:
        if path.startswith("./"):
            return self.sources.paths.get(joined_path(scopes.folder, path))
        first, *others = path.split("::")
        at = self.space(scopes, first) if first in _KEYWORDS else self._next(scopes.file, first, budget)
        if at is None:
            at = self._crates.get(first)
        for part in others:
            at = self._next(at, part, budget) if at is not None else None
        return at

    def _next(self, file: int, part: str, budget: list[int]) -> int | None:
        """A module in a module: a file of its own, a part of its file, or an imported one."""
        if part in ("super", "self"):
            return self._parent(file) if part == "super" else file
        child = self._child(file, part)
        budget[0] -= 1
        if child is not None or budget[0] <= 0:
            return child
        scopes = self.sources.scopes(file)
        if Export(part, "", "self") in scopes.exports.get(part, ()):
            return file
        for one in scopes.aliases.get(part, ()):
            if one.module.split("::", 1)[0] == part and one.name in ("", part):
                continue  # `use a::a` and `use a`: the name would lead back here
            module = self._step_along(scopes, one.module, budget)
            module = self._child(module, one.name) if module is not None and one.name else module
            if module is not None:
                return module
        return None

    # Files

    def _child(self, file: int, name: str) -> int | None:
        paths, path = self.sources.paths, self.sources.program.path(file)
        folder = _module_folder(path)
        for candidate in (f"{folder}{name}.rs", f"{folder}{name}/mod.rs"):
            if candidate in paths:
                return paths[candidate]
        for one in self.sources.scopes(file).aliases.get(name, ()):
            if one.module.startswith("./"):
                return paths.get(joined_path(path.rpartition("/")[0], one.module))
        return None

    def _parent(self, file: int) -> int | None:
        paths, path = self.sources.paths, self.sources.program.path(file)
        folder, _, filename = path.rpartition("/")
        if filename == "mod.rs":
            folder = folder.rpartition("/")[0]
        elif _is_root(path):
            return None
        inside = f"{folder}/" if folder else ""
        for candidate in (f"{inside}mod.rs", f"{inside}lib.rs", f"{inside}main.rs", f"{folder}.rs"):
            if candidate in paths and candidate != path:
                return paths[candidate]
        return None

    def _root(self, file: int) -> int:
        for _ in range(32):
            above = self._parent(file)
            if above is None:
                break
            file = above
        return file

    @cached_property
    def _crates(self) -> dict[str, int]:
        """The crates of the program by name."""
        crates: dict[str, int] = {}
        for path, file in self.sources.paths.items():
            if path.endswith("src/lib.rs"):
                folder = path[: -len("src/lib.rs")]
                written = _PACKAGE_NAME.search(self.sources.program.text(f"{folder}Cargo.toml") or "")
                name = written.group(1) if written else folder.rstrip("/").rpartition("/")[2]
                crates.setdefault(name.replace("-", "_"), file)
        return crates

    def _beneath(self, space: int, name: str, kinds: frozenset[str]) -> Resolved:
        """The one definition of a name at the top of the files below a module."""
        folder = _module_folder(self.sources.program.path(space))
        path = self.sources.program.path
        named = self.sources.named(name)
        here = [one for one in named if one.kind in kinds and not one.owner and path(one.file).startswith(folder)]
        return resolved(here, sure=False) if len(here) == 1 else NOWHERE

    # Imports

    def imports(self, scopes: FileScopes) -> Iterator[Link]:
        """`use` leads to the definition or module, `mod` to its file."""
        for one in scopes.references.imports:
            module = self._walk(scopes, one.module)
            if module is None:
                continue
            if not one.name or one.name == "*":
                targets: list[Definition | int] = [module]
                sure = True
            else:
                seen = self.inside(module, one.name, CLASS_KINDS | FUNCTION_KINDS)
                below = self.below(module, one.name)
                targets = [*seen.definitions] if seen.how == "exact" or below is None else []
                targets += [below] if below is not None else []
                sure = seen.how == "exact"
            for target in targets:
                if target != scopes.file:
                    yield import_link(target, sure or not isinstance(target, Definition))


def _crate_folder(path: str) -> str:
    head, source, _ = f"/{path}".rpartition("/src/")
    return head if source else path.split("/", 1)[0]


def _is_root(path: str) -> bool:
    parts = path.split("/")
    return parts[-1] in _ROOTS or (len(parts) > 1 and parts[-2] in _OWN_ROOTS and parts[-1] != "mod.rs")


def _module_folder(path: str) -> str:
    """The folder of a module's own modules, with its slash."""
    folder, _, filename = path.rpartition("/")
    inside = f"{folder}/" if folder else ""
    if filename == "mod.rs" or _is_root(path):
        return inside
    return f"{inside}{filename.removesuffix('.rs')}/"
