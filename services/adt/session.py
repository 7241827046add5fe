"""A session with an ADT system: login, CSRF token, cookies, and what the system answers when it refuses.

A stateless session is renewed when its token has expired, and the request sent once more. A stateful one never is: it
holds a lock, which a new login would lose without a word.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from services.adt.values import AdtSystem
from services.errors import LockRequired, RemoteError
from services.exchange import HttpResponse, exchange, is_confidential
from services.msbuild.xmltree import XmlElement, XmlError, parse

if TYPE_CHECKING:
    import httpx2

LOGIN = "/sap/bc/adt/compatibility/graph"
_DISCOVERY = "/sap/bc/adt/discovery"
_LOGOFF = "/sap/public/bc/icf/logoff"
_ANY_CONTENT = "application/*"
_WHOLE = 120.0
_TRIES = 3
_XML_BYTES, _XML_ELEMENTS = 32 << 20, 500_000
_LONGEST = 500


class AdtError(RemoteError):
    """A system refused, or could not be understood. `details`: host, reason, status, type (of its exception)."""


class AdtSession:
    """Session with a system. Thread-safe. `password`: called at each login; `wait`: waits between tries."""

    def __init__(
        self,
        system: AdtSystem,
        password: Callable[[], str],
        *,
        stateful: bool = False,
        transport: httpx2.AsyncBaseTransport | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(system.url)
        if not is_confidential(system.url):
            message = f"The address of {system.name} is https://…, not {system.url!r}: correct adt.{system.name}.url."
            raise AdtError(message, host=system.url, reason="offline")
        self.host = parts.netloc
        self.is_stateful = stateful
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._system = system
        self._password = password
        self._transport = transport
        self._wait = wait
        self._lock = threading.RLock()  # one login at a time; its cookies and token belong together
        self._cookies: dict[str, str] = {}
        self._token = ""

    def get(self, path: str, *, accept: str = "*/*", **params: str) -> HttpResponse:
        """GET. Raises AdtError, Cancelled."""
        return self.ask("GET", path, params=params, accept=accept)

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        accept: str = "*/*",
        content: bytes = b"",
        content_type: str = "",
        etag: str = "",
    ) -> HttpResponse:
        """Send a request and return its answer. `etag`: of a content that is kept; status 304 says that it still
        holds. Raises AdtError, and LockRequired where a session that had a lock is over."""
        with self._lock:
            if not self._token:
                self._login()
            headers = {"accept": accept}
            headers |= {"content-type": content_type} if content_type else {}
            headers |= {"if-none-match": etag} if etag else {}
            answer = self._tried(method, path, params or {}, headers, content)
            if _is_expired(answer):
                if self.is_stateful:
                    raise self._lost("The session that held the lock has ended")
                self._token = ""
                self._login()
                answer = self._tried(method, path, params or {}, headers, content)
            if answer.status == 406 and accept != "*/*":
                answer = self._tried(method, path, params or {}, {**headers, "accept": "*/*"}, content)
            if answer.status == 415 and content_type not in ("", _ANY_CONTENT):
                # The request was not looked into: another type for the same content does nothing twice.
                headers["content-type"] = _ANY_CONTENT
                answer = self._tried(method, path, params or {}, headers, content)
            if answer.status >= 300 and not (etag and answer.status == 304):
                raise self.refused(answer)
            return answer

    def close(self) -> None:
        """Give the session up, and with it the locks that it holds. An error is ignored: it ends by itself."""
        with self._lock:
            if not self._token:
                return
            with suppress(RemoteError):
                self._sent("GET", _LOGOFF, {}, {})
            self._token = ""
            self._cookies.clear()

    def xml(self, answer: HttpResponse) -> XmlElement:
        """The body of an answer as XML. Raises AdtError where it is none."""
        try:
            return parse(answer.body, most_bytes=_XML_BYTES, most_elements=_XML_ELEMENTS)
        except XmlError as error:
            message = f"{self.host} answered something that is no ADT: {error}."
            raise AdtError(message, host=self.host, reason="answer", status=answer.status) from error

    def refused(self, answer: HttpResponse) -> AdtError:
        """The error of an answer that refuses."""
        type_, said = exception_of(answer)
        status = answer.status
        reason, words = _reason(status, said)
        message = f"{self.host}: {words}" + (f" {said}" if said else "")
        return AdtError(message, host=self.host, reason=reason, status=status, type=type_)

    def _lost(self, why: str) -> LockRequired:
        self._token = ""
        self._cookies.clear()
        return LockRequired(f"{why}: {self.host} gave the lock up, and nothing was written. Lock it again.")

    def _login(self) -> None:
        params = {"sap-client": self._system.client, "sap-language": self._system.language}
        answer = self._sent("GET", LOGIN, params, {"x-csrf-token": "fetch"})
        if answer.status == 404:
            answer = self._sent("GET", _DISCOVERY, params, {"x-csrf-token": "fetch"})
        if answer.status == 401:
            where = f"adt.{self._system.name}"
            message = f"{self.host} refuses {self._system.user}: correct the user or password of {where}."
            raise AdtError(message, host=self.host, reason="token", status=401)
        if answer.status >= 300:
            raise self.refused(answer)
        self._token = answer.headers.get("x-csrf-token", "")
        if not self._token or self._token.lower() in ("fetch", "required"):
            self._token = ""
            message = f"{self.host} gave no CSRF token: is {self._system.url} the address of an ADT system?"
            raise AdtError(message, host=self.host, reason="answer", status=answer.status)

    def _tried(
        self, method: str, path: str, params: Mapping[str, str], headers: Mapping[str, str], content: bytes
    ) -> HttpResponse:
        """Return an answer, retried after 1 and 2 seconds where the network failed and repetition is safe."""
        for attempt in range(_TRIES):
            try:
                return self._sent(method, path, params, {"x-csrf-token": self._token, **headers}, content)
            except RemoteError as error:
                is_last = attempt == _TRIES - 1
                if method != "GET" or is_last or error.details.get("reason") != "offline":
                    raise
                self._wait(float(2**attempt))
        raise AssertionError

    def _sent(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        headers: Mapping[str, str],
        content: bytes = b"",
    ) -> HttpResponse:
        secret = self._password()
        login = base64.b64encode(f"{self._system.user}:{secret}".encode()).decode()
        sent = {
            "authorization": f"Basic {login}",
            "cache-control": "no-cache",
            "accept": "*/*",
            "x-sap-adt-sessiontype": "stateful" if self.is_stateful else "stateless",
            **headers,
        }
        if self._cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in params.items())
        address = f"{self._base}{path}" + (("&" if "?" in path else "?") + query if query else "")
        try:
            answer = exchange(
                method,
                address,
                until=time.monotonic() + _WHOLE,
                host=self.host,
                transport=self._transport,
                headers=sent,
                content=content,
            )
        except RemoteError as error:
            raise AdtError(error.message, **error.details) from error
        self._keep(answer)
        return answer

    def _keep(self, answer: HttpResponse) -> None:
        """Takes the cookies of an answer: of values alone, as the system wants them."""
        for text in answer.cookies:
            try:
                cookie = SimpleCookie(text.split(";")[0])
            except CookieError:
                continue
            self._cookies |= {name: each.coded_value for name, each in cookie.items()}


def exception_of(answer: HttpResponse) -> tuple[str, str]:
    """The type and message of an exception that a system answers; of HTML, which a gateway made, a word of that."""
    said = answer.headers.get("content-type", "")
    if "html" in said:
        return "", "(It answered with a web page, as a gateway or a login screen does.)"
    try:
        root = parse(answer.body, most_bytes=_XML_BYTES, most_elements=_XML_ELEMENTS)
    except XmlError:
        return "", answer.body[:_LONGEST].decode("utf-8", "replace").strip()
    children = {each.name: each for each in root.children}
    type_ = children["type"].attribute("id") if "type" in children else ""
    text = next((children[name].text for name in ("localizedMessage", "message") if name in children), "")
    return type_, text.strip()[:_LONGEST]


def _is_expired(answer: HttpResponse) -> bool:
    if answer.status == 403:
        return answer.headers.get("x-csrf-token", "").lower() == "required" or b"CSRF" in answer.body[:4_000]
    return answer.status == 400 and b"Session timed out" in answer.body[:4_000]


def _reason(status: int, said: str) -> tuple[str, str]:
    """A reason that programs read, and a sentence for people."""
    if status == 401:
        return "token", "the user is not let in."
    if status == 403:
        return "right", "this is not allowed."
    if status in (404, 410):
        return "gone", "there is nothing there."
    if status == 409 or (status == 500 and "transport" in said.lower()):
        return "transport", "it conflicts with a transport."
    if status == 423:
        return "lock", "the lock does not hold."
    if status in (406, 415):
        return "answer", "it does not speak this form."
    if 300 <= status < 400:
        return "offline", "it sends elsewhere, where no password is sent: correct the address."
    return "server", f"it failed with status {status}."
