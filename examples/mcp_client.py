"""Call Trackdown's MCP server the way an agent does: python examples/mcp_client.py "the cookie is not signed" [PATH]"""

from __future__ import annotations

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def main(issue: str, path: str = ".") -> None:
    """Start the server, list its tools, and ask where an issue has to be fixed."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "trackdown", "mcp", path], env=dict(os.environ))
    async with Client(server) as client:
        tools = await client.list_tools()
        print("tools:", ", ".join(tool.name for tool in tools.tools))
        answer = await client.call_tool("locate_issue", {"issue": issue, "k": 3, "max_tokens": 1000})
        for content in answer.content:
            print(getattr(content, "text", ""))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
