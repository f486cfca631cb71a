"""The files and definitions of one family of languages, each looked up once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.program import Definition, Program

Scopes = TypeVar("Scopes", bound=FileScopes)


class Sources(Generic[Scopes]):
    """A program's files as `make` arranges them, and its definitions by name, of some languages."""

    def __init__(self, program: Program, languages: frozenset[str], make: Callable[[Program, int], Scopes]) -> None:
        self.program = program
        self.languages = languages
        self._make = make
        self._scopes: dict[int, Scopes] = {}
        self._named: dict[str, tuple[Definition, ...]] = {}
        self._by_owner: dict[str, dict[str, list[Definition]]] = {}

    def scopes(self, file: int) -> Scopes:
        """A file."""
        found = self._scopes.get(file)
        if found is None:
            found = self._scopes[file] = self._make(self.program, file)
        return found

    def expect(self, files: Iterable[int]) -> None:
        """Get the references of several files together, as they will be needed."""
        missing = {file for file in files if file not in self._scopes}
        if len(missing) > 1:
            self.program.expect(missing)

    def named(self, name: str) -> tuple[Definition, ...]:
        """All definitions with a last name."""
        if name not in self._named:
            found = self.program.named(name)
            self._named[name] = tuple(one for one in found if self.program.language(one.file) in self.languages)
        return self._named[name]

    def owned(self, name: str, owner: str) -> Sequence[Definition]:
        """The definitions with a last name whose owner has a last name."""
        if name not in self._by_owner:
            by_owner: dict[str, list[Definition]] = {}
            for one in self.named(name):
                by_owner.setdefault(one.owner.rpartition(".")[2], []).append(one)
            self._by_owner[name] = by_owner
        return self._by_owner[name].get(owner, ())

    @cached_property
    def paths(self) -> dict[str, int]:
        """The files by path."""
        files = self.program.files
        return {path: file for path, file in files.items() if self.program.language(file) in self.languages}

    @cached_property
    def by_filename(self) -> dict[str, list[str]]:
        """The paths by their last part."""
        by_filename: dict[str, list[str]] = {}
        for path in self.paths:
            by_filename.setdefault(path.rpartition("/")[2], []).append(path)
        return by_filename
