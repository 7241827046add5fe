"""The members of .NET's strings, lists and versions that project files call, on Python's values.

Raises KeyError for a member that is not here; what a wrong argument raises, the caller takes for "not
understood".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from services.msbuild.language.paths import file_name, normalise, parent
from services.msbuild.language.properties import MAX_LENGTH


class NetVersion(msgspec.Struct, frozen=True, order=True):
    """A System.Version of two to four parts."""

    parts: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> NetVersion:
        """`"1.2.3"`. Raises ValueError."""
        parts = tuple(int(part) for part in text.strip().split("."))
        if not 2 <= len(parts) <= 4:
            raise ValueError(text)
        return cls(parts)

    def __str__(self) -> str:
        return ".".join(map(str, self.parts))


class NetFolder(msgspec.Struct, frozen=True):
    """A System.IO.DirectoryInfo, by its absolute path; one with a trailing slash is the same folder."""

    path: str

    @classmethod
    def above(cls, path: str) -> NetFolder:
        """Directory.GetParent: of a path with a trailing slash, the path without it."""
        return cls(parent(normalise(path)))

    def __str__(self) -> str:
        return self.path


def member(value: Any, name: str, arguments: list[Any] | None) -> Any:
    """`value.name(arguments)`, or the property `value.name` where `arguments` is None; an empty name
    indexes."""
    key = name.casefold()
    if key == "tostring" and not arguments:
        return value
    if isinstance(value, list):
        return _list_member(value, key, arguments or [])
    if isinstance(value, NetVersion):
        return _version_member(value, key, arguments or [])
    if isinstance(value, NetFolder):
        return _folder_member(value, key)
    if isinstance(value, bool | int):
        return _number_member(value, key, arguments or [])
    return _STRING[key](str(value), *(arguments or []))


def _list_member(value: list[Any], key: str, arguments: list[Any]) -> Any:
    if key in ("", "get_item", "getvalue"):
        return value[_index(arguments[0])]
    return {"length": len(value), "count": len(value)}[key]


def _version_member(value: NetVersion, key: str, arguments: list[Any]) -> Any:
    if key == "tostring":
        return ".".join(map(str, value.parts[: int(arguments[0])]))
    if key == "compareto":
        other = arguments[0] if isinstance(arguments[0], NetVersion) else NetVersion.parse(str(arguments[0]))
        return (value > other) - (value < other)
    index = {"major": 0, "minor": 1, "build": 2, "revision": 3}[key]
    return value.parts[index] if index < len(value.parts) else -1


def _folder_member(value: NetFolder, key: str) -> Any:
    path = value.path.rstrip("/")
    return {
        "fullname": lambda: path,
        "name": lambda: file_name(path),
        "parent": lambda: NetFolder(parent(path)),
    }[key]()


def _number_member(value: int, key: str, arguments: list[Any]) -> Any:
    if key == "compareto":
        return (value > int(arguments[0])) - (value < int(arguments[0]))
    return {"equals": lambda: str(value) == str(arguments[0])}[key]()


def _index(text: Any) -> int:
    index = int(text)
    if index < 0:
        raise IndexError(index)
    return index


def _ignores_case(comparison: tuple[Any, ...]) -> bool:
    return any(
        "ignorecase" in str(argument).casefold() or str(argument).casefold() == "true"
        for argument in comparison
    )


def _tested(test: Callable[[str, str], Any]) -> Callable[..., Any]:
    def call(value: str, other: Any, *comparison: Any) -> Any:
        if _ignores_case(comparison):
            return test(value.casefold(), str(other).casefold())
        return test(value, str(other))

    return call


def _stretch(value: str, start: Any, length: Any = None) -> tuple[int, int]:
    """Return the bounds of a substring; without a length, the rest of the text. Raises IndexError for an invalid
    part."""
    first = _index(start)
    last = max(first, len(value)) if length is None else first + _index(length)
    if last > len(value):
        raise IndexError(last)
    return first, last


def _substring(value: str, start: Any, length: Any = None) -> str:
    first, last = _stretch(value, start, length)
    return value[first:last]


def _trimmed(trim: Callable[..., str]) -> Callable[..., str]:
    return lambda value, *characters: trim(value, "".join(map(str, characters)) or None)


def _split(value: str, *separators: Any) -> list[str]:
    characters = [c for separator in separators[:1] for c in str(separator)] or [" "]
    for character in characters[1:]:
        value = value.replace(character, characters[0])
    parts = value.split(characters[0])
    removes_empty = any("removeempty" in str(option).casefold() for option in separators[1:])
    return [part for part in parts if part] if removes_empty else parts


def _replace(value: str, old: Any, new: Any, *_comparison: Any) -> str:
    return replaced(value, str(old), str(new))


def replaced(value: str, old: str, new: str) -> str:
    """`value` with every `old` replaced. Raises ValueError where `old` is empty or the result would be absurd."""
    if not old or value.count(old) * len(new) > MAX_LENGTH:
        raise ValueError(old)
    return value.replace(old, new)


def _padded(pad: Callable[..., str]) -> Callable[..., str]:
    return lambda value, width, fill=" ": pad(value, min(int(width), 1000), str(fill))


def _remove(value: str, start: Any, count: Any = None) -> str:
    first, last = _stretch(value, start, count)
    return value[:first] + value[last:]


def _insert(value: str, start: Any, other: Any) -> str:
    first, _ = _stretch(value, start)
    return value[:first] + str(other) + value[first:]


_STRING: dict[str, Callable[..., Any]] = {
    "": lambda value, index: value[_index(index)],
    "chars": lambda value, index: value[_index(index)],
    "get_chars": lambda value, index: value[_index(index)],
    "length": len,
    "contains": _tested(lambda value, other: other in value),
    "startswith": _tested(str.startswith),
    "endswith": _tested(str.endswith),
    "equals": _tested(str.__eq__),
    "indexof": _tested(str.find),
    "lastindexof": _tested(str.rfind),
    "compareto": lambda value, other: (value > str(other)) - (value < str(other)),
    "replace": _replace,
    "substring": _substring,
    "remove": _remove,
    "insert": _insert,
    "split": _split,
    "trim": _trimmed(str.strip),
    "trimstart": _trimmed(str.lstrip),
    "trimend": _trimmed(str.rstrip),
    "tolower": str.lower,
    "tolowerinvariant": str.lower,
    "toupper": str.upper,
    "toupperinvariant": str.upper,
    "padleft": _padded(str.rjust),
    "padright": _padded(str.ljust),
    "normalize": str,
    "indexofany": lambda value, any_of: min((value.find(c) for c in str(any_of) if c in value), default=-1),
}
