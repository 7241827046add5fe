"""Registry of tools for models: schema validation, limits, and execution."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from services.decoding import decode
from services.errors import Cancelled, CodeCortexError, ModelError
from services.llm.values import ParameterSchema, Tool, ToolCall, ToolFunction, ToolResult

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, Sequence) and not isinstance(value, str),
}
_BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("at least", lambda value, bound: value >= bound),
    "maximum": ("at most", lambda value, bound: value <= bound),
    "minLength": ("at least as many characters as", lambda value, bound: len(value) >= bound),
    "maxLength": ("at most as many characters as", lambda value, bound: len(value) <= bound),
}

Schema = Mapping[str, Any]


def misfit(value: Any, schema: Schema, name: str = "arguments", root: Schema | None = None) -> str:
    """Why a JSON value is none that a schema describes, with what would be right; empty where it is one. `root`: has
    the definitions that it refers to."""
    root = schema if root is None else root
    schema = _referred(schema, root)
    if "anyOf" in schema:
        found = [misfit(value, {**_without(schema, "anyOf"), **each}, name, root) for each in schema["anyOf"]]
        return "" if "" in found else next((each for each in found if each), "")
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds or []
    if kinds and not any(_TYPES[kind](value) for kind in kinds if kind in _TYPES):
        return f"{name} is {_shown(value)}; it has to be of type {' or '.join(kinds)}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} is {_shown(value)}; it may be: {', '.join(map(str, schema['enum']))}."
    return _bounds(value, schema, name) or _inside(value, schema, name, root)


def _bounds(value: Any, schema: Schema, name: str) -> str:
    for key, (words, holds) in _BOUNDS.items():
        sized = isinstance(value, str) if "Length" in key else _TYPES["number"](value)
        if key in schema and sized and not holds(value, schema[key]):
            return f"{name} is {_shown(value)}; it has to be {words} {schema[key]}."
    return ""


def _inside(value: Any, schema: Schema, name: str, root: Schema) -> str:
    if isinstance(value, Mapping):
        return _properties(value, schema, name, root)
    if "items" in schema and isinstance(value, Sequence) and not isinstance(value, str):
        found = (misfit(each, schema["items"], f"{name}[{at}]", root) for at, each in enumerate(value))
        return next(filter(None, found), "")
    return ""


def _properties(value: Mapping[str, Any], schema: Schema, name: str, root: Schema) -> str:
    known: Mapping[str, Schema] = schema.get("properties", {})
    missing = [each for each in schema.get("required", ()) if each not in value]
    takes = f" It takes: {', '.join(known) or 'nothing'}." if name == "arguments" else ""
    if missing:
        return f"{name} lacks {', '.join(missing)}.{takes}"
    others = schema.get("additionalProperties", True)
    for key, each in value.items():
        if key not in known and others is False:
            return f"{name} has {key!r}, which is not known.{takes}"
        inner = known.get(key, others if isinstance(others, Mapping) else {})
        if said := misfit(each, inner, key if name == "arguments" else f"{name}.{key}", root):
            return said
    return ""


def _referred(schema: Schema, root: Schema) -> Schema:
    name = schema.get("$ref", "")
    return root.get("$defs", {}).get(name.rpartition("/")[2], {}) if name else schema


def _without(schema: Schema, key: str) -> Schema:
    return {name: value for name, value in schema.items() if name != key}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


MAX_FILE_SIZE = 1_000_000
"""Bytes of a file that one read tells."""
COMMAND_TIMEOUT = 30.0
"""Seconds."""
MAX_RESULTS = 100
"""Rows that one search tells."""
MAX_TOOL_ROUNDS = 10
"""Rounds of tool calls before a model has to answer."""
MAX_RESULT = 80_000
"""Characters of one result: below 25 000 tokens, so that a model's context outlives its questions."""


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
    import difflib

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
