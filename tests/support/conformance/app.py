"""The program's own application with the suite's fixtures, made by the same factory."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext

from services.server.mcp.factory import Handlers
from tests.support.conformance import shelves
from tests.support.conformance.rounds import prompt, rounds_tools
from tests.support.conformance.tools import simple_tools

Context = ServerRequestContext[Any, Any]


def with_fixtures(parts: Handlers) -> Handlers:
    """Return `parts` with the suite's requests answered: all others are left to them."""
    made = _Fixtures(parts)
    return msgspec.structs.replace(
        parts,
        list_tools=made.list_tools,
        call_tool=made.call_tool,
        schema=made.schema,
        list_resources=made.list_resources,
        list_templates=made.list_templates,
        read_resource=made.read_resource,
        list_prompts=made.list_prompts,
        get_prompt=made.get_prompt,
        extra={
            "completion/complete": (types.CompleteRequestParams, made.complete),
            "logging/setLevel": (types.SetLevelRequestParams, made.set_level),
        },
    )


class _Fixtures:
    def __init__(self, parts: Handlers) -> None:
        self._parts = parts
        self._tools = {**simple_tools(parts.bus), **rounds_tools()}

    def schema(self, name: str) -> Any:
        return self._tools[name][0] if name in self._tools else self._parts.schema(name)

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        own = await self._parts.list_tools(ctx, params)
        made = [
            types.Tool(name=name, description="Of the suite.", input_schema=schema)
            for name, (schema, _) in self._tools.items()
        ]
        return own.model_copy(update={"tools": [*own.tools, *made]})

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        if params.name in self._tools:
            return await self._tools[params.name][1](ctx, params)
        return await self._parts.call_tool(ctx, params)

    async def list_resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        own = await self._parts.list_resources(ctx, params)
        return own.model_copy(update={"resources": [*own.resources, *shelves.resources()]})

    async def list_templates(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        own = await self._parts.list_templates(ctx, params)
        return own.model_copy(update={"resource_templates": [*own.resource_templates, *shelves.templates()]})

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        contents = shelves.contents(str(params.uri))
        if contents is not None:
            return types.ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")
        return await self._parts.read_resource(ctx, params)

    async def list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        own = await self._parts.list_prompts(ctx, params)
        return own.model_copy(update={"prompts": [*own.prompts, *shelves.prompts()]})

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        if params.name == "test_input_required_result_prompt":
            return await prompt(params)
        made = shelves.prompted(params.name, params.arguments or {})
        return made or await self._parts.get_prompt(ctx, params)

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
        return types.CompleteResult(
            completion=types.Completion(values=values, total=len(values), has_more=False)
        )

    async def set_level(self, _: Context, __: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()
