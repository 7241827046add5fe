"""The application: which path leads where, and its figures for Prometheus."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, request_response
from starlette.types import ASGIApp

import services
from services.decoding import decode
from services.errors import Cancelled, CodeCortexError
from services.measures import Measures, memory_mb
from services.operations import Work, by_name
from services.ops.jobs import JobRequest, OpState, SubmittedJob
from services.ops.ops import OperationService
from services.server.failures import json_text
from services.server.http.guard import JSON, Envelope, Guard, Rules, is_json_type
from services.server.http.patience import Entry, Leaving, Sessions
from services.server.jsonrpc import Called, JsonRpc, called_in
from services.server.mcp.factory import Handlers, make_server
from services.server.mcp.identity import LEFT
from services.server.path_access import agent_named
from services.server.scheduler import Scheduler
from services.server.serving import Serving
from services.server.webhooks import PHABRICATOR_PATH, WebhookReceiver, webhook_paths, webhook_routes
from services.source.journal.actor import Owner

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PLAIN = re.compile(r"[^a-zA-Z0-9_]+")


def prometheus_text(
    measures: Measures, ops: OperationService, deliveries: Mapping[tuple[str, str], int], *, is_ready: bool
) -> str:
    """The figures of this process and workspace, each with its help and type. `deliveries`: of webhooks, by provider
    and outcome."""
    return "".join(_families(measures, ops, deliveries, is_ready=is_ready))


def _families(
    measures: Measures, ops: OperationService, deliveries: Mapping[tuple[str, str], int], *, is_ready: bool
) -> Iterator[str]:
    yield _family("ready", "gauge", "Whether the index can be asked.", [("", int(is_ready))])
    yield _family(
        "uptime_seconds", "gauge", "Seconds since the server began.", [("", round(measures.uptime, 1))]
    )
    yield _family("memory_megabytes", "gauge", "Resident memory of the server.", [("", memory_mb())])
    states = ((f'state="{state}"', count) for state, count in _states(ops).items())
    yield _family("operations", "gauge", "Long-running operations that are listed, by state.", states)
    counts = (
        (f'provider="{provider}",outcome="{outcome}"', count)
        for (provider, outcome), count in sorted(deliveries.items())
    )
    yield _family("webhook_deliveries_total", "counter", "Deliveries of webhooks, by outcome.", counts)
    for name, value in measures.summary().items():
        plain = _PLAIN.sub("_", name).strip("_")
        if isinstance(value, dict):
            rows = [(f'quantile="{at}"', value[key]) for at, key in (("0.5", "p50"), ("0.95", "p95"))]
            yield _family(plain, "gauge", f"{name}, of the last values.", rows)
        elif isinstance(value, int | float):
            yield _family(plain, "gauge", f"{name}.", [("", value)])


def _states(ops: OperationService) -> dict[OpState, int]:
    found = dict.fromkeys(OpState, 0)
    for op in ops.jobs.listed(most=1_000):
        found[op.state] += 1
    return found


def _family(name: str, kind: str, help_: str, rows: Iterable[tuple[str, float]]) -> str:
    full = f"codecortex_{name}"
    lines = (f"{full}{{{labels}}} {value}\n" if labels else f"{full} {value}\n" for labels, value in rows)
    return f"# HELP {full} {help_}\n# TYPE {full} {kind}\n{''.join(lines)}"


if TYPE_CHECKING:
    pass

_SESSIONS = 500
_IDLE = 30 * 60
_STREAM = "text/event-stream"


def make_app(
    serving: Serving, parts: Handlers, rules: Rules, *, phabricator_path: str = PHABRICATOR_PATH
) -> ASGIApp:
    """`/mcp`, `/sse` (also `/mcp/stream`) with `/messages`, `/rpc`, `/api/agent`, `/ops/ID/events`, `/webhooks/…`,
    `/metrics` and `/health` behind the guard. Its lifespan must run."""

    def submit(request: JobRequest, ids: Sequence[str]) -> SubmittedJob:
        submitted = serving.bench.ops.start_once(request, ids)
        serving.bench.ops.serve()
        return submitted

    receiver = WebhookReceiver(submit, lambda: serving.bench.settings.webhooks)
    paths = webhook_paths(phabricator_path)
    rules = replace(rules, signed=frozenset(paths))
    server = make_server(parts)
    manager = Sessions(
        app=server,
        max_request_body_size=rules.limits.body,
        max_sessions=_SESSIONS,
        session_idle_timeout=_IDLE,
    )
    entry = Entry()
    messages = SseServerTransport("/messages/", max_request_body_size=rules.limits.body)
    app = Starlette(
        routes=[
            Route("/mcp", endpoint=Envelope(Leaving(StreamableHTTPASGIApp(manager), entry))),
            Route("/sse", endpoint=_sse(server, messages), methods=["GET"]),
            Route("/mcp/stream", endpoint=_sse(server, messages), methods=["GET"]),
            Mount("/messages/", app=Envelope(messages.handle_post_message)),
            _post_route("/rpc", _rpc(serving, parts.scheduler), entry),
            _post_route("/api/agent", _agent(serving, parts.scheduler), entry),
            Route("/ops/{op_id}/events", endpoint=_op_events(serving, parts.scheduler), methods=["GET"]),
            *webhook_routes(receiver, paths),
            Route("/metrics", endpoint=_metrics(serving, receiver), methods=["GET"]),
            Route("/health", endpoint=_health(serving), methods=["GET"]),
        ],
        lifespan=_lifespan(manager, parts),
    )
    return Guard(app, rules)


def _post_route(path: str, answer: Callable[[Request], Awaitable[Response]], entry: Entry) -> Route:
    return Route(path, endpoint=Leaving(request_response(answer), entry), methods=["POST"])


def _lifespan(manager: Sessions, parts: Handlers) -> Any:
    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with parts.background(), manager.run():
            yield

    return lifespan


def _sse(server: Server[Any], messages: SseServerTransport) -> Any:
    async def sse(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type=_STREAM)
        streams = messages.connect_sse(request.scope, request.receive, request._send)  # noqa: SLF001 (the SDK's way)
        async with streams as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    return sse


Answer = Callable[[bytes, Owner, Work], Any]
"""Answers the body of a request on a thread, for whoever sent it."""


class _PostedCall:
    """Context of a call on the connection it was posted over."""

    def __init__(self, left: anyio.Event) -> None:
        self._left = left
        self._cancel = threading.Event()
        self.work = Work(cancel=self._cancel)

    async def caller_gone(self) -> None:
        """Returns when the connection is gone; then, or being stopped, it cancels the call."""
        try:
            await self._left.wait()
        finally:
            self._cancel.set()

    report = caller_gone


def _posted(
    answer: Answer,
    respond: Callable[[Any], Response],
    *,
    called: Callable[[bytes], Called],
    scheduler: Scheduler,
) -> Any:
    """Takes JSON that is posted; what is under way ends when its client has gone. `called`: what a body calls."""

    async def take(request: Request) -> Response:
        if not is_json_type(request.scope):
            return JSONResponse({"error": f"Send {JSON}."}, status_code=415)
        body = await request.body()
        agent = agent_named(request.headers.get("user-agent", "").partition("/")[0])
        operations, batch = called(body)

        def answered(work: Work) -> Any:
            return answer(body, agent, work)

        try:
            context = _PostedCall(request.scope[LEFT])
            return respond(await scheduler.run(answered, context, operations=operations, batch=batch))
        except Cancelled:  # nobody reads what is answered
            return Response(status_code=204)

    return take


def _rpc(serving: Serving, scheduler: Scheduler) -> Any:
    calls = JsonRpc(serving)

    def answer(body: bytes, agent: Owner, work: Work) -> bytes | None:
        return calls.answer(body, agent=agent, work=work)

    def respond(told: bytes | None) -> Response:
        return Response(status_code=204) if told is None else Response(told, media_type=JSON)

    return _posted(answer, respond, called=called_in, scheduler=scheduler)


def _agent(serving: Serving, scheduler: Scheduler) -> Any:
    """The simple agent (SPEC section 12): always 200 with `{success, message, data, error}` for what is a request."""
    operation = by_name("RunAgent")
    assert operation is not None

    def answer(body: bytes, agent: Owner, work: Work) -> Any:
        try:
            given = decode(dict[str, Any], body)
            sent = {name: value for name, value in given.items() if value is not None}
            return serving.whole(operation, sent, agent=agent, work=work)
        except Cancelled:
            raise
        except msgspec.DecodeError as error:
            return _failed(f"The request is no JSON object: {error}.")
        except CodeCortexError as error:
            return _failed(error.message)

    called = Called([operation], batch=False)
    return _posted(answer, JSONResponse, called=lambda _: called, scheduler=scheduler)


def _failed(why: str) -> dict[str, Any]:
    return {"success": False, "message": "AgentService error", "data": None, "error": why}


_Told = tuple[list[dict[str, Any]], bool]
"""Events of an operation, and whether it had ended before they were read."""
_DIGITS = 9
_LOOK_EVERY = 0.25
_ALIVE_EVERY = 15.0
"""Seconds without an event after which a stream says that it is still there."""


def _op_events(serving: Serving, scheduler: Scheduler) -> Any:
    """The events of an operation as they come, as server-sent events, until the last one (SPEC section 15). `?after=N`,
    or the header Last-Event-ID of who comes again, says which is known."""
    operation = by_name("StreamOp")
    assert operation is not None

    async def events(request: Request) -> Response:
        known = request.query_params.get("after") or request.headers.get("last-event-id") or "0"
        if not known.isdecimal() or len(known) > _DIGITS:
            return JSONResponse(
                {"error": "after is the number of the last event that is known."}, status_code=400
            )
        agent = agent_named(request.headers.get("user-agent", "").partition("/")[0])
        asked = {"opId": request.path_params["op_id"]}

        def told(number: int) -> _Told:
            is_over = serving.bench.ops.jobs.get(asked["opId"]).state.is_end
            return serving.whole(operation, {**asked, "after": number}, agent=agent), is_over

        async def after(number: int) -> _Told:
            return await scheduler.read(functools.partial(told, number))

        try:
            first = await after(int(known))
        except CodeCortexError as error:
            return JSONResponse({"error": error.message}, status_code=404)
        if request.method == "HEAD":
            return Response(media_type=_STREAM)
        return StreamingResponse(_server_sent(first, int(known), after), media_type=_STREAM)

    return events


async def _server_sent(
    told: _Told, known: int, after: Callable[[int], Awaitable[_Told]]
) -> AsyncIterator[str]:
    silent = 0.0
    while True:
        events, is_over = told
        for event in events:
            known = event["n"]
            yield f"id: {known}\nevent: {event['kind']}\ndata: {json_text(event)}\n\n"
        if is_over:
            return
        silent = 0.0 if events else silent + _LOOK_EVERY
        if silent >= _ALIVE_EVERY:
            silent = 0.0
            yield ": alive\n\n"
        await anyio.sleep(_LOOK_EVERY)
        told = await after(known)


def _health(serving: Serving) -> Any:
    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok", "ready": serving.ready, "version": services.__version__})

    return health


def _metrics(serving: Serving, receiver: WebhookReceiver) -> Any:
    async def metrics(_: Request) -> Response:
        bench = serving.bench
        text = await anyio.to_thread.run_sync(
            lambda: prometheus_text(bench.measures, bench.ops, receiver.counts(), is_ready=serving.ready)
        )
        return Response(text, media_type=CONTENT_TYPE)

    return metrics
