"""A diff → the places that may have to change with it, ranked, each with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.engine.impact.changed_files import MOST_FILES, PatchedFile, changed_files
from trackdown.engine.impact.diffs import Diff, patch_diff, range_diff, worktree_diff
from trackdown.engine.impact.ranking import gather, rank_impact
from trackdown.engine.searching.filters import PathFilter
from trackdown.engine.searching.search import read_results
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UsageError
from trackdown.graph import resolution_notes
from trackdown.index import Corpus
from trackdown.pipeline import Stopwatch
from trackdown.request import check_count
from trackdown.types import LEVELS, Level, Progress, SearchResults

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Change:
    """Which change is asked about: `patch`, the text of one; `revisions`, A..B; else what is `staged` or uncommitted.

    `name` says where the patch comes from.
    """

    patch: str | None = None
    revisions: str | None = None
    staged: bool = False
    name: str = "the patch"

    def __post_init__(self) -> None:
        if (self.patch is not None) + (self.revisions is not None) + self.staged > 1:
            raise UsageError("ask about a patch, a range of commits or the staged changes: give only one of them")


def find_impact(
    repository: Repository,
    change: Change,
    k: int,
    level: Level,
    at: str | None,
    exclude: Sequence[str],
    progress: Progress,
) -> SearchResults:
    """See `Repository.impact`."""
    check_count(k)
    if level not in LEVELS:
        raise UsageError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    if at is not None and change.patch is None:
        raise UsageError("a revision to look at goes with a patch: other changes have their own")
    diff = _diff(repository, change, at)
    shown = PathFilter(repository.within, (*repository.settings_at(diff.at).exclude, *exclude))
    watch = Stopwatch()
    corpus = repository.present_or(diff.at, progress)
    watch.lap("check")
    with SourceReader(corpus.snapshot) as reader:
        changed = changed_files(corpus.code, reader, diff.patches)
        _check_known(corpus, changed, diff.name)
        evidence = gather(corpus, changed, diff.base)
        found = rank_impact(corpus, changed, evidence, k, level, shown)
        watch.lap("rank")
        results = read_results(reader, corpus, found)
    watch.lap("snippets")
    notes = [*repository.notes_of(corpus), *_notes(changed, diff, corpus)]
    lost = len(found) - len(results)
    if lost:
        notes.append(f"results left out because their files changed meanwhile or cannot be read: {lost}")
    info, partial = (corpus.snapshot.info,), corpus.partial or lost > 0
    return SearchResults(diff.name, level, results, info, tuple(notes), partial, watch.rounded())


def _diff(repository: Repository, change: Change, at: str | None) -> Diff:
    if change.patch is not None:
        return patch_diff(change.patch, change.name, at)
    if change.revisions is not None:
        return range_diff(repository.source, change.revisions)
    return worktree_diff(repository.source, staged=change.staged)


def _check_known(corpus: Corpus, changed: Sequence[PatchedFile], name: str) -> None:
    """Raise UsageError if no changed file is in the snapshot or was ever in its history."""
    index = corpus.history[0] if corpus.history is not None else None
    for one in changed:
        if one.file >= 0 or one.is_new or (index is not None and index.path_number(one.old_path) >= 0):
            return
    repository, paths = corpus.snapshot.source.name, ", ".join(one.path for one in changed[:_NAMED])
    raise UsageError(f"{repository} has no file that {name} changes ({paths}): is it for another repository?")


def _notes(changed: Sequence[PatchedFile], diff: Diff, corpus: Corpus) -> list[str]:
    notes = []
    if len(diff.patches) > MOST_FILES:
        notes.append(f"{diff.name}: {len(diff.patches)} files changed; looked at the first {MOST_FILES}")
    unfit = [one.path for one in changed if not one.fits]
    if unfit:
        more = f" and {len(unfit) - _NAMED} more" if len(unfit) > _NAMED else ""
        which = ", ".join(unfit[:_NAMED])
        notes.append(f"the patch was made for other content of {which}{more}: its lines are not placed there")
    notes += resolution_notes(corpus.code.language(one.file) for one in changed if one.file >= 0)
    if corpus.history is None:
        notes.append("there is no history: nothing is known of what changed together")
    return notes
