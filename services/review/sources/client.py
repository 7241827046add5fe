"""HTTP client for code review servers: bounded in time and size, confined to one host, with distinct errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from services.concurrency.cancellation import current_job
from services.errors import RemoteError
from services.exchange import HttpResponse, exchange, is_confidential

if TYPE_CHECKING:
    import httpx2

_WHOLE = 120.0
"""For an exchange: all tries of a request, all pages of a list. A server that sends a byte now and then ends there."""
_PAGE, _MOST_PAGES = 100, 30
_TRIES = 3
_LONGEST_WAIT = 8.0
"""Seconds beyond which nobody is kept waiting: the error says how long it would be."""


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
        if not is_confidential(address):
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

    def put(self, path: str, **params: str) -> HttpResponse:
        """PUT without a body. Raises RemoteError, Cancelled."""
        return self._asked("PUT", path, self._until(), params=params)

    def graphql(self, query: str, **variables: Any) -> Any:
        """Send a query to GitHub's GraphQL and return its data. Raises RemoteError, Cancelled."""
        body = msgspec.json.encode({"query": query, "variables": variables})
        headers = {"content-type": "application/json"}
        answer = self._asked("POST", "graphql", self._until(), content=body, headers=headers).json(self.host)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict) or answer.get("errors"):
            said = self._without_secret(str(answer)[:300])
            raise RemoteError(f"{self.host} refused: {said}", host=self.host, reason="answer")
        return data

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
        what["headers"] = {**self._headers, **what.get("headers", {})}
        # An Enterprise server has its REST interface below /api/v3, and GraphQL beside it.
        base = self._address.removesuffix("/v3") if path == "graphql" else self._address
        address = f"{base}/{path.lstrip('/')}"
        try:
            return exchange(method, address, until=until, host=self.host, transport=self._transport, **what)
        except RemoteError as error:
            error.message = self._without_secret(error.message)
            raise

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
