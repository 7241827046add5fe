"""Schemas as tools list them. A list of tools is paid for by every conversation, so it says what is needed, once."""

from __future__ import annotations

from typing import Any

from services.operations import Operation, arguments_schema, result_schema

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
    """Whether a caller has to know: not of defaults that say nothing, nor of limits that no caller comes near."""
    if key == "default":
        return bool(value)
    return key not in ("maximum", "maxLength") or value < _FAR
