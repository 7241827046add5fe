"""MCP over standard input and output: how clients on the same machine start it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from services.server.mcp.factory import make_server, parts_of
from services.server.mcp.sieve import sieved
from services.server.mcp.wire import standard_input
from services.server.serving import Serving


def serve_stdio(serving: Serving) -> None:
    """Serve one client until it closes its end. While this runs, what anything prints goes to stderr.

    Raises BrokenPipeError where the client has gone while something was to be told to it."""

    async def main() -> None:
        parts = parts_of(serving)
        server = make_server(parts)
        streams = stdio_server(stdin=standard_input())
        async with parts.background(), streams as (read, write), sieved(read, write) as messages:
            await server.run(messages, write, server.create_initialization_options())

    gone: BrokenPipeError | None = None
    try:
        anyio.run(main)
    except* BrokenPipeError as group:
        gone = _first(group)
    if gone is not None:
        raise gone


def _first(group: BaseExceptionGroup[BrokenPipeError]) -> BrokenPipeError:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
