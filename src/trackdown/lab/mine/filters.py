"""Which commits make a case? Every rule that drops one has a name, and its drops are counted.

Changelogs, continuous integration and lock files change beside the code whatever a change is about; nobody who reports
an issue looks for them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

from trackdown.lab.mine.messages import clean_subject, content_words
from trackdown.repository import CommitFacts
from trackdown.units import TEXT, UNCERTAIN, language_of, words

FEWEST_WORDS = 3
MERGE, MASS_CHANGE, NO_CONTENT, DUPLICATE = "merge", "mass change", "message without content", "duplicate query"

_MERGE = re.compile(
    r"merge (?:branch|pull request|remote-tracking|tag|commit|master|main|upstream|changes?|in\b|\S+/)", re.I
)
_REVERT = re.compile(r"(?:revert(?:s|ed|ing)?|re-?apply|re-?land|back(?:ed|ing)? out|undo)\b(?! to\b)", re.I)
_REVERTS = re.compile(r"^This (?:reverts|reapplies) commit [0-9a-f]{7,64}", re.I | re.M)
_BOT = re.compile(
    r"\[bot\]$|(?:^|[\s_-])bot$|^(?:dependabot|renovate|greenkeeper|pre-commit[-. ]ci|github[ -]actions?|pyup|snyk"
    r"|(?:hosted )?weblate|transifex|crowdin|translatewiki|allcontributors|imgbot|mergify|semantic-release"
    r"|release-please|autoformatter)\b|^(?:travis(?: ci)?|jenkins(?:-ci)?|buildbot|bors|ci|circleci)$",
    re.IGNORECASE,
)
_BOT_MESSAGE = re.compile(
    r"translated using weblate|^(?:update|sync)\w* translations? from|update translations? via|\[pre-commit\.ci\]"
    r"|^apply (?:automatic|auto-?)|^auto-?(?:matic|mated|format)",
    re.IGNORECASE,
)
_TAGGED = r"^\W*(?:\w+(?:\([^)]*\))?: ?)?"
_VERSION = r"v?\d+(?:\.\d+)+[\w.+-]*"
_DEPENDENCY = re.compile(
    rf"\b(?:bump|upgrade|update|pin|unpin)\w*\b.*\bfrom {_VERSION} to {_VERSION}"
    rf"|{_TAGGED}bump\w* (?!the\b)\S+ (?:version )?(?:to|from) {_VERSION}\W*$"
    rf"|{_TAGGED}(?:bump|upgrade|update|pin|unpin|lock|refresh)[sd]?(?:ed|ing)? (?:[\w&,-]+ ){{0,3}}"
    r"(?:dependenc(?:y|ies)|requirements?|requirements\S*\.txt|lock ?files?|deps|pre-?commit|submodules?"
    r"|github actions)(?=\W*$|[,.;:]|\W+(?:and|for|from|hooks?|in|of|on|to|using|versions?|via|with|workflows?)\b)",
    re.IGNORECASE,
)
_CREDITS = re.compile(
    r"\b(?:to|in|update) (?:the )?(?:\w+ )?(?:authors|contributors|credits|thanks|acknowledge?ments)\b"
    r"|^add(?:ed|ing)? (?:myself|my name)\b",
    re.IGNORECASE,
)
_ONLY_A_FILE = re.compile(
    r"(?:update[ds]?|create[ds]?|delete[ds]?|edit(?:ed)?|add(?:ed)?|rename[ds]?) \S+\.\w{1,6}", re.I
)
_RELEASE_WORDS = frozenset(
    """__init__ __version__ a after alpha and back begin beginning beta bump bumped bumping bumps candidate
    changelog changes chore cut date dates dev development final for from history in increment init is it main major
    master minor new news next note notes now number numbers of patch point post pre prep preparation prepare
    prepared prepares preparing publish py rc ready release released releases releasing set setup start started
    starting string tag tagged tagging the this to towards up update updated updates version versions working""".split()
)
_RELEASE_SIGNS = frozenset(
    "release released releases releasing version versions bump tag changelog __version__".split()
)

Rule = Callable[[CommitFacts, str], bool]


def is_merge(commit: CommitFacts, query: str) -> bool:
    """A merge, or one that was squashed and kept its message."""
    return len(commit.parents) > 1 or _MERGE.match(commit.message) is not None


def is_revert(commit: CommitFacts, query: str) -> bool:
    """Undoes or repeats another commit, whose words it borrows."""
    return bool(_REVERT.match(commit.message) or _REVERTS.search(commit.message))


def is_release(commit: CommitFacts, query: str) -> bool:
    """Nothing but the words of a release and a version: `Release 1.2`, `v2.0`, `Bump version number`."""
    subject = clean_subject(commit.message)
    bare = re.sub(rf"\b{_VERSION}", " ", subject)
    said = [word.lower() for word in words(bare) if not word.isdigit()]
    if any(word not in _RELEASE_WORDS for word in said):
        return False
    return bare != subject or bool(_RELEASE_SIGNS & set(said))


def is_dependency_update(commit: CommitFacts, query: str) -> bool:
    """Takes in other versions of what the project uses."""
    return _DEPENDENCY.search(clean_subject(commit.message)) is not None


def names_people(commit: CommitFacts, query: str) -> bool:
    """Adds someone to the list of authors."""
    return _CREDITS.search(clean_subject(commit.message)) is not None


def is_by_a_bot(commit: CommitFacts, query: str) -> bool:
    """Written by a program: updates, translations, formatting."""
    return bool(_BOT.search(commit.author.strip()) or _BOT_MESSAGE.search(clean_subject(commit.message)))


def keeps_house(commit: CommitFacts, query: str) -> bool:
    """Touches nothing but changelogs, continuous integration and lists of dependencies."""
    return bool(commit.changes) and all(is_housekeeping(os.fsdecode(change.path)) for change in commit.changes)


def says_nothing(commit: CommitFacts, query: str) -> bool:
    """Fewer than three words that say what the change is about, or only the name of a file (`Update a/b.rst`)."""
    return len(content_words(query)) < FEWEST_WORDS or _ONLY_A_FILE.fullmatch(query) is not None


class CommitFilters:
    """The rules in their order, what was taken so far, and how many commits each rule dropped."""

    def __init__(self, max_files: int = 10) -> None:
        self.dropped: Counter[str] = Counter()
        self._taken: set[str] = set()
        self._rules: Mapping[str, Rule] = {
            MERGE: is_merge,
            "bot": is_by_a_bot,
            "revert": is_revert,
            "release": is_release,
            "dependency update": is_dependency_update,
            "credits": names_people,
            "housekeeping only": keeps_house,
            MASS_CHANGE: lambda commit, _: len(commit.changes) > max_files,
            NO_CONTENT: says_nothing,
            DUPLICATE: lambda _, query: _folded(query) in self._taken,
        }

    def fitting_rule(self, commit: CommitFacts, query: str) -> str | None:
        """The name of the first rule that drops a commit, None when it may become a case. Counts nothing."""
        return next((name for name, fits in self._rules.items() if fits(commit, query)), None)

    def drop(self, rule: str) -> None:
        """Count a commit that a rule dropped."""
        self.dropped[rule] += 1

    def take(self, query: str) -> bool:
        """Remember the query of a case; False when another one has it already."""
        folded = _folded(query)
        if folded in self._taken:
            return False
        self._taken.add(folded)
        return True


def _folded(query: str) -> str:
    return " ".join(query.casefold().split()).rstrip(".!")


_ENDINGS = frozenset({"", "md", "markdown", "rst", "txt", "adoc"})
_STEMS = frozenset({"changes", "changelog", "news", "history", "releasenotes", "authors", "contributors", "credits"})
_FOLDERS = frozenset(
    """changelog changelogs changelog.d newsfragments releases releasenotes release_notes whatsnew changelog_unreleased
    upcoming_changes""".split()
)
_INFRASTRUCTURE = tuple(
    """.github/* .circleci/* .gitlab/* .gitlab-ci.yml .travis.yml appveyor.yml .appveyor.yml azure-pipelines*
    .azure-pipelines/* .pre-commit-config.yaml .readthedocs.y* codecov.yml .codecov.yml *.lock *-lock.*
    *requirements*.txt requirements/* .gitignore .mailmap .editorconfig license* codeowners""".split()
)


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
