"""HTTP client for code review servers: bounded in time and size, confined to one host, with distinct errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from services.concurrency.coroutine_stream import Emit, streamed
from services.concurrency.job_context import current_job
from services.decoding import decode
from services.errors import RemoteError

if TYPE_CHECKING:
    import httpx2

_SECONDS = 30.0
"""For one piece of an answer, and to be connected."""
_WHOLE = 120.0
"""For an exchange: all tries of a request, all pages of a list. A server that sends a byte now and then ends there."""
_LARGEST = 64_000_000
_PAGE, _MOST_PAGES = 100, 30
_TRIES = 3
_LONGEST_WAIT = 8.0
"""Seconds beyond which nobody is kept waiting: the error says how long it would be."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class HttpResponse(msgspec.Struct, frozen=True):
    """Response of a server. `headers`: with names in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    def json(self, host: str) -> Any:
        """The body read as JSON. Raises RemoteError where it is none."""
        try:
            return decode(Any, self.body)
        except msgspec.DecodeError as error:
            raise RemoteError(
                f"{host} answered something that is no JSON.", host=host, reason="answer"
            ) from error


class ServerClient:
    """HTTP client of one server. `secret`: removed from all messages; `transport`: carries requests, in tests;
    `wait`: waits between tries; `whole`: seconds for an exchange. Cancelling the caller's job ends it too."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        *,
        secret: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
        wait: Callable[[float], None] = time.sleep,
        whole: float = _WHOLE,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise RemoteError(
                f"{address or 'The address'} is none: write https://… in the settings.",
                host=address,
                reason="offline",
            )
        self.host = parts.netloc
        self._address = address.rstrip("/")
        self._headers = dict(headers)
        self._secret = secret
        self._transport = transport
        self._wait = wait
        self._whole = whole

    def get(self, path: str, params: Mapping[str, Any] | None = None, **headers: str) -> HttpResponse:
        """GET. Raises RemoteError, Cancelled."""
        return self._asked("GET", path, self._until(), params=params, headers=headers)

    def json(self, path: str, **params: int) -> Any:
        """GET, and what it answers read as JSON. Raises RemoteError, Cancelled."""
        return self.get(path, params or None).json(self.host)

    def pages(self, path: str, *, odd: str) -> list[Any]:
        """Return all pages of a list. `odd`: the message for an answer that is no list. Raises RemoteError,
        Cancelled."""
        found: list[Any] = []
        until = self._until()
        for page in range(1, _MOST_PAGES + 1):
            params = {"per_page": _PAGE, "page": page}
            rows = self._asked("GET", path, until, params=params).json(self.host)
            if not isinstance(rows, list):
                raise RemoteError(f"{self.host} {odd}.", host=self.host, reason="answer")
            found += rows
            if len(rows) < _PAGE:
                break
        return found

    def post(self, path: str, *, json: Any = None, form: Mapping[str, str] | None = None) -> HttpResponse:
        """POST, once where the server may have taken it. Raises RemoteError, Cancelled."""
        body = msgspec.json.encode(json) if form is None else None
        headers = {"content-type": "application/json"} if form is None else {}
        return self._asked("POST", path, self._until(), content=body, data=form, headers=headers)

    def _until(self) -> float:
        return time.monotonic() + self._whole

    def _asked(self, method: str, path: str, until: float, **what: Any) -> HttpResponse:
        with current_job().yield_slot():
            return self._tried(method, path, until, **what)

    def _tried(self, method: str, path: str, until: float, **what: Any) -> HttpResponse:
        answer = self._once(method, path, until, **what)
        for attempt in range(_TRIES - 1):
            pause = _pause(answer, attempt)
            again = answer.status == 429 or (method == "GET" and answer.status in (502, 503, 504))
            if not again or pause > min(_LONGEST_WAIT, until - time.monotonic()):
                break
            self._wait(pause)
            answer = self._once(method, path, until, **what)
        if answer.status >= 300:
            raise self._refused(answer)
        return answer

    def _once(self, method: str, path: str, until: float, **what: Any) -> HttpResponse:
        import httpx2

        what["headers"] = {**self._headers, **what.get("headers", {})}

        async def ask(emit: Emit[HttpResponse]) -> None:
            async with asyncio.timeout(until - time.monotonic()):
                await emit(await self._answer(method, f"{self._address}/{path.lstrip('/')}", what))

        try:
            return next(streamed(ask, current_job().cancel))
        except TimeoutError:
            message = f"{self.host} had not answered in full after {self._whole:g} s. Try again later."
            raise RemoteError(message, host=self.host, reason="offline") from None
        except httpx2.HTTPError as error:
            reason = "answer" if isinstance(error, httpx2.ProtocolError | httpx2.DecodingError) else "offline"
            what_is = "broke off its answer" if reason == "answer" else "cannot be reached"
            message = self._without_secret(f"{self.host} {what_is}: {error or type(error).__name__}.")
            raise RemoteError(message, host=self.host, reason=reason) from None

    async def _answer(self, method: str, address: str, what: Mapping[str, Any]) -> HttpResponse:
        import httpx2

        async with (
            httpx2.AsyncClient(
                timeout=_SECONDS, follow_redirects=False, transport=self._transport, trust_env=True
            ) as client,
            client.stream(method, address, **what) as response,
        ):
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > _LARGEST:
                    message = f"{self.host} answers more than {_LARGEST} bytes."
                    raise RemoteError(message, host=self.host, reason="answer")
            names = {name.lower(): value for name, value in response.headers.items()}
            return HttpResponse(response.status_code, bytes(body), names)

    def _refused(self, answer: HttpResponse) -> RemoteError:
        status, after = answer.status, _pause(answer, 0)
        limited = status == 429 or (status == 403 and answer.headers.get("x-ratelimit-remaining") == "0")
        if limited:
            message = f"{self.host} takes no more requests for now: try again in {after:.0f} s."
            return RemoteError(message, host=self.host, reason="limit", status=status, retryAfter=after)
        if status in (401, 403):
            message = f"{self.host} refuses the token: it has expired, was revoked, or lacks a right. Make a new one."
            return RemoteError(message, host=self.host, reason="token", status=status)
        if status in (404, 410):
            message = f"{self.host} has nothing there: it is gone, or the token may not see it."
            return RemoteError(message, host=self.host, reason="gone", status=status)
        if 300 <= status < 400:
            message = (
                f"{self.host} sends elsewhere, where no token is sent: correct the address in the settings."
            )
            return RemoteError(message, host=self.host, reason="offline", status=status)
        said = self._without_secret(answer.body[:300].decode("utf-8", "replace"))
        message = f"{self.host} refused with status {status}: {said}"
        return RemoteError(message, host=self.host, reason="server", status=status)

    def _without_secret(self, text: str) -> str:
        return text.replace(self._secret, "…") if len(self._secret) >= 4 else text


def _pause(answer: HttpResponse, attempt: int) -> float:
    """Return the seconds to wait: the server's value, else 1, 2, 4."""
    for name, now in (("retry-after", 0.0), ("x-ratelimit-reset", time.time())):
        text = answer.headers.get(name, "")
        if text.isdigit():
            return max(0.0, float(text) - now)
    return float(2**attempt)
