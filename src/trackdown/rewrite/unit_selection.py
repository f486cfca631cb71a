"""Which units of a snapshot are worth rewriting, and in which order."""

from __future__ import annotations

import numpy as np

from trackdown.index.code import CodeIndex
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, PROSE


def units_to_rewrite(code: CodeIndex) -> list[int]:
    """Live functions, and where a class or a file has none, that itself; code first, tests last, each by its place.

    A class with methods is rewritten by them. Prose is left alone: its windows are no code.
    """
    functions = code.is_kind(FUNCTION_KINDS)
    classes = code.is_kind(CLASS_KINDS)
    with_function = np.zeros(len(code.unit_file), dtype=bool)
    with_function[code.unit_class[functions & (code.unit_class >= 0)]] = True
    records = classes & ~with_function
    named = np.zeros(len(code.file_alive), dtype=bool)
    named[code.unit_file[functions | classes]] = True
    chosen = functions | records | ~named[code.unit_file]
    roles = code.file_role[code.unit_file]
    rows = np.flatnonzero(chosen & code.unit_alive & (roles != PROSE)).tolist()
    return sorted(rows, key=lambda unit: (int(roles[unit]), code.path(int(code.unit_file[unit])), unit))


def main_unit(code: CodeIndex, file: int) -> int | None:
    """The unit that stands for a file which is one snippet: its longest function, else its longest unit."""
    units = list(code.units_of(file))
    functions = [unit for unit in units if code.kind(unit) in FUNCTION_KINDS]
    lines = code.unit_end - code.unit_start
    return max(functions or units, key=lambda unit: (int(lines[unit]), -unit), default=None)
