"""The repository that is asked about, its own settings, and the tokens for its issue tracker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trackdown.engine.health.health_check import HealthCheck
from trackdown.engine.project_settings import describe_project_file, project_settings, source_of
from trackdown.errors import ProjectFileError, TrackdownError
from trackdown.repository import Source, read_root_file
from trackdown.settings import MAX_PROJECT_FILE_BYTES, PROJECT_FILE, Settings, setting_names, tracker_variables
from trackdown.trackers import token_variables


def check_repository(place: str, settings: Settings) -> Iterator[HealthCheck]:
    """Check what is at a path, and its settings file. Indexes nothing."""
    try:
        source = source_of(place, settings)
        commit = source.head()
    except TrackdownError as error:
        yield HealthCheck("repository", "problem", str(error), "name another folder or repository")
        return
    kind = {"worktree": "a working tree", "bare": "a bare repository", "folder": "a plain folder"}[source.kind]
    found = f"{source.root}, {kind}" + (f" at {commit[:10]}" if commit else " without commits")
    if source.shallow:
        yield HealthCheck("repository", "warning", f"{found}; its history is cut", "run `git fetch --unshallow`")
    elif source.partial:
        yield HealthCheck("repository", "warning", f"{found}; objects are missing", "run `git fetch --refetch`")
    else:
        yield HealthCheck("repository", "ok", found)
    yield _settings_file(source, settings)


def _settings_file(source: Source, settings: Settings) -> HealthCheck:
    where = describe_project_file(source)
    try:
        found = project_settings(source, settings)
    except ProjectFileError as error:
        hint = "correct the file, or set TRACKDOWN_PROJECT_FILE=no to search without it"
        return HealthCheck("settings file", "problem", str(error), hint)
    except TrackdownError as error:
        return HealthCheck("settings file", "problem", str(error), "correct the setting that it names")
    if not settings.project_file:
        return HealthCheck("settings file", "ok", "not obeyed (project_file is no)")
    names = [name for name in setting_names() if found.origin(name) == "project file"]
    if not names and read_root_file(source, PROJECT_FILE, None, MAX_PROJECT_FILE_BYTES) is None:
        return HealthCheck("settings file", "ok", f"the repository has no {PROJECT_FILE}")
    said = f"{where} sets {', '.join(names)}" if names else f"{where} sets nothing"
    return HealthCheck("settings file", "ok", said)


def check_trackers(variables: Mapping[str, str] | None = None) -> Iterator[HealthCheck]:
    """Which tokens of issue trackers are set. Shows none of them, and asks nobody."""
    variables = tracker_variables() if variables is None else variables
    for host, names in token_variables().items():
        given = [name for name in names if variables.get(name)]
        found = f"{', '.join(given)} is set" if given else f"no token (set {' or '.join(names[:2])})"
        yield HealthCheck(f"tracker {host}", "ok", found)
