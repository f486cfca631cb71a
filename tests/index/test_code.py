"""The code index: units, names and paths of a snapshot, base and delta as one space."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import index_of, segment_of
from trackdown.index.code import CodeIndex
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS, PROSE, TEST

SHAPES = """
class Circle:
    def area(self):
        return radius * radius

    class Centre:
        def move(self):
            pass


def area(shape):
    return shape.area()
"""


def named(index: CodeIndex, name: str) -> list[tuple[str, str]]:
    return [(index.path(int(index.unit_file[unit])), index.symbol(unit)) for unit in index.units_named(name)]


def test_units_know_their_file_symbol_kind_lines_and_class() -> None:
    index = index_of({"geo/shapes.py": SHAPES})
    rows = {index.symbol(unit): unit for unit in index.units_of(0) if index.symbol(unit)}
    assert set(rows) == {"Circle", "Circle.area", "Circle.Centre", "Circle.Centre.move", "area"}
    assert index.kind(rows["Circle.area"]) == "method" and index.kind(rows["area"]) == "function"
    assert (index.unit_start[rows["Circle.area"]], index.unit_end[rows["Circle.area"]]) == (3, 4)
    assert index.unit_class[rows["Circle.area"]] == index.unit_class[rows["Circle"]] == rows["Circle"]
    assert index.unit_class[rows["Circle.Centre.move"]] == rows["Circle.Centre"]
    assert index.unit_class[rows["area"]] == -1
    assert index.path(0) == "geo/shapes.py" and index.language(0) == "python" and index.file_lines[0] == 12
    assert index.is_kind(CLASS_KINDS)[rows["Circle"]] and not index.is_kind(FUNCTION_KINDS)[rows["Circle"]]


def test_a_delta_goes_on_where_the_base_ends() -> None:
    index = index_of(
        {"a.py": "def one(): pass\n", "b.py": SHAPES}, {"b.py": "class New:\n    def two(self): pass\n"}, dead=[1]
    )
    assert index.files_by_path == {"a.py": 0, "b.py": 2}
    assert index.file_count == 2 and index.unit_count == 3
    (unit,) = index.units_named("New.two")
    assert index.path(int(index.unit_file[unit])) == "b.py" and index.symbol(int(index.unit_class[unit])) == "New"
    assert index.units_named("Circle") == []
    assert index.languages() == {"python": 2}


def test_a_name_is_found_whole_or_by_its_end_and_to_the_letter() -> None:
    index = index_of({"geo/shapes.py": SHAPES})
    assert named(index, "Circle.area") == [("geo/shapes.py", "Circle.area")]
    assert sorted(named(index, "area")) == [("geo/shapes.py", "Circle.area"), ("geo/shapes.py", "area")]
    assert named(index, "Centre.move") == [("geo/shapes.py", "Circle.Centre.move")]
    assert named(index, "circle") == [] and named(index, "rea") == [] and named(index, "Circle.") == []
    assert named(index, "") == [] and named(index, "...") == []


def test_a_dunder_or_a_non_ascii_name_is_found() -> None:
    index = index_of({"a.py": "class A:\n    def __init__(self): pass\n\ndef größe(): pass\n"})
    assert named(index, "__init__") == [("a.py", "A.__init__")]
    assert named(index, "größe") == [("a.py", "größe")]


def test_a_name_that_very_many_have_finds_none_wherever_they_stand() -> None:
    many = {f"m{number}.py": "".join(f"def get_{n}(): pass\n" for n in range(50)) for number in range(8)}
    one = {"one.py": "def get(): pass\n"}
    assert index_of({**many, **one}).units_named("get") == []
    assert index_of(many, one).units_named("get") == []


def test_dead_units_do_not_count_towards_very_many() -> None:
    many = {f"m{number}.py": "".join(f"def get_{n}(): pass\n" for n in range(50)) for number in range(9)}
    index = index_of({"a.py": "def get(): pass\n", **many}, {}, dead=range(1, 10))
    assert named(index, "get") == [("a.py", "get")]


def test_left_out_files_are_counted_by_rule_and_are_no_files_of_the_index() -> None:
    base = {"a.py": "def one(): pass\n", "b.py": "\0", "c.py": "\0x", "d.py": "# @generated\n"}
    index = index_of(base, {"e.py": "\0\0", "c.py": "def c(): pass\n"}, dead=[2])
    assert index.left_out == {"binary": 2, "generated": 1}
    assert set(index.files_by_path) == {"a.py", "c.py"}
    assert index.file_count == 2


@pytest.mark.parametrize("field", ["body", "name", "path"])
def test_a_field_scores_a_split_index_exactly_like_a_whole_one(field: str) -> None:
    files = {f"pkg/circle_{number}.py": SHAPES.replace("radius", f"radius{number} circle") for number in range(5)}
    files["pkg/binary.py"] = "\0"
    stale = {**files, "pkg/circle_1.py": "def circle(): circle\n" * 9, "pkg/old_circle.py": "circle = area\n"}
    delta = {"pkg/circle_1.py": files["pkg/circle_1.py"]}
    paths = sorted(stale)
    split = index_of(stale, delta, dead=[paths.index("pkg/circle_1.py"), paths.index("pkg/old_circle.py")])
    whole = index_of(files)
    query = ["circle", "area", "radius2", "binary", "absent"]
    one = split.score(field, query, [1.0, 2.0, 0.5, 1.0, 1.0], 1.2, 0.75).total
    other = whole.score(field, query, [1.0, 2.0, 0.5, 1.0, 1.0], 1.2, 0.75).total

    def by_place(index: CodeIndex, scores: object) -> dict[tuple[str, int], float]:
        values = np.asarray(scores)
        if field == "path":
            return {(path, 0): float(values[file]) for path, file in index.files_by_path.items()}
        return {
            (path, int(index.unit_start[unit])): float(values[unit])
            for path, file in index.files_by_path.items()
            for unit in index.units_of(file)
        }

    assert by_place(split, one) == by_place(whole, other)
    assert one.any()


def test_roles_come_from_paths() -> None:
    index = index_of({"src/a.py": "x = 1\n", "tests/a.py": "x = 1\n", "README.md": "x\n"})
    roles = {path: int(index.file_role[file]) for path, file in index.files_by_path.items()}
    assert roles == {"src/a.py": CODE, "tests/a.py": TEST, "README.md": PROSE}


def test_the_same_files_give_the_same_bytes() -> None:
    files = {"a.py": SHAPES, "b.md": "some words\n", "\udcff.py": "def odd(): pass\n"}
    first, second = segment_of(files).arrays, segment_of(files).arrays
    assert {name: first[name].tobytes() for name in first} == {name: second[name].tobytes() for name in second}
    assert "\udcff.py" in CodeIndex([segment_of(files)], np.zeros(0, dtype=np.int64)).files_by_path


def test_an_index_of_nothing_can_be_asked() -> None:
    index = index_of({})
    assert (index.file_count, index.unit_count, index.files_by_path, index.languages()) == (0, 0, {}, {})
    assert index.units_named("anything") == []
    assert index.score("body", ["x"], [1.0], 1.2, 0.75).total.tolist() == []
