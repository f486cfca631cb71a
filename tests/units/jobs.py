"""Small places with files to extract, for the pool and its workers."""

from __future__ import annotations

from pathlib import Path

from trackdown.repository.blobs import blob_id
from trackdown.units.facts import BlobFacts, decode
from trackdown.units.worker import ContentSource, ExtractionJob, ExtractionResult

LIMIT = 1 << 20


def on_disk(root: Path) -> ContentSource:
    """Where files are read from disk."""
    return ContentSource(str(root), None, True, "sha1", LIMIT)


def write_jobs(root: Path, count: int, functions: int = 3) -> list[ExtractionJob]:
    """Write Python files and return what is to be done with them."""
    root.mkdir(parents=True, exist_ok=True)
    jobs = []
    for number in range(count):
        text = "".join(f"def f{number}_{part}(x):\n    return x + {part}\n\n" for part in range(functions))
        jobs.append(write_job(root, f"file{number}.py", text))
    return jobs


def write_job(root: Path, name: str, text: str) -> ExtractionJob:
    """Write one Python file; its key is its name."""
    (root / name).write_text(text)
    return ExtractionJob(name, name.encode(), blob_id(text.encode()), "python", False)


def facts_of(done: ExtractionResult) -> BlobFacts:
    """The facts of a job that was done."""
    assert done.facts is not None
    return decode(done.facts)
