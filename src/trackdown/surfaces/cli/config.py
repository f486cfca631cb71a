"""`trackdown config`: every setting, its value, and where that comes from."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from trackdown.errors import NoSuchPath, UsageError
from trackdown.settings import (
    PROJECT_FILE,
    PROJECT_SETTINGS,
    SECRETS,
    Settings,
    closest,
    default_of,
    help_of_setting,
    load_settings,
    setting_names,
    user_file,
    variable_of,
)
from trackdown.surfaces.cli.llm_options import llm_overrides
from trackdown.surfaces.cli.options import at_option, format_option, print_json
from trackdown.surfaces.cli.terminal_text import one_line

EXAMPLES = """\b
Examples:
  trackdown config
  trackdown config weight_dense
  trackdown config ~/src/flask --at 2.3.0
  trackdown config exclude ~/src/flask --format json
"""


_PASSWORD = re.compile(r"://[^/\s]*@")
"""A name and a password in a URL."""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting as it is shown. `value` and `default` are None for a secret; `is_set` says whether it has a value."""

    name: str
    value: Any
    is_set: bool
    origin: str
    where: str
    default: Any
    help: str
    variable: str
    project: bool

    @property
    def text(self) -> str:
        """The value in words."""
        if self.name in SECRETS:
            return "set, not shown" if self.is_set else "not set"
        return _in_words(self.value)


@click.command(epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="[SETTING] [PATH]")
@at_option
@click.option("--llm", metavar="PLACE", help="As with search: the language model.")
@click.option("--llm-model", metavar="NAME", help="As with search: the endpoint's model.")
@format_option
def command(arguments: tuple[str, ...], at: str | None, llm: str | None, llm_model: str | None, style: str) -> None:
    """Show every setting with its value and where that comes from, or the one that is named.

    A value comes from the first of these that has it: the command line, the environment variable, the project's
    .trackdown.toml, your own file, the default. Secrets are never shown. PATH is a folder, a repository or a git URL;
    it defaults to the current folder. If a folder is named like a setting, write ./NAME.
    """
    from trackdown.engine import settings_of

    name, place = _named(arguments)
    loaded = load_settings(**llm_overrides(llm, llm_model, dry_run=False))
    try:
        settings, project = settings_of(place, loaded, at)
    except NoSuchPath as error:
        meant = "" if os.sep in place else closest(place, setting_names())
        raise NoSuchPath(f"{error}; is it a setting? did you mean {meant}?" if meant else str(error)) from None
    rows = [_row(settings, one, project) for one in setting_names() if name in (None, one)]
    if style == "json":
        shown = [_as_json(row) for row in rows]
        files = {"project": project, "user": str(user_file())}
        print_json(shown[0] if name is not None else {"settings": shown, "files": files})
    elif name is not None:
        _print_one(rows[0])
    else:
        _print_all(rows, settings, project)


def _named(arguments: tuple[str, ...]) -> tuple[str | None, str]:
    """The setting and the path that are named. Raises UsageError if there are several of either."""
    names = [argument for argument in arguments if argument in setting_names()]
    places = [argument for argument in arguments if argument not in setting_names()]
    if len(names) > 1 or len(places) > 1:
        raise UsageError("give at most one setting and one path, e.g. trackdown config weight_dense ~/src/flask")
    return (names[0] if names else None), (places[0] if places else ".")


def _row(settings: Settings, name: str, project: str) -> SettingRow:
    value, default, origin = getattr(settings, name), default_of(name), settings.origin(name)
    places = {"environment": variable_of(name), "project file": project, "user file": str(user_file())}
    secret = name in SECRETS
    return SettingRow(
        name,
        None if secret else value,
        bool(value) if secret else True,
        origin,
        places.get(origin, ""),
        None if secret else default,
        help_of_setting(name),
        variable_of(name),
        name in PROJECT_SETTINGS,
    )


def _as_json(row: SettingRow) -> dict[str, Any]:
    values = {name: _plain(getattr(row, name)) for name in ("value", "default")}
    return {
        "name": row.name,
        **values,
        **({"set": row.is_set} if row.name in SECRETS else {}),
        "origin": row.origin,
        "where": row.where,
        "variable": row.variable,
        "project": row.project,
        "help": row.help,
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it; a path that is not set is empty."""
    if isinstance(value, Path):
        return "" if value == Path() else str(value)
    if isinstance(value, str):
        return _PASSWORD.sub("://…@", value)
    return list(value) if isinstance(value, tuple) else value


def _in_words(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return one_line(", ".join(value)) or "none"
    return f"{value:g}" if isinstance(value, float) else one_line(str(value)) or "not set"


def _print_all(rows: list[SettingRow], settings: Settings, project: str) -> None:
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{row.name:<{width}}  {row.origin:<12}  {row.text}")
    used = any(row.origin == "project file" for row in rows)
    ignored = "" if settings.project_file else " (not obeyed: project_file is no)"
    print()
    print(f"project file: {one_line(project)}{ignored or ('' if used else ' (sets nothing)')}")
    print(f"user file:    {one_line(str(user_file()))}{'' if user_file().exists() else ' (not there)'}")


def _print_one(row: SettingRow) -> None:
    also = f" or {PROJECT_FILE}" if row.project else ""
    lines = {
        "setting": f"{row.name}: {row.help}",
        "value": row.text,
        "from": f"{row.origin}{f' ({one_line(row.where)})' if row.where else ''}",
        "default": "not set" if row.name in SECRETS else _in_words(row.default),
        "set it in": f"{row.variable}, {one_line(str(user_file()))}{also}",
    }
    for name, value in lines.items():
        print(f"{name + ':':<10} {value}")
