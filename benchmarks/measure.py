"""What benchmarks share: their options, what they write beside their figures, clones, percentiles and memory."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trackdown


def new_parser(doc: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has: --help says what it measures, and --json names a file for the report."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report to a file, too")
    return parser


def keep(report: Mapping[str, Any], path: Path | None) -> None:
    """Write a report with a description of the run, if a file is named."""
    if path is not None:
        text = json.dumps({**report, "run": describe_run()}, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", "utf-8")


@contextmanager
def cloned(repository: Path) -> Iterator[tuple[Path, Path]]:
    """A clone of a repository, and the temporary folder that it is in, which has room for a store."""
    with tempfile.TemporaryDirectory(prefix="trackdown-bench-") as folder:
        clone = Path(folder) / "clone"
        command = ["git", "clone", "-q", "--no-hardlinks", str(repository.resolve()), str(clone)]
        subprocess.run(command, check=True)
        yield clone, Path(folder)


def latest_subjects(clone: Path, count: int) -> list[str]:
    """Queries that people might ask: the subjects of the latest commits, of four words at least, each once."""
    git = ["git", "-C", str(clone), "log", "--no-merges", f"-{40 * count}", "--format=%s"]
    lines = subprocess.check_output(git, text=True, errors="replace").splitlines()
    found = [line for line in dict.fromkeys(lines) if len(line.split()) >= 4][:count]
    if len(found) < min(count, 3):
        raise SystemExit(f"{clone.name} has too few commits with a subject of four words")
    return found


def percentile(values: Sequence[float], share: int) -> float:
    """The value that a share of all values, in percent, does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def spread(values: Sequence[float], digits: int = 3) -> dict[str, float]:
    """Median, 95th percentile and maximum."""
    found = {"p50": percentile(values, 50), "p95": percentile(values, 95), "max": max(values)}
    return {name: round(value, digits) for name, value in found.items()}


def peak_memory(process: subprocess.Popen[Any]) -> list[float]:
    """A list whose only value becomes the peak of the memory, in MB, of a process and of all that it starts.

    Pages that processes share (git maps its packs) count once: memory is the proportional share (PSS), sampled.
    """
    peak = [0.0]

    def watch() -> None:
        while process.poll() is None:
            peak[0] = max(peak[0], family_memory(process.pid))
            time.sleep(0.05)

    threading.Thread(target=watch, daemon=True).start()
    return peak


def family_memory(pid: int) -> float:
    """The memory, in MB, that a process and all below it have now."""
    import psutil  # the tests run some of these scripts without it

    total = 0.0
    try:
        parent = psutil.Process(pid)
        for one in (parent, *parent.children(recursive=True)):
            try:
                total += one.memory_full_info().pss / 1e6
            except psutil.Error:
                continue
    except psutil.Error:
        pass
    return total


def describe_run() -> dict[str, object]:
    """Date, machine and versions, without anything that names the machine."""
    here = Path(__file__).parent
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True, check=False
    )
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit.stdout.strip() or None,
        "trackdown": trackdown.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "git": subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.split()[2],
        "command": " ".join(name_of(Path(word)) if "/" in word else word for word in sys.argv),
    }


def name_of(path: Path) -> str:
    """The last part of a path that tells it apart from others: a mirror is OWNER+NAME/repo."""
    return path.parent.name if path.name in ("repo", "repo.git", ".git") else path.name


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()
