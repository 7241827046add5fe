"""Words and names of C#: reserved and contextual keywords, and which identifiers the language takes, with an `@` or
without.

Source: the lexical grammar of the C# language reference, sections "Keywords" and "Contextual keywords".

Names as the language means them (C# specification 6.4.3), also where they have escapes or formatting characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from services.concurrency.lazy import expression
from services.errors import UsageError

_RESERVED = """
    abstract as base bool break byte case catch char checked class const continue decimal default delegate
    do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
    interface internal is lock long namespace new null object operator out override params private protected
    public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw
    true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
"""
_BEFORE_NAME = """
    and ascending async await by descending dynamic equals file from global group into join let managed nint
    not notnull nuint on or orderby partial record required scoped select unmanaged var when where with
    yield
"""
_ACCESSORS = "add get init remove set"
_TYPE_FOLLOWS = "as class enum interface is new record struct typeof"

BEFORE_NAME, ACCESSOR = "before a name", "accessor"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KEYWORDS = frozenset(_words(_RESERVED))
"""Reserved: keywords wherever they stand, unless written with `@`."""

CONTEXTUAL: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(_words(_BEFORE_NAME), BEFORE_NAME) | dict.fromkeys(_words(_ACCESSORS), ACCESSOR)
)
"""Keywords where a name or an expression follows them, or where an accessor can stand."""

TYPE_FOLLOWS = frozenset(_words(_TYPE_FOLLOWS))
"""Keywords behind which a name is that of a type."""


_ESCAPE = expression(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_FORMATTING = "Cf"
_OF_NAMES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc", _FORMATTING})
_LAST = 0x10FFFF


def as_meant(text: str) -> str:
    r"""Names, or a type made of them, without strings: `\u0041bc` is `Abc`, and formatting characters do not count.
    Escapes of what no name can hold stay as they are."""
    if "\\" in text:
        text = _ESCAPE.sub(_character, text)
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != _FORMATTING)


def _character(escape: re.Match[str]) -> str:
    number = int(escape[1] or escape[2], 16)
    character = chr(number) if number <= _LAST else ""
    return character if character and unicodedata.category(character) in _OF_NAMES else escape[0]


LONGEST = 512
"""Characters of a name (the language's own limit: C# reports CS0645 above it)."""
_FIRST = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"})
_REST = _FIRST | {"Mn", "Mc", "Nd", "Pc", "Cf"}
_CONTEXTUAL = CONTEXTUAL.keys() | {
    "alias",
    "allows",
    "async",
    "dynamic",
    "extension",
    "field",
    "nameof",
    "value",
}
"""Words that mean something in some places alone. Everywhere, `@` makes a plain name of them."""


def bare(name: str) -> str:
    """A name that a person typed, without `@`. Raises UsageError where C# takes none such."""
    found = name.strip().removeprefix("@")
    if not found:
        raise UsageError("A new name is needed: it is empty.")
    if len(found) > LONGEST:
        raise UsageError(f"A name has {LONGEST} characters at most: this one has {len(found):,}.")
    if not (_starts(found[0]) and all(_continues(each) for each in found[1:])):
        raise UsageError(f"{found[:40]} is no C# identifier. Use letters, digits and _, no digit first.")
    return unicodedata.normalize("NFC", found)


def written(name: str) -> str:
    """A name as source has it: with `@` where it is a keyword."""
    return f"@{name}" if name in KEYWORDS or name in _CONTEXTUAL else name


def _starts(letter: str) -> bool:
    return letter == "_" or unicodedata.category(letter) in _FIRST


def _continues(letter: str) -> bool:
    return unicodedata.category(letter) in _REST
