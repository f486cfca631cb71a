"""Run files: what was found for every case in every mode, so that a run can be resumed, scored again and reported.

JSONL, one row per case and mode:
{"id", "mode", "ranked": [{"path", "symbol", "score"}], "ms", "gold": [{"path", "symbol"}], "bench", "level",
"repository", "query", "category", "skipped", "config", "task"}. A case that could not be scored has an empty ranking
and says why in "skipped"; when it is tried again, its new row comes later and counts instead. `config` is a
digest of how cases are searched: rows of different configurations do not mix in one file. `task` is a digest of the
case: its query, its truth and the state that is searched.
"""

from __future__ import annotations

import fcntl
import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from trackdown.errors import TrackdownError, UsageError
from trackdown.lab.cases import CodeLocation

MAX_STORED_QUERY_CHARS = 2000
"""How much of a query a row keeps: it is there to be read, not to be searched again."""
SCORE_DIGITS, MS_DIGITS = 6, 3
WITHOUT_ANSWER = "without the language model's answer: "
"""How the reason begins why a ranking is missing that a language model should have had a part in."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one mode found for one case."""

    id: str
    mode: str
    ranked: tuple[CodeLocation, ...] = ()
    scores: tuple[float, ...] = ()
    ms: float = 0.0
    gold: tuple[CodeLocation, ...] = ()
    bench: str = ""
    level: str = ""
    repository: str = ""
    query: str = ""
    category: str = ""
    skipped: str = ""
    config: str = ""
    task: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.id, self.mode


def without_answer(rows: Iterable[Row]) -> list[str]:
    """Why rankings are missing that a language model did not answer for; a run that goes on may find them."""
    return [row.skipped.removeprefix(WITHOUT_ANSWER) for row in rows if row.skipped.startswith(WITHOUT_ANSWER)]


def encode_row(row: Row) -> str:
    """A row as one line of JSON, without the line's end."""
    ranked = [
        {"path": place.path, "symbol": place.symbol, "score": round(score, SCORE_DIGITS)}
        for place, score in zip(row.ranked, row.scores, strict=True)
    ]
    return json.dumps(
        {
            "id": row.id,
            "mode": row.mode,
            "ranked": ranked,
            "ms": round(row.ms, MS_DIGITS),
            "gold": [{"path": place.path, "symbol": place.symbol} for place in row.gold],
            "bench": row.bench,
            "level": row.level,
            "repository": row.repository,
            "query": row.query[:MAX_STORED_QUERY_CHARS],
            "category": row.category,
            "skipped": row.skipped,
            "config": row.config,
            "task": row.task,
        }
    )


def decode_row(line: str) -> Row:
    """A line → a row. Only id, mode and ranked must be there. Raises ValueError with what is wrong."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("not a row: nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    for name, kind in (("id", (str, int)), ("mode", str), ("ranked", list)):
        if not isinstance(value.get(name), kind):
            raise ValueError(f"{name!r} is missing or of the wrong type")
    texts = {
        name: _text(value, name)
        for name in ("bench", "level", "repository", "query", "category", "skipped", "config", "task")
    }
    ranked = [_place(item, "ranked") for item in value["ranked"]]
    scores = [item.get("score", 0.0) for item in value["ranked"]]
    gold = value.get("gold", [])
    if not isinstance(gold, list):
        raise ValueError("'gold' is not a list")
    try:
        numbers = tuple(float(score) for score in scores)
        ms = float(value.get("ms", 0.0))
        if not all(map(math.isfinite, (ms, *numbers))):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a score or 'ms' is not a number") from None
    return Row(
        str(value["id"]),
        value["mode"],
        tuple(ranked),
        numbers,
        ms,
        tuple(_place(item, "gold") for item in gold),
        **texts,
    )


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name, "")
    if not isinstance(found, str):
        raise ValueError(f"{name!r} is not a string")
    return found


def _place(item: object, where: str) -> CodeLocation:
    if (
        not isinstance(item, dict)
        or not isinstance(item.get("path"), str)
        or not isinstance(item.get("symbol", ""), str)
    ):
        raise ValueError(f"an item of {where!r} has no path")
    return CodeLocation(item["path"], item.get("symbol", ""))


def _ignore(note: str) -> None:
    """Default for `tell`: ignore the note."""


def read_run(path: Path, *, cut_short_is_fine: bool = True, tell: Callable[[str], None] = _ignore) -> list[Row]:
    """The rows of a run file. Raises UsageError for a bad line, or when a case was scored twice in a mode.

    A last line that was cut short is left out, and told; or it is a bad line like any other.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the run file {path}: {error.strerror}") from None
    found: dict[tuple[str, str], Row] = {}
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = decode_row(line.decode("utf-8", "replace"))
        except ValueError as error:
            if number == len(lines) and cut_short_is_fine:
                tell(f"{path}, line {number}: the file is cut short, its last line is left out")
                break
            raise UsageError(f"{path}, line {number}: {error}") from None
        if row.key in found and not found[row.key].skipped:
            raise UsageError(f"{path}, line {number}: case {row.id!r} appears twice in mode {row.mode!r}")
        found[row.key] = row
    return list(found.values())


class RunFile:
    """A run file that is being written. Opening one that exists goes on with it; a context manager.

    Raises UsageError when it cannot be written, belongs to another configuration, or another process writes to it.
    """

    def __init__(self, path: Path, config: str) -> None:
        self.path = path
        self.rows: dict[tuple[str, str], Row] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = path.open("ab")
        except OSError as error:
            raise UsageError(f"cannot write the run file {path}: {error.strerror}") from None
        try:
            self._lock()
            self._go_on(config)
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what could not be written has been told
            self._stream.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Write rows, but for those that are there already; they are in the file when this returns.

        Raises TrackdownError when the disk is full. What was written by then stays, and the run can go on from it.
        """
        try:
            for row in rows:
                known = self.rows.get(row.key)
                if known is not None and not known.skipped and known != row:
                    raise UsageError(f"{self.path} has another ranking of case {row.id!r} in mode {row.mode!r} already")
                if known != row:
                    self.rows[row.key] = row
                    self._stream.write(f"{encode_row(row)}\n".encode("ascii"))
            self._stream.flush()
        except OSError as error:
            raise TrackdownError(f"cannot write the run file {self.path}: {error.strerror}") from None

    def _lock(self) -> None:
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another process writes to {self.path}: wait for it, or name another file") from None
        except OSError:
            pass  # a file system without locks, or no plain file

    def _go_on(self, config: str) -> None:
        """Read the rows that are there, and make the file end with a whole line. /dev/null holds nothing."""
        if not self.path.is_file():
            return
        for row in read_run(self.path):
            if row.config != config:
                raise UsageError(
                    f"{self.path} is the run file of another bench, level or setting: name another file or remove it"
                )
            self.rows[row.key] = row
        data = self.path.read_bytes()
        last = data[data.rfind(b"\n") + 1 :]
        if not last:
            return
        try:
            decode_row(last.decode("utf-8", "replace"))
            self._stream.write(b"\n")
        except ValueError:
            self._stream.truncate(len(data) - len(last))


def by_mode(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by mode, in the order in which modes first occur."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.mode, []).append(row)
    return found


def trec_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Rows in TREC's run format: topic Q0 document rank score tag. White space in names becomes `_`.

    Programs that read it sort by score alone, so among equal scores each is written a little lower than the last.
    """
    step = 10.0**-SCORE_DIGITS
    for row in rows:
        topic, tag = ("_".join(text.split()) or "_" for text in (row.id, f"trackdown-{row.mode}"))
        shown = float("inf")
        for rank, (place, score) in enumerate(zip(row.ranked, row.scores, strict=True), 1):
            shown = min(round(score, SCORE_DIGITS), shown - step)
            yield f"{topic} Q0 {'_'.join(str(place).split())} {rank} {shown:.{SCORE_DIGITS}f} {tag}"
