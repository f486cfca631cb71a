"""Commits and blame as people read them."""

from __future__ import annotations

import sys

from trackdown.engine import Blame, BlamedLines, ChangedFile, ChangedUnit, CommitReport
from trackdown.surfaces.cli.result_blame import unnamed_issues
from trackdown.surfaces.cli.terminal_text import one_line, sanitize
from trackdown.surfaces.cli.text_page import TextPage, open_page
from trackdown.types import HistoryResults, PastCommit

_FILES = 8
_LISTED = 20
_SHORT = 10
_LONGEST_AUTHOR = 24
_LETTERS = {"added": "A", "deleted": "D", "renamed": "R", "copied": "C", "retyped": "T"}


def print_history(answer: HistoryResults) -> None:
    """Print past commits with their files."""
    if not answer.commits:
        print("No past commit resembles this." if answer.query else "No commit matches.", file=sys.stderr)
    page = open_page()
    for commit in answer:
        page.line("bold", f"{commit.rank:>2}  {_one_commit(commit)}")
        reasons = [one_line(commit.author)]
        if commit.score:
            reasons.append(f"score {commit.score:.2f}; matched {one_line(', '.join(commit.matched))}")
        page.line("dim", f"    {'; '.join(reasons)}")
        for path in commit.files[:_FILES]:
            page.line("path", f"    {one_line(path)}")
        if len(commit.files) > _FILES:
            page.line("dim", f"    and {len(commit.files) - _FILES} more")
        if not commit.files:
            page.line("dim", "    none of its files are in this snapshot")


def _one_commit(commit: PastCommit) -> str:
    return f"{commit.commit[:_SHORT]}  {commit.date}  {one_line(commit.subject)}"


def print_commit(report: CommitReport) -> None:
    """Print a commit: who, when, what it says, what Trackdown makes of it, and its diff."""
    page = open_page()
    page.line("title", f"commit {report.commit}")
    if len(report.parents) > 1:
        page.line("", f"Merge:  {' '.join(parent[:_SHORT] for parent in report.parents)}")
    page.line("", f"Author: {one_line(report.author)} <{one_line(report.email)}>")
    page.line("", f"Date:   {report.time[:10]} {report.time[11:16]} UTC")
    if report.issues:
        page.line("", f"Issues: {one_line(', '.join(report.issues))}")
    page.line("", "")
    for line in sanitize(report.message).split("\n"):
        page.line("", f"    {line}".rstrip())
    _print_files(page, report)
    _print_units(page, report)
    if report.together:
        page.line("", "")
        page.line("bold", "Often changes with these files, but not here")
        for one in report.together:
            page.line("path", f"    {one_line(one.path)}")
            page.line("dim", f"      in {one.commits} commits, {one.share:.0%} of those of {one_line(one.beside)}")
    if report.similar:
        page.line("", "")
        page.line("bold", "Similar commits")
        for commit in report.similar:
            page.line("", f"    {_one_commit(commit)}")
    for file in report.files:
        _print_diff(page, file)


def _print_files(page: TextPage, report: CommitReport) -> None:
    page.line("", "")
    count = len(report.files)
    page.line("bold", f"{count} file{'' if count == 1 else 's'}, +{report.added} -{report.removed}")
    for file in report.files[:_LISTED]:
        size = "binary" if file.binary else f"+{file.added} -{file.removed}"
        former = f" (was {one_line(file.old_path)})" if file.old_path is not None else ""
        now = "" if file.now == file.path else f" (now {one_line(file.now)})" if file.now else " (gone since)"
        kind = "" if file.kind == "file" else f" {file.kind}"
        now = "" if file.status == "deleted" and not file.now else now
        letter = _LETTERS.get(file.status, "M")
        page.line("path", f"    {letter}  {one_line(file.path)}{kind}  {size}{former}{now}")
    if count > _LISTED:
        page.line("dim", f"    and {count - _LISTED} more")


def _print_units(page: TextPage, report: CommitReport) -> None:
    if not report.units:
        return
    page.line("", "")
    page.line("bold", "Functions and classes")
    for unit in report.units[:_LISTED]:
        page.line("path", f"    {_one_unit(unit)}")
    if len(report.units) > _LISTED:
        page.line("dim", f"    and {len(report.units) - _LISTED} more")


def _one_unit(unit: ChangedUnit) -> str:
    change = f"{unit.change}, +{unit.added} -{unit.removed}"
    now = ", gone since" if unit.change != "removed" else ""
    if unit.now is not None:
        now = f", now {one_line(unit.now.path)}:{unit.now.start_line}"
    return f"{one_line(unit.path)}:{unit.start_line}-{unit.end_line}  {one_line(unit.symbol)}  ({change}{now})"


def _print_diff(page: TextPage, file: ChangedFile) -> None:
    """A file's part of the diff. A line begins with what says how to colour it."""
    styles = {"+": "added", "-": "removed", "@": "path"}
    inside = False
    if not file.diff and not file.left_out:
        return
    page.line("", "")
    for line in sanitize(file.diff).split("\n") if file.diff else ():
        inside = (inside or line.startswith("@@ ")) and not line.startswith("diff --git ")
        page.line(styles.get(line[:1], "") if inside else "bold", line)
    if file.left_out:
        page.line("dim", f"{one_line(file.path)}: not shown ({file.left_out})")
    if file.cut:
        page.line("dim", f"… {file.cut} more lines of {one_line(file.path)}")


def print_blame(answer: Blame) -> None:
    """Print where lines come from, neighbouring lines of one commit together."""
    page = open_page()
    symbol = f"  {one_line(answer.symbol)}" if answer.symbol else ""
    last = f"-{answer.end_line}" if answer.end_line > answer.start_line else ""
    page.line("bold", f"{one_line(answer.path)}:{answer.start_line}{last}{symbol}")
    width = max((len(_span(one)) for one in answer.lines), default=0)
    names = max((min(len(one_line(one.author)), _LONGEST_AUTHOR) for one in answer.lines), default=0)
    for one in answer.lines:
        if not one.commit:
            page.line("dim", f"  {_span(one):>{width}}  not committed yet")
            continue
        others = unnamed_issues(one.issues, one.subject)
        issues = f"  ({one_line(', '.join(others))})" if others else ""
        former = f"  (as {one_line(one.path)})" if one.path != answer.path else ""
        author = one_line(one.author)[:_LONGEST_AUTHOR]
        text = f"{one.commit[:_SHORT]}  {one.date}  {author:<{names}}  {one_line(one.subject)}{issues}{former}"
        page.line("", f"  {_span(one):>{width}}  {text}")


def _span(lines: BlamedLines) -> str:
    return f"{lines.start_line}-{lines.end_line}" if lines.end_line > lines.start_line else str(lines.start_line)
