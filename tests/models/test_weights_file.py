"""Files are opened only when their content is the one that was written down."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from trackdown.errors import ModelError
from trackdown.models.weights_file import FileEntry, file_entry, verified


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "weights.bin").write_bytes(bytes(range(256)) * 1000)
    return tmp_path / "weights.bin"


def test_an_entry_is_size_and_sha256(path: Path) -> None:
    assert file_entry(path) == FileEntry(256_000, hashlib.sha256(path.read_bytes()).hexdigest())
    assert verified(path, file_entry(path)) == path


def test_a_truncated_file_is_refused(path: Path) -> None:
    entry = file_entry(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match="has 255999 bytes instead of 256000"):
        verified(path, entry)


def test_one_changed_byte_in_the_middle_is_noticed(path: Path) -> None:
    entry = file_entry(path)
    content = bytearray(path.read_bytes())
    content[128_000] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"weights\.bin does not match the sha256"):
        verified(path, entry)


def test_a_missing_file_and_a_folder_are_refused(path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.bin cannot be read"):
        verified(path.with_name("none.bin"), file_entry(path))
    with pytest.raises(ModelError, match=r"none\.bin cannot be read"):
        file_entry(path.with_name("none.bin"))
    with pytest.raises(ModelError):
        file_entry(path.parent)
