"""Identity of the caller: the name a client introduced itself with, and which of its sessions this is."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext

from services.server.path_access import agent_named
from services.source.journal.actor import Owner

Context = ServerRequestContext[Any, Any]
"""What the SDK hands to a handler."""

LEFT = "codecortex.left"
"""The key in a request's scope of an event that is set when the connection it came over is gone."""
SESSION_HEADER = "mcp-session-id"


def agent_of(ctx: Context) -> Owner:
    """The client as an agent."""
    params = ctx.session.client_params
    return agent_named(params.client_info.name if params is not None else "", session_of(ctx))


def session_of(ctx: Context) -> str:
    """Return the session's id; empty over stdio, which has one, and for clients without sessions."""
    request = ctx.request
    if request is None:
        return ""
    return request.headers.get(SESSION_HEADER) or request.query_params.get("session_id") or ""
