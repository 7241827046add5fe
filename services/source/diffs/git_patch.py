"""Patches in git's own format, byte for byte what `git apply` takes: headers, quoted names, binary contents."""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from services.model import FileChange, Hunk
from services.source.diffs.hunks import hunks_of

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
    sides = (_lines(old), _lines(new))
    hunks = hunks_of(*sides)
    text = [*head_lines(change, similarity=_similarity(sides, hunks))]
    if old != new or not (change.old_mode and change.new_mode):
        text.append(_index_line(change, old, new, digits))
    head = _joined(text)
    if old == new:
        return head
    if b"\0" in old or b"\0" in new:
        return head + b"GIT binary patch\n" + _literal(new) + _literal(old)
    return head + _joined(name_lines(change)) + b"".join(_hunk(hunk, sides) for hunk in hunks)


def _joined(lines: Sequence[str] | Iterator[str]) -> bytes:
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def _content(mode: str, blob: str, data: bytes) -> bytes:
    """The bytes of a side, which of a submodule are the sentence that git shows."""
    return f"Subproject commit {blob}\n".encode() if mode == SUBMODULE else data


def _lines(data: bytes) -> list[str]:
    """Lines with their endings, each byte a character: git knows LF alone."""
    return data.decode("latin-1").replace("\n", "\n\0").removesuffix("\0").split("\0") if data else []


def _hunk(hunk: Hunk, sides: tuple[list[str], list[str]]) -> bytes:
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
