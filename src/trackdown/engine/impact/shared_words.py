"""Text: files and units that have the words of a diff's lines, and the names of what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from trackdown.engine.impact.changed_files import PatchedFile
from trackdown.engine.impact.evidence import Evidence
from trackdown.excerpts import Sought, SoughtTerms
from trackdown.index import CodeIndex
from trackdown.retrieve import SIGNAL, Lexical
from trackdown.units import term_counts, terms, words

_MOST_TERMS = 100
_SHORTEST_NAME = 4
_OF_A_NAME = 3
"""The name of a changed class or function counts like so many mentions of it."""


def shared_words(code: CodeIndex, changed: Sequence[PatchedFile]) -> Evidence | None:
    """How well each unit matches the most frequent words of the changed lines; None without any."""
    counts: Counter[str] = Counter()
    gone = _removed_words(changed)
    for one in changed:
        names = [code.symbol(unit).rsplit(".", 1)[-1] for unit in one.units] * _OF_A_NAME
        counts.update(term_counts("\n".join((*one.removed, *one.added, *names))))
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TERMS]
    if not most:
        return None
    lexical = Lexical(code, {term: 1.0 + float(np.log(count)) for term, count in most})
    units = lexical.units * code.unit_alive
    files = np.zeros(len(code.file_alive))
    np.maximum.at(files, code.unit_file, units)

    def reason(file: int, unit: int) -> str:
        rows = code.units_of(file)
        best = unit if unit >= 0 else rows.start + int(np.argmax(units[rows.start : rows.stop]))
        (match,) = lexical.matches([best])
        removed = next((gone[term] for term in match.numbers if term in gone), None)
        text = match.text if removed is None else f"mentions {removed}, which the change removes"
        part = code.symbol(best).rsplit(".", 1)[-1] if best != unit else ""
        return f"in {part}: {text}" if part and text else text

    sought = Sought(SoughtTerms(lexical.sought()))
    return Evidence(SIGNAL, files, reason, units, relative=True, sought=sought)


def _removed_words(changed: Sequence[PatchedFile]) -> dict[str, str]:
    """The identifiers that stand in removed lines and in no added one, by the term that stands for the whole word."""
    added = {word for one in changed for line in one.added for word in words(line)}
    removed = sorted({word for one in changed for line in one.removed for word in words(line)} - added)
    return {terms(word)[0]: word for word in removed if len(word) >= _SHORTEST_NAME and terms(word)}
