"""Gate of browser requests (SAFETY, Models and the network): exact Host and Origin, and the key.

A page that a person visits can send requests to this machine and open web sockets to it: the lists of Host and Origin
stop that. The key, typed once into a form and then kept in a cookie that no other site can send, stops other users of
the machine. It is never in a URL.

textual-serve behind the gate, on loopback alone.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

COOKIE = "codecortex"
ENTER = "/enter"
_FORM_BYTES = 4_096
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>CodeCortex</title><link rel="icon" href="data:,"></head>
<body style="font-family: monospace; background: #161b26; color: #d8dee9; padding: 4em">
<form method="post" action="/enter">
<p>{said}</p>
<label>Key <input name="key" type="password" autofocus autocomplete="off" size="40"></label>
<button>Enter</button>
</form></body></html>
"""
_ASK = "The terminal in which the workbench was started shows the key."
_WRONG = "That is not the key. The terminal in which the workbench was started shows it."


def gate(key: str, host: str, *, also: frozenset[str] = frozenset()) -> Middleware:
    """The middleware. `host`: `name:port`, as a browser sends it; `also`: other names of it, whose visitors are sent on
    there: what the page fetches comes from `host`, which to a browser is elsewhere than any other name."""
    hosts = frozenset({host, *also})
    session = secrets.token_urlsafe(32)

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.headers.get("Host", "").lower() not in hosts:
            raise web.HTTPMisdirectedRequest(text="This Host is not served here.")
        if request.headers["Host"].lower() != host and request.path == "/" and request.method == "GET":
            raise web.HTTPFound(f"http://{host}/")
        origin = request.headers.get("Origin")
        asks = request.method == "POST" or request.path == "/ws"
        if (origin is None and asks) or (origin is not None and origin.removeprefix("http://") not in hosts):
            raise web.HTTPForbidden(text="This Origin may not ask.")
        if request.path == ENTER and request.method == "POST":
            return await _enter(request, key, session)
        if not _same(request.cookies.get(COOKIE, ""), session):
            if request.path == "/":
                return _safe(_form(_ASK, 200))
            raise web.HTTPUnauthorized(text="Enter the key first.")
        return _safe(await handler(request))

    return check


async def _enter(request: web.Request, key: str, session: str) -> web.StreamResponse:
    if (request.content_length or 0) > _FORM_BYTES:
        raise web.HTTPRequestEntityTooLarge(max_size=_FORM_BYTES, actual_size=request.content_length or 0)
    # Read as what the form of the page sends, whatever its type is called.
    fields = parse_qs((await request.read()).decode("utf-8", "replace"))
    if not _same(fields.get("key", [""])[0].strip(), key):
        return _safe(_form(_WRONG, 403))
    answer = web.HTTPSeeOther("/")
    answer.set_cookie(COOKIE, session, httponly=True, samesite="Strict", path="/")
    raise answer


def _form(said: str, status: int) -> web.Response:
    return web.Response(text=_PAGE.format(said=said), status=status, content_type="text/html")


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _safe(answer: web.StreamResponse) -> web.StreamResponse:
    """Nothing is fetched from elsewhere, and no other page frames this one."""
    if not answer.prepared:
        answer.headers["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; "
            "img-src 'self' data:; frame-ancestors 'none'; form-action 'self'"
        )
        # Not "no-referrer": under it a browser sends `Origin: null` with the form of the page itself.
        answer.headers["Referrer-Policy"] = "same-origin"
        answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


HOST = "127.0.0.1"
_GRACE = 2.0
_FONT_FROM_ELSEWHERE = re.compile(r"<link[^>]*fonts\.googleapis\.com[^>]*>")
_FONT = """<link rel="icon" href="data:,">
<style>
  @font-face {
    font-family: "Roboto Mono"; font-weight: 100 700;
    src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf");
  }
</style>"""
# The page leaves the keyboard to the document: a person would have to click before the first key counts.
_FOCUS = """<script>
  new MutationObserver((_, observer) => {
    const input = document.querySelector(".xterm-helper-textarea");
    if (input) { observer.disconnect(); input.focus(); }
  }).observe(document.getElementById("terminal"), { childList: true, subtree: true });
</script>
</body>"""


def _is_own_error(record: logging.LogRecord) -> bool:
    """Whether the server is at fault, and not who sent something."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


def _is_in_time(record: logging.LogRecord) -> bool:
    """Whether a record is not about a page's workbench that outlived the server briefly."""
    return not str(record.msg).endswith("that handles pid %r is closed")


class BrowserServer(Server):
    """Serves the workbench on `path`; each page that is opened starts one. `key`: what a browser has to enter."""

    def __init__(
        self, command: str, *, port: int, say: Callable[[str], None], key: str | None = None
    ) -> None:
        super().__init__(command, host=HOST, port=port, title="CodeCortex")
        self.key = key or secrets.token_urlsafe(12)
        self._say = say

    def initialize_logging(self) -> None:
        """Nothing of what is typed or shown is logged, nor what is no HTTP, which is answered as that."""
        logging.getLogger("aiohttp.server").addFilter(_is_own_error)
        logging.getLogger("asyncio").addFilter(_is_in_time)
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())

    def serve(self, debug: bool = False) -> None:  # noqa: ARG002 - the base class's
        """Serve until interrupted; open pages then get some time to end."""
        self.initialize_logging()
        web.run_app(
            self._make_app(), host=self.host, port=self.port, shutdown_timeout=_GRACE, print=lambda *_: None
        )

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002
        """Print the address and the key."""
        self._say(f"The workbench is at {self.public_url}\nKey: {self.key}\nCtrl+C ends it.")

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page of the base class, with its font from here, and the keyboard given to the terminal."""
        page = await super().handle_index(request)
        assert isinstance(page, web.Response), "a template answers a response"
        page.text = _FONT_FROM_ELSEWHERE.sub(_FONT, page.text or "").replace("</body>", _FOCUS)
        return page

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        also = frozenset({f"localhost:{self.port}"})
        app.middlewares.append(gate(self.key, f"{HOST}:{self.port}", also=also))
        return app


def command_for(path: Path, options: tuple[str, ...]) -> str:
    """The shell command that starts a workbench on `path`. `options`: global ones, as they were given."""
    return shlex.join([sys.executable, "-P", "-m", "workbench", *options, "open", str(path)])
