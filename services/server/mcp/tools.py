"""Operations as tools: what is listed, and what a call answers.

Schemas as tools list them. A list of tools is paid for by every conversation, so it says what is needed, once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from services.errors import Cancelled, CodeCortexError, UsageError
from services.model import Progress
from services.operations import Effect, Operation, Work, arguments_schema, by_name, result_schema
from services.operations.table import OPERATIONS, by_tool
from services.server.failures import failure, json_text, plain
from services.server.mcp import core
from services.server.mcp.identity import LEFT, Context, agent_of, session_of
from services.server.paging import shortened
from services.server.scheduler import Scheduler
from services.server.serving import ROWS, Serving
from services.source.journal.actor import Owner
from services.workspace.scan.git import branch

CORE, ALL = "core", "all"
"""Profiles: the tools that are made for tasks, or one for each operation."""
_FAR = 1_000
_CURSOR = {"type": "string"}
"""What it is, the server's instructions say once for all tools."""


def input_schema(operation: Operation) -> dict[str, Any]:
    """The arguments; those of a read with `cursor`. What may be null may be left out, and is described without it."""
    schema = arguments_schema(operation)
    required = {"required": schema["required"]} if schema["required"] else {}
    properties = {name: _argument(value) for name, value in schema["properties"].items()}
    if operation.effect.read_only:
        properties["cursor"] = _CURSOR
    return {"type": "object", "properties": properties, **required}


def output_schema(operation: Operation) -> dict[str, Any]:
    """The fields that every answer has, by name: an answer explains its own depths."""
    if operation.stream:
        return {"type": "object", "required": [ROWS]}
    whole = result_schema(operation)
    definitions = whole.get("$defs", {})
    reference = whole.get("$ref", "").rpartition("/")[2]
    return {"type": "object", "required": definitions.get(reference, whole).get("required", [])}


def _argument(schema: dict[str, Any]) -> dict[str, Any]:
    branches = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(branches) == 1:
        schema = {**branches[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    if schema.get("enum") and None in schema["enum"]:
        schema = {**schema, "enum": [value for value in schema["enum"] if value is not None]}
    return {key: value for key, value in schema.items() if _matters(key, value)}


def _matters(key: str, value: Any) -> bool:
    """Whether a caller needs a keyword of the schema: not empty defaults, nor limits that no caller reaches."""
    if key == "default":
        return bool(value)
    return key not in ("maximum", "maxLength") or value < _FAR


_REPORT_EVERY = 0.2
"""Seconds between two reports of progress."""


_MOST_SESSIONS = 1_000


class Tools:
    """The tools of one workspace, as a profile lists them. Those that are not listed may be called all the same: a list
    is paid for, and takes no right away."""

    def __init__(self, serving: Serving, scheduler: Scheduler, profile: str = ALL) -> None:
        self._serving = serving
        self._scheduler = scheduler
        self._is_core = profile == CORE
        self._offered = [each for each in OPERATIONS if each.faces.tool and serving.offers(each)]
        self._all = [tool_of(operation) for operation in self._offered]
        self._core = [tool.listed() for tool in core.CORE.values()] if self._is_core else []
        self._schemas = {tool.name: tool.input_schema for tool in (*self._all, *self._core)}
        self._opened: OrderedDict[str, set[str]] = OrderedDict()

    def schema(self, name: str) -> dict[str, Any] | None:
        """The input schema of a tool; None if there is none of that name."""
        return self._schemas.get(name)

    async def list(
        self,
        ctx: Context,
        params: types.PaginatedRequestParams | None,
    ) -> types.ListToolsResult:
        """Every tool of the profile and of the groups that the session opened, on one page. Raises MCPError for a
        cursor: no page ever gave one."""
        refuse_cursor(params)
        if not self._is_core:
            return types.ListToolsResult(tools=self._all, ttl_ms=3_600_000, cache_scope="public")
        groups = self._opened.get(session_of(ctx), set())
        more = [
            tool
            for operation, tool in zip(self._offered, self._all, strict=True)
            if tool.name not in core.CORE and any(core.in_group(operation, group) for group in groups)
        ]
        return types.ListToolsResult(tools=[*self._core, *more])

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool. An error in it is its answer, for the model to read; an unknown tool is an error of the
        protocol."""
        tool = core.CORE.get(params.name) if self._is_core else None
        arguments, agent = dict(params.arguments or {}), agent_of(ctx)
        operation = by_tool(params.name) if tool is None else None
        if tool is not None:
            await self._open(ctx, arguments.pop(core.OPEN, None) if tool.name == "status" else None)
            try:
                operation, arguments = tool.way(arguments)
            except UsageError as error:
                return _said(error)
        if operation is None or not (tool is not None or self._serving.offers(operation)):
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")

        def run(work: Work) -> types.CallToolResult:
            try:
                call = self._edit if tool is not None and tool.name == "edit" else self._serving.call
                answer = call(operation, arguments, agent=agent, work=work)
                return _told(self._placed(answer, tool, params.arguments or {}))
            except Exception as error:  # noqa: BLE001 (the edge: the SDK would tell what it says)
                return _failed(error, operation, tool)

        try:
            return await self._scheduler.run(run, _CallContext(ctx), operations=[operation])
        except Cancelled as gone:
            return _failed(gone, operation, tool)

    def _placed(
        self, answer: dict[str, Any], tool: core.CoreTool | None, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return an answer with the worktree, branch and generation of its index, and the suggested next call."""
        bench = self._serving.bench
        generation = bench.index.facade.catalogue.version
        about = {"worktree": str(bench.root), "branch": branch(bench.root), "generation": generation}
        after = core.next_call(tool, arguments, answer) if tool is not None else None
        return answer | {"about": about} | ({"next": after} if after is not None else {})

    def _edit(
        self, operation: Operation, arguments: Mapping[str, Any], *, agent: Owner, work: Work
    ) -> dict[str, Any]:
        """Lock, write, unlock. Raises CodeCortexError."""
        lock, unlock = by_name("lock"), by_name("unLock")
        assert lock is not None
        assert unlock is not None
        named = {"object": arguments.get("path") or arguments.get("object") or arguments.get("id")}
        locked = self._serving.call(lock, named | {"purpose": "edit"}, agent=agent, work=work)
        handle = {"lockHandle": locked["LOCK_HANDLE"]}
        try:
            return self._serving.call(operation, {**arguments, **handle}, agent=agent, work=work)
        finally:
            with suppress(CodeCortexError):
                self._serving.call(unlock, named | handle, agent=agent)

    async def _open(self, ctx: Context, group: Any) -> None:
        """List a group in this session from now on, and notify it of the changed list."""
        if group not in core.GROUPS:
            return
        opened = self._opened.setdefault(session_of(ctx), set())
        while len(self._opened) > _MOST_SESSIONS:
            self._opened.popitem(last=False)
        if group not in opened:
            opened.add(group)
            await ctx.session.send_tool_list_changed()


class _CallContext:
    """Progress of a call, passed on to the client; and cancellation by the client."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._left = None if ctx.request is None else ctx.request.scope.get(LEFT)
        self._latest: Progress | None = None
        self._cancel = threading.Event()
        self.work = Work(self._note, self._cancel)

    def _note(self, progress: Progress) -> None:
        self._latest = progress

    async def caller_gone(self) -> None:
        """Returns when the connection of the call is gone; then, or being stopped, it cancels the call."""
        try:
            if self._left is None:
                await anyio.sleep_forever()
            else:
                await self._left.wait()
        finally:
            self._cancel.set()

    async def report(self) -> None:
        """Report progress to the client until it has left or this is stopped; its leaving cancels the call."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._report)
            await self.caller_gone()
            group.cancel_scope.cancel()

    async def _report(self) -> None:
        rising = MonotonicProgress()
        try:
            while True:
                await anyio.sleep(_REPORT_EVERY)
                latest = self._latest
                if latest is not None and (value := rising.value(latest)) is not None:
                    await self._ctx.session.report_progress(*value, latest.phase)
        finally:
            self._cancel.set()


class MonotonicProgress:
    """Progress as the protocol wants it: each value is greater than the one before. A phase counts from 0, so its
    values go on from where the phase before it was."""

    def __init__(self) -> None:
        self._phase: str | None = None
        self._begun = 0.0
        self._told: float | None = None

    def value(self, progress: Progress) -> tuple[float, float | None] | None:
        """Return the progress value to report and its total; None where it is no greater than the last."""
        if progress.phase != self._phase:
            self._phase, self._begun = progress.phase, self._told or 0.0
        value = self._begun + progress.done
        if self._told is not None and value <= self._told:
            return None
        self._told = value
        return value, None if progress.total is None else self._begun + progress.total


def tool_of(operation: Operation) -> types.Tool:
    """An operation as a tool is listed. Raises ValueError for one without that face."""
    name = operation.faces.tool
    if name is None:
        raise ValueError(f"{operation.name} is no tool")
    return types.Tool(
        name=name,
        description=operation.help.replace("\n\n", "\n"),
        input_schema=input_schema(operation),
        output_schema=output_schema(operation),
        annotations=_annotations(operation.effect),
    )


def _annotations(effect: Effect) -> types.ToolAnnotations:
    """Return the annotations that differ from the protocol's defaults: whether a tool changes or destroys data, and
    may not be repeated."""
    if effect.read_only:
        return types.ToolAnnotations(read_only_hint=True)
    return types.ToolAnnotations(
        destructive_hint=None if effect.destructive else False,
        idempotent_hint=True if effect.idempotent else None,
    )


def refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Raise MCPError for a request of a further page: lists here have one."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, "No list here has a second page.")


def _in_tools(told: dict[str, Any], called: Operation) -> dict[str, Any]:
    """An error that names what was called, and what to call next, by the names of their tools, in its sentence too."""
    said = told["message"].replace(f"{called.name}: ", f"{called.faces.tool}: ", 1)
    if called.faces.tool != called.name and told["code"] == "BadRequest":
        told = told | {"message": said, "error": said}
    operation = by_name(told["retryAction"] or "")
    if operation is None or operation.faces.tool in (None, operation.name):
        return told
    name = operation.faces.tool
    said = told["message"].replace(operation.name, name)
    return told | {"retryAction": name, "message": said, "error": said}


def _failed(
    error: Exception, operation: Operation, tool: core.CoreTool | None = None
) -> types.CallToolResult:
    told = _in_tools(failure(error), operation) if tool is None else _in_core(failure(error), operation, tool)
    return types.CallToolResult(content=[_text(json_text(shortened(plain(told))))], is_error=True)


def _said(error: CodeCortexError) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(json_text(plain(failure(error))))], is_error=True)


def _in_core(told: dict[str, Any], called: Operation, tool: core.CoreTool) -> dict[str, Any]:
    """An error that names the tool that was called, and no other that is not listed."""
    said = told["message"].replace(f"{called.name}: ", f"{tool.name}: ", 1)
    after = {each.operation: name for name, other in core.CORE.items() for each in other.ways.values()}
    action = told.get("retryAction")
    return told | {"message": said, "error": said, "retryAction": after.get(action or "", action)}


def _told(answer: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(json_text(answer))], structured_content=answer)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
