"""A served workspace, and a client of it in the same process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import Implementation

from services.server.mcp.factory import handlers_of, make_server
from services.server.serving import Serving
from services.settings import AgentSettings, IndexSettings, ReviewSettings, Settings
from tests.support.workspace import project, write_workspace

SHOP = {
    "Shop/Shop.csproj": project(),
    "Shop/Orders.cs": """namespace Shop;

/// <summary>Orders of one customer.</summary>
public class Orders
{
    private int count;

    /// <summary>Adds one.</summary>
    public int Add(Order order)
    {
        count += 1;
        return count;
    }
}
""",
    "Shop/Order.cs": "namespace Shop;\n\npublic record Order(string Name, Orders Owner);\n",
}
"""A small workspace: two types that name each other."""


@contextmanager
def served(
    folder: Path,
    files: Mapping[str, str | bytes] = SHOP,
    *,
    ignored_files: bool = False,
    agents: AgentSettings | None = None,
    review: ReviewSettings | None = None,
) -> Iterator[Serving]:
    """`files` behind a server that indexes them with one worker."""
    write_workspace(folder, files)
    agents = agents or AgentSettings(write="allow", ignored_files=ignored_files)
    review = review or ReviewSettings()
    settings = Settings(index=IndexSettings(workers=1), agents=agents, review=review)
    with Serving.open(folder, settings) as serving:
        yield serving


@asynccontextmanager
async def connected(
    serving: Serving, *, name: str = "tester", mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    """The official client, talking to a server of `serving`. `options`: the client's."""
    parts = handlers_of(serving)
    info = Implementation(name=name, version="1")
    async with (
        parts.background(),
        Client(make_server(parts), client_info=info, mode=mode, **options) as client,
    ):
        yield client


async def answered(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer of a tool; its text must equal its structured form."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The error that a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return json.loads(result.content[0].text)
