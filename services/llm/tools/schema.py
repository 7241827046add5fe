"""Validator of tool arguments against the subset of JSON Schema that describes tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
