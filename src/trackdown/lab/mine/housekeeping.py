"""Files that change beside the code, whatever a change is about: nobody who asks an issue's question looks for them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trackdown.units.languages import TEXT, UNCERTAIN, language_of

_ENDINGS = frozenset({"", "md", "markdown", "rst", "txt", "adoc"})
_STEMS = frozenset({"changes", "changelog", "news", "history", "releasenotes", "authors", "contributors", "credits"})
_FOLDERS = frozenset({
    "changelog", "changelogs", "changelog.d", "newsfragments", "releases", "releasenotes", "release_notes", "whatsnew",
    "changelog_unreleased", "upcoming_changes",
})  # fmt: skip
_INFRASTRUCTURE = (
    ".github/*", ".circleci/*", ".gitlab/*", ".gitlab-ci.yml", ".travis.yml", "appveyor.yml", ".appveyor.yml",
    "azure-pipelines*", ".azure-pipelines/*", ".pre-commit-config.yaml", ".readthedocs.y*", "codecov.yml",
    ".codecov.yml", "*.lock", "*-lock.*", "*requirements*.txt", "requirements/*", ".gitignore", ".mailmap",
    ".editorconfig", "license*", "codeowners",
)  # fmt: skip


def is_changelog(path: str) -> bool:
    """Whether a file lists changes or people: `CHANGES.rst`, a fragment in `newsfragments/`, `AUTHORS`."""
    *folders, name = path.lower().split("/")
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = ending, ""
    if ending in _ENDINGS and stem.replace("-", "").replace("_", "") in _STEMS:
        return True
    return not _FOLDERS.isdisjoint(folders) and language_of(path) in (TEXT, UNCERTAIN)


def is_housekeeping(path: str) -> bool:
    """Whether a file is a changelog, or serves the project's continuous integration or its dependencies."""
    return is_changelog(path) or any(fnmatchcase(path.lower(), pattern) for pattern in _INFRASTRUCTURE)
