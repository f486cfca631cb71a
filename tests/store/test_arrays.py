"""Array files: what is written comes back, and what is not whole is never opened."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xxhash import xxh3_64_intdigest

from tests.store.limits import files_end_at
from trackdown.errors import StoreCorrupt
from trackdown.store.arrays import ARRAYS_VERSION, open_arrays, write_arrays
from trackdown.store.part_files import PART_PREFIX

TYPES = ["?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"]
SHAPES: list[tuple[int, ...]] = [(0,), (1,), (257,), (0, 20), (7, 20), (2, 3, 4)]


def sample() -> dict[str, npt.NDArray[Any]]:
    return {
        "numbers": np.arange(100, dtype=np.int64),
        "none": np.zeros(0, dtype=np.uint8),
        "table": np.arange(12, dtype=np.float32).reshape(3, 4),
        "flags": np.array([True, False, True]),
    }


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(PART_PREFIX)]


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_and_shape_comes_back_as_it_was(tmp_path: Path, kind: str) -> None:
    for shape in SHAPES:
        array = (np.arange(int(np.prod(shape))) % 120).astype(kind).reshape(shape)
        write_arrays(tmp_path / "one.arrays", {"before": np.arange(3), "it": array, "behind": np.arange(5)}, {})
        found = open_arrays(tmp_path / "one.arrays")
        assert found["it"].dtype == array.dtype and found["it"].shape == array.shape
        assert np.array_equal(found["it"], array)
        assert np.array_equal(found["behind"], np.arange(5))


def test_arrays_that_do_not_lie_in_one_piece_come_back_as_they_looked(tmp_path: Path) -> None:
    square = np.arange(36).reshape(6, 6)
    write_arrays(tmp_path / "one.arrays", {"turned": square.T, "every_other": square[::2, 1::2]}, {})
    found = open_arrays(tmp_path / "one.arrays")
    assert np.array_equal(found["turned"], square.T)
    assert np.array_equal(found["every_other"], square[::2, 1::2])


def test_metadata_size_and_names_come_back(tmp_path: Path) -> None:
    meta = {"tips": ["a" * 40], "reasons": ["", "binary", "größer"], "depth": 3}
    size = write_arrays(tmp_path / "one.arrays", sample(), meta)
    found = open_arrays(tmp_path / "one.arrays")
    assert found.meta == meta
    assert found.size == size == (tmp_path / "one.arrays").stat().st_size
    assert sorted(found) == sorted(sample()) and len(found) == 4


def test_a_file_without_arrays_is_a_file(tmp_path: Path) -> None:
    write_arrays(tmp_path / "one.arrays", {}, {"k": 1})
    assert dict(open_arrays(tmp_path / "one.arrays")) == {}


def test_the_same_arrays_give_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.arrays"
    write_arrays(path, sample(), {"x": 1})
    first = path.read_bytes()
    write_arrays(path, sample(), {"x": 1})
    assert path.read_bytes() == first


def test_a_file_cut_at_any_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, sample(), {"x": 1})
    whole = path.read_bytes()
    for length in sorted({*range(0, len(whole), 7), *range(20), *range(len(whole) - 70, len(whole))}):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreCorrupt):
            open_arrays(path)


def test_a_file_with_something_behind_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, sample(), {})
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(StoreCorrupt, match=r"one\.arrays"):
        open_arrays(path)


def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, sample(), {"x": 1})
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        with pytest.raises(StoreCorrupt, match=r"one\.arrays"):
            open_arrays(path)


def test_pages_that_changed_places_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    size = write_arrays(path, {"numbers": np.arange(4096)}, {})
    whole = path.read_bytes()
    first, second = whole[size - 8192 : size - 4096], whole[size - 4096 :]
    path.write_bytes(whole[: size - 8192] + second + first)
    with pytest.raises(StoreCorrupt, match=r"one\.arrays"):
        open_arrays(path)


def test_files_that_changed_names_are_noticed(tmp_path: Path) -> None:
    one, two = tmp_path / "one.arrays", tmp_path / "two.arrays"
    write_arrays(one, {"numbers": np.arange(10)}, {})
    write_arrays(two, {"numbers": np.arange(10) + 1}, {})
    one.rename(tmp_path / "aside")
    two.rename(one)
    (tmp_path / "aside").rename(two)
    for path in (one, two):
        with pytest.raises(StoreCorrupt, match=path.name):
            open_arrays(path)


def with_header(text: bytes) -> bytes:
    """The beginning of a file whose checksums are right, with this header and no body."""
    start = -(-(26 + len(text)) // 64) * 64
    rest = bytes(start - 26 - len(text))
    head = struct.pack("<4sHIQQ", b"TRKD", ARRAYS_VERSION, len(text), xxh3_64_intdigest(text), xxh3_64_intdigest(rest))
    return head + text + rest


@pytest.mark.parametrize("header", ["[]", "{}", "3", '{"arrays": [], "meta": {}, "body": 0}', '{"arrays": {"a": 1}}'])
def test_a_header_of_another_shape_is_refused(tmp_path: Path, header: str) -> None:
    path = tmp_path / "one.arrays"
    path.write_bytes(with_header(header.encode()))
    with pytest.raises(StoreCorrupt):
        open_arrays(path)


@pytest.mark.parametrize(("size", "place"), [(1 << 40, 0), (1 << 62, 0), (1, 1 << 40), (1, -640)])
def test_a_header_that_points_outside_the_file_is_refused(tmp_path: Path, size: int, place: int) -> None:
    path = tmp_path / "one.arrays"
    header = {"name": path.name, "arrays": {"a": ["<i8", [size], place]}, "meta": {}, "body": 0}
    path.write_bytes(with_header(json.dumps(header).encode()))
    with pytest.raises(StoreCorrupt):
        open_arrays(path)


@pytest.mark.parametrize("head", [b"NOPE\x02\x00", b"TRKD\x01\x00", b"TRKD\x03\x00"])
def test_another_format_or_version_is_refused(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, sample(), {})
    path.write_bytes(head + path.read_bytes()[6:])
    with pytest.raises(StoreCorrupt, match="another format"):
        open_arrays(path)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    write_arrays(tmp_path / "one.arrays", sample(), {})
    with pytest.raises(StoreCorrupt, match="'oids'"):
        open_arrays(tmp_path / "one.arrays")["oids"]


def test_a_missing_file_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_arrays(tmp_path / "none.arrays")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, sample(), {"old": True})
    with files_end_at(16_384), pytest.raises(OSError, match="too large"):
        write_arrays(path, {**sample(), "long": np.zeros(100_000)}, {"old": False})
    assert open_arrays(path).meta == {"old": True}
    assert leftovers(tmp_path) == []


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    class Interrupted(dict[str, npt.NDArray[Any]]):
        def values(self) -> Any:
            yield next(iter(super().values()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_arrays(tmp_path / "one.arrays", Interrupted(sample()), {})
    assert list(tmp_path.iterdir()) == []


def test_a_reader_keeps_what_it_opened_when_the_file_is_replaced_or_removed(tmp_path: Path) -> None:
    path = tmp_path / "one.arrays"
    write_arrays(path, {"a": np.arange(1000)}, {})
    first = open_arrays(path)
    write_arrays(path, {"a": np.zeros(1000, dtype=np.int64)}, {})
    second = open_arrays(path)
    path.unlink()
    assert np.array_equal(first["a"], np.arange(1000))
    assert not second["a"].any()


def test_what_is_opened_cannot_be_written_to(tmp_path: Path) -> None:
    write_arrays(tmp_path / "one.arrays", sample(), {})
    with pytest.raises(ValueError, match="read-only"):
        open_arrays(tmp_path / "one.arrays")["numbers"][0] = 1
