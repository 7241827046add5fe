"""Identifiers: which names C# takes, and which it takes with an `@` alone."""

from __future__ import annotations

import unicodedata

from services.errors import UsageError
from services.syntax.records.words import CONTEXTUAL, KEYWORDS

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
