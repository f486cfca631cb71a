"""Recordings of answers for `characterise.py`: masked, written one line an answer, and compared."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import describe_run

DOCUMENTS = ("openapi", "tools")
"""Answers whose differences are listed and not counted."""
PROSE = {"description", "detail", "message", "reason", "summary", "title"}
MEASURED = {"index_bytes", "load", "seconds", "store", "store_bytes", "timings_ms", "version"}
PASSING = {"done", "phase", "step", "total", "updated_at", "updates", "watching"}
"""How far an index is kept up to date at the moment."""
LONGEST_TEXT = 120

Answers = dict[str, Any]
Difference = tuple[str, str, Any, Any]
"""Whether something was added, removed or changed; where; what was there and what is there."""


def masked(value: Any, key: str = "") -> Any:
    """A value without what may differ from run to run, and without prose."""
    if key in MEASURED or key in PASSING:
        return "…"
    if isinstance(value, dict):
        return {name: masked(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return f"{len(value)} notes" if key == "notes" else [masked(one) for one in value]
    if isinstance(value, str):
        if key in PROSE:
            return "…"
        value = re.sub(r"127\.0\.0\.1:\d+", "HOST", value)
        return value if len(value) <= LONGEST_TEXT else f"{value[:20]}… {digest(value)}"
    return value


def digest(value: Any) -> str:
    """A short hash."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def write(path: Path, answers: Answers) -> None:
    """One line an answer, behind one on the run."""
    lines = [{"run": describe_run()}, *({"question": name, "answer": answer} for name, answer in answers.items())]
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    print(f"{len(answers)} answers in {path}, {path.stat().st_size / 1e6:.2f} MB, digest {digest(answers)}")


def read(path: Path) -> Answers:
    """The answers of a recording."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = [json.loads(line) for line in data.decode().splitlines()]
    return {line["question"]: line["answer"] for line in lines if "question" in line}


def compare(before: Answers, now: Answers) -> int:
    """Print what differs. Returns the exit code: 1 if an answer that counts does."""
    differs = gained = 0
    for name in [*before, *(name for name in now if name not in before)]:
        if name not in before or name not in now:
            found: list[Difference] = [("removed" if name in before else "added", "", "", "")]
        else:
            found = list(differences(before[name], now[name]))
        if not found:
            continue
        if name in DOCUMENTS:
            print(f"{name}: {len(found)} differences")
            for kind, path, old, new in found:
                print(f"  {kind} {path}" + (f": {short(old)} → {short(new)}" if kind == "changed" else ""))
        elif {kind for kind, *_ in found} == {"added"} and name in before:
            gained += 1
            print(
                f"gained fields: {name}: {', '.join(sorted({re.sub(r'[0-9]+', 'N', path) for _, path, *_ in found}))}"
            )
        else:
            differs += 1
            kind, path, old, new = next(one for one in found if one[0] != "added" or one[1] == "")
            print(f"differs: {name}\n  {kind} {path or 'the question'}: {short(old)} → {short(new)}")
    print(f"{len(now)} answers, {differs} differ, {gained} only gained fields")
    return 1 if differs else 0


def differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """What was added, removed or changed, by its place in the JSON."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            below = f"{path}.{key}"
            if key not in new:
                yield "removed", below, old[key], None
            elif key not in old:
                yield "added", below, None, new[key]
            else:
                yield from differences(old[key], new[key], below)
    elif isinstance(old, list) and isinstance(new, list):
        for number, (first, second) in enumerate(zip(old, new, strict=False)):
            yield from differences(first, second, f"{path}.{number}")
        if len(old) != len(new):
            yield "changed", f"{path}.length", len(old), len(new)
    elif old != new or type(old) is not type(new):
        yield "changed", path, old, new


def short(value: Any) -> str:
    """A value in one line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
