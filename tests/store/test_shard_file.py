"""Shard files: equal contents have equal digests, and whatever is not whole is refused in one line."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trackdown.errors import ShardError, StoreError
from trackdown.store import NewPart, open_shard, write_shard

LIMIT = 1 << 20
HEAD = struct.Struct("<8sII32s")


def parts() -> list[NewPart]:
    numbers = np.arange(500, dtype=np.int32)
    text = np.frombuffer(b"words and words " * 40, dtype=np.uint8)
    return [
        NewPart("code", {"numbers": numbers, "text": text, "none": np.zeros(0, np.int64)}, {"languages": ["python"]}),
        NewPart("static", {"rows": np.arange(60, dtype=np.int8).reshape(20, 3)}, {"model": "m@1"}),
    ]


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    path = tmp_path / "a.shard"
    write_shard(path, {"commit": "c0"}, parts())
    return path


def read_all(path: Path, limit: int = LIMIT) -> list[dict[str, Any]]:
    with open_shard(path, limit) as opened:
        return [dict(opened.read(number)) for number in range(len(opened.parts))]


def rewritten(shard: Path, change: Any, content: bytes | None = None) -> Path:
    """The same shard with a manifest that was changed and signed again, and other content, if any."""
    data = shard.read_bytes()
    magic, version, length, _ = HEAD.unpack(data[: HEAD.size])
    manifest = json.loads(data[HEAD.size : HEAD.size + length])
    change(manifest)
    text = json.dumps(manifest).encode()
    head = HEAD.pack(magic, version, len(text), hashlib.sha256(text).digest())
    rest = data[HEAD.size + length :] if content is None else content
    shard.write_bytes(head + text + rest)
    return shard


def test_what_was_written_comes_back(shard: Path) -> None:
    for part, found in zip(parts(), read_all(shard), strict=True):
        assert list(found) == list(part.arrays)
        for name, array in part.arrays.items():
            assert found[name].dtype == array.dtype and np.array_equal(found[name], array)
    with open_shard(shard, LIMIT) as opened:
        assert opened.about == {"commit": "c0"}
        assert [(part.kind, part.meta) for part in opened.parts] == [(part.kind, part.meta) for part in parts()]
        assert opened.size == shard.stat().st_size


def test_equal_contents_have_equal_digests_and_others_another(tmp_path: Path) -> None:
    first, _ = write_shard(tmp_path / "1", {"b": 1, "a": 2}, parts())
    second, _ = write_shard(tmp_path / "2", {"a": 2, "b": 1}, parts())
    changed = parts()
    changed[0].arrays["numbers"][3] += 1
    third, _ = write_shard(tmp_path / "3", {"a": 2, "b": 1}, changed)
    assert first == second != third
    with open_shard(tmp_path / "1", LIMIT) as opened:
        assert opened.digest == first


def test_the_digest_does_not_depend_on_how_zlib_wrote_the_parts(shard: Path) -> None:
    with open_shard(shard, LIMIT) as opened:
        digest = opened.digest
    data = shard.read_bytes()
    length = HEAD.unpack(data[: HEAD.size])[2]
    plain = [b"".join(array.tobytes() for array in part.arrays.values()) for part in parts()]
    stored = [zlib.compress(text, 0) for text in plain]
    table = b"".join(struct.pack("<Q", len(text)) for text in stored)
    shard.write_bytes(data[: HEAD.size + length] + table + b"".join(stored))
    with open_shard(shard, LIMIT) as opened:
        assert opened.digest == digest
    assert np.array_equal(read_all(shard)[0]["numbers"], np.arange(500))


def test_every_truncation_is_refused(shard: Path) -> None:
    data = shard.read_bytes()
    for length in range(0, len(data), 7):
        shard.write_bytes(data[:length])
        with pytest.raises(ShardError):
            read_all(shard)


def test_a_flipped_bit_is_refused_or_changes_nothing(shard: Path) -> None:
    """A few bits of a zlib stream say nothing: those that fill its last byte, for instance."""
    data = shard.read_bytes()
    chance = random.Random(1)
    refused = 0
    places = [*range(60), *(chance.randrange(len(data)) for _ in range(200))]
    for place in places:
        shard.write_bytes(data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :])
        try:
            found = read_all(shard)
        except ShardError:
            refused += 1
            continue
        for part, arrays in zip(parts(), found, strict=True):
            assert all(np.array_equal(arrays[name], array) for name, array in part.arrays.items())
    assert refused > len(places) - 5


def test_bytes_after_the_end_are_refused(shard: Path) -> None:
    shard.write_bytes(shard.read_bytes() + b"x")
    with pytest.raises(ShardError, match="bytes follow its end"):
        read_all(shard)


def test_another_format_is_named(shard: Path) -> None:
    data = bytearray(shard.read_bytes())
    data[8:12] = struct.pack("<I", 7)
    shard.write_bytes(data)
    with pytest.raises(ShardError, match="its format is 7, and this version of Trackdown reads 1: export it anew"):
        read_all(shard)


def test_another_file_is_no_shard(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"PK\x03\x04" + b"\0" * 99)
    with pytest.raises(ShardError, match="it is not an exported index"):
        read_all(tmp_path / "x")
    with pytest.raises(ShardError, match="cannot be read"):
        read_all(tmp_path / "missing")


def test_more_than_the_limit_is_refused_before_anything_is_unpacked(shard: Path) -> None:
    with pytest.raises(ShardError, match="it unpacks to 0 MB, and the limit is 0 MB"):
        read_all(shard, limit=2000)


def test_a_bomb_is_refused(shard: Path) -> None:
    """A part that promises little and unpacks to much."""
    bomb = zlib.compress(bytes(50 << 20), 9)
    data = shard.read_bytes()
    length = HEAD.unpack(data[: HEAD.size])[2]
    table = struct.pack("<QQ", len(bomb), 0)
    shard.write_bytes(data[: HEAD.size + length] + table + bomb)
    with open_shard(shard, LIMIT) as opened, pytest.raises(ShardError, match="a part does not end where it should"):
        opened.read(0)


def test_a_huge_promise_is_refused(shard: Path) -> None:
    def inflate(manifest: Any) -> None:
        manifest["parts"][1]["arrays"][0][2] = [1 << 39, 3]

    with pytest.raises(ShardError, match="it unpacks to"):
        read_all(rewritten(shard, inflate))


@pytest.mark.parametrize(
    "array",
    [
        ["rows", "|O", [20, 3]],
        ["rows", "|i1", [-1, 3]],
        ["rows", "|i1", [20, 3, 1]],
        ["rows", "|V8", [20, 3]],
        ["rows", ">i8", [20, 3]],
        ["rows", "|S1", [60]],
    ],
    ids=lambda array: f"{array[1]}{array[2]}",
)
def test_types_and_shapes_that_there_are_not_are_refused(shard: Path, array: list[Any]) -> None:
    def change(manifest: Any) -> None:
        manifest["parts"][1]["arrays"][0] = array

    with pytest.raises(ShardError, match="a type or shape that there is not"):
        read_all(rewritten(shard, change))


def test_arrays_of_one_name_are_refused(shard: Path) -> None:
    def change(manifest: Any) -> None:
        manifest["parts"][0]["arrays"][2] = manifest["parts"][0]["arrays"][0]

    with pytest.raises(ShardError, match="or one of them twice"):
        read_all(rewritten(shard, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(more=1),
        lambda manifest: manifest.pop("about"),
        lambda manifest: manifest["parts"][0].update(kind=7),
        lambda manifest: manifest["parts"][0].update(path="../../etc/passwd"),
    ],
)
def test_a_manifest_of_another_shape_is_refused(shard: Path, change: Any) -> None:
    with pytest.raises(ShardError, match="its manifest cannot be read"):
        read_all(rewritten(shard, change))


def test_a_file_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot write .*"):
        write_shard(tmp_path / "none" / "a.shard", {}, parts())
