"""An MCP server of the SDK's own with one tool that does nothing: what any call over HTTP costs at least."""

from __future__ import annotations

import sys

import uvicorn
from mcp.server import MCPServer

from services.server.http.run import listening_at


def main() -> None:
    """Serve on a free port until stopped; the address is printed on stderr."""
    server = MCPServer("trivial")

    @server.tool()
    def nothing(word: str) -> dict[str, str]:
        """Return the word."""
        return {"word": word}

    with listening_at("127.0.0.1", 0) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
        app = server.streamable_http_app()
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
