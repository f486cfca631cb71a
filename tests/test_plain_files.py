"""A file is read, and anything else in its place is an error, at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.odd_files import KINDS, put_odd
from trackdown.plain_files import open_plain, read_plain


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text\n")
    assert read_plain(tmp_path / "file") == b"text\n"
    (tmp_path / "none").symlink_to("/dev/null")
    assert read_plain(tmp_path / "none") == b"", "some people link to it in place of an empty file"


@pytest.mark.parametrize("kind", KINDS)
def test_anything_else_is_an_error(tmp_path: Path, kind: str) -> None:
    put_odd(tmp_path / "file", kind)
    with pytest.raises(OSError, match="file"):
        open_plain(tmp_path / "file")
