"""Tools `test_*` that answer at once, report, log or request in the manner of the revisions with a handshake."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import PromptsListChanged, SubscriptionBus, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from tests.support.conformance.content import audio, embedded, image, text

Context = ServerRequestContext[Any, Any]
Call = Callable[[Context, types.CallToolRequestParams], Awaitable[Any]]

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
ENUMS: dict[str, Any] = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {
        "type": "string",
        "oneOf": [
            {"const": f"value{i}", "title": title}
            for i, title in enumerate(("First Option", "Second Option", "Third Option"), 1)
        ],
    },
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {
        "type": "array",
        "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
    },
    "titledMulti": {
        "type": "array",
        "items": {
            "anyOf": [
                {"const": f"value{i}", "title": title}
                for i, title in enumerate(("First Choice", "Second Choice", "Third Choice"), 1)
            ]
        },
    },
}
DEFAULTS: dict[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
USER: dict[str, Any] = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}


def said(*content: types.ContentBlock, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=list(content), is_error=is_error)


async def _log(ctx: Context, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        await ctx.session.send_log_message("info", message, "conformance", related_request_id=ctx.request_id)


async def logging(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    await _log(ctx, "Tool execution started")
    await anyio.sleep(0.05)
    await _log(ctx, "Tool processing data")
    await anyio.sleep(0.05)
    await _log(ctx, "Tool execution completed")
    return said(text("Done."))


async def progress(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return said(text("Done."))


async def sampling(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    prompt = types.SamplingMessage(role="user", content=text((params.arguments or {})["prompt"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        answer = await ctx.session.create_message([prompt], max_tokens=100, related_request_id=ctx.request_id)
    return said(text(f"LLM response: {answer.content.text}"))


def asking(fields: dict[str, Any], words: str, *, required: tuple[str, ...] = ()) -> Call:
    async def ask(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        message = (params.arguments or {}).get("message", "Please answer.")
        schema: dict[str, Any] = {"type": "object", "properties": fields}
        if required:
            schema["required"] = list(required)
        answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        return said(text(f"{words}: action={answer.action}, content={answer.content}"))

    return ask


def saying(*content: types.ContentBlock, is_error: bool = False) -> Call:
    async def say(_: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        return said(*content, is_error=is_error)

    return say


def publishing(bus: SubscriptionBus, event: Any) -> Call:
    async def publish(_: Context, __: types.CallToolRequestParams) -> types.CallToolResult:
        await bus.publish(event)
        return said(text("Changed."))

    return publish


async def needs_sampling(ctx: Context, _: types.CallToolRequestParams) -> types.CallToolResult:
    declared = ctx.session.client_capabilities
    if declared is None or declared.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Sampling is needed.", needed)
    return said(text("Done."))


def simple_tools(bus: SubscriptionBus) -> dict[str, tuple[dict[str, Any], Call]]:
    """Input schema and call of each tool, by name."""
    prompt = {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}
    message = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
    mixed = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    ended = "Elicitation completed"
    return {
        "test_simple_text": (NOTHING, saying(text("This is a simple text response for testing."))),
        "test_image_content": (NOTHING, saying(image())),
        "test_audio_content": (NOTHING, saying(audio())),
        "test_embedded_resource": (
            NOTHING,
            saying(
                embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
            ),
        ),
        "test_multiple_content_types": (
            NOTHING,
            saying(text("Multiple content types test:"), image(), mixed),
        ),
        "test_tool_with_logging": (NOTHING, logging),
        "test_logging_tool": (NOTHING, logging),
        "test_error_handling": (
            NOTHING,
            saying(text("This tool intentionally returns an error for testing"), is_error=True),
        ),
        "test_tool_with_progress": (NOTHING, progress),
        "test_streaming_elicitation": (NOTHING, progress),
        "test_sampling": (prompt, sampling),
        "test_elicitation": (message, asking(USER, "User response", required=("username", "email"))),
        "test_elicitation_sep1034_defaults": (NOTHING, asking(DEFAULTS, ended)),
        "test_elicitation_sep1330_enums": (NOTHING, asking(ENUMS, ended)),
        "test_missing_capability": (NOTHING, needs_sampling),
        "test_trigger_tool_change": (NOTHING, publishing(bus, ToolsListChanged())),
        "test_trigger_prompt_change": (NOTHING, publishing(bus, PromptsListChanged())),
    }
