"""The hunks between two texts, every line with its number on the sides where it is, and patches made of them in
git's own format.

What changed within a line that took another's place: the words of either that the other has not. Patches are byte
for byte what `git apply` takes: headers, quoted names, binary contents.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from services.model import DiffLine, FileChange, Hunk
from services.source.text.differ import LineChange, groups, line_changes

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_ALIKE = 0.4
"""Share of the longer line that has to be equal for marks within the line to be useful."""
_LONGEST = 2_000
_MOST_PAIRS = 1_000
"""Lines that another block took the place of, beyond which nobody looks for words in them: comparing those of a whole
generated file takes seconds."""

Spans = tuple[tuple[int, int], ...]


def line_marks(old: Sequence[str], new: Sequence[str]) -> list[tuple[Spans, Spans]]:
    """What changed within each line of a block and the line that took its place; nothing of a block that is long."""
    pairs = list(zip(old, new, strict=False))  # the longer side's last lines took no place
    return [emphasis(*pair) for pair in pairs] if len(pairs) <= _MOST_PAIRS else [((), ())] * len(pairs)


def emphasis(old: str, new: str) -> tuple[Spans, Spans]:
    """Columns (end exclusive) that changed in either; none where the lines have too little in common, or much."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    one, other = _WORD.findall(old), _WORD.findall(new)
    from rapidfuzz.distance import LCSseq

    steps = list(LCSseq.opcodes(one, other))
    same = sum(
        len(word)
        for code in steps
        if code.tag == "equal"
        for word in _solid(one[code.src_start : code.src_end])
    )
    longer = max(sum(map(len, _solid(one))), sum(map(len, _solid(other))))
    if longer == 0 or same < _ALIKE * longer:
        return (), ()
    changed = [code for code in steps if code.tag != "equal"]
    return (
        _columns(one, [(code.src_start, code.src_end) for code in changed]),
        _columns(other, [(code.dest_start, code.dest_end) for code in changed]),
    )


def _solid(words: list[str]) -> Iterator[str]:
    return (word for word in words if not word.isspace())


def _columns(words: list[str], ranges: list[tuple[int, int]]) -> Spans:
    """Ranges of words as ranges of characters, those that touch joined."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        start, end = ends[first], ends[last]
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return tuple(joined)


def hunks_of(
    old: Sequence[str], new: Sequence[str], *, context: int = 3, ignore_space: bool = False
) -> tuple[Hunk, ...]:
    """The hunks from `old` to `new`, lines with their endings, with `context` lines about each change. `ignore_space`:
    lines that differ in white space alone are the same, shown as they are now."""
    changes = line_changes(*(_squeezed(old), _squeezed(new)) if ignore_space else (old, new))
    return tuple(_hunk(old, new, group, context) for group in groups(changes, context=context))


def _squeezed(lines: Sequence[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def counts_of(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines were added and deleted."""
    changes = line_changes(old, new)
    return sum(c.b1 - c.b0 for c in changes), sum(c.a1 - c.a0 for c in changes)


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], context: int) -> Hunk:
    before = min(context, group[0].a0)
    after = min(context, len(old) - group[-1].a1)
    a0, a1 = group[0].a0 - before, group[-1].a1 + after
    b0, b1 = group[0].b0 - before, group[-1].b1 + after
    return Hunk(
        old_start=a0 + 1 if a1 > a0 else a0,
        old_count=a1 - a0,
        new_start=b0 + 1 if b1 > b0 else b0,
        new_count=b1 - b0,
        lines=tuple(_lines(old, new, group, (a0, a1, b0))),
    )


def _lines(
    old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], ends: tuple[int, int, int]
) -> Iterator[DiffLine]:
    a, last, b = ends
    for change in group:
        yield from _same(new, (a, b), change.a0 - a)
        yield from _changed(old, new, change)
        a, b = change.a1, change.b1
    yield from _same(new, (a, b), last - a)


def _same(new: Sequence[str], starts: tuple[int, int], count: int) -> Iterator[DiffLine]:
    """Lines that both sides have, from `starts` (0-based) on."""
    a, b = starts
    for offset, line in enumerate(new[b : b + count], 1):
        yield _line(line, old=a + offset, new=b + offset)


def _changed(old: Sequence[str], new: Sequence[str], change: LineChange) -> Iterator[DiffLine]:
    """Deleted lines, then the added ones; each that has a counterpart knows what differs from it."""
    out, in_ = old[change.a0 : change.a1], new[change.b0 : change.b1]
    marks = line_marks([_bare(line) for line in out], [_bare(line) for line in in_])
    marks += [((), ())] * (max(len(out), len(in_)) - len(marks))
    for at, line in enumerate(out):
        yield _line(line, old=change.a0 + at + 1, spans=marks[at][0])
    for at, line in enumerate(in_):
        yield _line(line, new=change.b0 + at + 1, spans=marks[at][1])


def _line(
    line: str, *, old: int | None = None, new: int | None = None, spans: tuple[tuple[int, int], ...] = ()
) -> DiffLine:
    return DiffLine(text=_bare(line), old=old, new=new, spans=spans, ended=line.endswith("\n"))


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


OPEN = "\\ No newline at end of file"
LINK, SUBMODULE = "120000", "160000"
"""Modes of entries that are no files."""
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_NULL = "/dev/null"
_BINARY_LINE = 52
"""Bytes that a line of a binary patch holds."""


def quoted_path(path: str, *, ascii_only: bool = True) -> str:
    """The name as git writes it: in quotes with escapes where it has control characters, quotes, backslashes or, with
    `ascii_only`, anything beyond ASCII. Names that are no UTF-8 are escaped always."""
    data = os.fsencode(path)
    ascii_only = ascii_only or any("\ud800" <= sign <= "\udfff" for sign in path)
    if not any(_is_escaped(byte, ascii_only=ascii_only) for byte in data):
        return path
    escaped = b"".join(
        _escape(byte) if _is_escaped(byte, ascii_only=ascii_only) else bytes((byte,)) for byte in data
    )
    return f'"{os.fsdecode(escaped)}"'


def _is_escaped(byte: int, *, ascii_only: bool) -> bool:
    return byte < 32 or byte in (34, 92, 127) or (ascii_only and byte > 127)


def _escape(byte: int) -> bytes:
    return f"\\{_ESCAPES[byte]}".encode() if byte in _ESCAPES else f"\\{byte:03o}".encode()


def head_lines(
    change: FileChange, *, similarity: int | None = None, ascii_only: bool = True
) -> Iterator[str]:
    """The `diff --git` line and the extended headers: modes, renames. `similarity`: per cent, where it is known."""
    old = quoted_path(f"a/{change.old_path or change.path}", ascii_only=ascii_only)
    new = quoted_path(f"b/{change.path}", ascii_only=ascii_only)
    yield f"diff --git {old} {new}"
    if not change.old_mode:
        yield f"new file mode {change.new_mode}"
    elif not change.new_mode:
        yield f"deleted file mode {change.old_mode}"
    elif change.mode_changed:
        yield f"old mode {change.old_mode}"
        yield f"new mode {change.new_mode}"
    if change.old_path and change.status in ("renamed", "copied"):
        word = "rename" if change.status == "renamed" else "copy"
        if similarity is not None:
            yield f"similarity index {similarity}%"
        yield f"{word} from {quoted_path(change.old_path, ascii_only=ascii_only)}"
        yield f"{word} to {quoted_path(change.path, ascii_only=ascii_only)}"


def name_lines(change: FileChange, *, ascii_only: bool = True) -> Iterator[str]:
    """The lines `---` and `+++` before the hunks; a tab ends a name with blanks in it."""
    old, new = f"a/{change.old_path or change.path}", f"b/{change.path}"
    for sign, mode, name in (("---", change.old_mode, old), ("+++", change.new_mode, new)):
        quoted = quoted_path(name, ascii_only=ascii_only) if mode else _NULL
        yield f"{sign} {quoted}" + ("\t" if " " in quoted and not quoted.startswith('"') else "")


def hunk_head(hunk: Hunk) -> str:
    """`@@ -10,5 +12,6 @@`, with the declaration that it begins in where that is known."""
    head = f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    return f"{head} {hunk.heading}".rstrip()


def file_patch(change: FileChange, old: bytes, new: bytes, *, digits: int = 40) -> bytes:
    """The patch of one file from the bytes of both sides. `digits`: of an object id of the repository."""
    if change.mode_changed and change.old_mode[:2] != change.new_mode[:2]:
        gone = msgspec.structs.replace(change, path=change.old_path or change.path, new_mode="", new_blob="")
        made = msgspec.structs.replace(change, old_mode="", old_blob="")
        parts = ((gone, old, b""), (made, b"", new))
        return b"".join(
            file_patch(msgspec.structs.replace(each, old_path=None, status="type"), *sides, digits=digits)
            for each, *sides in parts
        )
    old, new = (
        _content(change.old_mode, change.old_blob, old),
        _content(change.new_mode, change.new_blob, new),
    )
    sides = (_patch_lines(old), _patch_lines(new))
    hunks = hunks_of(*sides)
    text = [*head_lines(change, similarity=_similarity(sides, hunks))]
    if old != new or not (change.old_mode and change.new_mode):
        text.append(_index_line(change, old, new, digits))
    head = _joined(text)
    if old == new:
        return head
    if b"\0" in old or b"\0" in new:
        return head + b"GIT binary patch\n" + _literal(new) + _literal(old)
    return head + _joined(name_lines(change)) + b"".join(_patch_hunk(hunk, sides) for hunk in hunks)


def _joined(lines: Sequence[str] | Iterator[str]) -> bytes:
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def _content(mode: str, blob: str, data: bytes) -> bytes:
    """The bytes of a side, which of a submodule are the sentence that git shows."""
    return f"Subproject commit {blob}\n".encode() if mode == SUBMODULE else data


def _patch_lines(data: bytes) -> list[str]:
    """Lines with their endings, each byte a character: git knows LF alone."""
    return data.decode("latin-1").replace("\n", "\n\0").removesuffix("\0").split("\0") if data else []


def _patch_hunk(hunk: Hunk, sides: tuple[list[str], list[str]]) -> bytes:
    text = [f"{hunk_head(hunk)}\n"]
    for line in hunk.lines:
        raw = sides[1][line.new - 1] if line.new else sides[0][(line.old or 1) - 1]
        text.append(f"{line.sign}{raw}" if raw.endswith("\n") else f"{line.sign}{raw}\n{OPEN}\n")
    return "".join(text).encode("latin-1")


def _similarity(sides: tuple[list[str], list[str]], hunks: Sequence[Hunk]) -> int:
    """The share of lines that stayed, in per cent; 100 for equal sides alone."""
    longer = max(map(len, sides))
    if not hunks or not longer:
        return 100
    gone = sum(line.new is None for hunk in hunks for line in hunk.lines)
    return min(99, 100 * (len(sides[0]) - gone) // longer)


def _index_line(change: FileChange, old: bytes, new: bytes, digits: int) -> str:
    ids = [
        _id(data, mode, blob, digits)
        for data, mode, blob in ((old, change.old_mode, change.old_blob), (new, change.new_mode, change.new_blob))
    ]  # fmt: skip
    same_mode = f" {change.new_mode}" if change.old_mode == change.new_mode else ""
    return f"index {'..'.join(ids)}{same_mode}"


def _id(data: bytes, mode: str, blob: str, digits: int) -> str:
    if not mode:
        return "0" * digits
    if mode == SUBMODULE:
        return blob
    make = hashlib.sha256 if digits == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> bytes:
    """A side of a binary patch: packed, in lines that begin with the count of their bytes as a letter."""
    packed = zlib.compress(data)
    lines = [f"literal {len(data)}".encode()]
    for at in range(0, len(packed), _BINARY_LINE):
        part = packed[at : at + _BINARY_LINE]
        count = len(part) + (ord("A") - 1 if len(part) <= 26 else ord("a") - 27)
        lines.append(bytes((count,)) + base64.b85encode(part, pad=True))
    return b"\n".join(lines) + b"\n\n"
