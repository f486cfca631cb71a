"""Code to compare, read once from a file or from standard input: tokens, names, tree and data flow."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.lab.measure.style.dataflow import Flow, dataflow
from trackdown.lab.measure.style.syntax import Token, Tree, calls, tokens, tree, variables
from trackdown.repository import decode_text, reason_to_skip
from trackdown.units import BY_NAME, TEXT, UNCERTAIN, language_of, language_of_content, syntax_tree


class SnippetNames(NamedTuple):
    """The names of a piece of code, each once. Variables are cut at `_`: `num_set` counts as `num` and `set`."""

    variables: frozenset[str]
    calls: frozenset[str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a piece of code holds. `flaw` is the line (from 1) where its grammar first failed to read it, or 0."""

    language: str
    tokens: tuple[Token, ...]
    names: SnippetNames
    tree: Tree
    flows: tuple[Flow, ...]
    flaw: int


def read_snippet(text: str, language: str, name: str = "the code") -> Snippet:
    """Read code, which errors call `name`. Raises UsageError for a language without a grammar and where no code is."""
    root = _root(text, language, name)
    found = tokens(root)
    if not found:
        raise UsageError(f"{name} has no code: only white space and comments")
    return Snippet(language, found, _names(root), tree(root), dataflow(root), _flaw(root))


def read_names(text: str, language: str) -> SnippetNames:
    """The names alone, of which code without any has none. Raises UsageError for a language without a grammar."""
    return _names(_root(text, language, "the code"))


def _names(root: Node) -> SnippetNames:
    words = (name.strip("_").split("_") if name.strip("_") else [name] for name in variables(root).values())
    return SnippetNames(frozenset(word for parts in words for word in parts if word), calls(root))


def _root(text: str, language: str, name: str) -> Node:
    if language not in BY_NAME:
        raise UsageError(f"{name}: no grammar for {language!r}; there are {', '.join(sorted(BY_NAME))}")
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    return syntax_tree(source.encode("utf-8", "replace"), language)


def _flaw(root: Node) -> int:
    """The first line that could not be read, or 0."""
    if not root.has_error:
        return 0
    node = root
    while not (node.is_error or node.is_missing):
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node.start_point[0] + 1


STANDARD_INPUT = "-"
_LARGEST = 1 << 18


@dataclass(frozen=True, slots=True)
class CodeSource:
    """The text of a file, what it is called, and the language that its name or its first line tells; or nothing."""

    name: str
    text: str
    language: str


def check_packages() -> None:
    """Raise UsageError, with what to install, where the packages that count edits and n-grams are missing."""
    try:
        import rapidfuzz  # noqa: F401
        import sacrebleu  # noqa: F401
    except ImportError:
        raise UsageError(f"comparing style needs rapidfuzz and sacrebleu: {install_hint('lab')}") from None


def read_source(place: str) -> CodeSource:
    """A file, or standard input for `-`. Raises UsageError when it cannot be read, is not text, empty or too large."""
    name = "standard input" if place == STANDARD_INPUT else place
    try:
        data = sys.stdin.buffer.read(_LARGEST + 1) if place == STANDARD_INPUT else _head(Path(place))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _LARGEST:
        raise UsageError(f"{name} is larger than {_LARGEST >> 10} KiB: compare functions, or files of usual size")
    text = decode_text(data)
    if text is None:
        raise UsageError(f"{name} is not text: it looks like a binary file")
    if not text.strip():
        raise UsageError(f"{name} is empty")
    return CodeSource(name, text, _language(place, data))


def one_language(sources: tuple[CodeSource, CodeSource], asked: str | None) -> str:
    """The language of both. Raises UsageError when it has no grammar, when they differ, and when nothing tells it."""
    known = ", ".join(sorted(BY_NAME))
    if asked is not None:
        if asked not in BY_NAME:
            raise UsageError(f"no grammar for {asked!r}: there are {known}")
        return asked
    found = {source.language: source.name for source in sources if source.language}
    if not found:
        names = " and ".join(dict.fromkeys(source.name for source in sources))
        raise UsageError(f"cannot tell the language of {names}: give --language, one of {known}")
    if len(found) > 1:
        both = " and ".join(f"{name} is {language}" for language, name in found.items())
        raise UsageError(f"{both}: only code of one language can be compared; --language says that both are in one")
    return next(iter(found))


def corpus_names(folder: Path, language: str) -> Iterator[SnippetNames]:
    """The names in every file of a language below a folder, without hidden ones. Raises UsageError if there is none."""
    if not folder.is_dir():
        raise UsageError(f"the corpus {folder} is not a folder")
    read = 0
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or language_of(path.name) != language or not path.is_file():
            continue
        try:
            data = _head(path)
        except OSError:
            continue
        text = None if reason_to_skip(data, language, _LARGEST) else decode_text(data)
        if text is not None:
            read += 1
            yield read_names(text, language)
    if not read:
        raise UsageError(f"the corpus {folder} has no file in {language}")


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_LARGEST + 1)


def _language(place: str, data: bytes) -> str:
    """What the name tells, or the first line; empty when neither does."""
    told = UNCERTAIN if place == STANDARD_INPUT else language_of(place)
    found = language_of_content(data) if told == UNCERTAIN else told
    return "" if found == TEXT else found
