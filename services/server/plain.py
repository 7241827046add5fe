"""Values as JSON: what an operation answers, made of dicts, lists and texts that every program can read."""

from __future__ import annotations

from typing import Any

import msgspec


def plain(value: Any) -> Any:
    """`value` as JSON values. Half of a surrogate pair, which a file name that is no UTF-8 leaves behind, has no JSON:
    it becomes the replacement character."""
    made = msgspec.to_builtins(value, str_keys=True)
    try:
        msgspec.json.encode(made)
    except UnicodeEncodeError:
        return _repaired(made)
    return made


def json_text(value: Any) -> str:
    """Compact JSON of what `plain` answered."""
    return msgspec.json.encode(value).decode()


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_repaired(name): _repaired(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_repaired(each) for each in value]
    return value
