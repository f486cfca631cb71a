"""The only reader of environment variables and of the user's TOML file.

Precedence: an argument of the call, then TRACKDOWN_* variables, then what the searched repository may say in its
`.trackdown.toml` (project_file.py), then the user's `trackdown/config.toml` in the configuration folder, then the
defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError
from trackdown.plain_files import read_plain
from trackdown.settings.conversion import convert
from trackdown.settings.values import Origin, Settings, cache_folder, setting_names, variable_of


def load_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read the settings. Raises UsageError for an invalid value, with its origin."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    config = user_file(environment)
    for key, value in _read_table(config).items():
        values[key], origins[key] = convert(key, value, str(config)), "user file"
    for name in setting_names():
        variable = variable_of(name)
        if environment.get(variable, "") != "":
            values[name], origins[name] = convert(name, environment[variable], variable), "environment"
    for key, value in overrides.items():
        if value is not None:
            values[key], origins[key] = value, "command line"
    if values.get("store", Path()) == Path():
        values["store"] = cache_folder(environment)
        origins["store"] = "default"
    return Settings(**values, origins=tuple(origins.items()))


def user_file(environment: Mapping[str, str] | None = None) -> Path:
    """Where the user's own settings are, whether the file exists or not."""
    environment = os.environ if environment is None else environment
    folder = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "trackdown" / "config.toml"


def _read_table(config: Path) -> dict[str, Any]:
    """The user's file; empty if there is none."""
    try:
        text = read_plain(config).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {config}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"cannot read {config}: {error}") from None
    import tomllib  # most users have no file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"cannot read {config}: {error}") from None
