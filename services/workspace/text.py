"""Bytes as characters and lines, in one place (SAFETY, Bytes).

The bytes stay authoritative: a `Text` stores them, finds its line starts once, and decodes only the requested part. A
line ends at LF and a CR before it belongs to the ending; nothing else ends a line, so `str.splitlines` is never used.
"""

from __future__ import annotations

import bisect
import codecs
import functools
import re
from array import array
from hashlib import sha256
from itertools import accumulate, count, pairwise
from operator import add

import msgspec

from services.errors import LineOutOfRange, NotText, ReadOnly, UsageError

BINARY_PROBE = 8_000
"""How many bytes are looked at for a NUL: what git does."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_FEEDS = {
    "utf-16-le": re.compile(rb"\n\0"),
    "utf-16-be": re.compile(rb"\0\n"),
}
_ASCII = "".join(map(chr, range(128)))


class Text(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A file as text. Lines are 1-based and inclusive, byte offsets count from the start of the file, BOM
    included.

    `data`: all bytes; `encoding`: a Python codec name; `bom`: the bytes of the byte order mark, which belongs
    to no line; `writable`: False where some bytes could not be decoded and show as replacement characters;
    `declared`: the encoding that was declared for files that are not Unicode, whether or not this is one.
    """

    data: bytes
    encoding: str
    bom: bytes = b""
    writable: bool = True
    declared: str | None = None

    @functools.cached_property
    def offsets(self) -> array[int]:
        """Byte offset of every line's first byte, and one more: the end of the file. In order."""
        marks = _LINE_FEEDS.get(self.encoding)
        starts = array("Q", [len(self.bom)])
        if marks is None:
            # Eight times as fast as asking a pattern for every line feed.
            *lines, _ = self.data[len(self.bom) :].split(b"\n")
            ends = map(add, accumulate(map(len, lines)), count(len(self.bom) + 1))
        else:
            ends = (match.end() for match in marks.finditer(self.data) if match.start() % 2 == 0)
        starts.extend(ends)
        if starts[-1] != len(self.data):
            starts.append(len(self.data))
        return starts

    def count_as(self, before: Text, same: tuple[int, int]) -> None:
        """Reuse the line starts of `before`, a text in the same encoding, where both are equal: after a small change,
        a large text is not scanned again. `same`: the length in bytes of their common prefix and of the common suffix
        of the rest."""
        if self.encoding in _LINE_FEEDS or (self.encoding, self.bom) != (before.encoding, before.bom):
            return
        head, tail = same
        known, size = before.offsets, len(before.data)
        is_open = size > len(self.bom) and not before.data.endswith(b"\n")
        starts = known[: bisect.bisect_right(known, head)]
        if is_open and starts[-1] == size:
            starts.pop()  # the end of a last line without an ending begins no line
        changed = self.data[head : len(self.data) - tail]
        starts.extend(head + match.end() for match in re.finditer(b"\n", changed))
        starts.extend(_moved(known[bisect.bisect_right(known, size - tail) :], len(self.data) - size))
        if starts[-1] != len(self.data):
            starts.append(len(self.data))
        vars(self)["offsets"] = starts

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all bytes, in hex."""
        return sha256(self.data).hexdigest()

    @functools.cached_property
    def line_count(self) -> int:
        """How many lines there are; what follows the last LF counts only if there is something. 0 for no
        text.
        """
        return len(self.offsets) - 1

    @property
    def final_newline(self) -> bool:
        """Whether the last line has an ending. False for no text."""
        return self.line_count > 0 and self.ending(self.line_count) != ""

    @functools.cached_property
    def newline(self) -> str | None:
        r"""`"\n"` or `"\r\n"` where every line has that ending, `""` where none has one, None where they
        are mixed.
        """
        feeds = self.line_count - (not self.final_newline) if self.line_count else 0
        if not feeds:
            return ""
        pair = "\r\n".encode(self.encoding)
        pairs = sum(1 for match in re.finditer(pair, self.data) if match.start() % self._unit == 0)
        return {0: "\n", feeds: "\r\n"}.get(pairs)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Byte offsets, end exclusive, of lines `start` to `end`; `end = start - 1` is the place before
        `start`.

        Raises LineOutOfRange (`details`: lineCount, startLine, endLine).
        """
        if not (1 <= start <= self.line_count + 1 and start - 1 <= end <= self.line_count):
            raise _out_of_range(self.line_count, start, end)
        return self.offsets[start - 1], self.offsets[end]

    def slice(self, start: int, end: int) -> str:
        """Lines `start` to `end` with their own endings, without the BOM. Raises LineOutOfRange."""
        first, last = self.span(start, end)
        return self._decoded(first, last)

    def line(self, number: int) -> str:
        """Return a line without its ending. Raises LineOutOfRange."""
        return _without_ending(self.slice(number, number))

    def lines(self, start: int = 1, end: int | None = None) -> list[str]:
        """Lines with their endings. Raises LineOutOfRange."""
        last = self.line_count if end is None else end
        ends = self.span(start, last)
        if not self.writable:
            # Decoded together, what is broken in one line may take the next along.
            return [self._decoded(*pair) for pair in pairwise(self.offsets[start - 1 : last + 1])]
        *whole, rest = self._decoded(*ends).split("\n")
        return [*(f"{line}\n" for line in whole), *([rest] if rest else [])]

    def ending(self, number: int) -> str:
        r"""The line's own ending: `"\n"`, `"\r\n"` or `""`. Raises LineOutOfRange."""
        line = self.slice(number, number)
        return line[len(_without_ending(line)) :]

    def line_at(self, offset: int) -> int:
        """The line that holds the byte at `offset`; the BOM counts with line 1, the end of the file with the
        last.
        """
        return max(1, min(bisect.bisect_right(self.offsets, offset), self.line_count))

    @property
    def content(self) -> str:
        """Decode the whole text, without the BOM. Not cached."""
        return self._decoded(len(self.bom), len(self.data))

    def encode(self, content: str) -> bytes:
        """Characters in this text's encoding, without a BOM. Raises ReadOnly if it is not writable, or cannot
        hold them.
        """
        if not self.writable:
            raise ReadOnly("Some bytes of this file could not be decoded, so nothing can be written to it.")
        try:
            return content.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = content[error.start]
            message = f"The character {character!r} does not exist in this file's encoding, {self.encoding}."
            raise ReadOnly(message, encoding=self.encoding, position=error.start) from error

    @property
    def _unit(self) -> int:
        """Bytes that a line feed takes."""
        return 2 if self.encoding in _LINE_FEEDS else 1

    def _decoded(self, first: int, last: int) -> str:
        return self.data[first:last].decode(self.encoding, "strict" if self.writable else "replace")


def decode(data: bytes, path: str = "", *, encoding: str | None = None) -> Text:
    """The bytes of a file as text. `encoding`: what the settings declare for files that are not Unicode.

    In this order: BOM; NUL in the first 8 000 bytes is binary, also where the bytes happen to be valid UTF-8
    (UTF-16 without its BOM is); strict UTF-8; the declared encoding; replacement characters, read-only.
    Raises NotText for binary, UsageError for a declared encoding that cannot be used.
    """
    for bom, name in _BOMS:
        if data.startswith(bom) and not data.startswith(codecs.BOM_UTF32_LE):
            writable = _decodes(data[len(bom) :], name)
            return Text(data=data, encoding=name, bom=bom, writable=writable, declared=encoding)
    if b"\0" in data[:BINARY_PROBE]:
        message = f"The file {path!r} is binary: it contains NUL bytes. Open it with another program."
        raise NotText(message, path=path)
    if _decodes(data, "utf-8"):
        return Text(data=data, encoding="utf-8", declared=encoding)
    if encoding is not None:
        name = usable_encoding(encoding)
        writable = _decodes(data, name) and _round_trips(data, name)
        return Text(data=data, encoding=name, writable=writable, declared=encoding)
    return Text(data=data, encoding="utf-8", writable=False)


def encode(text: Text) -> bytes:
    """The bytes of a text, made from its characters: equal to `text.data`. Raises ReadOnly if it is not
    writable.
    """
    return text.bom + text.encode(text.content)


@functools.lru_cache(maxsize=32)
def usable_encoding(name: str) -> str:
    """Return the codec's own name, if it may be declared: ASCII must be encoded as itself and no byte may change the
    meaning of later ones.

    Raises UsageError for a codec that is unknown or unsuitable."""
    try:
        known = codecs.lookup(name).name
        fit = not known.startswith("iso2022") and all(each.encode(known) == each.encode() for each in _ASCII)
    except (LookupError, UnicodeError, ValueError, TypeError):
        fit, known = False, name
    if not fit:
        message = (
            f"The encoding {name!r} cannot be declared for source files. Use one like cp1252 or shift_jis."
        )
        raise UsageError(message, encoding=name)
    return known


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether all of it is valid in the encoding."""
    if encoding == "utf-8" and data.isascii():
        return True
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _round_trips(data: bytes, encoding: str) -> bool:
    """Whether writing what was read gives the same bytes: some old encodings have two byte sequences for a
    character.
    """
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def _moved(offsets: array[int], by: int) -> array[int]:
    """Every offset with `by` added."""
    if not by or not offsets:
        return offsets
    # Needed only here, and by far the quickest for many lines.
    import numpy as np

    return array("Q", (np.frombuffer(offsets, np.int64) + by).tobytes())


def _without_ending(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _out_of_range(line_count: int, start: int, end: int) -> LineOutOfRange:
    message = f"Lines {start} to {end} do not exist: the file has {line_count}. Ask for lines within it."
    return LineOutOfRange(message, lineCount=line_count, startLine=start, endLine=end)
