"""textual-serve behind the gate, on loopback alone."""

from __future__ import annotations

import logging
import secrets
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

from workbench.browser.gate import gate

HOST = "127.0.0.1"
_GRACE = 2.0


class BrowserServer(Server):
    """Serves the workbench on `path`; each page that is opened starts one. `key`: what a browser has to enter."""

    def __init__(
        self, command: str, *, port: int, say: Callable[[str], None], key: str | None = None
    ) -> None:
        super().__init__(command, host=HOST, port=port, title="CodeCortex")
        self.key = key or secrets.token_urlsafe(12)
        self._say = say

    def initialize_logging(self) -> None:
        """Nothing of what is typed or shown is logged."""
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())

    def serve(self, debug: bool = False) -> None:  # noqa: ARG002 - the base class's
        """Serve until it is interrupted; pages that are open then get a moment to end."""
        self.initialize_logging()
        web.run_app(
            self._make_app(), host=self.host, port=self.port, shutdown_timeout=_GRACE, print=lambda *_: None
        )

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002
        """Say where it is, and the key."""
        self._say(f"The workbench is at {self.public_url}\nKey: {self.key}\nCtrl+C ends it.")

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        also = frozenset({f"localhost:{self.port}"})
        app.middlewares.append(gate(self.key, f"{HOST}:{self.port}", also=also))
        return app


def command_for(path: Path, options: tuple[str, ...]) -> str:
    """The shell command that starts a workbench on `path`. `options`: global ones, as they were given."""
    return shlex.join([sys.executable, "-m", "workbench", *options, "open", str(path)])
