"""A reader of numbered diffs, which holds the format to saying every line once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.errors import UsageError
from services.model import DiffLine, Hunk, Value
from services.source.diffs.hunks import hunk_head

_HEAD = re.compile(r"@@ -(\d{1,9}),(\d{1,9}) \+(\d{1,9}),(\d{1,9}) @@(?: (.*))?")
_NEW = re.compile(r"NEW_LINE_(\d{1,9}):(?: (.*))?", re.DOTALL)
_DELETED = re.compile(r"DELETED \(was line (\d{1,9})\): -(?: (.*))?", re.DOTALL)
_LIKE_ADDED = re.compile(r"\\*\+(?: |$)")
_OPEN = "\\ No newline at end of file"
_FILE = "File: "


class NumberedFile(Value, kw_only=True, frozen=True):
    """A file of a numbered diff, read back."""

    path: str
    hunks: tuple[Hunk, ...]
    notes: tuple[str, ...] = ()


def parse_numbered(text: str) -> tuple[NumberedFile, ...]:
    """The files of a numbered diff. Raises UsageError (`details`: line) for anything else."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    starts = [at for at, line in enumerate(lines) if line.startswith(_FILE)]
    if not starts or starts[0]:
        raise _bad(1, f"it begins with {_FILE.strip()}")
    ends = (*starts[1:], len(lines))
    return tuple(_file(lines, start, end) for start, end in zip(starts, ends, strict=True))


def _file(lines: Sequence[str], start: int, end: int) -> NumberedFile:
    at = start + 1
    notes: list[str] = []
    while at < end and lines[at].startswith("["):
        notes.append(lines[at][1:].removesuffix("]"))
        at += 1
    heads = [n for n in range(at, end) if lines[n].startswith("@@")]
    if at < end and heads[:1] != [at]:
        raise _bad(at + 1, "a hunk begins like @@ -1,2 +1,3 @@")
    hunks = [_hunk(lines, *pair) for pair in zip(heads, [*heads[1:], end][: len(heads)], strict=True)]
    return NumberedFile(path=lines[start][len(_FILE) :], hunks=tuple(hunks), notes=tuple(notes))


def _hunk(lines: Sequence[str], start: int, end: int) -> Hunk:
    head = _HEAD.fullmatch(lines[start])
    if head is None:
        raise _bad(start + 1, "a hunk begins like @@ -1,2 +1,3 @@")
    old_start, old_count, new_start, new_count = map(int, head.groups()[:4])
    read: list[DiffLine] = []
    old, new = old_start + (not old_count), new_start + (not new_count)
    for at in range(start + 1, end):
        if lines[at] == _OPEN and read:
            read[-1] = _unended(read[-1])
            continue
        line = _line(lines[at], old, at + 1)
        if (line.old or old, line.new or new) != (old, new):
            raise _bad(at + 1, "the numbers do not follow each other")
        old, new = old + (line.old is not None), new + (line.new is not None)
        read.append(line)
    if (old - old_start - (not old_count), new - new_start - (not new_count)) != (old_count, new_count):
        raise _bad(start + 1, "its counts of lines do not fit what follows")
    return Hunk(
        old_start=old_start, old_count=old_count, new_start=new_start, new_count=new_count,
        lines=tuple(read), heading=head[5] or "",
    )  # fmt: skip


def _line(text: str, old: int, at: int) -> DiffLine:
    if deleted := _DELETED.fullmatch(text):
        return DiffLine(text=deleted[2] or "", old=int(deleted[1]))
    new = _NEW.fullmatch(text)
    if new is None:
        raise _bad(at, "a line begins with NEW_LINE_n: or DELETED (was line n): -")
    rest = new[2] or ""
    if rest.startswith("+") and _LIKE_ADDED.match(rest):
        return DiffLine(text=rest[2:], new=int(new[1]))
    rest = rest[1:] if rest.startswith("\\") and _LIKE_ADDED.match(rest) else rest
    return DiffLine(text=rest, old=old, new=int(new[1]))


def _unended(line: DiffLine) -> DiffLine:
    return DiffLine(text=line.text, old=line.old, new=line.new, ended=False)


def applied(old: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    """The new side of a file, lines with their endings, from its old one. A line that is new ends as the one before it
    does. Raises UsageError where the old side is not the one that the hunks are about."""
    new: list[str] = []
    at = 0
    for hunk in hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        if not at <= start <= len(old):
            raise _misfit(hunk)
        new += old[at:start]
        at = start
        for line in hunk.lines:
            if line.old is not None:
                if at >= len(old) or _bare(old[at]) != line.text:
                    raise _misfit(hunk)
                at += 1
            if line.new is not None:
                new.append(old[at - 1] if line.old is not None else line.text + _ending(line, new, old))
    return [*new, *old[at:]]


def _ending(line: DiffLine, new: Sequence[str], old: Sequence[str]) -> str:
    if not line.ended:
        return ""
    near = new[-1] if new else old[0] if old else "\n"
    return "\r\n" if near.endswith("\r\n") else "\n"


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _bad(line: int, reason: str) -> UsageError:
    return UsageError(f"The numbered diff makes no sense at its line {line}: {reason}.", line=line)


def _misfit(hunk: Hunk) -> UsageError:
    return UsageError(
        f"{hunk_head(hunk)} does not fit the file: it is about another version of it.", line=hunk.old_start
    )
