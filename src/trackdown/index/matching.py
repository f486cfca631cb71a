"""Which files match patterns of paths, and which units have a name."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

import numpy as np

from trackdown.index.bm25 import Mask
from trackdown.index.code import CodeIndex
from trackdown.repository import PathPatterns


def files_matching(code: CodeIndex, patterns: Sequence[str]) -> Mask:
    """Which of the index's files match one of the patterns; see `PathPatterns`."""
    matches = PathPatterns(patterns).matches
    found = np.zeros(len(code.file_alive), dtype=bool)
    found[[file for path, file in code.files_by_path.items() if matches(path)]] = True
    return found


def units_called(code: CodeIndex, names: Sequence[str]) -> Mask:
    """Which live units have one of these names, or end with it: `filter`, `QuerySet.filter`, `get_*`, in any case.

    A name of one letter is also that of the windows that define it.
    """
    either = "|".join(fnmatch.translate(f"*.{name.lower()}") for name in names)
    matches = re.compile(either).match
    called = [
        matches(f".{symbol.lower()}") is not None for segment in code.segments for symbol in segment.symbols.all_text()
    ]
    found: Mask = np.array(called, dtype=bool) & code.unit_alive
    for letter in filter(is_letter, names):
        found[code.windows_defining(letter.lower()) + code.windows_defining(letter.upper())] = True
    return found


def is_letter(name: str) -> bool:
    """Whether a name is one letter. Such a name may be that of a variable, a constant or a macro."""
    return len(name) == 1 and name.isalpha()
