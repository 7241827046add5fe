"""Names as the language means them (C# specification 6.4.3), also where they have escapes or formatting characters."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
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
