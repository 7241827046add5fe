"""The servers over HTTP: MCP (Streamable HTTP, and SSE for old clients), JSON-RPC, and a word on health."""
