"""What is ranked at a level, and how scores of units roll up to it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import index_of
from trackdown.index.code import CodeIndex
from trackdown.retrieve.candidate_pool import Candidates, candidates
from trackdown.types import TEST, Level

CLASSES = """class A:
    def one(self): pass
    def two(self): pass
    class In:
        def deep(self): pass

def free(): pass
"""
FILES = {
    "app/a.py": CLASSES,
    "app/b.py": "def lone(): pass\n",
    "app/empty.py": "",
    "tests/test_a.py": "def test_one(): pass\n",
}


def symbols(index: CodeIndex, pool: Candidates) -> list[str]:
    return [index.symbol(int(unit)) for unit in pool.units]


def unit_scores(index: CodeIndex, by_symbol: dict[str, float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([by_symbol.get(index.symbol(unit), 0.0) for unit in range(len(index.unit_file))])


def test_functions_classes_and_files() -> None:
    index = index_of(FILES)
    assert set(symbols(index, candidates(index, "function"))) == {
        "A.one",
        "A.two",
        "A.In.deep",
        "free",
        "lone",
        "test_one",
    }
    assert set(symbols(index, candidates(index, "class"))) == {"A", "A.In"}
    pool = candidates(index, "file")
    assert [index.path(int(file)) for file in pool.files] == sorted(FILES)
    assert pool.units.tolist() == [-1] * 4 and pool.count == 4


@pytest.mark.parametrize("level", ["function", "class", "file"])
def test_dead_and_left_out_files_have_no_candidates(level: Level) -> None:
    index = index_of(
        {"a.py": FILES["app/a.py"], "b.py": b"\0", "c.py": FILES["app/a.py"]}, {"d.py": "x = 1\n"}, dead=[0]
    )
    pool = candidates(index, level)
    expected = {"c.py", "d.py"} if level == "file" else {"c.py"}
    assert {index.path(int(file)) for file in pool.files} == expected
    assert not (pool.owner[: len(index.units_of(0))] >= 0).any()


def test_a_function_has_the_score_of_its_unit() -> None:
    index = index_of(FILES)
    pool = candidates(index, "function")
    scores = pool.from_units(unit_scores(index, {"A.one": 3.0, "lone": 1.5}))
    assert dict(zip(symbols(index, pool), scores.tolist(), strict=True)) == {
        "A.one": 3.0,
        "A.two": 0.0,
        "A.In.deep": 0.0,
        "free": 0.0,
        "lone": 1.5,
        "test_one": 0.0,
    }


def test_a_class_gathers_its_own_members_and_not_those_of_inner_classes() -> None:
    index = index_of(FILES)
    pool = candidates(index, "class")
    scores = pool.from_units(unit_scores(index, {"A": 1.0, "A.one": 4.0, "A.two": 2.0, "A.In.deep": 8.0, "free": 99.0}))
    found = dict(zip(symbols(index, pool), scores.tolist(), strict=True))
    assert found == {"A": pytest.approx(4.0 + 2.0 / 2 + 1.0 / 3), "A.In": 8.0}


def test_a_file_gathers_its_best_five_each_for_less() -> None:
    text = "".join(f"def f{number}(): pass\n" for number in range(8))
    index = index_of({"a.py": text, "b.py": text.replace("def f", "def g")})
    pool = candidates(index, "file")
    values = {f"f{number}": float(number + 1) for number in range(8)} | {"g3": 2.0, "g5": 2.0}
    scores = pool.from_units(unit_scores(index, values))
    assert scores.tolist() == pytest.approx([8 + 7 / 2 + 6 / 3 + 5 / 4 + 4 / 5, 2 + 2 / 2])


@pytest.mark.parametrize("level", ["class", "file"])
def test_nothing_found_rolls_up_to_nothing(level: Level) -> None:
    index = index_of(FILES)
    pool = candidates(index, level)
    assert pool.from_units(np.zeros(len(index.unit_file))).tolist() == [0.0] * pool.count


def test_scores_of_files_go_to_all_their_candidates() -> None:
    index = index_of(FILES)
    pool = candidates(index, "function")
    scores = pool.from_files(np.array([1.0, 2.0, 3.0, 4.0]))
    found = dict(zip(symbols(index, pool), scores.tolist(), strict=True))
    assert found["A.one"] == found["free"] == 1.0 and found["lone"] == 2.0 and found["test_one"] == 4.0


def test_the_best_unit_of_a_file_or_class() -> None:
    index = index_of(FILES)
    scores = unit_scores(index, {"A.two": 2.0, "free": 5.0})
    files = candidates(index, "file")
    best = files.best_units([0, 2], scores)
    assert index.symbol(best[0]) == "free" and best[1] == -1
    classes = candidates(index, "class")
    place = symbols(index, classes).index("A")
    assert [index.symbol(unit) for unit in classes.best_units([place], scores)] == ["A.two"]
    functions = candidates(index, "function")
    assert functions.best_units([1], scores) == [int(functions.units[1])]


def test_tests_and_folders_can_be_left_out() -> None:
    index = index_of({**FILES, "app/a/x.py": "def x(): pass\n", "apple/y.py": "def y(): pass\n"})
    pool = candidates(index, "file")

    def allowed(tests: bool, *folders: str) -> set[str]:
        mask = pool.allowed(index, without_roles=frozenset() if tests else frozenset({TEST}), folders=folders)
        return {index.path(int(file)) for file in pool.files[mask]}

    everything = {*FILES, "app/a/x.py", "apple/y.py"}
    assert allowed(True) == allowed(True, "") == allowed(True, "app", "") == everything
    assert allowed(False) == everything - {"tests/test_a.py"}
    assert allowed(True, "app") == {"app/a.py", "app/b.py", "app/empty.py", "app/a/x.py"}
    assert allowed(True, "app/a") == {"app/a/x.py"} and allowed(True, "app/a.py") == {"app/a.py"}
    assert allowed(True, "tests", "apple") == {"tests/test_a.py", "apple/y.py"}


def test_the_best_stand_first_and_equals_by_path_and_line() -> None:
    index = index_of({"b.py": "def b1(): pass\ndef b2(): pass\n"}, {"a.py": "def a1(): pass\ndef a2(): pass\n"})
    pool = candidates(index, "function")

    def best(k: int, **scores: float) -> list[str]:
        values = np.array([scores.get(symbol, 1.0) for symbol in symbols(index, pool)])
        return [index.symbol(int(pool.units[candidate])) for candidate in pool.best(index, values, k)]

    assert best(10) == ["a1", "a2", "b1", "b2"]
    assert best(2) == ["a1", "a2"] and best(3, b2=2.0) == ["b2", "a1", "a2"]
    assert best(10, a1=0.0, b1=0.0) == ["a2", "b2"]
    assert best(1, a1=0.0, a2=0.0, b1=0.0, b2=0.0) == []
