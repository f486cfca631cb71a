"""Matches an archive's issues with the commits of a repository, and writes what passes the rules as one table.

The archive is gone through twice, so that it need not fit into memory: first for the ids and for what pull requests say
they close, then for the issues themselves. Pull requests take a third pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trackdown.errors import UsageError
from trackdown.lab import MinedRepository
from trackdown.lab.mine.archives.files import Archive
from trackdown.lab.mine.archives.issue import AUTO, OPEN, REJECTED, ArchivedIssue
from trackdown.lab.mine.matching.choice import NO_COMMIT, CommitChoice, Resolution
from trackdown.lab.mine.matching.edits import edited_functions, modified_sources, path_changes
from trackdown.lab.mine.matching.history import IssueHistory, read_history
from trackdown.lab.mine.matching.issue_text import (
    FIX_LINK,
    links_to_fix,
    named_functions,
    names_file,
    speaks_of_a_change,
    text_rule,
    whole_text,
)
from trackdown.lab.mine.matching.plan import GIVES_AWAY_SIGNS, MatchPlan, MatchReport
from trackdown.lab.mine.matching.references import (
    TITLES,
    References,
    closed_numbers,
    references_by_pattern,
    references_by_title,
    references_of,
    title_key,
)
from trackdown.lab.mine.messages import Once, code_fingerprint
from trackdown.lab.mine.pairs import open_history
from trackdown.lab.mine.parquet_table import TableWriter, sweep
from trackdown.repository import BlobReader, Git
from trackdown.types import Progress, no_progress

MATCH_FORMAT = 2
"""Of the table; raise it when the same archive and history would now give other rows."""

MATCH_COLUMNS = {
    "commit_id": "text",
    "issue": "text",
    "title": "text",
    "issue_id": "text",
    "kind": "text",
    "created_at": "text",
    "files": "texts",
    "edited_after": "text",
    "names_file": "truth",
    "plan": "truth",
}
STILL_OPEN, NOT_FIXED, ELSEWHERE, TWICE, SAME_TEXT, GIVES_AWAY, NOT_MERGED, TAKEN = (
    "still open",
    "not resolved as fixed",
    "issue of another repository",
    "its id was read before",
    "same text as another",
    "names too many of the edited functions",
    "pull request was not merged",
    "pull request resolves an issue of the table",
)
_ISSUE, _PULL = "issue", "pr"
_BATCH = 256


def match_archive(
    archive: Archive, place: MinedRepository, plan: MatchPlan, progress: Progress = no_progress
) -> MatchReport:
    """Write the table of an archive's issues and the commits of a repository that resolved them.

    Raises UsageError for an archive without issues, for one of which no issue matches, and for a pattern that cannot be
    read; whatever opening the repository raises; nothing is written then.
    """
    _, git, head = open_history(place.path)
    sweep(plan.out.parent, plan.out.name)
    names = {name.casefold() for name in place.known_as}
    report = MatchReport(str(place))
    survey = _survey(archive, names, plan, report, progress)
    references = _references(plan, archive, survey, names)
    history = read_history(git, head, references, survey.ids, progress)
    for pull, issues in survey.closes.items():
        for issue in issues:
            history.link(issue, pull)
    history.close(head)
    report.outside = len(history.outside)
    about = {"format": MATCH_FORMAT, "repository": str(place), "head": head, "adapter": archive.adapter.name}
    with TableWriter(plan.out, MATCH_COLUMNS, about) as table, BlobReader(git) as blobs:
        matcher = _Matcher(git, blobs, history, plan, table, report)
        total = report.issues + report.pull_requests
        matcher.take_issues(_own(_counted(archive.issues("match"), total, progress), names))
        if plan.pull_requests:
            matcher.take_pulls(_own(archive.issues("pull requests", progress), names))
        if not table.rows:
            raise UsageError(_nothing(archive, report))
    return report


@dataclass(slots=True)
class _Survey:
    """The ids of an archive's issues, and what its pull requests say they close.

    `titles` maps the keys of titles to ids, empty ones if several issues have a title; it is filled on request.
    """

    ids: set[str] = field(default_factory=set)
    closes: dict[str, set[str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)


def _survey(archive: Archive, names: set[str], plan: MatchPlan, report: MatchReport, progress: Progress) -> _Survey:
    found, by_title = _Survey(), plan.style == TITLES
    for issue in archive.issues("survey", progress):
        if issue.repository and not names:
            raise UsageError(
                f"{archive.place} says which repository each issue is of, but {report.repository} has no known "
                "owner/name: neither --layout nor a remote's URL gives it"
            )
        report.issues += not issue.is_pull
        report.pull_requests += issue.is_pull
        if _is_foreign(issue, names):
            if plan.pull_requests or not issue.is_pull:
                report.dropped[f"{_PULL}: {ELSEWHERE}" if issue.is_pull else ELSEWHERE] += 1
            continue
        if not issue.is_pull:
            found.ids.add(issue.id)
            if by_title and (key := title_key(issue.title)):
                found.titles[key] = "" if found.titles.get(key, issue.id) != issue.id else issue.id
            continue
        closes = closed_numbers(f"{issue.title}\n{issue.body}", names)
        if closes:
            found.closes[issue.id] = closes
    report.unreadable = archive.unreadable
    if not report.issues:
        raise UsageError(f"{archive.place} holds no issue that the adapter {archive.adapter.name} can read")
    return found


def _is_foreign(issue: ArchivedIssue, names: set[str]) -> bool:
    return bool(issue.repository) and issue.repository.casefold() not in names


def _own(issues: Iterable[ArchivedIssue], names: set[str]) -> Iterator[ArchivedIssue]:
    """Without those of other repositories, whose ids mean something else; the survey has counted them."""
    return (issue for issue in issues if not _is_foreign(issue, names))


def _references(plan: MatchPlan, archive: Archive, survey: _Survey, names: set[str]) -> References:
    if plan.pattern:
        return references_by_pattern(plan.pattern)
    style = plan.style or archive.adapter.style
    if style == TITLES:
        return references_by_title(survey.titles)
    if style == AUTO:
        style = "key" if any("-" in issue for issue in survey.ids) else "fixes"
    return references_of(style, names)


def _counted(issues: Iterable[ArchivedIssue], total: int, progress: Progress) -> Iterator[ArchivedIssue]:
    for seen, issue in enumerate(issues, 1):
        yield issue
        progress("match", seen, total)


def _nothing(archive: Archive, report: MatchReport) -> str:
    told = ", ".join(f"{rule}: {count}" for rule, count in report.dropped.most_common(3))
    return f"none of the {report.issues} issues of {archive.place} matches a commit of {report.repository} ({told})"


@dataclass(slots=True)
class _Matcher:
    """Goes through issues in batches and writes rows."""

    git: Git
    blobs: BlobReader
    history: IssueHistory
    plan: MatchPlan
    table: TableWriter
    report: MatchReport
    _ids: set[str] = field(default_factory=set)
    _texts: Once = field(default_factory=Once)
    _taken: set[int] = field(default_factory=set)

    def take_issues(self, issues: Iterable[ArchivedIssue]) -> None:
        """Write the issues that match."""
        limits = {name: value for name in ("since", "until") if (value := getattr(self.plan, name)) is not None}
        choice = CommitChoice(self.history, self.plan.most_files, **limits)
        batch: list[tuple[ArchivedIssue, list[int]]] = []
        for issue in issues:
            if issue.is_pull:
                continue
            candidates = choice.candidates(issue)
            rule = self._rule(issue, candidates)
            if rule:
                self.report.dropped[rule] += 1
                continue
            batch.append((issue, candidates))
            if len(batch) == _BATCH:
                self._judge(choice, batch)
                batch = []
        self._judge(choice, batch)

    def _rule(self, issue: ArchivedIssue, candidates: list[int]) -> str:
        """Why an issue is left out before its commits are looked at."""
        if issue.id in self._ids:
            return TWICE
        self._ids.add(issue.id)
        if not candidates:
            return NO_COMMIT
        if issue.outcome in (OPEN, REJECTED):
            return STILL_OPEN if issue.outcome == OPEN else NOT_FIXED
        return text_rule(issue.title, issue.body)

    def _judge(self, choice: CommitChoice, batch: list[tuple[ArchivedIssue, list[int]]]) -> None:
        commits = [self.history.ref(commit) for _, candidates in batch for commit in candidates]
        changes = path_changes(self.git, commits)
        kept: list[tuple[ArchivedIssue, Resolution]] = []
        for issue, candidates in batch:
            found = choice.best(issue, candidates, changes)
            if isinstance(found, Resolution) and self._links_to_fix(issue, found, candidates):
                found = FIX_LINK
            if isinstance(found, Resolution):
                kept.append((issue, found))
            else:
                self.report.dropped[found] += 1
        self._write(kept, _ISSUE)

    def _links_to_fix(self, issue: ArchivedIssue, found: Resolution, candidates: list[int]) -> bool:
        pulls = [issue.pull, *map(self.history.pull_of, candidates)]
        return links_to_fix(issue.body, self.history.ref(found.commit).oid, pulls)

    def take_pulls(self, issues: Iterable[ArchivedIssue]) -> None:
        """Write the pull requests that were merged and resolve no issue of the table."""
        batch: list[tuple[ArchivedIssue, int]] = []
        for issue in issues:
            if not issue.is_pull:
                continue
            commit = self.history.pulls.get(issue.id)
            rule = NOT_MERGED if commit is None else TAKEN if commit in self._taken else ""
            rule = rule or text_rule(issue.title, issue.body)
            if rule or commit is None:
                self.report.dropped[f"{_PULL}: {rule}"] += 1
                continue
            batch.append((issue, commit))
            if len(batch) == _BATCH:
                self._judge_pulls(batch)
                batch = []
        self._judge_pulls(batch)

    def _judge_pulls(self, batch: list[tuple[ArchivedIssue, int]]) -> None:
        changes = path_changes(self.git, [self.history.ref(commit) for _, commit in batch])
        kept = []
        for issue, commit in batch:
            files, rule = modified_sources(changes.get(self.history.ref(commit).oid), self.plan.most_files)
            if rule:
                self.report.dropped[f"{_PULL}: {rule}"] += 1
            else:
                kept.append((issue, Resolution(commit, files)))
        self._write(kept, _PULL)

    def _write(self, kept: list[tuple[ArchivedIssue, Resolution]], kind: str) -> None:
        commits = {found.commit: self.history.ref(found.commit) for _, found in kept}
        functions = edited_functions(self.git, self.blobs, commits.values())
        for issue, found in kept:
            oid, text = commits[found.commit].oid, whole_text(issue.title, issue.body)
            named = len(named_functions(text, functions.get(oid, ())))
            if self.plan.most_named is not None and named > self.plan.most_named:
                rule = GIVES_AWAY
            else:
                rule = "" if self._texts.is_new(code_fingerprint(text)) else SAME_TEXT
            if rule:
                self.report.dropped[rule if kind == _ISSUE else f"{kind}: {rule}"] += 1
                continue
            self._taken.add(found.commit)
            title = text.partition("\n")[0]
            told = (names_file(text, found.files), speaks_of_a_change(text))
            self.table.add((oid, text, title, issue.id, kind, issue.created, found.files, issue.edited_after, *told))
            self._count(kind, told, named)

    def _count(self, kind: str, told: tuple[bool, bool], named: int) -> None:
        self.report.rows[kind] += 1
        signs = dict(zip(GIVES_AWAY_SIGNS, (*told, named > 0, named > 1), strict=True))
        self.report.gives_away.update(sign for sign, holds in signs.items() if holds)
