"""Names: the test of a changed file, what a changed test is for, headers, and others that are called alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from trackdown.engine.impact.changed_files import PatchedFile
from trackdown.engine.impact.evidence import Evidence
from trackdown.index import CodeIndex
from trackdown.repository import role_of
from trackdown.types import TEST
from trackdown.units import terms, words

SIGNAL = "names"
_OF_TESTS = re.compile(r"^(?:tests?|specs?)[_-]|[_.-](?:tests?|specs?)$|(?:Tests?|TestCase|Specs?|IT)$|^Test(?=[A-Z])")
_SAYS_TEST = frozenset({"test", "tests", "spec", "specs"})
_ALIKE = 0.34
"""Names that have less in common are not called alike."""


def namesakes(code: CodeIndex, changed: Sequence[PatchedFile]) -> Evidence:
    """How alike the name of each file is to that of a changed one: 1 if only the ending or a `test` differs."""
    of_changed = {one.path: _parts(one.path) for one in changed}
    stems = {_stem(path): path for path in reversed(of_changed)}
    having: dict[str, list[str]] = {}
    for path, parts in of_changed.items():
        for part in parts:
            having.setdefault(part, []).append(path)
    scores = np.zeros(len(code.file_alive))
    witnesses: dict[int, str] = {}
    for path, file in code.files_by_path.items():
        stem, parts = _stem(path), _parts(path)
        same = stems.get(stem)
        others = [same] if same is not None else sorted({other for part in parts for other in having.get(part, ())})
        for other in others:
            its = of_changed[other]
            alike = 1.0 if other == same else len(parts & its) / len(parts | its)
            if alike > max(scores[file], _ALIKE):
                scores[file] = alike
                witnesses[file] = other

    def reason(file: int, unit: int) -> str:
        path, other = code.path(file), witnesses[file]
        tests = [role_of(one) == TEST for one in (path, other)]
        if scores[file] == 1.0 and tests[0] != tests[1]:
            return f"by its name the test of {other}" if tests[0] else f"by its name what {other} tests"
        return f"named like {other}"

    return Evidence(SIGNAL, scores, reason)


def _stem(path: str) -> str:
    """The name of a file without its ending, and without what makes it the name of a test."""
    name = path.rsplit("/", 1)[-1]
    name = name[: name.index(".", 1)] if "." in name[1:] else name
    return (_OF_TESTS.sub("", name) or name).lower().replace("_", "").replace("-", "")


def _parts(path: str) -> frozenset[str]:
    """The words in the name of a file."""
    name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return frozenset(term for word in words(name) for term in terms(word)) - _SAYS_TEST
