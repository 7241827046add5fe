"""JSON Schema of an operation's arguments and result: what MCP lists and JSON-RPC documents."""

from __future__ import annotations

from typing import Any

import msgspec

from services.operations.operation import Operation


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """An object schema with a description for every property; nothing beside the declared ones is allowed."""
    (schema,), definitions = msgspec.json.schema_components([operation.arguments])
    name = schema["$ref"].rpartition("/")[2]
    top = {key: value for key, value in definitions.pop(name).items() if key != "title"}
    return top | ({"$defs": definitions} if definitions else {})


def result_schema(operation: Operation) -> dict[str, Any]:
    """The schema of the result; of one row where the operation streams."""
    return msgspec.json.schema(operation.result)
