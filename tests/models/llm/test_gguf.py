"""Heads of GGUF files, built here: found, passed over, damaged, or not there."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from trackdown.errors import LlmError
from trackdown.models.llm.gguf import context_length, digest


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(*values: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + b"".join(values)


NAME = text("general.name") + struct.pack("<I", 8) + text("Tiny")
WORDS = text("tokenizer.words") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
NUMBERS = text("tokenizer.scores") + struct.pack("<IIQ", 9, 6, 3) + b"\0" * 12
FLAG = text("tokenizer.flag") + struct.pack("<IB", 7, 1)
CONTEXT = text("llama.context_length") + struct.pack("<II", 4, 2048)


def test_the_context_is_found_behind_values_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(NAME, WORDS, NUMBERS, FLAG, CONTEXT, NAME))
    assert context_length(path) == 2048
    path.write_bytes(gguf(NAME))
    assert context_length(path) == 0


def test_what_is_no_gguf_or_ends_too_early_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"# readme")
    with pytest.raises(LlmError, match="is not a GGUF file"):
        context_length(path)
    whole = gguf(NAME, WORDS, CONTEXT)
    for size in range(4, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(LlmError, match="is damaged"):
            context_length(path)
    path.write_bytes(gguf(text("x") + struct.pack("<I", 77), CONTEXT))
    with pytest.raises(LlmError, match="is damaged"):
        context_length(path)
    with pytest.raises(LlmError, match=r"cannot read the language model .*: No such file"):
        context_length(tmp_path / "missing.gguf")


def test_two_models_of_one_size_have_two_digests(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    found = set()
    for content in (b"a" * 200_000, b"a" * 100_000 + b"b" + b"a" * 99_999, b"a" * 199_999 + b"b", b"a", b""):
        path.write_bytes(content)
        found.add(digest(path))
    assert len(found) == 5
