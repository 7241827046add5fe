"""JSON of state files, made for people and `git diff` to read.

A file name that is no UTF-8 holds halves of surrogate pairs. JSON can spell them as `\\udce9`, but msgspec neither
writes nor reads that, so the standard library does wherever one occurs.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from services import decoding

_T = TypeVar("_T")


def encode(value: Any, *, indent: int | None = 2) -> bytes:
    """The JSON of a value: one field a line, or all on one where `indent` is None."""
    try:
        made = msgspec.json.encode(value)
        return made if indent is None else msgspec.json.format(made, indent=indent)
    except UnicodeEncodeError:
        import json  # which few values need

        return json.dumps(msgspec.to_builtins(value, str_keys=True), indent=indent).encode("ascii")


def decode(data: bytes, kind: type[_T]) -> _T:
    """Return the value that `encode` wrote. Raises ValueError for what is not one of its kind, or beyond a bound."""
    try:
        return decoding.decode(kind, data)
    except (msgspec.ValidationError, decoding.BeyondLimit):
        raise
    except msgspec.DecodeError:
        if b"\\ud" not in data.lower():
            raise
        return decoding.decode_with_halves(kind, data)
