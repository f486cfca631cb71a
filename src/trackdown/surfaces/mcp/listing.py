"""How the tools are listed: as short as their definitions can be, because every conversation of an agent pays for them.

Nothing is left of pydantic's schemas but names, types, defaults, choices and descriptions. Limits are not told: a value
beyond one is refused in words. There are no schemas of answers: see docs/mcp.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.types import Tool as ListedTool
from mcp.types import ToolAnnotations

from trackdown.surfaces.mcp.tools import TOOLS, Tool

_BY_NAME = "Or name it: 5049, !12, owner/repo#5049 or its URL."
_KEPT = ("type", "items", "enum", "default", "description")


def list_tools(*, several: bool, fetches_issues: bool = False) -> list[ListedTool]:
    """The definitions. Only a server of several repositories lists the argument that tells them apart, and only one
    that fetches issues says how to name them.
    """
    return [_listed(tool, several=several, fetches=fetches_issues and tool.names_issues) for tool in TOOLS.values()]


def _listed(tool: Tool, *, several: bool, fetches: bool) -> ListedTool:
    schema = tool.takes.model_json_schema()
    names = [*tool.takes.listed, *(["repository"] if several else [])]
    properties = {name: _plain(schema["properties"][name]) for name in names}
    required = [name for name in schema.get("required", []) if name in names]
    made: dict[str, Any] = {"type": "object", "properties": properties}
    return ListedTool(
        name=tool.name,
        description=f"{tool.description} {_BY_NAME}" if fetches else tool.description,
        input_schema={**made, "required": required} if required else made,
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=fetches),
    )


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A property without "or null", which some clients cannot read, and without empty defaults."""
    choices = schema.get("anyOf", [])
    if len(choices) == 2 and choices[1] == {"type": "null"}:
        schema = {**choices[0], **schema}
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "items" in kept:
        kept["items"] = _plain(kept["items"])
    if "enum" in kept:
        kept.pop("type", None)
    if kept.get("default") in (None, [], False):
        kept.pop("default", None)
    return kept
