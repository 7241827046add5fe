"""Type arguments distinguished from comparisons by the rule of the language (C# specification 6.2.5).

What reads as a list of type arguments is one where a token follows it that no operand of a comparison begins with, and
behind words that only a type follows. The grammar decides by what parses, and takes some for comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.syntax.records.words import KEYWORDS

_NAME = rb"@?[A-Za-z_\x80-\xff][\w\x80-\xff]*"
_OPENS = re.compile(rb"(?<![\w\x80-\xff@])(" + _NAME + rb")\s*<(?![<=])")
_TOKEN = re.compile(rb"\s*(?:(?P<name>" + _NAME + rb")|::|[.,?*<>()]|(?P<rank>\[[\s,]*\]))")
_FOLLOWS = re.compile(rb"\s*(?:[()\]}:;,.?|^&\[<]|[=!]=|(?:is|as)\b)")
_IN_QUERY = re.compile(
    rb"\s*(?:where|join|on|equals|into|let|orderby|ascending|descending|select|group|by)\b"
)
_QUERY = re.compile(rb"\bfrom\s")
_FARTHEST = 400  # bytes that are looked back for a word that a type follows
_BEFORE_TYPE = re.compile(
    rb"(?:(?<![\w@])(?:new|is|as|case|out|not|and|or)\s|(?<![\w@])foreach\s*\()\s*[\w.:@<>\x80-\xff]*\Z"
)
_PREDEFINED = frozenset(
    b"bool byte char decimal double float int long object sbyte short string uint ulong ushort".split()
)
_NO_TYPES = frozenset(word.encode() for word in KEYWORDS) - _PREDEFINED
_DEEPEST = 8  # lists in one another


class GenericName(NamedTuple):
    """Span of a name and of its apparent type arguments; `is_one`: whether they are type arguments."""

    start: int
    name_end: int
    begin: int
    end: int
    is_one: bool


def generic_names(text: bytes) -> Iterator[GenericName]:
    """Yield the apparent generic names of a text, except those nested in argument lists of others."""
    at = 0
    while (opens := _OPENS.search(text, at)) is not None:
        at = opens.end()
        end = _list_end(text, at, 0) if opens[1] not in _NO_TYPES else None
        if end is None:
            continue
        is_one = _is_list(text, opens.start(), end)
        yield GenericName(*opens.span(1), at - 1, end, is_one)
        if is_one:
            at = end


def _is_list(text: bytes, start: int, end: int) -> bool:
    """Whether what reads as type arguments and ends at an offset is that, to the language."""
    if _FOLLOWS.match(text, end) is not None:
        return True
    if _IN_QUERY.match(text, end) is not None and _QUERY.search(text, 0, start) is not None:
        return True
    return _BEFORE_TYPE.search(text[max(0, start - _FARTHEST) : start]) is not None


def _list_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of the list whose first argument begins at an offset; None where it is no list of types."""
    while depth < _DEEPEST:
        after = _type_end(text, at, depth)
        token = _TOKEN.match(text, after) if after is not None else None
        if token is None or not token[0].endswith((b",", b">")):
            return None
        at = token.end()
        if token[0].endswith(b">"):
            return at
    return None


def _type_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of the type that begins at an offset."""
    first = _TOKEN.match(text, at)
    if first is None:
        return None
    if first["name"] is not None:
        end = _named_end(text, first, depth)
    else:
        end = _tuple_end(text, first.end(), depth) if first[0].endswith(b"(") else None
    while end is not None:
        suffix = _TOKEN.match(text, end)
        if suffix is None or not (suffix["rank"] or suffix[0].endswith((b"?", b"*"))):
            break
        end = suffix.end()
    return end


def _named_end(text: bytes, first: re.Match[bytes], depth: int) -> int | None:
    """Return the end of a name with dots and type arguments."""
    if first["name"] in _NO_TYPES:
        return None
    end = first.end()
    while (token := _TOKEN.match(text, end)) is not None:
        if token[0].endswith(b"<"):
            inner = _list_end(text, token.end(), depth + 1)
            if inner is None:
                return None
            end = inner
        elif token[0].endswith((b".", b"::")):
            part = _TOKEN.match(text, token.end())
            if part is None or part["name"] is None:
                return None
            end = part.end()
        else:
            break
    return end


def _tuple_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of a tuple type whose first element begins at an offset."""
    count = 0
    while depth < _DEEPEST:
        count += 1
        end = _type_end(text, at, depth + 1)
        token = _TOKEN.match(text, end) if end is not None else None
        if token is not None and token["name"] is not None:
            token = _TOKEN.match(text, token.end())
        if token is None or not token[0].endswith((b",", b")")):
            return None
        at = token.end()
        if token[0].endswith(b")"):
            return at if count > 1 else None
    return None
