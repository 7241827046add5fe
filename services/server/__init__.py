"""Servers for agents and programs: MCP over stdio and HTTP, JSON-RPC (SPEC section 10).

Everything here is made from the table of operations. `mcp`, Starlette and uvicorn are an extra: this package's modules
that need them are imported where a server is started and nowhere else.
"""
