"""What docs/mcp.md says of tools, agents and options is so."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from trackdown.request import SearchRequest
from trackdown.surfaces.agents.registry import AGENTS
from trackdown.surfaces.cli.mcp import command
from trackdown.surfaces.mcp.tools import TOOLS

TEXT = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")


def test_every_tool_and_agent_is_in_the_document() -> None:
    shown = re.findall(r"^\| `(\w+)\(([^)]*)\)` \|", TEXT, re.MULTILINE)
    assert shown == [(tool.name, ", ".join(tool.takes.listed)) for tool in TOOLS.values()]
    named = re.findall(r"^\| ([^|]+) \| `([\w-]+)` \| .* \| `([^`|]+)` \|$", TEXT, re.MULTILINE)
    assert named == [(agent.title, agent.name, agent.project) for agent in AGENTS]


def test_arguments_and_defaults_are_those_of_the_document() -> None:
    fields_of_request = [field.name for field in fields(SearchRequest) if field.name != "query"]
    for name in (*fields_of_request, "repository", "groups", "max_tokens"):
        assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", TEXT) and name in TOOLS["search_code"].takes.model_fields
    defaults = {option.name: option.default for option in command.params}
    assert defaults["wait"] == 15 and "up to 15 seconds for it (`--wait`)" in TEXT
    assert (defaults["host"], defaults["port"]) == ("127.0.0.1", 8766) and "`http://127.0.0.1:8766/mcp`" in TEXT
