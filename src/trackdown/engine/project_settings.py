"""The settings that apply to one repository: the process's own, and what the repository's `.trackdown.toml` may add.

The file is read anew for every question, from the state that the question is about: from the disk, or from the commit
that is searched. It changes what answers show, never what is indexed, so no index depends on it.
"""

from __future__ import annotations

from contextlib import closing

from trackdown.engine.searching.filters import checked_filters
from trackdown.errors import ProjectFileError, UsageError
from trackdown.query import Filters
from trackdown.repository import Source, is_url, open_source, open_url, read_root_file
from trackdown.settings import MAX_PROJECT_FILE_BYTES, PROJECT_FILE, Settings, with_project_file
from trackdown.store import Store


def project_settings(source: Source, settings: Settings, at: str | None = None) -> Settings:
    """The settings for a question about a source, or about a commit of it. Raises ProjectFileError for an invalid file,
    and UnknownRevision.
    """
    if not settings.project_file:
        return settings
    data = read_root_file(source, PROJECT_FILE, at, MAX_PROJECT_FILE_BYTES)
    if data is None:
        return settings
    where = _name_in_errors(source, at)
    found = with_project_file(settings, data, where)
    try:
        checked_filters(Filters(languages=found.languages, without_paths=found.exclude))
    except UsageError as error:
        if "project file" in (found.origin("languages"), found.origin("exclude")):
            raise ProjectFileError(f"{where}: {error}") from None
        raise
    return found


def settings_of(place: str, settings: Settings, at: str | None = None) -> tuple[Settings, str]:
    """The settings for questions about what is at a path or URL, and where its own file is or would be.

    Opens no store for a path. Raises what `trackdown.open` raises, ProjectFileError and UnknownRevision.
    """
    source = source_of(place, settings)
    return project_settings(source, settings, at), describe_project_file(source, at)


def source_of(place: str, settings: Settings) -> Source:
    """What is at a path, or in the store's clone of a URL."""
    if not is_url(place):
        return open_source(place)
    with closing(Store(settings.store)) as store:
        return open_url(place, store.clones)[0]


def describe_project_file(source: Source, at: str | None = None) -> str:
    """Where a source's own settings are, in words. Not for servers' answers: it says where the repository is."""
    if at is None and source.kind != "bare":
        return str(source.root / PROJECT_FILE)
    return _name_in_errors(source, at)


def _name_in_errors(source: Source, at: str | None) -> str:
    """The file without its folder, which people elsewhere have no use for."""
    if at is None and source.kind != "bare":
        return f"{PROJECT_FILE} of {source.name}"
    return f"{PROJECT_FILE} of {source.name} at {at or 'HEAD'}"
