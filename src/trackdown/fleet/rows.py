"""A shard → rows for the tables: one for each unit, and one for each of the latest commits.

Text is our own terms, joined by spaces: the tables split at spaces and change nothing, so a query and a row always
agree on what a word is. What a program says (its messages) is there as hashes of three words in a row.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from trackdown.index import CODE_PART, COMMITS_PART, KINDS, STATIC_PART, CodeSegment, CommitSegment
from trackdown.store import Arrays, open_shard
from trackdown.units import END_NUMBER, GAP_NUMBER, word_hash, words

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_VERSION = 1
"""Raise it when the same shard would now give other rows: it is part of the key of what is built."""
DIMENSIONS = 256
"""Of the vectors in the tables. A model with others has no vectors there."""
COMMIT = "commit"
"""The kind of rows that are about a commit."""
_MOST_COMMITS = 3_000
_MOST_TIMES = 4
"""A word that a unit repeats counts at most this often."""
_RUN = 3
Int64s = npt.NDArray[np.int64]


def schema() -> pa.Schema:
    """The columns of a table. `repository` and `key` say whose row it is."""
    import pyarrow as pa

    texts = ("path", "symbol", "kind", "language")
    return pa.schema(
        [
            ("repository", pa.string()),
            ("key", pa.string()),
            *((name, pa.string()) for name in texts),
            ("line", pa.int32()),
            *((name, pa.string()) for name in TEXT_COLUMNS),
            ("vector", pa.list_(pa.float16(), DIMENSIONS)),
        ]
    )


TEXT_COLUMNS = ("body", "names", "messages", "history")
"""The columns with words: of the text, of names and paths, of what the program says, of commit messages."""


def write_rows(shard_file: Path, limit: int, file: Path) -> int:
    """Write the rows of a shard to an Arrow file, without repository and key. Returns how many there are."""
    import pyarrow as pa

    with open_shard(shard_file, limit) as shard:
        parts = {part.kind: shard.read(number) for number, part in enumerate(shard.parts) if part.kind != "deep"}
    columns = _of_units(CodeSegment(parts[CODE_PART]), parts.get(STATIC_PART))
    table = pa.concat_tables([columns, _of_commits(CommitSegment(parts[COMMITS_PART]))])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(file), "wb") as stream, pa.ipc.new_file(stream, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=8192)
    return int(table.num_rows)


def read_rows(file: Path, repository: str, key: str) -> pa.Table:
    """The rows of a file as rows of a repository."""
    import pyarrow as pa

    with pa.OSFile(str(file), "rb") as stream:
        found = pa.ipc.open_file(stream).read_all()
    count = found.num_rows
    named = found.append_column("repository", pa.repeat(pa.scalar(repository), count))
    return named.append_column("key", pa.repeat(pa.scalar(key), count)).select(schema().names)


def _of_units(segment: CodeSegment, vectors: Arrays | None) -> pa.Table:
    arrays = segment.arrays
    files = arrays["unit_file"]
    units = len(files)
    paths = [_clean(path) for path in segment.paths.all_text()]
    terms = [_clean(term) for term in segment.terms.all_text()]
    by_path = _texts(terms, segment, "path", len(paths))
    names = [
        f"{name} {by_path[file]}".strip()
        for name, file in zip(_texts(terms, segment, "name", units), files, strict=True)
    ]
    languages = [segment.languages[number] for number in arrays["file_language"].tolist()]
    return _table(
        {
            "path": [paths[file] for file in files],
            "symbol": [_clean(symbol) for symbol in segment.symbols.all_text()],
            "kind": [KINDS[kind] for kind in arrays["unit_kind"].tolist()],
            "language": [languages[file] for file in files],
            "line": arrays["unit_start"],
            "body": _texts(terms, segment, "body", units),
            "names": names,
            "messages": _messages(arrays, units),
            "history": [""] * units,
        },
        _vectors(vectors, units),
    )


def _of_commits(segment: CommitSegment) -> pa.Table:
    """The latest commits. They come last in a segment, ancestors first."""
    count = len(segment.oids)
    first = max(0, count - _MOST_COMMITS)
    terms = [_clean(term) for term in segment.terms.all_text()]
    kept = [at for at, text in enumerate(_texts(terms, segment, "message", count)) if at >= first and text]
    texts = _texts(terms, segment, "message", count)
    empty = [""] * len(kept)
    return _table(
        {
            "path": empty,
            "symbol": [bytes(segment.oids[at]).hex() for at in kept],
            "kind": [COMMIT] * len(kept),
            "language": empty,
            "line": np.zeros(len(kept), dtype=np.int32),
            "body": empty,
            "names": empty,
            "messages": empty,
            "history": [texts[at] for at in kept],
        },
        None,
    )


def _table(columns: dict[str, Any], vectors: npt.NDArray[np.float16] | None) -> pa.Table:
    import pyarrow as pa

    own = pa.schema([field for field in schema() if field.name not in ("repository", "key")])
    count = len(columns["path"])
    if vectors is None:
        column = pa.nulls(count, own.field("vector").type)
    else:
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSIONS)
    return pa.table({**columns, "vector": column}, schema=own)


def _texts(terms: list[str], segment: CodeSegment | CommitSegment, field_name: str, count: int) -> list[str]:
    """The words of each document of a field, joined by spaces: the postings read the other way round."""
    field = segment.message if isinstance(segment, CommitSegment) else segment.fields[field_name]
    rows = np.repeat(np.arange(len(field.pointers) - 1), np.diff(field.pointers))
    order = np.argsort(field.documents, kind="stable")
    documents = np.asarray(field.documents)[order]
    times = np.minimum(np.asarray(field.counts)[order], _MOST_TIMES).astype(np.int64)
    numbers = np.repeat(rows[order], times)
    ends = np.cumsum(np.bincount(np.repeat(documents, times), minlength=count)).tolist()
    found, start = [], 0
    for end in ends:
        found.append(" ".join([terms[number] for number in numbers[start:end].tolist()]))
        start = end
    return found


def _messages(arrays: Arrays, units: int) -> list[str]:
    """The messages of each unit as hashes of words in a row."""
    found: list[list[str]] = [[] for _ in range(units)]
    hashes = arrays["message_words"].tolist()
    owners = arrays["message_units"].tolist()
    message: list[int] = []
    number = 0
    for value in hashes:
        if value != END_NUMBER:
            message.append(value)
            continue
        found[owners[number]] += _runs(message)
        message, number = [], number + 1
    return [" ".join(dict.fromkeys(one)) for one in found]


def _runs(hashes: list[int]) -> list[str]:
    """Every three hashes in a row without a gap, as one word."""
    found = []
    for start in range(len(hashes) - _RUN + 1):
        run = hashes[start : start + _RUN]
        if GAP_NUMBER not in run:
            found.append("".join(f"{value:08x}" for value in run))
    return found


def message_words(text: str) -> list[str]:
    """The words by which the messages in a text are found."""
    return _runs([word_hash(word) for word in words(text)])


def _vectors(part: Arrays | None, units: int) -> npt.NDArray[np.float16] | None:
    if part is None or part["rows"].shape != (units, DIMENSIONS):
        return None
    rows = part["rows"].astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: npt.NDArray[np.float16] = (rows / np.maximum(lengths, 1e-6)).astype(np.float16)
    return unit


def _clean(text: str) -> str:
    """Text that is valid UTF-8: a path may hold other bytes."""
    return text.encode("utf-8", "replace").decode()
