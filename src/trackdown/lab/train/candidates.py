"""The first candidates of benchmark cases as token ids: what a model is judged by without a whole search.

A file holds one set of cases. It needs neither repositories nor a tokenizer, so models can be judged where they are
trained.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from trackdown.errors import ModelError
from trackdown.lab.train.array_files import Array, read_arrays, write_arrays

ENDING = ".candidates.xz"
QUERY_TOKENS, TEXT_TOKENS = 510, 381


@dataclass(slots=True)
class CandidateSet:
    """Cases, each with a query and candidates, best first. Row r of a ragged array is `x[x_start[r]:x_start[r + 1]]`.

    Candidates of case c are rows `case_start[c]` to `case_start[c + 1]` of `text`, `score` (the search's own), `factor`
    (what the candidate's role multiplies scores by) and `gold`. `missed` counts gold that is not among the candidates.
    """

    query: Array
    query_start: Array
    text: Array
    text_start: Array
    case_start: Array
    score: Array
    factor: Array
    gold: Array
    missed: Array
    ids: Array
    repositories: Array

    @property
    def cases(self) -> int:
        return len(self.ids)

    def save(self, path: Path) -> None:
        """Write it under the name `path` in parts, of which there is mostly one."""
        write_arrays(path.parent, path.name, {one.name: getattr(self, one.name) for one in fields(self)})


def read_candidates(path: Path) -> CandidateSet:
    """Read a set by its name, or by that of its first part. Raises UsageError and ModelError as `read_arrays` does."""
    name = path.name.removesuffix(".00")
    arrays = read_arrays(path.parent, name)
    try:
        return CandidateSet(**{one.name: arrays[one.name] for one in fields(CandidateSet)})
    except KeyError as error:
        raise ModelError(f"{path} has no candidates ({error}): write it with `trackdown train candidates`") from None
