"""Tools and a prompt that need answers of the client, requested in the manner of 2026-07-28: by a result."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from tests.support.conformance.content import text
from tests.support.conformance.tools import NOTHING, Call, said

Context = ServerRequestContext[Any, Any]
Requests = dict[str, Any]

_KEY = secrets.token_bytes(32)


def sealed(state: str) -> str:
    """Return a state that only this process can make."""
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def opened(token: str | None) -> str:
    """The state of a token. Raises MCPError for one that was tampered with."""
    state, _, _ = (token or "").rpartition(".")
    if token is None or not hmac.compare_digest(sealed(state).encode(), token.encode()):
        raise MCPError(types.INVALID_PARAMS, "Invalid requestState")
    return state


def asked(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    """A form with one field."""
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sampled(prompt: str, most: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=text(prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


NAME: Requests = {"user_name": asked("What is your name?", "name")}
CAPITAL: Requests = {"capital_question": sampled("What is the capital of France?", 100)}
ROOTS: Requests = {"client_roots": types.ListRootsRequest()}
CONFIRM: Requests = {"confirm": asked("Please confirm", "ok", "boolean")}
SEVERAL: Requests = {**NAME, "greeting": sampled("Generate a greeting", 50), **ROOTS}


def wanted(requests: Requests, state: str | None = None) -> types.InputRequiredResult:
    token = sealed(state) if state is not None else None
    return types.InputRequiredResult(input_requests=requests or None, request_state=token)


def answers(params: Any, requests: Requests) -> Mapping[str, Any] | None:
    """The client's answers, if every request has one of its kind."""
    given = params.input_responses or {}
    kinds = {"elicitation/create": types.ElicitResult, "roots/list": types.ListRootsResult}
    for key, request in requests.items():
        kind = kinds.get(request.method)
        if key not in given or (kind is not None and not isinstance(given[key], kind)):
            return None
    return given


def once(requests: Requests, words: Callable[[Mapping[str, Any]], str], *, state: str | None = None) -> Call:
    """A tool that is done after one round."""

    async def call(_: Context, params: types.CallToolRequestParams) -> Any:
        given = answers(params, requests)
        if given is None:
            return wanted(requests, state)
        if state is not None and opened(params.request_state) != state:
            raise MCPError(types.INVALID_PARAMS, "Invalid requestState")
        return said(text(words(given)))

    return call


async def multi_round(_: Context, params: types.CallToolRequestParams) -> Any:
    first: Requests = {"step1": asked("Step 1: What is your name?", "name")}
    second: Requests = {"step2": asked("Step 2: What is your favorite color?", "color")}
    if params.request_state is None:
        return wanted(first, "round-1")
    state = opened(params.request_state)
    if state == "round-1":
        return wanted(second, "round-2") if answers(params, first) else wanted(first, "round-1")
    return said(text("Done.")) if answers(params, second) else wanted(second, "round-2")


async def by_capability(ctx: Context, params: types.CallToolRequestParams) -> Any:
    """Request only what the client declared it can do."""
    declared = ctx.session.client_capabilities
    able = {
        "elicitation/create": declared is not None and declared.elicitation is not None,
        "sampling/createMessage": declared is not None and declared.sampling is not None,
        "roots/list": declared is not None and declared.roots is not None,
    }
    requests = {key: request for key, request in SEVERAL.items() if able[request.method]}
    if answers(params, requests) is not None:
        return said(text("Done."))
    return wanted(requests, "asked")


def _name(given: Mapping[str, Any]) -> str:
    return f"Hello, {(given['user_name'].content or {}).get('name')}!"


def rounds_tools() -> dict[str, tuple[dict[str, Any], Call]]:
    """Input schema and call of each tool, by name."""
    prefix = "test_input_required_result_"
    calls: dict[str, Call] = {
        "elicitation": once(NAME, _name),
        "sampling": once(CAPITAL, lambda given: given["capital_question"].content.text),
        "list_roots": once(ROOTS, lambda given: str([str(root.uri) for root in given["client_roots"].roots])),
        "request_state": once(CONFIRM, lambda _: "state-ok", state="confirm"),
        "multiple_inputs": once(SEVERAL, lambda _: "Done.", state="several"),
        "multi_round": multi_round,
        "tampered_state": once(CONFIRM, lambda _: "state-ok", state="sealed"),
        "capabilities": by_capability,
    }
    return {prefix + name: (NOTHING, call) for name, call in calls.items()}


async def prompt(params: types.GetPromptRequestParams) -> Any:
    requests: Requests = {"user_context": asked("What context should the prompt use?", "context")}
    given = answers(params, requests)
    if given is None:
        return wanted(requests)
    context = (given["user_context"].content or {}).get("context")
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=text(f"Context: {context}"))]
    )
