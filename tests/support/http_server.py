"""An application on a port of its own, served as the program serves it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from services.server.http.app import make_app
from services.server.http.guard import Limits, rules_for
from services.server.http.run import LOOPBACK, configured, listening_at
from services.server.mcp.factory import handlers_of
from services.server.serving import Serving

TOKEN = "a-token-for-tests-only"


@contextmanager
def listening(make: Callable[[int], ASGIApp], **options: Any) -> Iterator[str]:
    """The base address of what `make` makes for a port. `options`: of `configured`."""
    with listening_at("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        configuration = configured(make(port), **options)
        configuration.timeout_graceful_shutdown = 0  # nobody reads any more once a test is over
        server = uvicorn.Server(configuration)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        while not server.started:
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def over_http(serving: Serving, *, limits: Limits | None = None, **options: Any) -> Iterator[str]:
    """The base address of a served workspace, behind the guard with TOKEN. `options`: of `configured`."""

    def made(port: int) -> ASGIApp:
        rules = rules_for(LOOPBACK, port, token=TOKEN, limits=limits)
        return make_app(serving, handlers_of(serving), rules)

    with listening(made, **options) as base:
        yield base
