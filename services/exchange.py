"""An exchange over HTTP with a server that may be slow, broken or hostile: bounded in time and size."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from services.concurrency.cancellation import current_job
from services.concurrency.coroutine_stream import Emit, streamed
from services.decoding import decode
from services.errors import RemoteError

if TYPE_CHECKING:
    import httpx2

_SECONDS = 30.0
"""For one piece of an answer, and to be connected."""
LARGEST = 64_000_000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_confidential(address: str) -> bool:
    """Whether what is sent to an address stays unread on its way: over https, or within this machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


class HttpResponse(msgspec.Struct, frozen=True):
    """Response of a server. `headers`: with names in lower case; `cookies`: the values of Set-Cookie, one each."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    cookies: tuple[str, ...] = ()

    def json(self, host: str) -> Any:
        """The body read as JSON. Raises RemoteError where it is none."""
        try:
            return decode(Any, self.body)
        except msgspec.DecodeError as error:
            raise RemoteError(
                f"{host} answered something that is no JSON.", host=host, reason="answer"
            ) from error


def exchange(
    method: str,
    address: str,
    *,
    until: float,
    host: str,
    transport: httpx2.AsyncBaseTransport | None = None,
    **what: Any,
) -> HttpResponse:
    """Send a request and return the whole answer, whatever its status. `until`: by the monotonic clock, for all of it,
    so that a server that sends a byte now and then ends there too; `what`: headers, params, content or data, as httpx2
    takes them. Cancelling the caller's job ends it. Raises RemoteError, Cancelled."""
    import httpx2

    async def ask(emit: Emit[HttpResponse]) -> None:
        async with asyncio.timeout(until - time.monotonic()):
            await emit(await _answer(method, address, host, transport, what))

    try:
        return next(streamed(ask, current_job().cancel))
    except TimeoutError:
        message = f"{host} had not answered in full in the time that an exchange may take. Try again later."
        raise RemoteError(message, host=host, reason="offline") from None
    except httpx2.HTTPError as error:
        reason = "answer" if isinstance(error, httpx2.ProtocolError | httpx2.DecodingError) else "offline"
        what_is = "broke off its answer" if reason == "answer" else "cannot be reached"
        message = f"{host} {what_is}: {error or type(error).__name__}."
        raise RemoteError(message, host=host, reason=reason) from None


async def _answer(
    method: str,
    address: str,
    host: str,
    transport: httpx2.AsyncBaseTransport | None,
    what: Mapping[str, Any],
) -> HttpResponse:
    import httpx2

    async with (
        httpx2.AsyncClient(
            timeout=_SECONDS, follow_redirects=False, transport=transport, trust_env=True
        ) as client,
        client.stream(method, address, **what) as response,
    ):
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > LARGEST:
                message = f"{host} answers more than {LARGEST} bytes."
                raise RemoteError(message, host=host, reason="answer")
        names = {name.lower(): value for name, value in response.headers.items()}
        cookies = tuple(response.headers.get_list("set-cookie"))
        return HttpResponse(response.status_code, bytes(body), names, cookies)
