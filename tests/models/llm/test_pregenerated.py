"""Texts made elsewhere: read by id and generation; what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.models.llm.pregenerated import read_pregenerated


def test_texts_are_found_by_id_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "mbpp-exemplars.jsonl").write_text('{"id": 11, "code": "a"}\n\n{"id": "11", "code": "b"}\n')
    (tmp_path / "mbpp-summaries.jsonl").write_text('{"id": 12, "summary": "Adds."}')
    found = read_pregenerated(tmp_path, "mbpp")
    assert found.exemplars == {"11": ("a", "b")}
    assert found.summaries == {"12": ("Adds.",)} and found.rewrites == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 2 is not JSON"),
        (b"\xff", "line 2 is not JSON"),
        (b"[" * 100_000, "line 2 is not JSON"),
        (b"7", "line 2 is not a JSON object"),
        (b'{"code": "x"}', 'line 2 needs an "id"'),
        (b'{"id": true, "code": "x"}', 'line 2 needs an "id"'),
        (b'{"id": 1, "summary": "x"}', 'line 2 needs a "code"'),
        (b'{"id": 1, "code": null}', 'line 2 needs a "code"'),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    (tmp_path / "mbpp-rewrites.jsonl").write_bytes(b'{"id": 1, "code": "x"}\n' + line + b"\n")
    with pytest.raises(UsageError) as caught:
        read_pregenerated(tmp_path, "mbpp")
    assert f"mbpp-rewrites.jsonl, {said}" in str(caught.value)


def test_a_folder_without_texts_says_what_should_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one of mbpp-exemplars\.jsonl, mbpp-summaries\.jsonl, mbpp-rewrites"):
        read_pregenerated(tmp_path, "mbpp")
    with pytest.raises(UsageError, match="no such folder"):
        read_pregenerated(tmp_path / "missing", "mbpp")
