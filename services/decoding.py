"""The one place where JSON, TOML and msgpack of files, models and the network become values: bounded in size, depth and
count, whoever wrote them (docs/SAFETY.md). XML is read by `services/msbuild/xmltree.py`, within bounds too.

Whatever is wrong is a `msgspec.DecodeError`, which is a ValueError: what is no text of its form, what has another shape
(`msgspec.ValidationError`), and what is beyond a bound (`BeyondLimit`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar, overload

import msgspec

T = TypeVar("T")


class Limit(NamedTuple):
    """Bounds of what is decoded. `size`: bytes, or characters of a text; `depth`: of values inside each other;
    `values`: how many in all."""

    size: int = 64_000_000
    depth: int = 100
    values: int = 4_000_000


USUAL = Limit()
SMALL = Limit(1_000_000, 50, 100_000)
"""Of settings and what else people write by hand."""
LARGE = Limit(512_000_000, 100, 40_000_000)
"""Of what grows with a repository."""


class BeyondLimit(msgspec.DecodeError):
    """The data has more than is taken of anybody: of bytes, of depth, or of values."""


@overload
def decode(kind: type[T], data: bytes | memoryview | str, limit: Limit = ...) -> T: ...
@overload
def decode(kind: Any, data: bytes | memoryview | str, limit: Limit = ...) -> Any: ...
def decode(kind: Any, data: bytes | memoryview | str, limit: Limit = USUAL) -> Any:
    """Return the value of a JSON text, of that kind; `object` takes any. Raises msgspec.DecodeError."""
    _check(data := bytes(data) if isinstance(data, memoryview) else data, limit)
    try:
        return _shallow(msgspec.json.decode(data, type=kind), limit.depth)
    except msgspec.DecodeError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise _as_decode_error(error) from error


@overload
def decode_with_halves(kind: type[T], data: bytes | str, limit: Limit = ...) -> T: ...
@overload
def decode_with_halves(kind: Any, data: bytes | str, limit: Limit = ...) -> Any: ...
def decode_with_halves(kind: Any, data: bytes | str, limit: Limit = USUAL) -> Any:
    """Like `decode`, by the standard library: texts may hold halves of surrogate pairs. Raises msgspec.DecodeError."""
    import json

    _check(data, limit)
    try:
        return msgspec.convert(_shallow(json.loads(data), limit.depth), kind, str_keys=True)
    except msgspec.DecodeError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise _as_decode_error(error) from error


def decode_first(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at an offset of a text that is not too long, and where it ends. Raises
    msgspec.DecodeError."""
    import json

    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
        return _shallow(value, USUAL.depth), end
    except msgspec.DecodeError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise _as_decode_error(error) from error


@overload
def decode_toml(kind: type[T], text: str, limit: Limit = ...) -> T: ...
@overload
def decode_toml(kind: Any, text: str, limit: Limit = ...) -> Any: ...
def decode_toml(kind: Any, text: str, limit: Limit = SMALL) -> Any:
    """Return the values of a TOML text, of that kind. Raises msgspec.DecodeError."""
    import tomllib

    _check(text, limit)
    # Reading a key of n parts takes a time that grows with the square of n.
    if sum(line.count(".") ** 2 for line in text.split("\n")) > _MOST_DOTS:
        raise BeyondLimit("TOML has keys of too many parts")
    try:
        return msgspec.convert(_shallow(tomllib.loads(text), limit.depth), kind)
    except msgspec.DecodeError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise _as_decode_error(error) from error


@overload
def decode_msgpack(kind: type[T], data: bytes | memoryview, limit: Limit = ...) -> T: ...
@overload
def decode_msgpack(kind: Any, data: bytes | memoryview, limit: Limit = ...) -> Any: ...
def decode_msgpack(kind: Any, data: bytes | memoryview, limit: Limit = LARGE) -> Any:
    """Return the value of msgpack data, of that kind, which bounds the depth: it is the program's own. Raises
    msgspec.DecodeError."""
    if len(data) > limit.size:
        raise BeyondLimit(f"msgpack data has more than {limit.size} bytes")
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except msgspec.DecodeError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise _as_decode_error(error) from error


_MOST_DOTS = 4_000_000
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
"""No alternative that begins can fail at the end, so that no text is read twice."""


def _check(data: bytes | str, limit: Limit) -> None:
    """Raises BeyondLimit. Values are counted exactly only where the signs that stand in texts too would be too many."""
    if len(data) > limit.size:
        raise BeyondLimit(f"it has more than {limit.size} bytes")
    if _signs(data) > limit.values:
        plain = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        if _signs(_STRING.sub(b"", plain)) > limit.values:
            raise BeyondLimit(f"it has more than {limit.values} values")


def _signs(data: bytes | str) -> int:
    if isinstance(data, str):
        return data.count(",") + data.count("[") + data.count("{")
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _shallow(value: Any, most: int) -> Any:
    """The value, if it is nested no deeper. Raises BeyondLimit. A kind bounds the depth of what is of it by itself:
    only lists and dictionaries are gone into."""
    level = [value]
    for _ in range(most):
        level = [inner for each in level for inner in _inside(each) if isinstance(inner, dict | list)]
        if not level:
            return value
    raise BeyondLimit(f"it is nested more than {most} deep")


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _as_decode_error(error: Exception) -> msgspec.DecodeError:
    if isinstance(error, ValueError):
        return msgspec.DecodeError(str(error))
    return BeyondLimit("it is nested too deep, or too large")
