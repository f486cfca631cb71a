"""A call of a tool says what to search for. Where models, stores and endpoints are, only the server's settings say."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import ValidationError

from trackdown.request import SearchRequest
from trackdown.settings import Settings
from trackdown.surfaces.mcp.tools import TOOLS

OF_THE_SERVER = {one.name for one in fields(Settings)} - {one.name for one in fields(SearchRequest)}
NEEDED = {"query": "a", "issue": "a", "commit": "a", "target": "a", "path": "a"}


@pytest.mark.parametrize("tool", TOOLS)
def test_no_call_can_name_an_endpoint_a_key_a_model_or_a_store(tool: str) -> None:
    takes = TOOLS[tool].takes
    good = {name: value for name, value in NEEDED.items() if name in takes.model_fields}
    takes.model_validate(good)
    assert not OF_THE_SERVER & takes.model_fields.keys()
    for name in OF_THE_SERVER:
        with pytest.raises(ValidationError, match="not permitted"):
            takes.model_validate({**good, name: "http://127.0.0.1:9/v1"})
