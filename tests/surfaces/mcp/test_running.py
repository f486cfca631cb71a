"""What a client hears of a call: how far it is, and that something nobody foresaw went wrong."""

from __future__ import annotations

import logging
from typing import Any, cast

import pytest
from mcp.types import TextContent

from trackdown.surfaces.mcp.arguments import ToolArguments
from trackdown.surfaces.mcp.server import _Running
from trackdown.surfaces.mcp.tools import Tool

pytestmark = pytest.mark.slow


class _Broken:
    name = "search_code"

    def run(self, *_: object) -> Any:
        raise RuntimeError("cannot open /home/ada/secret.sqlite")


@pytest.fixture
def running() -> _Running:
    return _Running(cast(Tool, _Broken()), cast(Any, None), cast(ToolArguments, None), 1.0)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("parse", "indexing: parsing files 2 of 5"),
        ("wait", "indexing: waiting for another process that is indexing it 2 of 5"),
        ("ask", "searching: asking the language model 2 of 5"),
        ("read code", "searching: reading code 2 of 5"),
    ],
)
def test_a_step_is_named_for_what_it_is(running: _Running, step: str, said: str) -> None:
    running._hear(step, 2, 5)
    assert running._heard == said


def test_what_nobody_foresaw_is_told_to_the_log_alone(running: _Running, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "trackdown.mcp"):
        answer = running._work()
    assert answer.is_error and isinstance(answer.content[0], TextContent)
    assert "secret" not in answer.content[0].text and "something went wrong" in answer.content[0].text
    assert "secret.sqlite" in caplog.text and "test_running.py" in caplog.text
