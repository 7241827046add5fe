"""What every request of a browser has to pass (SAFETY, Models and the network): exact Host and Origin, and the key.

A page that a person visits can send requests to this machine and open web sockets to it: the lists of Host and Origin
stop that. The key, typed once into a form and then kept in a cookie that no other site can send, stops other users of
the machine. It is never in a URL.
"""

from __future__ import annotations

import hmac
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

COOKIE = "codecortex"
ENTER = "/enter"
_FORM_BYTES = 4_096
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>CodeCortex</title></head>
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
    given = (await request.post()).get("key", "")
    if not isinstance(given, str) or not _same(given.strip(), key):
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
        answer.headers["Referrer-Policy"] = "no-referrer"
        answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
