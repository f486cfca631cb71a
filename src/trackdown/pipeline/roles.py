"""What the roles of files multiply scores by: tests, prose, third-party and generated code rank below code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from trackdown.index import CodeIndex
from trackdown.query import Query
from trackdown.retrieve import Candidates
from trackdown.types import CODE, GENERATED, PROSE, TEST, VENDORED

Floats = npt.NDArray[np.float64]
ROLES = (CODE, TEST, PROSE, VENDORED, GENERATED)
ROLE_FACTORS = {TEST: 0.3, PROSE: 0.5, VENDORED: 0.3, GENERATED: 0.3}
"""Scores are multiplied by these unless the query asks for tests or prose, or names the file's folder or path."""
FOREIGN = (VENDORED, GENERATED)
_PATH = re.compile(r"(?<![\w.@+/-])[\w.@+-]+(?:/[\w.@+-]+)*/?")
_MOST_PATHS = 100


def role_factors(query: Query, *, foreign: bool = True) -> dict[int, float]:
    """The factors of the roles that the query does not ask for; without those of third-party and generated code if not
    `foreign`.
    """
    wanted = {TEST: query.asks_for_tests, PROSE: query.asks_for_prose, VENDORED: not foreign, GENERATED: not foreign}
    return {role: factor for role, factor in ROLE_FACTORS.items() if not wanted[role]}


def candidate_factors(pool: Candidates, index: CodeIndex, query: Query, factors: Mapping[int, float]) -> Floats:
    """The factor of each candidate: that of its file's role, or 1 if the query names the third-party or generated
    file, or a folder above it.
    """
    factor: Floats = np.array([factors.get(role, 1.0) for role in ROLES])[pool.roles]
    if any(role in factors for role in FOREIGN) and (named := list(_paths(query.text))):
        is_named = _matcher(named)
        files = np.unique(pool.files[np.isin(pool.roles, FOREIGN)]).tolist()
        asked = [file for file in files if is_named(index.path(file))]
        factor[np.isin(pool.files, asked)] = 1.0
    return factor


def _paths(text: str) -> Iterator[str]:
    """Texts with a slash that may name a path of the repository, without those slashes around it."""
    found = dict.fromkeys(match.strip("/") for match in _PATH.findall(text) if "/" in match)
    return islice((path for path in found if path), _MOST_PATHS)


def _matcher(named: Sequence[str]) -> Callable[[str], bool]:
    """Whether one of the texts is a path, its end, or a folder that it is in."""
    folders = tuple(f"{name}/" for name in named)
    ends = tuple(f"/{name}" for name in named if "/" in name)
    whole = frozenset(named)
    return lambda path: path.startswith(folders) or path in whole or path.endswith(ends)
