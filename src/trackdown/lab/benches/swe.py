"""SWE-bench-shaped data: an issue, the commit it was reported at, and the patch that resolved it.

Truth are the functions (or classes, or files) that the patch edits and that exist at the base commit. Where the data
names them (`gold_entities`: `path:Class.method`), those are taken: at function level without the classes among them.
Rows without any are left out and counted, as SweRank, LocAgent and SpIDER do.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from trackdown.errors import TrackdownError, UsageError
from trackdown.lab import Bench, CodeLocation, Task, UnitsAt, enclosing, find_repository, present_commits
from trackdown.lab.benches.records import Record, Refusals, read_lines, texts
from trackdown.lab.mine import edited_by_patch
from trackdown.repository import Git, Source, open_source
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level

FIELDS = ("instance_id", "repo", "base_commit", "problem_statement")
METRICS = {
    "file": ("Acc@1", "Acc@3", "Acc@5", "R@10", "R@20", "Acc@20", "MRR", "MAP", "P@1", "nDCG@10"),
    "class": ("Acc@1", "Acc@5", "Acc@10", "R@10", "R@20", "Acc@20", "MRR", "MAP", "P@1", "nDCG@10"),
    "function": ("Acc@1", "Acc@5", "Acc@10", "R@10", "R@20", "Acc@20", "R@100", "MRR", "MAP", "P@1", "nDCG@10"),
}


def read_swe(data: Path, repos: Path, layout: str, level: Level, *, strict: bool = False, depth: int = 100) -> Bench:
    """The issues of a file as tasks. Raises UsageError when the file cannot be read, or for any bad row if strict."""
    refusals = Refusals(data, strict=strict)
    tasks: list[Task] = []
    with ExitStack() as stack:
        clones: dict[str, Clone | str] = {}
        for number, record in read_lines(data):
            if isinstance(record, str):
                refusals.skip(f"line {number}", "unreadable row", record)
                continue
            missing = [name for name in FIELDS if not isinstance(record.get(name), str) or not record[name].strip()]
            if missing:
                refusals.skip(str(record.get("instance_id") or f"line {number}"), "missing field", ", ".join(missing))
                continue
            id_, name = record["instance_id"], record["repo"]
            if not refusals.is_new(id_, name):
                continue
            if name not in clones:
                clones[name] = _open(repos, layout, name, stack)
            task = _task(record, clones[name], level, depth, refusals)
            if task is not None:
                tasks.append(task)
    return Bench("swe", level, tuple(tasks), tuple(refusals.skipped), METRICS[level])


class Clone:
    """A clone, with what lies in its commits. It is read by a process that starts when it is first needed."""

    def __init__(self, source: Source, git: Git, place: Path, stack: ExitStack) -> None:
        self.place = str(place)
        self._source = source
        self._git = git
        self._stack = stack
        self._reader: UnitsAt | None = None

    def resolve(self, commit: str) -> str | None:
        """The full id of a commit; None where the clone does not have it."""
        return next(iter(present_commits(self._git, [commit])), None)

    @property
    def reader(self) -> UnitsAt:
        """Reads files of commits."""
        if self._reader is None:
            self._reader = self._stack.enter_context(UnitsAt(self._source))
        return self._reader


def _open(repos: Path, layout: str, name: str, stack: ExitStack) -> Clone | str:
    """The clone of a repository, or what is wrong with it; an empty text where there is none."""
    place = find_repository(repos, layout, name)
    if place is None:
        return ""
    try:
        source = open_source(place)
    except TrackdownError as error:
        return str(error)
    return Clone(source, source.git, place, stack) if source.git is not None else f"{place} is not a git repository"


def _task(record: Record, clone: Clone | str, level: Level, depth: int, refusals: Refusals) -> Task | None:
    id_, name = record["instance_id"], record["repo"]
    if isinstance(clone, str):
        why = (
            ("clone cannot be read", clone)
            if clone
            else ("unknown repository", f"no folder for {name} in --repos: see --layout")
        )
        refusals.withdraw(id_, *why, name)
        return None
    try:
        commit = clone.resolve(record["base_commit"])
        if commit is None:
            refusals.withdraw(id_, "commit not in the clone", record["base_commit"], name)
            return None
        gold = _gold(record, clone, commit, level)
    except ValueError as error:
        refusals.withdraw(id_, "unreadable gold", str(error), name)
        return None
    except UsageError:
        raise  # strict: the case was refused above
    except TrackdownError as error:
        refusals.withdraw(id_, "clone cannot be read", str(error), name)
        return None
    if not gold:
        refusals.withdraw(id_, f"no {level} of the base commit is edited", repository=name)
        return None
    return Task(id_, record["problem_statement"], gold, clone.place, name, level, at=commit, depth=depth)


def _gold(record: Record, clone: Clone, commit: str, level: Level) -> tuple[CodeLocation, ...]:
    """What should be found, as it is called at the base commit. Raises ValueError for gold that cannot be read."""
    entities, files, patch = _texts(record, "gold_entities"), _texts(record, "gold_files"), record.get("patch")
    if level != "file" and entities is not None:
        return _named(entities, clone, commit, level)
    if level == "file" and files is None and entities and not patch:
        files = [entity.partition(":")[0] for entity in entities]
    if level != "file" or files is None:
        if not isinstance(patch, str) or not patch.strip():
            raise ValueError("there is neither a patch nor gold for this level")
        edited = edited_by_patch(patch, partial(clone.reader.text, commit))
        if level != "file":
            return edited.functions if level == "function" else edited.classes
        files = list(edited.files)
    return tuple(CodeLocation(path) for path in dict.fromkeys(files) if clone.reader.holds(commit, path))


def _texts(record: Record, field: str) -> list[str] | None:
    """The list in a field; None where it is not given."""
    if record.get(field) in (None, ""):
        return None
    try:
        return texts(record[field])
    except ValueError as error:
        raise ValueError(f"{field} {error}") from None


def _named(entities: Iterable[str], clone: Clone, commit: str, level: Level) -> tuple[CodeLocation, ...]:
    """Those of the named functions (or the classes that are named or hold them) that exist."""
    kinds = FUNCTION_KINDS if level == "function" else CLASS_KINDS
    found: dict[CodeLocation, None] = {}
    for entity in entities:
        path, _, symbol = entity.partition(":")
        known = clone.reader.symbols(commit, path, kinds)
        if level == "class":
            symbol = enclosing(symbol, known)
        if symbol in known:
            found[CodeLocation(path, symbol)] = None
    return tuple(found)
