"""A model behind an endpoint of the OpenAI chat protocol: OpenAI, Azure, Ollama, vLLM, LM Studio, OpenRouter."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

import services
from services.concurrency.coroutine_stream import Emit, streamed
from services.decoding import decode
from services.errors import ModelError, ModelKeyError, NoModel
from services.llm.profiles import Profile, key_of, without_key
from services.llm.values import TOO_LONG, ChatMessage, End, Event, Joiner, Tool, as_request, datas, error_text

if TYPE_CHECKING:
    import httpx2

_PATH = "/chat/completions"
_CHARACTERS = 16
"""No token is longer on the average of an answer: more characters than this many a token is an answer without end."""
_LARGEST_ERROR = 20_000

Pause = Callable[[float], Awaitable[None]]


class OpenAiModel:
    """Model at an OpenAI-compatible endpoint. `key`: looks the key up for each request; `pause`: waits before a
    retry."""

    def __init__(
        self,
        profile: Profile,
        *,
        key: Callable[[], str] | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.profile = profile
        self._key = key or (lambda: key_of(profile.key))
        self._pause = pause

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Complete a conversation as ChatModel.complete does. Raises NoModel where the HTTP client is not
        installed."""
        _require_http()
        request = _CompletionRequest(
            self.profile, self._key(), self._pause, self._body(messages, tools, max_tokens)
        )
        return streamed(request.run, cancel)

    def _body(self, messages: Sequence[ChatMessage], tools: Sequence[Tool], most: int | None) -> bytes:
        profile = self.profile
        body: dict[str, Any] = {"model": profile.name, "stream": True, **as_request(messages, tools)}
        body[profile.answer_field] = min(most or profile.answer, profile.answer)
        if profile.usage:
            body["stream_options"] = {"include_usage": True}
        return msgspec.json.encode(body)


class _PassingError(Exception):
    """Transient error that is retried. `after`: seconds to wait, as the endpoint requests."""

    def __init__(self, error: ModelError, after: float | None = None) -> None:
        self.error = error
        self.after = after


class _CompletionRequest:
    """Request for one answer, with retries."""

    def __init__(self, profile: Profile, key: str, pause: Pause, body: bytes) -> None:
        self._profile = profile
        self._key = key
        self._pause = pause
        self._body = body
        self._most = _CHARACTERS * profile.answer

    async def run(self, emit: Emit[Event]) -> None:
        """Emit the events of the answer. Once a part of it has arrived, nothing is retried."""
        for pause in (*PAUSES, None):
            try:
                async with self._client() as client, asyncio.timeout(self._profile.total):
                    await self._once(client, emit)
                return
            except TimeoutError as error:
                message = f"The answer has no end after {self._profile.total:g} seconds. Set `total` in models.toml."
                raise self._failed(message) from error
            except _PassingError as passing:
                wait = pause if passing.after is None else passing.after
                if pause is None or wait is None or wait > _LONGEST_PAUSE:
                    raise passing.error from passing
                await self._pause(wait)

    async def _once(self, client: httpx2.AsyncClient, emit: Emit[Event]) -> None:
        import httpx2

        joiner = Joiner()
        begun = False
        try:
            async with client.stream("POST", self._address(), content=self._body) as response:
                if response.status_code != 200:
                    await self._refused(response)
                async for event in _events(response, joiner):
                    begun = True
                    await emit(event)
                    if joiner.received > self._most:
                        await emit(End(TOO_LONG))
                        return
        except httpx2.ConnectTimeout as error:
            message = f"The endpoint cannot be reached within {self._profile.connect:g} seconds."
            raise _PassingError(self._failed(message)) from error
        except httpx2.TimeoutException as error:
            where = "go on" if begun else "answer"
            what = f"The endpoint did not {where} within {self._profile.wait:g} seconds."
            raise self._failed(f"{what} Try again, or set `wait` in models.toml.") from error
        except httpx2.TransportError as error:
            why = _why(error)
            if begun:
                raise self._failed(f"The connection was lost in the middle of the answer: {why}.") from error
            raise _PassingError(self._failed(f"The endpoint cannot be reached: {why}.")) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise self._failed(f"The endpoint cannot be asked: {_why(error)}.") from error
        except ModelError as error:
            if error.message == (told := without_key(error.message, self._key)):
                raise
            raise type(error)(told, **error.details) from None

    async def _refused(self, response: httpx2.Response) -> NoReturn:
        status = response.status_code
        body = await _head(response)
        try:
            told = error_text(decode(Any, body))
        except msgspec.DecodeError:
            told = error_text(body.decode("utf-8", "replace")) or response.reason_phrase
        if status in (401, 403):
            message = f"The endpoint refuses the key ({status}): {told} Check `key` in models.toml."
            raise ModelKeyError(without_key(message, self._key), status=status)
        if response.is_redirect:
            told = f"it sends on to {response.headers.get('location', 'elsewhere')}; name that as endpoint."
        error = self._failed(f"The endpoint answered {status}: {told}", status=status)
        if status not in PASSING:
            raise error
        wait = after(response.headers.get("retry-after"))
        if wait is not None and wait > _LONGEST_PAUSE:
            error.details["retryAfter"] = round(wait)
            error.message += f" It asks to wait {wait:.0f} seconds."
        raise _PassingError(error, wait)

    def _failed(self, message: str, **details: Any) -> ModelError:
        return ModelError(without_key(message, self._key), model=self._profile.name, **details)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx2.AsyncClient]:
        import httpx2

        profile = self._profile
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            "User-Agent": f"codecortex/{services.__version__}",
        }
        if self._key:
            name = profile.key_header or "Authorization"
            headers[name] = self._key if profile.key_header else f"Bearer {self._key}"
        timeout = httpx2.Timeout(profile.wait, connect=profile.connect)
        try:
            client = httpx2.AsyncClient(headers=headers, timeout=timeout, proxy=profile.proxy)
        except (ValueError, httpx2.InvalidURL) as error:
            raise self._failed(f"The proxy cannot be used: {_why(error)}.") from error
        async with client:
            yield client

    def _address(self) -> str:
        """Return the endpoint's address; its query (Azure's api-version) is retained."""
        base, mark, query = self._profile.endpoint.partition("?")
        base = base.rstrip("/")
        return (base if base.endswith(_PATH) else base + _PATH) + mark + query


def _why(error: Exception) -> str:
    """Return the message of a library's error, to end a sentence with."""
    return (str(error) or type(error).__name__).rstrip(".")


async def _events(response: httpx2.Response, joiner: Joiner) -> AsyncIterator[Event]:
    """The events of an answer, be it streamed or, by an endpoint that does not stream, whole."""
    kind = response.headers.get("content-type", "")
    if "json" in kind and "event-stream" not in kind:
        body = await _head(response, most=_CHARACTERS * 1_000_000)
        for event in joiner.take(body.decode("utf-8", "replace")):
            yield event
        joiner.ended = True
    else:
        async for data in datas(response.aiter_bytes()):
            for event in joiner.take(data):
                yield event
            if joiner.ended:
                break
    for event in joiner.rest():
        yield event


async def _head(response: httpx2.Response, most: int = _LARGEST_ERROR) -> bytes:
    parts: list[bytes] = []
    async for part in response.aiter_bytes():
        parts.append(part)
        most -= len(part)
        if most < 0:
            break
    return b"".join(parts)


def _require_http() -> None:
    """Raise NoModel without the extra that provides HTTP."""
    try:
        import httpx2  # noqa: F401
    except ImportError as error:
        message = 'Asking a model needs one more package: pip install "codecortex[llm]". Until then, copy and paste.'
        raise NoModel(message) from error


PAUSES = (1.0, 2.0, 4.0)
"""Seconds before the second, third and fourth try, where the endpoint does not say."""
_LONGEST_PAUSE = 60.0
"""Seconds; who is to wait longer is told, and not kept waiting."""
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may be gone the next time."""


def after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None where it cannot be read."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if not math.isnan(seconds) else None
