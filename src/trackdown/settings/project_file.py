"""What a repository says about its own search: `.trackdown.toml`.

It comes with the repository and is not trusted. It may say which files answers leave out and how they are ranked, and
nothing else: no model, path, host, key or budget. What the user said on the command line or in the environment
outweighs it; it outweighs the user's file, which is about all repositories.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trackdown.errors import ProjectFileError, UsageError
from trackdown.settings.conversion import check_name, convert
from trackdown.settings.values import PROJECT_SETTINGS, Origin, Settings, variable_of

PROJECT_FILE = ".trackdown.toml"
MAX_PROJECT_FILE_BYTES = 16 * 1024
_STRONGER: tuple[Origin, ...] = ("environment", "command line")


def with_project_file(settings: Settings, data: bytes, where: str) -> Settings:
    """The settings with what a repository's file says, except where the user has said otherwise.

    `where` names the file in errors; servers show them, so it should not say in which folder it is. Raises
    ProjectFileError for a file that is too large or cannot be parsed, and for a setting that is unknown, refused or
    invalid.
    """
    try:
        values = {name: _converted(name, value, where) for name, value in _table(data, where).items()}
    except UsageError as error:
        raise ProjectFileError(str(error)) from None
    taken = {name: value for name, value in values.items() if settings.origin(name) not in _STRONGER}
    origins: dict[str, Origin] = dict(settings.origins)
    for name in taken:
        origins[name] = "project file"
    return replace(settings, **taken, origins=tuple(origins.items()))


def _table(data: bytes, where: str) -> dict[str, Any]:
    if len(data) > MAX_PROJECT_FILE_BYTES:
        raise UsageError(f"{where} is larger than {MAX_PROJECT_FILE_BYTES // 1024} KB: it is not read")
    import tomllib  # most repositories have no file

    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{where} is not UTF-8 text: write it as TOML, e.g. exclude = ['vendor/']") from None
    except RecursionError:
        raise UsageError(f"{where} is nested too deeply: its settings are not nested at all") from None
    except ValueError as error:
        raise UsageError(f"{where} cannot be parsed as TOML: {str(error)[:200]}") from None


def _converted(name: str, value: object, where: str) -> Any:
    check_name(name, where)
    if name not in PROJECT_SETTINGS:
        raise UsageError(
            f"{where}: a repository may not set {name}; set {variable_of(name)}, or {name} in your own config.toml"
        )
    return convert(name, value, where)
