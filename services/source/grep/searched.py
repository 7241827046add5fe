"""The bytes of a file as they are searched: UTF-8 without a byte order mark, with the file's own lines."""

from __future__ import annotations

import codecs

from services.errors import NotText
from services.workspace.text import BINARY_PROBE, decode

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_utf16(data: bytes) -> bool:
    """Whether the file has to be decoded before any text can be found in it."""
    return data.startswith(_UTF16)


def is_binary(data: bytes) -> bool:
    """Whether the file is not text (SAFETY, Bytes)."""
    if data.find(b"\0", 0, BINARY_PROBE) < 0:
        return False
    try:
        decode(data)
    except NotText:
        return True
    return False


def searchable(data: bytes, encoding: str | None = None) -> bytes:
    """The text of a file that is not binary, as UTF-8; bytes that cannot be decoded are replacement characters.
    `encoding`: declared for files that are not Unicode."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.isascii():
        return data
    if not is_utf16(data):
        try:
            data.decode()
        except UnicodeDecodeError:
            return decode(data, encoding=encoding).content.encode("utf-8", "replace")
        return data
    # A lone surrogate is no character of UTF-8; it is shown as replaced, as a reader would show it.
    return decode(data).content.encode("utf-8", "replace")
