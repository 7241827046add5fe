"""Serving over HTTP until somebody stops it."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import uvicorn
from starlette.types import ASGIApp

from services.errors import UsageError, WorkspaceError
from services.server.http.app import make_app
from services.server.http.guard import rules_for
from services.server.http.patience import (
    HEAD_WITHIN,
    READ_WITHIN,
    IdleConnections,
    ImpatientProtocol,
    Inbox,
)
from services.server.mcp.factory import handlers_of
from services.server.mcp.tools import ALL
from services.server.scheduler import switch_often
from services.server.serving import Serving
from services.server.webhooks import PHABRICATOR_PATH

LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_CONNECTIONS = 256
_BACKLOG = 128


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Listening address. `port`: 0 takes a free one; `names`: further names in the Host header under which the server
    is reached; `origins`: of admitted pages; `phabricator_path`: the path of Phabricator's webhooks."""

    host: str = "127.0.0.1"
    port: int = 0
    names: Sequence[str] = ()
    origins: Sequence[str] = ()
    tools: str = ALL
    phabricator_path: str = PHABRICATOR_PATH


def serve_http(serving: Serving, address: Address, *, token: str, started: Callable[[str], Any]) -> None:
    """Serve until a signal stops it. `started`: called with the base address as soon as connections are accepted.

    Raises UsageError for an address that needs names, WorkspaceError where it cannot be listened at."""
    names = _names(address)
    listening = listening_at(address.host.strip("[]"), address.port)
    with contextlib.closing(listening):
        port = listening.getsockname()[1]
        rules = rules_for(names, port, token=token, origins=address.origins)
        parts = handlers_of(serving, address.tools)
        config = configured(make_app(serving, parts, rules, phabricator_path=address.phabricator_path))
        switch_often()
        started(f"http://{_shown(address.host)}:{port}")
        uvicorn.Server(config).run(sockets=[listening])


def configured(
    app: ASGIApp,
    *,
    head_within: float = HEAD_WITHIN,
    read_within: float = READ_WITHIN,
    connections: int = MOST_CONNECTIONS,
) -> uvicorn.Config:
    """How uvicorn is to serve an application. `head_within`: seconds for the head of a request; `read_within`: seconds
    in which a reader has to take something of an answer; `connections`: with so many, requests are refused."""
    protocol = functools.partial(
        ImpatientProtocol,
        idle=IdleConnections(),
        inbox=Inbox(),
        within=head_within,
        read_within=read_within,
    )
    return uvicorn.Config(
        app,
        # A factory does as well as the class that uvicorn's types ask for.
        http=protocol,  # pyright: ignore[reportArgumentType]
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
    )


def _names(address: Address) -> frozenset[str]:
    """Return the names admitted in the Host header. Raises UsageError where they cannot be known."""
    host = address.host.strip("[]")
    try:
        everywhere = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    if everywhere and not address.names:
        raise UsageError(
            f"{address.host} is every address of this machine: say which names clients use (--name)."
        )
    own = () if everywhere else (host,)
    return frozenset((*own, *LOOPBACK, *address.names))


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that takes connections. Raises WorkspaceError where there can be none.

    The protocol is named, because asyncio sends small pieces at once (TCP_NODELAY) only for sockets that say it:
    without that an answer in two pieces takes 40 ms more."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        why = getattr(error, "strerror", None) or str(error)
        raise WorkspaceError(f"Nothing can be served at {host}:{port}: {why}.") from error
    return made


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
