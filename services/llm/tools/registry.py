"""Registry of tools that a model may call; failures of a call are answers for the model to read."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from services.decoding import decode
from services.errors import Cancelled, CodeCortexError, ModelError
from services.llm.tools.limits import MAX_RESULT
from services.llm.tools.schema import misfit
from services.llm.values import ParameterSchema, Tool, ToolCall, ToolFunction, ToolResult

Cancel = threading.Event | None
ToolHandler = Callable[[Mapping[str, Any], Cancel], str]
"""What a tool does with arguments that fit its schema; setting the event ends it with Cancelled. A CodeCortexError is
for the model."""


class _Registered(NamedTuple):
    tool: Tool
    handler: ToolHandler
    schema: dict[str, Any]


class Registry:
    """Tools by name. Thread-safe once they are registered."""

    def __init__(self) -> None:
        self._tools: dict[str, _Registered] = {}

    def register_tool(self, name: str, handler: ToolHandler, schema: Tool) -> None:
        """Offer a tool. Raises ValueError where the schema has another name, or there is one of that name."""
        if schema.name != name or name in self._tools:
            raise ValueError(f"{name} is registered, or its schema is of {schema.name}")
        parameters = msgspec.to_builtins(schema.function.parameters)
        self._tools[name] = _Registered(schema, handler, parameters)

    def extend(self, other: Registry) -> None:
        """Offer the tools of another registry too. Raises ValueError where both have one of a name."""
        for registered in other._tools.values():
            self.register_tool(registered.tool.name, registered.handler, registered.tool)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them, as a request offers them."""
        return tuple(each.tool for each in self._tools.values())

    def execute(self, call: ToolCall, cancel: Cancel = None) -> ToolResult:
        """Run a tool and return its result. Mistakes of the model become an error result; Cancelled and faults of
        the program are raised."""
        name = call.function.name
        registered = self._tools.get(name)
        if registered is None:
            return _error(f"Unknown tool: {name[:100]}.{_near(name, self._tools)}")
        try:
            arguments = decode(Any, call.function.arguments or "{}")
        except msgspec.DecodeError as error:
            return _error(f"The arguments of {name} are no JSON ({error}). {_takes(registered)}")
        if said := misfit(arguments if arguments is not None else {}, registered.schema):
            return _error(f"{name}: {said}")
        try:
            return ToolResult(content=_cut(registered.handler(arguments or {}, cancel)))
        except (Cancelled, ModelError):
            raise
        except CodeCortexError as error:
            return _error(error.message)


def function_tool(
    name: str, description: str, properties: Mapping[str, Mapping[str, Any]], required: Iterable[str] = ()
) -> Tool:
    """A tool described."""
    parameters = ParameterSchema(properties=properties, required=tuple(required))
    return Tool(function=ToolFunction(name=name, description=description, parameters=parameters))


def _error(message: str) -> ToolResult:
    return ToolResult(content=message, is_error=True)


def _near(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f" Did you mean {near[0]}?" if near else f" There are: {', '.join(names) or 'none'}."


def _takes(registered: _Registered) -> str:
    names = ", ".join(registered.schema.get("properties", {}))
    return f"Send an object with: {names or 'nothing'}."


def _cut(text: str) -> str:
    """A result that a model's context can hold, cut at the end of a line where it has one."""
    if len(text) <= MAX_RESULT:
        return text
    kept = text[:MAX_RESULT]
    kept = kept[: kept.rfind("\n") + 1] or kept
    return f"{kept}[TRUNCATED: {len(text) - len(kept)} more characters; ask for less]"
