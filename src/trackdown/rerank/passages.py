"""Candidates as a language model reads them: where a unit stands, what it is called, and its source."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.index.code import CodeIndex
from trackdown.index.neural import Texts

_LONGEST_UNIT = 24_000


def candidate_passages(
    code: CodeIndex, texts: Texts, candidates: Sequence[Sequence[int]], files: Sequence[int]
) -> list[str]:
    """One text for each candidate, of its units in their order; of a file that cannot be read its path is left."""
    wanted = [unit for units in candidates for unit in units]
    sources = iter(texts(wanted))
    found = []
    for units, file in zip(candidates, files, strict=True):
        parts = [f"{code.path(file)}: {code.symbol(unit)}".rstrip(": ") for unit in units]
        bodies = [(source or "")[:_LONGEST_UNIT] for _, source in zip(units, sources, strict=False)]
        told = [f"{part}\n{body}".rstrip() for part, body in zip(parts, bodies, strict=True)]
        found.append("\n".join(told) or code.path(file))
    return found
