"""Who last changed the lines of each result: `--blame`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.engine import Repository, repository_names
from trackdown.errors import RepositoryError, UsageError
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.types import Result, SearchResults

if TYPE_CHECKING:
    from trackdown.engine import Blame, BlamedCommit

_SHORT = 10


@dataclass(frozen=True, slots=True)
class ResultBlame:
    """The commits behind each result's lines, the latest first, in the order of the results; and notes."""

    commits: tuple[tuple[BlamedCommit, ...], ...] = ()
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """For each result, when, by whom and in which commit it was changed last; '' if nobody knows."""
        return [_sentence(commits) if commits else "" for commits in self.commits]


def blame_results(answer: SearchResults, repositories: Sequence[Repository], at: str | None) -> ResultBlame:
    """Ask git about every result. A result whose lines cannot be blamed has no commits, and a note says why."""
    names = repository_names(repositories) if len(repositories) > 1 else {}
    by_name = {names.get(str(one.source.root), one.source.name): one for one in repositories}
    found: list[tuple[BlamedCommit, ...]] = []
    notes: dict[str, None] = {}
    for result in answer:
        try:
            found.append(_blame(by_name[result.repository], result, at).commits())
        except (UsageError, RepositoryError) as error:
            found.append(())
            notes[f"no blame: {error}"] = None
    return ResultBlame(tuple(found), tuple(notes))


def _blame(repository: Repository, result: Result, at: str | None) -> Blame:
    repository.from_root = True  # a result's path is from the root, whatever the current folder has
    return repository.blame(f"{result.path}:{result.start_line}-{result.end_line}", at)


def unnamed_issues(issues: Sequence[str], subject: str) -> list[str]:
    """The issues of a commit that its subject does not name: those are shown already."""
    return [issue for issue in issues if not re.search(rf"(?<!\w){re.escape(issue)}(?!\w)", subject)]


def _sentence(commits: Sequence[BlamedCommit]) -> str:
    last, *others = commits
    unnamed = unnamed_issues(last.issues, last.subject)
    issues = f" ({', '.join(unnamed)})" if unnamed else ""
    text = f'changed {last.date} by {last.author} in {last.commit[:_SHORT]} "{last.subject}"{issues}'
    if not last.commit:
        text = "has lines that are not committed yet"
    if others:
        text += f"; {len(others)} earlier commit{'' if len(others) == 1 else 's'} since {others[-1].date}"
    return one_line(text)
