"""Filters of a search: paths, languages, kinds and names. They are checked before the search starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trackdown.errors import UsageError
from trackdown.index import KINDS, CodeIndex, Mask, files_matching, is_letter, units_called
from trackdown.pipeline import SearchPlan
from trackdown.query import Filters
from trackdown.repository import PathPatterns
from trackdown.request import SearchRequest
from trackdown.retrieve import KINDS_OF_LEVELS
from trackdown.settings import Settings
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level
from trackdown.units import BY_NAME, TEXT, language_of

NOWHERE = "\0"
"""A folder that no path is below."""
_FILE = "file"
_WILD = re.compile(r"[*?\[]")
_LANGUAGE_ALIASES = {"c#": "csharp", "golang": "go", "shell": "bash"}
_KIND_ALIASES = {"func": "function", "fn": "function"}


def checked_languages(languages: Sequence[str]) -> tuple[str, ...]:
    """The names of languages as the index has them, without duplicates. An extension names its language, too.

    Raises UsageError for an unknown one.
    """
    return tuple(dict.fromkeys(_checked_language(name.strip().lower()) for name in languages))


def _checked_language(name: str) -> str:
    name = _LANGUAGE_ALIASES.get(name, name)
    if name in BY_NAME or name == TEXT:
        return name
    named = language_of(f"x.{name.removeprefix('.')}")
    if named not in BY_NAME:
        raise UsageError(f"unknown language {name!r}; known are {', '.join(sorted([*BY_NAME, TEXT]))}")
    return named


def checked_folder(folder: str) -> str:
    """A folder's path from the root, without outer slashes; '' for the root. Raises UsageError for one outside."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if folder.startswith("/") or ".." in parts or "\0" in folder:
        raise UsageError(f"{folder!r} is not a folder of the repository: give its path from the root, such as src/web")
    return "/".join(parts)


def checked_filters(filters: Filters) -> Filters:
    """Filters with names as the index has them. Raises UsageError for a value that can't match."""
    broken = PathPatterns([*filters.paths, *filters.without_paths]).broken
    if broken:
        raise UsageError(f"{broken[0]!r} is not a pattern of paths: write src/web, *.py, tests/ or src/**/forms.py")
    return replace(
        filters,
        languages=checked_languages(filters.languages),
        without_languages=checked_languages(filters.without_languages),
        kinds=_checked_kinds(filters.kinds),
        without_kinds=_checked_kinds(filters.without_kinds),
    )


def _checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_KIND_ALIASES.get(name.lower(), name.lower()) for name in kinds))
    for name in found:
        if name != _FILE and name not in KINDS:
            raise UsageError(f"unknown kind {name!r}; known are {', '.join(sorted([*KINDS, _FILE]))}")
    return found


def requested_filters(request: SearchRequest, settings: Settings) -> tuple[str, Filters]:
    """The folder of a request ('' if it is a pattern) and its filters, checked; patterns to exclude add to those of the
    settings. Raises UsageError.
    """
    pattern = bool(_WILD.search(request.folder))
    folder = checked_folder(request.folder)
    filters = Filters(
        paths=(f"/{folder}",) if pattern else (),
        languages=request.languages or settings.languages,
        without_paths=(*settings.exclude, *request.exclude),
    )
    return "" if pattern else folder, checked_filters(filters)


def limited(stages: SearchPlan, filters: Filters) -> SearchPlan:
    """The plan with the filters of the query. A kind or name decides what is ranked: `kind:class` ranks classes.

    Raises UsageError for values that don't go together.
    """
    if not filters:
        return stages
    level = _level(filters, stages.level)
    stages = replace(stages, level=level, filters=(*stages.filters, filters))
    if level == _FILE:
        if filters.without_kinds:
            unwanted = " ".join(f"-kind:{kind}" for kind in filters.without_kinds)
            raise UsageError(f"{unwanted} leaves out functions or classes, but files are ranked: leave it out")
        return stages
    kinds = frozenset(filters.kinds) or KINDS_OF_LEVELS[level]
    if not filters.kinds and any(map(is_letter, filters.symbols)):
        kinds |= {"window"}  # where variables are defined
    if not kinds - set(filters.without_kinds):
        unwanted = " ".join(f"-kind:{kind}" for kind in filters.without_kinds)
        raise UsageError(f"{unwanted} leaves nothing to find: leave one out, or say what to find with kind: or a level")
    return replace(stages, kinds=kinds - set(filters.without_kinds))


def _level(filters: Filters, level: Level) -> Level:
    """What to rank: the level that has the kinds, or functions and classes where a name is asked for."""
    kinds = set(filters.kinds)
    if _FILE in kinds:
        if len(kinds) > 1:
            raise UsageError("kind:file ranks whole files: leave out the other kinds, or leave it out")
        return "file"
    if kinds:
        return "function" if kinds <= FUNCTION_KINDS else "class" if kinds <= CLASS_KINDS else "symbol"
    return "symbol" if filters.symbols and level == "function" else level


def intersection(folder: str, subfolder: str) -> str:
    """The folder that is below both; NOWHERE if there is none."""
    if not folder or f"{subfolder}/".startswith(f"{folder}/"):
        return subfolder
    return folder if not subfolder or folder.startswith(f"{subfolder}/") else NOWHERE


def lies_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or below it; everything is below ''."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def files_below(code: CodeIndex, folder: str) -> Mask:
    """Which of the index's files are below a folder."""
    inside = np.zeros(len(code.file_alive), dtype=bool)
    inside[[file for path, file in code.files_by_path.items() if lies_below(path, folder)]] = True
    return inside


class PathFilter:
    """The files that an answer may show: below a folder, and not those that match an excluded pattern.

    Raises UsageError for a broken pattern.
    """

    def __init__(self, folder: str, exclude: Sequence[str]) -> None:
        self._folder = folder
        checked = checked_filters(Filters(without_paths=tuple(exclude)))
        self._excluded = PathPatterns(checked.without_paths)

    def admits(self, path: str) -> bool:
        """Whether a path may be shown."""
        return lies_below(path, self._folder) and not self._excluded.matches(path)

    def files(self, code: CodeIndex) -> Mask:
        """Which of the index's files may be shown."""
        shown = np.zeros(len(code.file_alive), dtype=bool)
        shown[[file for path, file in code.files_by_path.items() if self.admits(path)]] = True
        return shown


def settings_note(request: SearchRequest, settings: Settings) -> str:
    """What the settings kept out of an answer that is empty; '' if nothing."""
    kept_out = [*settings.exclude]
    for name, asked in (
        ("tests", request.tests),
        ("generated", request.generated),
        ("third_party", request.third_party),
    ):
        if asked is None and not getattr(settings, name):
            kept_out.append(name.replace("_", "-"))
    said = [f"leave out {', '.join(kept_out)}"] if kept_out else []
    if settings.languages and not request.languages:
        said.append(f"search only {', '.join(settings.languages)}")
    return f"the settings {' and '.join(said)} (`trackdown config` says where they come from)" if said else ""


def filter_notes(
    code: CodeIndex, stages: SearchPlan, folder: str, typed: Filters, valueless: Sequence[str] = ()
) -> list[str]:
    """Notes about the filters in the query, about those that lack a value, and about filters that match nothing."""
    notes = [f"{prefix} is searched for as a word: a filter has its value behind the colon" for prefix in valueless]
    notes += [f"filters in the query: {typed} (quote them to search for them as words)"] if typed else []
    languages = [name for filters in stages.filters for name in filters.languages]
    missing = [name for name in dict.fromkeys(languages) if name not in code.languages()]
    if missing:
        notes.append(f"no indexed file is in {', '.join(missing)}")
    if folder and not any(lies_below(path, folder) for path in code.files_by_path):
        notes.append(f"no indexed file is below {folder}")
    for pattern in (pattern for filters in stages.filters for pattern in filters.paths):
        if not files_matching(code, [pattern]).any():
            hint = "" if _WILD.search(pattern) else f": *{pattern.strip('/')}* also matches parts of names"
            notes.append(f"no indexed file matches {pattern.removeprefix('/')}{hint}")
    excluded = [pattern for filters in stages.filters for pattern in filters.without_paths]
    if excluded and code.files_by_path and files_matching(code, excluded)[list(code.files_by_path.values())].all():
        notes.append(f"every indexed file is excluded by {', '.join(excluded)}")
    for name in (name for filters in stages.filters for name in filters.symbols):
        if not units_called(code, [name]).any():
            notes.append(f"no function or class is called {name}: {name}* matches the beginning of a name")
    return notes
