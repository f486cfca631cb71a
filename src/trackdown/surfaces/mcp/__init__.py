"""The MCP server: an agent's way to the engine, over standard input and output or HTTP. Needs the extra `mcp`."""
