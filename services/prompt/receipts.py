"""Copies as they were handed over: in numbered parts, for chats that take only so much at once, with receipts and
the texts of files.

A part begins with a line that numbers it, and says what it goes on with where that began in a part before; it ends
with a whole line. Where a part ends within a fence (Markdown) or a CDATA section (XML), that is closed at its end
and opened again at the start of the next. What lies between is the text: `"".join(part.content for part in parts)`
is what was split.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
import zlib
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.errors import UsageError
from services.model.copies import Receipt, ReceiptItem
from services.workspace import json_files

FOLDER = "receipts"
KEPT = 100
_ENDING = ".json"


class ReceiptFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder, sorted."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a file; False where there is none."""
        ...


class Receipts:
    """The receipts of one workspace. A file that is no receipt is left out."""

    def __init__(self, files: ReceiptFiles) -> None:
        self._files = files

    def keep(self, receipt: Receipt) -> None:
        """Write a receipt and remove those that are too many. Raises ReadOnly."""
        self._files.write(f"{FOLDER}/{receipt.id}{_ENDING}", json_files.encode(receipt) + b"\n")
        for id_ in self._ids()[KEPT:]:
            self._files.remove(f"{FOLDER}/{id_}{_ENDING}")

    def list(self) -> tuple[Receipt, ...]:
        """All receipts, latest first."""
        read = (self._read(id_) for id_ in self._ids())
        return tuple(receipt for receipt in read if receipt is not None)

    def unreadable(self) -> tuple[str, ...]:
        """The files of those that are damaged, by their names in the state folder."""
        return tuple(f"{FOLDER}/{id_}{_ENDING}" for id_ in self._ids() if self._read(id_) is None)

    def find(self, id_: str) -> Receipt:
        """A receipt by its id. Raises UsageError."""
        receipt = self._read(id_) if id_ in self._ids() else None
        if receipt is None:
            raise UsageError(f"There is no receipt {id_!r}. List them with `receipts`.", receipt=id_)
        return receipt

    def latest(self, model: str) -> Receipt | None:
        """The receipt of the last copy for a model."""
        return next((receipt for receipt in self.list() if receipt.model == model), None)

    def _ids(self) -> list[str]:
        names = [name for name in self._files.names(FOLDER) if name.endswith(_ENDING)]
        return [name.removesuffix(_ENDING) for name in reversed(names)]

    def _read(self, id_: str) -> Receipt | None:
        with contextlib.suppress(ValueError, UsageError, OSError):
            return json_files.decode(self._files.read(f"{FOLDER}/{id_}{_ENDING}") or b"", Receipt)
        return None


def of_parts(receipt: Receipt, delivered: Collection[int]) -> Receipt:
    """Return the receipt of a copy of which only these parts, numbered from 1, were handed over: items within them
    count. Where nothing was, the receipt of an earlier copy remains in force."""
    if len(delivered) >= receipt.parts:
        return receipt
    items = tuple(item for item in receipt.items if not item.sent or _is_in(item, delivered))
    sent = sum(item.tokens for item in items if item.sent)
    return msgspec.structs.replace(receipt, items=items, tokens=sent, delivered=tuple(sorted(delivered)))


def _is_in(item: ReceiptItem, delivered: Collection[int]) -> bool:
    return bool(item.parts) and set(item.parts) <= set(delivered)


def new_id(text: str, *, now: int | None = None) -> tuple[str, int]:
    """An id that sorts by time, and the time in ms since 1970."""
    at = time.time_ns() // 1_000_000 if now is None else now
    stamp = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{at % 1000:03}-{digest(text)[:4]}", at


def digest(text: str) -> str:
    """Sixteen hexadecimal digits that change with the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def when(receipt: Receipt) -> str:
    """The time of a receipt, for people and models."""
    return datetime.fromtimestamp(receipt.at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


TEXTS = "handed"
LARGEST = 4_000_000
"""Bytes of a file that is kept; of one that is larger, an answer is compared with what is on the disk alone."""
_TEXT_ENDING = ".z"
_LENGTH = 32


class HandedTexts:
    """Contents of one workspace, each once. A damaged one is none."""

    def __init__(self, files: ReceiptFiles) -> None:
        self._files = files

    def keep(self, data: bytes) -> str:
        """Store a content and return its hash. Raises ReadOnly."""
        hash_ = sha256(data).hexdigest()[:_LENGTH]
        name = f"{TEXTS}/{hash_}{_TEXT_ENDING}"
        if self._files.read(name) is None:
            self._files.write(name, zlib.compress(data, 1))
        return hash_

    def read(self, hash_: str) -> bytes | None:
        """Return the content of a hash; None where it is not stored."""
        if len(hash_) != _LENGTH or not hash_.isalnum():
            return None
        kept = self._files.read(f"{TEXTS}/{hash_}{_TEXT_ENDING}")
        if kept is None:
            return None
        with suppress(zlib.error):
            data = zlib.decompressobj().decompress(kept, LARGEST + 1)
            if sha256(data).hexdigest()[:_LENGTH] == hash_:
                return data
        return None

    def prune(self, wanted: Collection[str]) -> None:
        """Remove all others."""
        for name in self._files.names(TEXTS):
            if name.removesuffix(_TEXT_ENDING) not in wanted:
                self._files.remove(f"{TEXTS}/{name}")


_FENCE = re.compile(r" {0,3}(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)\n?")
_HEADING = re.compile(r"(?:## (?P<md>[^\n]+)|<source>(?P<xml>[^\n]*)</source>|<document>)\n?")
_CDATA_START, _CDATA_END = "<![CDATA[", "]]>"
MOST_PARTS = 999
_LONGEST_TITLE = 120

Count = Callable[[str], int]


class Part(msgspec.Struct, frozen=True):
    """A part of `total`. `head`: numbers it and opens what the part before closed; `tail`: closes what is open."""

    number: int
    total: int
    head: str
    content: str
    tail: str

    @property
    def text(self) -> str:
        """The text handed over."""
        return self.head + self.content + self.tail


class _Open(msgspec.Struct, frozen=True):
    """Blocks to close at the end of a part, and to reopen in the next. `about`: the heading above its last line."""

    close: str = ""
    open: str = ""
    about: str = ""


class _Cut(msgspec.Struct, frozen=True):
    """A stretch of lines, with what is open before and after it."""

    lines: Sequence[str]
    before: _Open
    after: _Open

    def part(self, number: int, total: int) -> Part:
        """The stretch as a part of so many."""
        content = "".join(self.lines)
        end = "\n" if self.after.close and not content.endswith("\n") else ""
        goes_on = self.before.about if _begins(self.lines[0]) is None or self.before.close else ""
        head = _title(number, total, goes_on) + self.before.open
        return Part(number, total, head, content, end + self.after.close)


def split(text: str, *, most: int, count: Count, form: str) -> tuple[Part, ...]:
    """`text` in parts of at most `most` tokens each as `count` counts them, its own text where it is so small.

    `form`: md or xml, whose fences are closed and opened. Raises UsageError (`details`: needed, line) where a single
    line takes more than a part holds, and for JSON, of which a part is none."""
    needed = count(text)
    if needed <= most:
        return (Part(1, 1, "", text, ""),)
    if form == "json":
        raise UsageError(
            f"JSON is not split: a part of it is no JSON, and all of it takes {needed} tokens. Copy Markdown (md) or "
            f"XML (xml) in parts, or allow parts of {needed} tokens.",
            needed=needed,
        )
    lines = _lines(text)
    states = _states(lines, form)
    cuts: list[_Cut] = []
    start = 0
    while start < len(lines):
        cut = _longest(lines, states, start, most=most, count=count)
        cuts.append(cut)
        start += len(cut.lines)
        if len(cuts) > MOST_PARTS:
            raise UsageError(
                f"The text takes more than {MOST_PARTS} parts of {most} tokens. Allow larger parts."
            )
    return tuple(cut.part(number, len(cuts)) for number, cut in enumerate(cuts, start=1))


def _longest(lines: Sequence[str], states: Sequence[_Open], start: int, *, most: int, count: Count) -> _Cut:
    """The longest stretch from `start` whose part fits: by doubling, then halving between."""

    def cut(size: int) -> _Cut:
        return _Cut(lines[start : start + size], states[start], states[start + size])

    def fits(size: int) -> bool:
        # The widest title: how many parts there will be is not known yet.
        return count(cut(size).part(MOST_PARTS, MOST_PARTS).text) <= most

    if not fits(1):
        needed = count(cut(1).part(MOST_PARTS, MOST_PARTS).text)
        raise UsageError(
            f"Line {start + 1} alone takes {needed} tokens with what goes around it; a part holds {most}. "
            f"Allow parts of {needed} tokens.",
            needed=needed,
            line=start + 1,
        )
    left = len(lines) - start
    low, high = 1, 2
    while high <= left and fits(high):
        low, high = high, high * 2
    high = min(high, left + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return cut(low)


def _title(number: int, total: int, goes_on: str) -> str:
    return f"Part {number} of {total}" + (f", continuing {goes_on}" if goes_on else "") + "\n\n"


def _begins(line: str) -> str | None:
    """Return the heading that a line begins; None where it is no heading."""
    match = _HEADING.fullmatch(line)
    return (match["md"] or match["xml"] or "")[:_LONGEST_TITLE] if match is not None else None


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _states(lines: Sequence[str], form: str) -> list[_Open]:
    """Return the open blocks before each line, and after the last."""
    follow = {"md": _in_markdown, "xml": _in_xml}.get(form)
    state = _Open()
    states = [state]
    for line in lines:
        about = _begins(line) if not state.close else None
        state = follow(line, state) if follow is not None else state
        state = replace(state, about=about) if about is not None else state
        states.append(state)
    return states


def _in_markdown(line: str, state: _Open) -> _Open:
    """CommonMark section 4.5: a fence ends with one at least as long, of the same character, with nothing behind."""
    match = _FENCE.fullmatch(line)
    if match is None:
        return state
    run, info = match["run"], match["info"]
    if not state.close:
        return state if run[0] == "`" and "`" in info else _Open(f"{run}\n", f"{run}{info}\n", state.about)
    closes = run[0] == state.close[0] and len(run) >= len(state.close) - 1 and not info.strip()
    return _Open(about=state.about) if closes else state


def _in_xml(line: str, state: _Open) -> _Open:
    at, inside = 0, bool(state.close)
    while True:
        found = line.find(_CDATA_END if inside else _CDATA_START, at)
        if found < 0:
            ends = (f"{_CDATA_END}\n", _CDATA_START) if inside else ("", "")
            return _Open(*ends, about=state.about)
        at, inside = found + 3, not inside
