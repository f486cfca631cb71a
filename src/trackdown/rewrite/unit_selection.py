"""Select the units of a snapshot that are worth rewriting, and order them."""

from __future__ import annotations

import numpy as np

from trackdown.index import CodeIndex
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, PROSE


def units_to_rewrite(code: CodeIndex) -> list[int]:
    """Live functions, classes without methods, and files without either; code first, tests last, then by path.

    Prose is left out, because its windows are not code.
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
    """The unit that represents a file with a single snippet: its longest function, else its longest unit."""
    units = list(code.units_of(file))
    functions = [unit for unit in units if code.kind(unit) in FUNCTION_KINDS]
    lines = code.unit_end - code.unit_start
    return max(functions or units, key=lambda unit: (int(lines[unit]), -unit), default=None)
