"""Candidates as a language model reads them: path, symbol and source of their units."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.index import CodeIndex, Texts

_MAX_UNIT_CHARS = 24_000


def candidate_passages(
    code: CodeIndex, texts: Texts, candidates: Sequence[Sequence[int]], files: Sequence[int]
) -> list[str]:
    """One text for each candidate, made of its units in order; for a file that cannot be read, its path."""
    wanted = [unit for units in candidates for unit in units]
    sources = iter(texts(wanted))
    found = []
    for units, file in zip(candidates, files, strict=True):
        parts = [f"{code.path(file)}: {code.symbol(unit)}".rstrip(": ") for unit in units]
        bodies = [(source or "")[:_MAX_UNIT_CHARS] for _, source in zip(units, sources, strict=False)]
        blocks = [f"{part}\n{body}".rstrip() for part, body in zip(parts, bodies, strict=True)]
        found.append("\n".join(blocks) or code.path(file))
    return found
