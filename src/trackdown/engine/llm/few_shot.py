"""Few-shot pairs for a language model: functions of the repository with the first sentence of their documentation.

They show the model the style of this code base. The selection depends only on the snapshot.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from trackdown.errors import UsageError
from trackdown.index import CodeIndex, Texts
from trackdown.models.llm import CodeExample
from trackdown.types import CODE, FUNCTION_KINDS
from trackdown.units import split_docstring

MOST_PAIRS = 16
_FEWEST_LINES, _MOST_LINES = 3, 30
_MOST_READ = 400
_FEWEST_WORDS, _MOST_WORDS = 4, 40


def main_language(code: CodeIndex) -> str:
    """The language of most files with functions; text if there are none."""
    functions = code.is_kind(FUNCTION_KINDS) & code.unit_alive
    files = np.unique(code.unit_file[functions]).tolist()
    counts: dict[str, int] = {}
    for file in files:
        counts[code.language(file)] = counts.get(code.language(file), 0) + 1
    return max(sorted(counts), key=counts.__getitem__, default="text")


def few_shot(code: CodeIndex, texts: Texts) -> Callable[[str], Sequence[CodeExample]]:
    """Language → up to MOST_PAIRS pairs in it, found on first use."""
    return lru_cache(maxsize=None)(lambda language: _pairs(code, texts, language))


def _pairs(code: CodeIndex, texts: Texts, language: str) -> tuple[CodeExample, ...]:
    lines = code.unit_end - code.unit_start + 1
    fitting = code.is_kind(FUNCTION_KINDS) & code.unit_alive & (lines >= _FEWEST_LINES) & (lines <= _MOST_LINES)
    fitting &= code.file_role[code.unit_file] == CODE
    units = [unit for unit in np.flatnonzero(fitting).tolist() if code.language(int(code.unit_file[unit])) == language]
    found: dict[str, CodeExample] = {}
    for unit in sorted(units, key=lambda unit: _drawn(code, unit))[:_MOST_READ]:
        (source,) = texts([unit])
        docstring, rest = split_docstring(source, language) if source is not None else ("", "")
        sentence = docstring.split(". ")[0].strip()
        if _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS and rest.strip():
            found.setdefault(sentence, CodeExample(sentence, rest.strip("\n")))
        if len(found) == MOST_PAIRS:
            break
    return tuple(found.values())


def _drawn(code: CodeIndex, unit: int) -> bytes:
    """A pseudo-random number that is always the same for a place."""
    place = f"{code.path(int(code.unit_file[unit]))}\0{code.symbol(unit)}"
    return hashlib.blake2b(place.encode("utf-8", "surrogateescape"), digest_size=8).digest()


def read_pairs(path: Path) -> tuple[CodeExample, ...]:
    """Pairs from a file of lines {"query", "code"}. Raises UsageError with the number of an invalid line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read the examples {path}: {why}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            query, code = value["query"], value["code"]
        except (ValueError, TypeError, KeyError, RecursionError):
            query, code = None, None
        if not (isinstance(query, str) and isinstance(code, str) and query.strip() and code.strip()):
            raise UsageError(f'{path}, line {number}: an example is a line {{"query": "…", "code": "…"}}')
        found.append(CodeExample(query.strip(), code.strip("\n")))
    if not found:
        raise UsageError(f"{path} has no examples")
    return tuple(found)


__all__ = ["MOST_PAIRS", "CodeExample", "few_shot", "main_language", "read_pairs"]
