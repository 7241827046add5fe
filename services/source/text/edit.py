"""New lines in the place of old ones: every byte outside the range stays (SAFETY, Bytes)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.errors import NotText, ReadOnly, UsageError
from services.source.text.differ import Same, matching_blocks, shared_bytes
from services.workspace.text import BINARY_PROBE, Text, decode

_BOM = "\ufeff"


class Edit(msgspec.Struct, frozen=True):
    """Lines `start` to `end` become `content`; `end = start - 1` inserts before `start`; no content deletes.

    A final line feed of `content` ends its last line and begins none: `a` and `a` with a line feed are one line."""

    start: int
    end: int
    content: str


class Edited(msgspec.Struct, frozen=True):
    """The bytes after an edit. `old`, `new`: (first, last) line of what was replaced, and of what replaced it; `same`:
    how many bytes before and after stayed."""

    data: bytes
    old: tuple[int, int]
    new: tuple[int, int]
    same: Same


def apply_edit(text: Text, edit: Edit, *, path: str = "") -> Edited:
    """The edit applied. Raises LineOutOfRange, ReadOnly where the text is not writable or cannot hold a character,
    UsageError for a NUL, NotText for what would be read as another encoding afterwards."""
    data = apply_edits(text, [edit], path=path)
    count = len(split_lines(edit.content))
    first, last = text.span(edit.start, edit.end)
    after = len(text.data) - last
    head, tail = shared_bytes(text.data[first:last], data[first : len(data) - after])
    same = (first + head, after + tail)
    return Edited(data, (edit.start, edit.end), (edit.start, edit.start + count - 1), same)


def apply_edits(text: Text, edits: Sequence[Edit], *, path: str = "") -> bytes:
    """The bytes after several edits, which are in order, do not overlap, and all count lines as they are in `text`.
    Raises as apply_edit."""
    require_writable(text, path)
    old = memoryview(text.data)  # whose pieces are no copies
    pieces: list[bytes | memoryview] = []
    at = 0
    for edit in edits:
        first, last = text.span(edit.start, edit.end)
        pieces += (old[at:first], text.encode(_joined(text, edit, split_lines(edit.content))))
        at = last
    data = b"".join([*pieces, old[at:]])
    check_kept(text, data, path)
    return data


def rewrite(text: Text, content: str, *, path: str = "") -> bytes:
    """Replace a whole text: equal lines retain their bytes. Raises as apply_edit."""
    lines = split_lines(content.removeprefix(_BOM))
    return apply_edits(text, edits_between(bare_lines(text), lines, first=1), path=path)


def edits_between(old: Sequence[str], new: Sequence[str], *, first: int) -> list[Edit]:
    """The edits that make `new` of `old`, lines without endings; `first`: the number of old's first line."""
    edits: list[Edit] = []
    a = b = 0
    for block in matching_blocks(old, new):
        if (a, b) != (block.a, block.b):
            content = "".join(f"{line}\n" for line in new[b : block.b])
            edits.append(Edit(first + a, first + block.a - 1, content))
        a, b = block.a + block.size, block.b + block.size
    return edits


def bare_lines(text: Text) -> list[str]:
    """All lines without their endings."""
    return [
        line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line for line in text.lines()
    ]


def require_writable(text: Text, path: str) -> None:
    """Raises ReadOnly for a text some bytes of which could not be decoded: no write rests on a guess."""
    if not text.writable:
        message = (
            f"{path} is read-only here: some of its bytes are not {text.encoding}. "
            "Declare its encoding by the setting files.encoding."
        )
        raise ReadOnly(message, path=path, reason="its bytes cannot be decoded")


def check_kept(before: Text, data: bytes, path: str) -> None:
    """Raises NotText where `data` would no longer be read in the encoding of the text it came from."""
    if before.bom or before.encoding.startswith("utf-16"):
        return
    if before.encoding == "utf-8" and data.isascii() and b"\0" not in data[:BINARY_PROBE]:
        return
    after = decode(data, path, encoding=before.declared)
    if before.encoding != "utf-8":
        if after.content != data.decode(before.encoding):
            raise NotText(f"{path} would be read as {after.encoding} afterwards.", path=path)
    elif (after.encoding, after.bom) != (before.encoding, before.bom) or not after.writable:
        raise NotText(f"{path} would be read as {after.encoding} afterwards.", path=path)


def split_lines(content: str) -> list[str]:
    """Lines without their endings. Raises UsageError for a NUL: it would make the file binary."""
    if "\0" in content:
        raise UsageError("The new text contains a NUL character, which would make the file binary.")
    if not content:
        return []
    *lines, rest = content.split("\n")
    # A CR before a line feed belongs to the ending.
    return [*(line.removesuffix("\r") for line in lines), *([rest] if rest else [])]


def _joined(text: Text, edit: Edit, lines: Sequence[str]) -> str:
    """The new lines with endings: that of the line each replaces, else that of the line before."""
    if lines and edit.start == 1:
        lines = [lines[0].removeprefix(_BOM), *lines[1:]]
    if not lines:
        return ""
    at_end = edit.end == text.line_count
    open_end = at_end and text.line_count > 0 and not text.final_newline
    if open_end and edit.end < edit.start:
        # After a last line without an ending: that line gets one, the new last line stays without.
        ending = _ending_near(text, text.line_count)
        return "".join(ending + line for line in _before_endings(lines)) + ("" if lines[-1] else ending)
    endings = [_ending_of(text, edit, number) for number in range(len(lines))]
    if open_end and lines[-1]:
        # An empty line without an ending would be no line.
        return "".join(map("".join, zip(_before_endings(lines), [*endings[:-1], ""], strict=True)))
    return "".join(line.removesuffix("\r") + ending for line, ending in zip(lines, endings, strict=True))


def _before_endings(lines: Sequence[str]) -> list[str]:
    """Lines all but the last of which get an ending: a CR at their end would become part of it."""
    return [*(line.removesuffix("\r") for line in lines[:-1]), lines[-1]]


def _ending_of(text: Text, edit: Edit, number: int) -> str:
    replaced = edit.start + number
    if replaced <= edit.end and (own := text.ending(replaced)):
        return own
    return _ending_near(text, min(replaced, edit.end) if edit.end >= edit.start else edit.start - 1)


def _ending_near(text: Text, line: int) -> str:
    """The ending of the line, else of one before it, else of the first of all; a line feed where there is none."""
    for number in range(min(line, text.line_count), 0, -1):
        if ending := text.ending(number):
            return ending
    return (text.ending(1) if text.line_count else "") or "\n"
