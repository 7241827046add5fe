"""The HTTP routes of webhooks."""

from __future__ import annotations

from functools import partial

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.errors import CodeCortexError
from services.server.webhooks.deliveries import PROVIDERS
from services.server.webhooks.receiver import WebhookReceiver

_AT_ONCE = 8
PHABRICATOR_PATH = "/webhooks/phabricator"


def webhook_paths(phabricator: str = PHABRICATOR_PATH) -> dict[str, str]:
    """The provider of each path that takes deliveries."""
    usual = {f"/webhooks/{name}": name for name in PROVIDERS}
    return {**usual, phabricator: "phabricator"}


def webhook_routes(receiver: WebhookReceiver, paths: dict[str, str]) -> list[Route]:
    """A route for each path; it answers on threads of its own, so that no other call holds a delivery up."""
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    def endpoint(provider: str):
        async def take(request: Request) -> Response:
            body = await request.body()
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw
            }
            call = partial(receiver.receive, provider, headers, body)
            try:
                answer = await anyio.to_thread.run_sync(call, limiter=limiter)
            except CodeCortexError as error:
                # The services send a delivery again that is answered so.
                return JSONResponse({"error": error.message}, status_code=503)
            return JSONResponse(answer.body, status_code=answer.status)

        return take

    return [Route(path, endpoint=endpoint(provider), methods=["POST"]) for path, provider in paths.items()]
