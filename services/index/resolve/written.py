"""A symbol path as somebody writes it, or as this program prints it, taken apart into what can be compared; `*` is
any run of characters, `?` is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import count

import msgspec
from msgspec.structs import replace

from services.concurrency.lazy import expression
from services.syntax.records.hashing import normalised

_CONVERSION = expression(
    r"(?:^|(?<=[.+\s]))(implicit|explicit)\s+operator(\s+checked)?(?!\w)(?P<target>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OPERATOR = expression(
    r"(?:^|(?<=[.+\s]))operator(\s+checked)?"
    # A star without a blank before it is a wildcard.
    r"(?:\s+(?P<word>true|false|\*=?)|\s*(?P<sign>\+\+|--|[-+/%&|^!~=<>]=|<<=?|>>>?=?|[-+/%&|^!~<>]))$",
    re.IGNORECASE,
)
_MODIFIER = expression(r"(this|ref|out|in|params|scoped|readonly)\s+(?=\S)")
_DOC_ID = expression(r"^[TMPFE]:(?=\w)")
"""Prefix of the ids in doc comments: `M:N.Type.Method(System.Int32)`."""
_INDEXERS = frozenset({"this", "item"})
_METADATA_ARITY = expression(r"``?(\d+)$")


class PathSegment(msgspec.Struct, frozen=True):
    """Name in a path. `arity`: of its type arguments, None where none are written; `text`: with them, without layout
    blanks."""

    name: str
    arity: int | None = None
    text: str = ""


class WrittenParameter(msgspec.Struct, frozen=True):
    """Parameter of the written overload: its type, and the preceding words, such as `this` and `ref`."""

    type: str
    modifiers: frozenset[str]


class WrittenPath(msgspec.Struct, frozen=True, dict=True):
    """Written path. `segments`: names from the outermost to that of the symbol; `explicit`: those of the interface
    that the member implements explicitly; `parameters`: None where no overload is written; `target`: of a conversion,
    None where it is not written; `operator`: the last name is that of an operator, in which a star is no wildcard."""

    segments: tuple[PathSegment, ...] = ()
    explicit: tuple[PathSegment, ...] = ()
    parameters: tuple[WrittenParameter, ...] | None = None
    target: str | None = None
    operator: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the segments, lower case."""
        return tuple(segment.name.lower() for segment in self.segments)

    @property
    def arity(self) -> int | None:
        """The arity that the last segment wrote."""
        return self.segments[-1].arity

    @property
    def wild(self) -> bool:
        """Whether it has wildcards."""
        names = self.names[:-1] if self.operator else self.names
        return any("*" in name or "?" in name for name in names)

    def readings(self) -> Iterator[WrittenPath]:
        """Iterate over readings as the path of a member in a type: itself, then with ever more of its names as those
        of an interface."""
        for at in range(len(self.segments) - 1, 0, -1):
            around, last = self.segments[:at], self.segments[-1]
            yield replace(self, segments=(*around, last), explicit=self.segments[at:-1])


def written(text: str) -> WrittenPath:
    """A path taken apart. Nonsense is a path too, to nothing."""
    text = _DOC_ID.sub("", text.strip()).replace("#", ".")
    head, inner = _before_brackets(text)
    conversion = _CONVERSION.search(head)
    if conversion is not None and _is_of_target(text, conversion["target"], inner):
        head, inner = text, None
        conversion = _CONVERSION.search(head)
    parameters = None if inner is None else _parameters(inner)
    if text.endswith("]"):
        parameters = parameters or None
    if conversion is not None:
        name = _operator_name(f"{conversion[1]} operator", conversion[2])
        around = (*segments_of(head[: conversion.start()]), PathSegment(name))
        return WrittenPath(around, (), parameters, tight(conversion["target"]) or None, operator=True)
    if (operator := _OPERATOR.search(head)) is not None:
        name = f"{_operator_name('operator', operator[1])} {operator['word'] or operator['sign']}"
        around = (*segments_of(head[: operator.start()]), PathSegment(name.lower()))
        return WrittenPath(around, (), parameters, operator=True)
    segments = segments_of(head)
    if text.endswith("]") and segments and segments[-1].name.lower() not in _INDEXERS:
        segments = (*segments, PathSegment("this", None, "this"))
    return WrittenPath(segments, (), parameters)


def segments_of(text: str) -> tuple[PathSegment, ...]:
    """Names with dots or plus signs between them; an alias before `::` counts as a name, `global` does not."""
    parts = _split(text.replace("global::", "").replace("::", "."), ".+")
    return tuple(_segment(part) for each in parts if (part := tight(each)))


def tight(type_: str) -> str:
    """A type without the blanks of layout."""
    return normalised(type_.encode(errors="replace")).decode() if any(map(str.isspace, type_)) else type_


def _segment(text: str) -> PathSegment:
    if (metadata := _METADATA_ARITY.search(text)) is not None:
        return PathSegment(text[: metadata.start()], int(metadata[1]), text)
    name, _, arguments = text.partition("<")
    if not name or not arguments.endswith(">"):
        return PathSegment(text, None, text)
    return PathSegment(name, len(_split(arguments[:-1], ",")), text)


def _operator_name(name: str, checked: str | None) -> str:
    return f"{name.lower()} checked" if checked else name.lower()


def _is_of_target(text: str, target: str, inner: str | None) -> bool:
    """Whether the last brackets belong to the type that a conversion makes: those of an array, or of a tuple, because a
    conversion has one parameter."""
    if text.endswith("]"):
        return True
    return inner is not None and not target.strip() and len(_split(inner, ",")) > 1


def _before_brackets(text: str) -> tuple[str, str | None]:
    """Split off the brackets at the end of a path: returns the text before them, and their content."""
    if not text.endswith((")", "]")):
        return text, None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]") - (text[at] in "([")
        if depth == 0:
            return text[:at], text[at + 1 : -1]
    return text, None


def _parameters(inner: str) -> tuple[WrittenParameter, ...]:
    parts = _split(inner, ",")
    if not parts[-1].strip():
        parts.pop()
    return tuple(map(_asked, parts))


def _asked(text: str) -> WrittenParameter:
    text, modifiers = text.strip(), set[str]()
    while (word := _MODIFIER.match(text)) is not None:
        modifiers.add(word[1])
        text = text[word.end() :]
    return WrittenParameter(tight(text), frozenset(modifiers))


def _split(text: str, marks: str) -> list[str]:
    """Split the text at any of `marks` outside brackets."""
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        if char in "<([":
            depth += 1
        elif char in ">)]":
            depth = max(depth - 1, 0)
        elif char in marks and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def wildcards(*segments: str, character: str = ".") -> str:
    """Build a regular expression for segments separated by dots. `character`: an expression for a character that a
    wildcard may match.

    The texts between the first and the last star of a segment match at their first occurrence, without backtracking,
    so that many stars cost no more than a few."""
    groups = count(1)
    return r"\.".join(_wild_segment(each, character, groups) for each in segments)


def _wild_segment(segment: str, character: str, groups: Iterator[int]) -> str:
    first, *rest = (re.escape(piece).replace(r"\?", character) for piece in segment.split("*"))
    if not rest:
        return first
    return (
        first
        + "".join(_found_once(f"{character}*?{each}", groups) for each in rest[:-1])
        + f"{character}*{rest[-1]}"
    )


def _found_once(expression: str, groups: Iterator[int]) -> str:
    """An atomic group: what a look-ahead has matched is not matched again in another way."""
    name = f"g{next(groups)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"
