"""A pack: queries, documents and which answers which, as token ids in few flat arrays. Training reads nothing else.

`train.xz` is to learn from, `dev.xz` to judge by; both lie in parts that can be carried to a GPU in several goes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from trackdown.errors import ModelError
from trackdown.lab.train.array_files import PART_MIB, Array, read_arrays, write_arrays

COMMIT, DOCSTRING, ISSUE, PULL_REQUEST = 0, 1, 2, 3
TRAIN, DEV = "train.xz", "dev.xz"


@dataclass(slots=True)
class Pack:
    """Everything that training reads. Row r of a ragged array lies at `x[x_start[r]:x_start[r + 1]]`.

    `document_key` numbers (repository, newest path, symbol): documents that share it are versions of one unit. A query
    has two forms, its subject and its message, at rows 2e and 2e + 1; the second is empty where it would repeat the
    first. Where there is an issue for a commit, that replaces the message.
    """

    document: Array
    document_start: Array
    document_key: Array
    document_repository: Array
    query: Array
    query_start: Array
    example_kind: Array
    example_repository: Array
    answer: Array
    answer_start: Array
    repositories: Array

    @property
    def examples(self) -> int:
        return len(self.example_kind)

    @property
    def documents(self) -> int:
        return len(self.document_key)

    def save(self, folder: Path, name: str, mib: int = PART_MIB) -> list[Path]:
        """Write everything into one compressed file, in parts of at most `mib` MiB."""
        return write_arrays(folder, name, {one.name: getattr(self, one.name) for one in fields(self)}, mib)


def load_pack(folder: Path, name: str) -> Pack:
    """Read a pack from its parts. Raises UsageError when it is not there, ModelError when it is damaged."""
    found = read_arrays(folder, name)
    try:
        return Pack(**{one.name: found[one.name] for one in fields(Pack)})
    except KeyError as error:
        raise ModelError(f"{folder / name} is not a pack of this version ({error}): pack it again") from None
